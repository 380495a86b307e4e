"""What requests are answered with: settings and schema cache as one value, swapped on reload.

The plans made from it are remembered in it, so a swap forgets them all at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from compat_base.values.http import Headers, HttpRequest
from rest_compat.auth.authenticate import AuthRules, Identity
from rest_compat.catalog.model import SchemaCache
from rest_compat.errors import TOO_DEEP, syntax_error
from rest_compat.plan.make import make_plan
from rest_compat.plan.model import InfoPlan, InspectPlan, StatementPlan
from rest_compat.plan.read import PlanRules
from rest_compat.query.build import Script, build, build_inspection
from rest_compat.query.session import (
    Caller,
    Pairs,
    Preamble,
    SessionRules,
    begin,
    caller_settings,
    needs_no_begin,
    request_settings,
    set_all,
)
from rest_compat.request.headers import RequestHeaders, read_headers
from rest_compat.request.model import ApiRequest
from rest_compat.request.parse import parse
from rest_compat.request.shape import Exposure, ReadBody, Shape, Values, split_request
from rest_compat.runtime.bounded_cache import BoundedCache
from rest_compat.settings import OpenApiMode, Settings

_MOST_PLANS = 2_000
_MOST_CALLERS = 2_000
_MOST_READS = 2_000
_MOST_SENDERS = 1_000
_MOST_OPENINGS = 1_000
_LONG = 4_096  # characters: what is longer is read anew each time, so that memory has a limit


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """What `ALTER ROLE … SET` gives a role's transactions."""

    settings: tuple[tuple[str, str], ...] = ()
    isolation: str | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A planned request: its plan and, where the database is asked, its script."""

    plan: StatementPlan | InspectPlan | InfoPlan
    script: Script | None


@dataclass(frozen=True, slots=True)
class Planned:
    """A request ready to run: what was prepared for its shape, and its values."""

    prepared: Prepared
    values: Values


@dataclass(frozen=True, slots=True)
class LongRequest:
    """A request whose grammar takes long to read, not planned yet."""

    shape: Shape
    values: Values


_Words: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Everything of a read that its plan and values are made from: path, query, headers."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Settings, schema cache (None before the first load) and what was made of them."""

    settings: Settings
    exposure: Exposure
    auth_rules: AuthRules
    session_rules: SessionRules
    cache: SchemaCache | None = None
    roles: Mapping[str, RoleSettings] = field(default_factory=dict[str, RoleSettings])
    _senders: BoundedCache[Headers, RequestHeaders] = field(
        default_factory=lambda: BoundedCache(_MOST_SENDERS)
    )
    _plans: BoundedCache[Shape, Prepared] = field(default_factory=lambda: BoundedCache(_MOST_PLANS))
    _reads: BoundedCache[_Words, Planned] = field(default_factory=lambda: BoundedCache(_MOST_READS))
    _openings: BoundedCache[tuple[Script, RequestHeaders, str], Preamble] = field(
        default_factory=lambda: BoundedCache(_MOST_OPENINGS)
    )
    _callers: BoundedCache[Identity, tuple[Caller, Pairs]] = field(
        default_factory=lambda: BoundedCache(_MOST_CALLERS)
    )

    def sender(self, headers: Headers) -> RequestHeaders:
        """What the headers of a request say."""
        found = self._senders.get(headers)
        if found is None:
            found = read_headers(headers)
            if found.size <= _LONG:
                self._senders.keep(headers, found)
        return found

    def prepared(self, shape: Shape, cache: SchemaCache) -> Prepared:
        """The plan and script of a shape, made once."""
        found = self._plans.get(shape)
        if found is None:
            found = self._plans.keep(shape, self._prepare(shape, cache))
        return found

    def checked(self, shape: Shape) -> ApiRequest:
        """A shape understood; ApiError for the first thing that cannot be."""
        try:
            return parse(shape, allow_transaction=self.settings.tx_override)
        except RecursionError as error:
            raise syntax_error(TOO_DEEP, TOO_DEEP) from error

    def planned_anew(self, long: LongRequest, cache: SchemaCache) -> Planned:
        """The plan of a request whose grammar takes long to read; it is not remembered."""
        return Planned(self._prepare(long.shape, cache), long.values)

    def planned(
        self,
        request: HttpRequest,
        sender: RequestHeaders,
        cache: SchemaCache,
        body: ReadBody | None = None,
    ) -> Planned | LongRequest:
        """The plan of a request and its values; a read repeated word for word is not read again.

        `body`: where it was read before. A LongRequest is for `planned_anew`, beside the event
        loop. Raises what the stages raise: ApiError, InvalidQueryError.
        """
        if request.method != "GET":
            shape, values = split_request(request, self.exposure, body)
            if shape.is_long():
                return LongRequest(shape, values)
            return Planned(self.prepared(shape, cache), values)
        words = request.raw_path, request.query, sender.shaping
        found = self._reads.get(words)
        if found is None:
            shape, values = split_request(request, self.exposure)
            if shape.is_long():
                return LongRequest(shape, values)
            found = Planned(self.prepared(shape, cache), values)
            if sender.size + len(request.raw_path) + len(request.query) <= _LONG:
                self._reads.keep(words, found)
        return found

    def caller(self, identity: Identity) -> tuple[Caller, Pairs]:
        """The caller with the role's settings, and the settings that make a session theirs."""
        found = self._callers.get(identity)
        if found is None:
            role = self.roles.get(identity.role, RoleSettings())
            caller = Caller(identity.role, identity.claims, role.settings, role.isolation)
            found = self._callers.keep(identity, (caller, caller_settings(caller)))
        return found

    def opening(
        self, request: HttpRequest, script: Script, sender: RequestHeaders, identity: Identity
    ) -> Preamble:
        """What begins a script's transaction; the identity is that of the sender's token."""
        key = script, sender, request.raw_path
        found = self._openings.get(key)
        if found is None:
            found = self._open(request, script, sender, identity)
            if sender.size + len(request.raw_path) <= _LONG:
                self._openings.keep(key, found)
        return found

    def _open(
        self, request: HttpRequest, script: Script, sender: RequestHeaders, identity: Identity
    ) -> Preamble:
        caller, becoming = self.caller(identity)
        facts = request_settings(request.method, request.raw_path, sender)
        pairs = script.settings_before + becoming + facts + script.settings_after
        called = () if script.pre_request is None else (script.pre_request,)
        alone = None
        if needs_no_begin(script.facts, caller):
            alone = (set_all(pairs, read_only=True), *called)
        return Preamble(
            statements=(begin(script.facts, caller), set_all(pairs), *called),
            alone=alone,
            authenticated=identity.role != self.settings.anon_role,
        )

    def _prepare(self, shape: Shape, cache: SchemaCache) -> Prepared:
        settings = self.settings
        rules = PlanRules(
            max_rows=settings.max_rows,
            aggregates=settings.aggregates,
            old_names=settings.old_names,
            plans=settings.plan_enabled,
            tx_rollback=settings.tx_rollback,
            allow_transaction=settings.tx_override,
        )
        session = self.session_rules
        try:
            api = self.checked(shape)
            plan = make_plan(api, cache, rules)
            match plan:
                case StatementPlan():
                    return Prepared(plan, build(plan, session))
                case InspectPlan():
                    return Prepared(plan, build_inspection(plan, session))
                case InfoPlan():
                    return Prepared(plan, None)
        except RecursionError as error:
            raise syntax_error(TOO_DEEP, TOO_DEEP) from error


def make_snapshot(
    settings: Settings,
    cache: SchemaCache | None = None,
    roles: Mapping[str, RoleSettings] | None = None,
) -> Snapshot:
    """A snapshot of these settings: what they expose, and how they know callers."""
    return Snapshot(
        settings,
        Exposure(
            schemas=settings.schemas,
            root_disabled=settings.openapi_mode is OpenApiMode.DISABLED,
            root_function=settings.root_spec,
        ),
        AuthRules(
            settings.jwt_keys, settings.jwt_aud, settings.role_claim_path, settings.anon_role
        ),
        SessionRules(settings.extra_schemas, settings.app_settings, settings.pre_request),
        cache,
        roles or {},
    )

"""What requests are answered with: settings and schema cache as one value, swapped on reload.

The plans made from it are remembered in it, so a swap forgets them all at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compat_base.http import HttpRequest
from rest_compat.auth import AuthRules, Identity
from rest_compat.catalog.model import SchemaCache
from rest_compat.errors import TOO_DEEP, syntax_error
from rest_compat.plan.make import make_plan
from rest_compat.plan.model import InfoPlan, InspectPlan, StatementPlan
from rest_compat.plan.read import PlanRules
from rest_compat.query.build import Script, build, build_inspection
from rest_compat.query.session import Caller, Pairs, SessionRules, caller_settings
from rest_compat.request.parse import parse
from rest_compat.request.shape import Exposure, Shape, Values, split_request
from rest_compat.settings import OpenApiMode, Settings

_MOST_PLANS = 2_000
_MOST_CALLERS = 2_000
_MOST_READS = 2_000
# The headers a plan depends on.
_SHAPING = frozenset({"accept", "accept-profile", "content-type", "prefer", "range"})


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
class Snapshot:
    """Settings, schema cache (None before the first load) and what was made of them."""

    settings: Settings
    exposure: Exposure
    auth_rules: AuthRules
    session_rules: SessionRules
    cache: SchemaCache | None = None
    roles: Mapping[str, RoleSettings] = field(default_factory=dict[str, RoleSettings])
    _plans: dict[Shape, Prepared] = field(default_factory=dict[Shape, Prepared])
    _reads: dict[tuple[str, ...], Planned] = field(default_factory=dict[tuple[str, ...], Planned])
    _callers: dict[Identity, tuple[Caller, Pairs]] = field(
        default_factory=dict[Identity, tuple[Caller, Pairs]]
    )

    def prepared(self, shape: Shape, cache: SchemaCache) -> Prepared:
        """The plan and script of a shape, made once."""
        found = self._plans.get(shape)
        if found is None:
            found = self._prepare(shape, cache)
            if len(self._plans) >= _MOST_PLANS:
                self._plans.pop(next(iter(self._plans)))
            self._plans[shape] = found
        return found

    def planned(self, request: HttpRequest, cache: SchemaCache) -> Planned:
        """The plan of a request and its values; a read repeated word for word is not read again.

        Raises what the stages raise: ApiError, InvalidQueryError.
        """
        if request.method != "GET":
            shape, values = split_request(request, self.exposure)
            return Planned(self.prepared(shape, cache), values)
        key = _words(request)
        found = self._reads.get(key)
        if found is None:
            shape, values = split_request(request, self.exposure)
            found = Planned(self.prepared(shape, cache), values)
            if len(self._reads) >= _MOST_READS:
                self._reads.pop(next(iter(self._reads)))
            self._reads[key] = found
        return found

    def caller(self, identity: Identity) -> tuple[Caller, Pairs]:
        """The caller with the role's settings, and the settings that make a session theirs."""
        found = self._callers.get(identity)
        if found is None:
            role = self.roles.get(identity.role, RoleSettings())
            caller = Caller(identity.role, identity.claims, role.settings, role.isolation)
            found = caller, caller_settings(caller)
            if len(self._callers) >= _MOST_CALLERS:
                self._callers.pop(next(iter(self._callers)))
            self._callers[identity] = found
        return found

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
            api = parse(shape, allow_transaction=settings.tx_override)
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


def _words(request: HttpRequest) -> tuple[str, ...]:
    """Everything of a read that its plan and values are made from."""
    said = [request.raw_path, request.query]
    for name, value in request.headers:
        if name in _SHAPING:
            said += (name, value)
    return tuple(said)


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
        AuthRules(settings.jwt_keys, settings.jwt_aud, settings.role_path, settings.anon_role),
        SessionRules(settings.extra_schemas, settings.app_settings, settings.pre_request),
        cache,
        roles or {},
    )

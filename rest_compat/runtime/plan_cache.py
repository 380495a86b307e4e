"""The plan cache: the results of the pure stages, for later requests of the same shape.

| cache     | key                                                         | value                |
|-----------|-------------------------------------------------------------|----------------------|
| headers   | the headers as they came                                    | `RequestHeaders`     |
| shapes    | `Shape`: the request without its values                     | `Prepared`: plan, SQL|
| reads     | a GET's path, query, and the headers that a plan depends on | `Planned`            |
| callers   | `Identity`: role and claims                                 | their settings       |
| preambles | script, headers, method, path, `Identity`                   | `Preamble`           |

What else they depend on (settings, schema cache, settings of roles) is that of one snapshot, and
each snapshot has a plan cache of its own. Each cache has a bound, the oldest entry goes first;
a request longer than `LONGEST` is not kept, so that memory has a limit too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compat_base.values.http import Headers, HttpRequest
from rest_compat.auth.authenticate import Identity
from rest_compat.catalog.model import SchemaCache
from rest_compat.pipeline import prepare
from rest_compat.query.build import TransactionScript
from rest_compat.query.preamble import make_preamble
from rest_compat.query.prepared import Prepared, Rules
from rest_compat.query.session import Caller, Pairs, Preamble, caller_settings
from rest_compat.request.headers import RequestHeaders, read_headers
from rest_compat.request.query_string import canonical
from rest_compat.request.shape import (
    LONG_SHAPE,
    ReadBody,
    Shape,
    Values,
    has_many_pairs,
    split_request,
)
from rest_compat.request.target import Exposure
from rest_compat.runtime.bounded_cache import BoundedCache

LONGEST = 4_096  # characters of a request that is kept
_MOST_HEADERS = 1_000
_MOST_SHAPES = 2_000
_MOST_LONG_SHAPES = 100  # each up to 350 KB
_MOST_READS = 2_000
_MOST_CALLERS = 2_000
_MOST_PREAMBLES = 1_000


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """What `ALTER ROLE … SET` gives a role's transactions."""

    settings: tuple[tuple[str, str], ...] = ()
    isolation: str | None = None


@dataclass(frozen=True, slots=True)
class Planned:
    """A request ready to run: what was prepared for its shape, its values, and its query.

    `query` is that of a read in its canonical form, which Content-Location shows.
    """

    prepared: Prepared
    values: Values
    query: str


@dataclass(frozen=True, slots=True)
class LongRequest:
    """A request that takes long to take apart or to parse, not planned yet."""

    request: HttpRequest
    body: ReadBody | None


@dataclass(frozen=True, slots=True)
class PlanCacheRules:
    """What everything in a plan cache depends on besides the requests: one snapshot's settings."""

    exposure: Exposure
    rules: Rules
    roles: Mapping[str, RoleSettings]
    anon_role: str | None


class PlanCache:
    """The caches of one snapshot, each around one pure function."""

    def __init__(self, rules: PlanCacheRules) -> None:
        self._rules = rules
        self._headers = BoundedCache[Headers, RequestHeaders](_MOST_HEADERS)
        self._shapes = BoundedCache[Shape, Prepared](_MOST_SHAPES)
        self._long_shapes = BoundedCache[Shape, Prepared](_MOST_LONG_SHAPES)
        self._reads = BoundedCache[tuple[str, str, tuple[str, ...]], Planned](_MOST_READS)
        self._callers = BoundedCache[Identity, tuple[Caller, Pairs]](_MOST_CALLERS)
        self._preambles = BoundedCache[
            tuple[TransactionScript, RequestHeaders, str, str, Identity], Preamble
        ](_MOST_PREAMBLES)

    def headers(self, sent: Headers) -> RequestHeaders:
        """`read_headers`."""
        found = self._headers.get(sent)
        if found is None:
            found = read_headers(sent)
            if found.size <= LONGEST:
                self._headers.put(sent, found)
        return found

    def planned(
        self,
        request: HttpRequest,
        headers: RequestHeaders,
        cache: SchemaCache,
        body: ReadBody | None = None,
    ) -> Planned | LongRequest:
        """`split_request` and `prepare`; `body`: where it was read before.

        A LongRequest is for `planned_long`, beside the event loop. Raises ApiError, and
        InvalidQueryError.
        """
        if request.method != "GET":
            return self._planned(request, cache, body)
        key = request.raw_path, request.query, headers.shaping
        found = self._reads.get(key)
        if found is None:
            found = self._planned(request, cache, None)
            size = headers.size + len(request.raw_path) + len(request.query)
            if isinstance(found, Planned) and size <= LONGEST:
                self._reads.put(key, found)
        return found

    def _planned(
        self, request: HttpRequest, cache: SchemaCache, body: ReadBody | None
    ) -> Planned | LongRequest:
        if has_many_pairs(request, body):
            return LongRequest(request, body)
        shape, values = split_request(request, self._rules.exposure, body)
        found = self._shapes.get(shape) or self._long_shapes.get(shape)
        if found is None:
            if shape.weight() > LONG_SHAPE:
                return LongRequest(request, body)
            found = self._shapes.put(shape, prepare(shape, cache, self._rules.rules))
        return Planned(found, values, _shown_query(request))

    def planned_long(self, long: LongRequest, cache: SchemaCache) -> Planned:
        """`split_request` and `prepare` for a request that takes long, by one thread at a time."""
        shape, values = split_request(long.request, self._rules.exposure, long.body)
        prepared = prepare(shape, cache, self._rules.rules)
        if shape.size() <= LONGEST:
            self._long_shapes.put(shape, prepared)
        return Planned(prepared, values, _shown_query(long.request))

    def caller(self, identity: Identity) -> tuple[Caller, Pairs]:
        """The caller with the settings of its role, and `caller_settings`."""
        found = self._callers.get(identity)
        if found is None:
            role = self._rules.roles.get(identity.role, RoleSettings())
            caller = Caller(identity.role, identity.claims, role.settings, role.isolation)
            found = caller, caller_settings(caller)
            if len(identity.claims) <= LONGEST:
                self._callers.put(identity, found)
        return found

    def preamble(
        self,
        request: HttpRequest,
        script: TransactionScript,
        headers: RequestHeaders,
        identity: Identity,
    ) -> Preamble:
        """`make_preamble`."""
        key = script, headers, request.method, request.raw_path, identity
        found = self._preambles.get(key)
        if found is None:
            found = make_preamble(
                script,
                self.caller(identity),
                request,
                headers,
                authenticated=identity.role != self._rules.anon_role,
            )
            if headers.size + len(request.raw_path) <= LONGEST:
                self._preambles.put(key, found)
        return found


def _shown_query(request: HttpRequest) -> str:
    return canonical(request.query) if request.method in {"GET", "HEAD"} else ""

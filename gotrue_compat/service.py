"""One request's way: preflight, route, caller, limits, captcha, body, flow, view."""

from __future__ import annotations

import asyncio
from datetime import datetime
from uuid import UUID

from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.values.errors import ApiError, Problem, Row
from compat_base.values.events import Observation, Severity
from compat_base.values.http import HttpRequest, HttpResponse, bearer
from gotrue_compat import errors
from gotrue_compat.flows.limits import Budget, take
from gotrue_compat.ports import Caller, Deps, Visit
from gotrue_compat.rules.claims import audience_of
from gotrue_compat.rules.sessions import expired
from gotrue_compat.store import users
from gotrue_compat.store.statements import UserGoneError
from gotrue_compat.web import cors
from gotrue_compat.web.asked import Asked
from gotrue_compat.web.faults import error_answer
from gotrue_compat.web.incoming import Incoming
from gotrue_compat.web.routes import ANONYMOUS, SHARED, Guard, Route, match
from gotrue_compat.web.tokens import TokenReader
from gotrue_compat.web.views import answer

_PLAIN = (("Content-Type", "text/plain; charset=utf-8"),)
_NO_SNIFFING = ("X-Content-Type-Options", "nosniff")
_SERVER_ERROR = 500
_NIL = str(UUID(int=0))
_NO_ROOM = "53"  # SQLSTATE class: no connection, memory or disk to be had now


class Service:
    """Answers requests by the table of routes."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._tokens = TokenReader(deps.settings.jwt)

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """The answer to a request, readable from any origin."""
        preflight = cors.preflight(request, self._deps.settings.api.cors_headers)
        if preflight is not None:
            return preflight
        return cors.with_cors(request, await self._answer(request))

    def refuse(self, request: HttpRequest, row: Row) -> HttpResponse:
        """The answer to a request that cannot be handled at all."""
        return cors.with_cors(request, self._error(row.problem(), request))

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        matched = match(request.path)
        if matched is None:
            return HttpResponse(404, (*_PLAIN, _NO_SNIFFING), b"404 page not found\n")
        routes = matched.by_method.get(request.method)
        if routes is None:
            return HttpResponse(405, (("Allow", ", ".join(matched.by_method)),))
        seconds = self._deps.settings.api.request_seconds
        try:
            async with asyncio.timeout(seconds or None):
                return await self._run(Incoming(request, matched.parameters), routes)
        except ApiError as error:
            return self._error(error.problem, request, error.__cause__)
        except UserGoneError as error:
            return self._error(errors.USER_NOT_FOUND.problem(), request, error)
        except PgFault as error:
            is_full = error.fault.sqlstate.startswith(_NO_ROOM)
            problem = errors.NO_DATABASE.problem() if is_full else errors.problem_of(error.fault)
            return self._error(problem, request, error)
        except (PoolTimeout, Unavailable) as error:
            return self._error(errors.NO_DATABASE.problem(), request, error)
        except TimeoutError as error:
            return self._error(errors.REQUEST_TIMEOUT.problem(), request, error)

    async def _run(self, incoming: Incoming, routes: tuple[Route, ...]) -> HttpResponse:
        route = _pick(incoming, routes)
        off = route.feature(self._deps.settings) if route.feature else None
        if off is not None:
            raise ApiError.of(off)
        visit = await self._visit(incoming, route)
        await self._limit(visit, route)
        if route.captcha:
            await self._check_captcha(visit, incoming)
        result = await route.flow(self._deps, visit, route.body(incoming))
        return answer(result, route.method)

    async def _visit(self, incoming: Incoming, route: Route) -> Visit:
        """What the request brings along, with its caller where the route wants one."""
        request, settings = incoming.request, self._deps.settings
        now = self._deps.world.clock.now()
        caller = await self._caller(incoming, route, now)
        return Visit(now, self._audience(request, caller), Asked(incoming, settings), caller)

    def _audience(self, request: HttpRequest, caller: Caller | None) -> str:
        """Whom the request is for: as it says, else as a user's token says (auth reference 1.7)."""
        jwt = self._deps.settings.jwt
        told = request.header("x-jwt-aud")
        if not told and caller is not None and caller.claims.get("role") not in jwt.admin_roles:
            told = audience_of(caller.claims)
        return told or jwt.aud

    async def _caller(self, incoming: Incoming, route: Route, now: datetime) -> Caller | None:
        """Who calls, where the route wants to know; ApiError for the wrong one."""
        if route.guard is Guard.PUBLIC:
            return None
        if route.guard is Guard.MAYBE and not incoming.json.flag("link_identity"):
            return None
        claims = self._claims(incoming.request, now)
        if route.guard is Guard.ADMIN:
            await self._check_session(claims, now)
            if claims.get("role") not in self._deps.settings.jwt.admin_roles:
                raise ApiError.of(errors.NOT_ADMIN)
            return Caller(claims, is_admin=True)
        caller = await self._user_of(claims, now)
        if route.guard is Guard.PERSON and caller.user is not None and caller.user.is_anonymous:
            raise ApiError.of(errors.ANONYMOUS_NOT_ALLOWED)
        return caller

    async def _check_session(self, claims: dict[str, object], now: datetime) -> None:
        """Refuse a token of a session that ended; the tokens of servers are of none."""
        if claims.get("session_id") in {None, "", _NIL}:
            return
        caller = await self._user_of(claims, now)
        limits = self._deps.settings.sessions
        if caller.user and caller.session and expired(caller.session, caller.user, limits, now):
            raise ApiError.of(errors.SESSION_OVER)

    def _claims(self, request: HttpRequest, now: datetime) -> dict[str, object]:
        token = bearer(request.headers)
        if not token:
            raise ApiError.of(errors.NO_BEARER)
        return self._tokens.read(token, now)

    async def _user_of(self, claims: dict[str, object], now: datetime) -> Caller:
        """The user and session of a user's token, both still there and not banned.

        Source: auth reference 1.12.
        """
        user_id = _uuid(claims.get("sub"), errors.NO_SUB, errors.SUB_NOT_UUID)
        told = claims.get("session_id")
        session_id = _uuid_or_none(told)
        async with self._deps.database.acquire() as connection:
            found = await users.find_current(connection, user_id, session_id)
        if found is None:
            raise ApiError.of(errors.NO_SUCH_SUB)
        user, session = found
        if told and session_id is None:  # judged after the user, as by the original
            raise ApiError.of(errors.SESSION_ID_FORM)
        if session_id is not None and session_id.int and session is None:
            raise ApiError.of(errors.NO_SUCH_SESSION)
        if user.is_banned(now):
            raise ApiError.of(errors.USER_BANNED)
        is_admin = user.role in self._deps.settings.jwt.admin_roles
        return Caller(claims, user, session, is_admin)

    async def _limit(self, visit: Visit, route: Route) -> None:
        """The route's limits, where something names the caller (10)."""
        if visit.limited_as:
            for name in route.limits:
                place = () if name in SHARED else (route.method, route.path)
                await take(self._deps, Budget(name, (*place, visit.limited_as)))

    async def _check_captcha(self, visit: Visit, incoming: Incoming) -> None:
        if not self._deps.settings.captcha.enabled or self._is_admin(incoming.request, visit.now):
            return
        security = incoming.json.within("gotrue_meta_security")
        await self._deps.captcha.check(security.text("captcha_token").strip(), visit.ip)

    def _is_admin(self, request: HttpRequest, now: datetime) -> bool:
        try:
            role = self._claims(request, now).get("role")
        except ApiError:
            return False
        return role in self._deps.settings.jwt.admin_roles

    def _error(
        self, problem: Problem, request: HttpRequest, cause: BaseException | None = None
    ) -> HttpResponse:
        name = self._deps.settings.api.request_id_header
        request_id = request.header(name) if name else None
        if problem.status >= _SERVER_ERROR:
            facts = {
                "method": request.method,
                "path": request.path,
                "code": problem.code,
                "cause": f"{type(cause).__name__}: {cause}" if cause else problem.message,
            }
            self._deps.observer(Observation("request_error", Severity.ERROR, facts))
        return error_answer(problem, request, request_id)


def _pick(incoming: Incoming, routes: tuple[Route, ...]) -> Route:
    """The route of several with one path: by grant, or by whether a sign-up has an address."""
    first = routes[0]
    if first.grant:
        grant = incoming.query.get("grant_type") or incoming.form.get("grant_type", "")
        for route in routes:
            if route.grant == grant:
                return route
        raise ApiError.of(errors.UNSUPPORTED_GRANT)
    if first.path == ANONYMOUS.path:
        body = incoming.json
        if not body.text("email") and not body.text("phone"):
            return ANONYMOUS
    return first


def _uuid(value: object, absent: Row, malformed: Row) -> UUID:
    if not isinstance(value, str) or not value:
        raise ApiError.of(absent)
    found = _uuid_or_none(value)
    if found is None:
        raise ApiError.of(malformed)
    return found


def _uuid_or_none(value: object) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None

"""Serving a request: preflight, route, principal, limits, captcha, body, flow, answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime
from functools import partial

from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.values.errors import ApiError, Problem, Row
from compat_base.values.events import Observation, Severity
from compat_base.values.http import HttpRequest, HttpResponse
from gotrue_compat import errors
from gotrue_compat.core.authentication import Authenticator
from gotrue_compat.core.rate_limits import Budget, take
from gotrue_compat.core.results import Redirect
from gotrue_compat.errors import UserGoneError
from gotrue_compat.http.context import Principal, RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.incoming import Incoming
from gotrue_compat.http.route import Guard, Mount, Route
from gotrue_compat.rules.claims import audience_of
from gotrue_compat.settings.limits import LIMITS
from gotrue_compat.web import cors
from gotrue_compat.web.answers import Result, answer
from gotrue_compat.web.error_answers import error_answer
from gotrue_compat.web.routes import FoundRoutes, find_resources, find_routes, routed_path

_PLAIN = (("Content-Type", "text/plain; charset=utf-8"),)
_NO_SNIFFING = ("X-Content-Type-Options", "nosniff")
_METHODS = frozenset(
    ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]
)  # that the original's router knows
_SERVER_ERROR = 500
_CAPTCHA = go_struct("captchaRequest", "", gotrue_meta_security="api.captchaSecurity")
_LONG_BODY = 65_536  # bytes; they are read and answered beside the event loop


class Service:
    """Answers requests by the table of routes."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._authenticator = Authenticator(deps)

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """The answer to a request, readable from any origin."""
        if _expects_more(request):
            return HttpResponse(417, (("Connection", "close"),))
        preflight = cors.preflight(request, self._deps.settings.api.cors_headers)
        if preflight is not None:
            return preflight
        return cors.with_cors(request, await self._answer(request))

    def refuse(self, request: HttpRequest, row: Row) -> HttpResponse:
        """The answer to a request that failed before it could be handled."""
        return cors.with_cors(request, self._error(row.problem(), request))

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        if request.method not in _METHODS:
            return HttpResponse(405)
        found = find_routes(routed_path(request))
        seconds = self._deps.settings.api.request_seconds
        try:
            async with asyncio.timeout(seconds or None):
                return await self._run(Incoming(request, found.parameters), found)
        except ApiError as error:
            return self._error(error.problem, request, error.__cause__)
        except UserGoneError as error:
            return self._error(errors.USER_NOT_FOUND.problem(), request, error)
        except PgFault as error:
            return self._error(errors.problem_of(error.fault), request, error)
        except (PoolTimeout, Unavailable) as error:
            return self._error(errors.NO_DATABASE.problem(), request, error)
        except TimeoutError as error:
            return self._error(errors.REQUEST_TIMEOUT.problem(), request, error)

    async def _run(self, incoming: Incoming, found: FoundRoutes) -> HttpResponse:
        now = self._deps.world.clock.now()
        principal = await self._check_mounts(incoming, found.mounts, now)
        routes = found.by_method.get(incoming.request.method)
        if routes is None:
            return await self._unrouted(incoming, found, principal, now)
        is_long = len(incoming.request.body) > _LONG_BODY
        if is_long:
            await self._deps.long_work.run(incoming.request.caller, incoming.read_body)
        is_captcha_first = any(route.captcha_first for route in routes)
        if is_captcha_first and _asks_captcha(incoming, routes):
            await self._check_captcha(incoming, now)
        route = _pick(incoming, routes)
        if principal is None:
            principal = await self._authenticator.principal(incoming, route.guard, now)
        if principal and principal.is_client and not route.for_clients:
            raise ApiError.of(errors.NOT_FOR_CLIENTS)
        audience = self._audience(incoming.request, principal)
        context = RequestContext(now, audience, incoming, self._deps.settings, principal)
        if route.feature_first:
            self._check_feature(route)
        await self._limit(context, route)
        if route.captcha and not route.captcha_first:
            await self._check_captcha(incoming, now)
        self._check_feature(route)
        result = await route.flow(self._deps, context, route.body(incoming))
        if is_long:  # what was sent is often what is answered
            showing = partial(answer, result, route.method)
            return await self._deps.long_work.run(incoming.request.caller, showing)
        return self._shown(result, incoming.request)

    async def _unrouted(
        self,
        incoming: Incoming,
        found: FoundRoutes,
        principal: Principal | None,
        now: datetime,
    ) -> HttpResponse:
        """The answer where nothing takes the method or path, after what the path names is found."""
        request = incoming.request
        for resource, parameters in find_resources(routed_path(request)):
            named = Incoming(request, parameters)
            audience = self._audience(request, principal)
            context = RequestContext(now, audience, named, self._deps.settings, principal)
            result = await resource.find(self._deps, context, resource.body(named))
            if isinstance(result, Redirect):
                return self._shown(result, request)
        return _no_route(found, request.method)

    def _shown(self, result: Result, request: HttpRequest) -> HttpResponse:
        """A result as an answer; a redirect with a problem has it in its body too."""
        response = answer(result, request.method)
        if isinstance(result, Redirect) and result.problem is not None:
            refused = self._error(result.problem, request)
            body = response.body + refused.body
            kind = () if response.header("content-type") else _PLAIN
            return replace(response, headers=(*response.headers, *kind), body=body)
        return response

    async def _check_mounts(
        self, incoming: Incoming, mounts: tuple[Mount, ...], now: datetime
    ) -> Principal | None:
        """The principal that the path's mounts require; ApiError if their feature is off."""
        principal = None
        for mount in mounts:
            self._check_feature(mount)
            if mount.guard is not Guard.PUBLIC:
                principal = await self._authenticator.principal(incoming, mount.guard, now)
        return principal

    def _check_feature(self, part: Mount | Route) -> None:
        off = part.feature(self._deps.settings) if part.feature else None
        if off is not None:
            raise ApiError.of(off)

    def _audience(self, request: HttpRequest, principal: Principal | None) -> str:
        """The audience a request names, else its user's token's (auth reference 1.7)."""
        jwt = self._deps.settings.jwt
        named = request.header("x-jwt-aud")
        if not named and principal and principal.claims.get("role") not in jwt.admin_roles:
            named = audience_of(principal.claims)
        return named or jwt.aud

    async def _limit(self, context: RequestContext, route: Route) -> None:
        """Take an event of each limit of the route, by the caller's key (auth reference 10)."""
        key = context.rate_limit_key
        if not key:
            return
        for name in route.limits:
            place = () if LIMITS[name].shared else (route.method, route.path)
            await take(self._deps, Budget(name, (*place, key)))

    async def _check_captcha(self, incoming: Incoming, now: datetime) -> None:
        if not self._deps.settings.captcha.enabled or self._is_admin(incoming, now):
            return
        body = incoming.json_of(_CAPTCHA)
        security = body.within("gotrue_meta_security", "captchaRequest.gotrue_meta_security")
        ip = RequestContext(now, "", incoming, self._deps.settings).ip
        await self._deps.captcha.check(security.text("captcha_token").strip(), ip)

    def _is_admin(self, incoming: Incoming, now: datetime) -> bool:
        try:
            claims = self._authenticator.claims(incoming.request, now)
        except ApiError:
            return False
        return claims.get("role") in self._deps.settings.jwt.admin_roles

    def _error(
        self, problem: Problem, request: HttpRequest, cause: BaseException | None = None
    ) -> HttpResponse:
        name = self._deps.settings.api.request_id_header
        request_id = request.header(name) if name else str(self._deps.world.entropy.uuid())
        if problem.status >= _SERVER_ERROR:
            facts = {
                "method": request.method,
                "path": request.path,
                "code": problem.code,
                "cause": f"{type(cause).__name__}: {cause}" if cause else problem.message,
            }
            self._deps.observer(Observation("request_error", Severity.ERROR, facts))
        return error_answer(problem, request, request_id)


def _expects_more(request: HttpRequest) -> bool:
    """Whether a request has an Expect header that is not supported (RFC 9110, section 10.1.1)."""
    expected = request.header("expect")
    return bool(expected) and "100-continue" not in expected.lower()


def _no_route(found: FoundRoutes, method: str) -> HttpResponse:
    if not found.is_known:
        for mount in found.mounts:
            if mount.missing is not None:
                return answer(mount.missing(), method)
        return HttpResponse(404, (*_PLAIN, _NO_SNIFFING), b"404 page not found\n")
    return HttpResponse(405, tuple(("Allow", method) for method in found.by_method))


def _pick(incoming: Incoming, routes: tuple[Route, ...]) -> Route:
    """The route of several with one method and path: by `when`, else by `grant`."""
    for route in routes:
        if route.when is not None and route.when(incoming):
            return route
    plain = [route for route in routes if route.when is None]
    if not plain[0].grant:
        return plain[0]
    grant = incoming.value("grant_type")
    for route in plain:
        if route.grant == grant:
            return route
    raise ApiError.of(errors.UNSUPPORTED_GRANT)


def _asks_captcha(incoming: Incoming, routes: tuple[Route, ...]) -> bool:
    """Whether a captcha is required before the route is known, for unknown grants too."""
    grant = incoming.value("grant_type")
    return all(route.captcha or route.grant != grant for route in routes)

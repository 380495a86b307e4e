"""A request's whole life on one page.

HttpRequest ─ split ─▶ Shape + Values ─ parse ─ plan ─ build ─▶ Script     (pure, remembered)
            authenticate ─▶ Caller                                         (pure, remembered)
Script + Caller ─ execute ─▶ Outcome ─ render ─▶ HttpResponse              (execute alone waits)
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from starlette.types import ASGIApp

from compat_base.asgi import Endpoint
from compat_base.postgres.session_pool import SessionPool, open_pool
from compat_base.tasks import Supervisor
from compat_base.values.errors import ApiError
from compat_base.values.events import Observer
from compat_base.values.http import Headers, HttpRequest, HttpResponse
from compat_base.values.world import World
from rest_compat.auth.authenticate import Identity, TokenCache, authenticate
from rest_compat.catalog.model import SchemaCache
from rest_compat.errors import (
    BODY_TOO_LARGE,
    INTERNAL,
    NO_SCHEMA_CACHE,
    PHRASES,
    error_response,
)
from rest_compat.execute import Executor
from rest_compat.inspect_schema import Inspection, inspect_schema
from rest_compat.observe.reporter import Reporter
from rest_compat.observe.server_timing import ServerTiming
from rest_compat.plan.model import InfoPlan, InspectPlan
from rest_compat.request.headers import RequestHeaders
from rest_compat.request.payload import LARGE
from rest_compat.request.shape import InvalidQueryError, ReadBody, has_body
from rest_compat.response.headers import (
    cross_origin_headers,
    preflight,
    with_vary,
    without_body,
    without_repeated,
)
from rest_compat.response.render import render, render_info
from rest_compat.runtime.connection import pool_settings
from rest_compat.runtime.large_bodies import LargeBodies, LargeRequest
from rest_compat.runtime.reload import ReloadHooks, SchemaCacheManager
from rest_compat.runtime.round_robin import RoundRobin
from rest_compat.runtime.snapshot import LongRequest, Planned, Snapshot
from rest_compat.settings import VERSION, LogLevel, Settings

_SERVER: Headers = (("Server", f"postgrest/{VERSION}"),)


class Service:
    """The running service: a pool, the manager of the snapshot, and the remembered tokens."""

    def __init__(
        self, pool: SessionPool, manager: SchemaCacheManager, world: World, reporter: Reporter
    ) -> None:
        self.pool = pool
        self.manager = manager
        self._executor = Executor(pool)
        self._round_robin = RoundRobin()
        self._large = LargeBodies(pool, manager.snapshot.settings, self._round_robin)
        self.reporter = reporter
        self.tokens = TokenCache(manager.snapshot.settings.jwt_cache)
        self._auth_rules = manager.snapshot.auth_rules
        self._debugs = False
        self._clock = world.clock
        self.adopt()

    def adopt(self) -> None:
        """Take over what a new snapshot changes outside of requests."""
        settings = self.manager.snapshot.settings
        self._debugs = settings.log_level is LogLevel.DEBUG
        self.pool.tell = self.reporter.debug if self._debugs else None
        self.tokens.resize(settings.jwt_cache)

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request: the arrows, with everything that belongs to no single one around."""
        snapshot = self.manager.snapshot
        sender = snapshot.sender(request.headers)
        allowed = snapshot.settings.cors_origins
        answer = preflight(request, sender.origin, allowed)
        extra: Headers = ()
        if answer is None:
            answer = await self._answer(request, sender, snapshot)
            extra = cross_origin_headers(sender.origin, allowed)
        own = without_repeated(answer.headers, extra) if extra else answer.headers
        headers = own + self._common_headers(request, answer)
        reason = PHRASES.get(answer.status) if answer.reason is None else answer.reason
        return HttpResponse(answer.status, headers, answer.body, answer.content_length, reason)

    async def _answer(
        self, request: HttpRequest, sender: RequestHeaders, snapshot: Snapshot
    ) -> HttpResponse:
        identity: Identity | None = None
        watch = ServerTiming(self._clock, wanted=snapshot.settings.timing)
        try:
            identity = self._identify(sender.token, snapshot)
            watch.mark("jwt")
            answer = await self._respond(request, snapshot, _Work(sender, identity, watch))
            headers = with_vary(answer.headers)
            if watch.wanted:
                headers += (("Server-Timing", watch.header()),)
            answer = HttpResponse(answer.status, headers, answer.body, answer.content_length)
        except InvalidQueryError:
            plain = (("Content-Type", "text/plain; charset=utf-8"),)
            answer = HttpResponse(500, plain, b"Something went wrong")
        except ApiError as error:
            answer = error_response(error.problem, snapshot.settings.verbosity)
            if request.method == "HEAD":
                answer = without_body(answer)
            self.reporter.failed(error.problem)
        self.reporter.answered(request, snapshot, identity, answer)
        return answer

    async def _respond(self, request: HttpRequest, snapshot: Snapshot, work: _Work) -> HttpResponse:
        cache = snapshot.cache
        if cache is None:
            raise ApiError.of(NO_SCHEMA_CACHE)
        if request.rest is None or not has_body(request.method):
            return await self._planned(request, snapshot, cache, work)
        sent = LargeRequest(request, snapshot, cache, work.identity)
        async with self._large.received(sent) as (whole, body):
            return await self._planned(whole, snapshot, cache, work, body)

    async def _planned(
        self,
        request: HttpRequest,
        snapshot: Snapshot,
        cache: SchemaCache,
        work: _Work,
        body: ReadBody | None = None,
    ) -> HttpResponse:
        work.watch.mark("parse")
        planned = snapshot.planned(request, work.sender, cache, body)
        if isinstance(planned, LongRequest):
            planned = await self._round_robin.in_thread(snapshot.planned_anew, planned, cache)
        work.watch.mark("plan")
        status = 500
        try:
            answer = await self._run(request, snapshot, cache, planned, work)
            status = answer.status
        except ApiError as error:
            status = error.problem.status
            raise
        finally:
            if snapshot.settings.log_query:
                self.reporter.queried(snapshot, planned.prepared, work.identity, status)
        return answer

    async def _run(
        self,
        request: HttpRequest,
        snapshot: Snapshot,
        cache: SchemaCache,
        planned: Planned,
        work: _Work,
    ) -> HttpResponse:
        plan, script = planned.prepared.plan, planned.prepared.script
        if isinstance(plan, InfoPlan) or script is None:
            work.watch.mark("transaction")
            return render_info(plan) if isinstance(plan, InfoPlan) else HttpResponse(200)
        opening = snapshot.opening(request, script, work.sender, work.identity)
        if isinstance(plan, InspectPlan):
            asked = Inspection(plan, snapshot.settings, cache)
            answer = await inspect_schema(self.pool, opening, script, asked)
            work.watch.mark("transaction")
            return answer
        outcome = await self._executor.execute(opening, script, planned.values, plan.counting)
        work.watch.mark("transaction")
        self.reporter.old_names(plan, request)
        return render(plan.reply, outcome, request, snapshot.settings.verbosity)

    # ── what surrounds the arrows ──────────────────────────────────────────────────────────────

    def _identify(self, token: str | None, snapshot: Snapshot) -> Identity:
        rules = snapshot.auth_rules
        if self._auth_rules is not rules:
            if self._auth_rules != rules:
                self.tokens = TokenCache(snapshot.settings.jwt_cache)
            self._auth_rules = rules
        now = self._clock.now().timestamp()
        lookups, evictions = self.tokens.requests, self.tokens.evictions
        try:
            return authenticate(token, rules, self.tokens, now)
        finally:
            if self._debugs and self.tokens.requests > lookups:
                self.reporter.debug("Looked up a JWT in JWT cache")
            if self._debugs and self.tokens.evictions > evictions:
                self.reporter.debug("Evicted entry from JWT cache")

    def _common_headers(self, request: HttpRequest, answer: HttpResponse) -> Headers:
        headers = _SERVER
        if answer.status == 503:  # noqa: PLR2004 — the status says itself
            headers += (("Retry-After", str(self.manager.retry_after)),)
            if self.manager.snapshot.cache is not None and not self.manager.loading:
                self.manager.reload_schema()
        trace = self.manager.snapshot.settings.trace_header
        if trace is not None:
            headers += ((trace, request.header(trace.lower()) or ""),)
        return headers


@dataclass(slots=True)
class _Work:
    """What the stages of one request share."""

    sender: RequestHeaders
    identity: Identity
    watch: ServerTiming


@asynccontextmanager
async def open_parts(
    settings: Settings,
    *,
    world: World,
    observer: Observer,
    reread: Callable[[], Settings] | None = None,
) -> AsyncGenerator[Service]:
    """The running service, its tasks started and its first load begun.

    `reread` reads the settings again where they are kept (for a reload).
    """
    manager = SchemaCacheManager(settings, world.clock, observer)
    async with (
        open_pool(pool_settings(settings), world.entropy.uuid) as pool,
        Supervisor(observer) as tasks,
    ):
        service = Service(pool, manager, world, Reporter(observer))
        manager.hooks = ReloadHooks(reread or (lambda: settings), service.adopt, pool.flush)
        tasks.start(manager.keep_loaded(), "schema cache")
        tasks.start(manager.listener.run(), "listener")
        yield service


def http_app(service: Service, observer: Observer) -> ASGIApp:
    """The ASGI application of a running service."""
    limit = service.manager.snapshot.settings.max_body
    return Endpoint(
        service.handle,
        limit=limit,
        too_large=lambda: error_response(BODY_TOO_LARGE.problem(limit=limit)),
        failed=lambda: error_response(INTERNAL.problem()),
        observer=observer,
        reads_ahead=LARGE,
    )


def already_open(app: ASGIApp) -> Callable[[], AbstractAsyncContextManager[ASGIApp]]:
    """An application that was opened by itself, for a server that would open it."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator[ASGIApp]:
        yield app

    return opened


@asynccontextmanager
async def open_service(
    settings: Settings, *, world: World, observer: Observer
) -> AsyncGenerator[ASGIApp]:
    """The application once the first load of the schema cache was attempted."""
    async with open_parts(settings, world=world, observer=observer) as service:
        await service.manager.first_attempt.wait()
        yield http_app(service, observer)

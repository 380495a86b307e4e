"""The service around its requests: authentication, logs, reloads, cross-origin headers.

A request's own life is on one page: `rest_compat.pipeline`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from starlette.types import ASGIApp

from compat_base.asgi import Endpoint
from compat_base.postgres.session_pool import SessionPool, open_pool
from compat_base.tasks import Supervisor
from compat_base.values import jwt
from compat_base.values.errors import ApiError
from compat_base.values.events import Observer
from compat_base.values.http import Headers, HttpRequest, HttpResponse
from compat_base.values.world import World
from compat_base.workers.shared_times import SharedTimes
from rest_compat.auth.authenticate import Identity
from rest_compat.catalog.model import SchemaCache
from rest_compat.errors import BODY_TOO_LARGE, INTERNAL, NO_SCHEMA_CACHE, PHRASES, error_response
from rest_compat.execute import Executor, inspection_texts
from rest_compat.observe.reporter import Reporter
from rest_compat.observe.server_timing import ServerTiming
from rest_compat.pipeline import answer
from rest_compat.plan.model import InfoPlan
from rest_compat.query.build import TransactionScript
from rest_compat.query.prepared import Prepared, PreparedStatement, Run
from rest_compat.query.session import Preamble, settings_template
from rest_compat.request.headers import RequestHeaders
from rest_compat.request.payload import LARGE
from rest_compat.request.shape import InvalidQueryError, ReadBody, has_body
from rest_compat.response.headers import (
    SERVER,
    cross_origin_headers,
    preflight,
    with_vary,
    without_body,
    without_repeated,
)
from rest_compat.runtime.authenticator import Authenticator
from rest_compat.runtime.connection import pool_settings
from rest_compat.runtime.large_bodies import LargeBodies, LargeRequest
from rest_compat.runtime.plan_cache import LongRequest, Planned
from rest_compat.runtime.reload import ReloadHooks, SchemaCacheManager
from rest_compat.runtime.replica import Replica, open_replica
from rest_compat.runtime.round_robin import RoundRobin, open_round_robin
from rest_compat.runtime.snapshot import Snapshot
from rest_compat.settings import LogLevel, Settings

UNREADABLE = HttpResponse(
    500,
    (("Content-Type", "text/plain; charset=utf-8"),),
    b"Something went wrong",
    content_length=False,
)
"""What the original's server answers where the query is no UTF-8, its application aside."""


class Service:
    """The running service: its pool, the schema cache's manager, the authenticator."""

    def __init__(  # noqa: PLR0913 — each is a part of its own
        self,
        pool: SessionPool,
        manager: SchemaCacheManager,
        world: World,
        reporter: Reporter,
        round_robin: RoundRobin,
        *,
        replica: Replica | None,
        remote: jwt.RemoteKeys | None,
    ) -> None:
        self.pool = pool
        self._replica = replica
        self.manager = manager
        self.database = Executor(pool)
        self._round_robin = round_robin
        self._large = LargeBodies(self.database, manager.snapshot.settings, round_robin)
        self.reporter = reporter
        self.authenticator = Authenticator(manager.snapshot, world.clock, remote)
        self._clock = world.clock
        self.adopt()

    def adopt(self) -> None:
        """Take over what a new snapshot changes outside of requests."""
        settings = self.manager.snapshot.settings
        debug = self.reporter.debug if settings.log_level is LogLevel.DEBUG else None
        self.pool.report = self.authenticator.debug = debug
        self.authenticator.adopt(settings)

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request, with the headers that every answer has."""
        snapshot = self.manager.snapshot
        headers = snapshot.plans.headers(request.headers)
        allowed = snapshot.settings.cors_origins
        response = preflight(request, headers.origin, allowed)
        extra: Headers = ()
        if response is None:
            response = await self._logged(request, headers, snapshot)
            if response is not UNREADABLE:
                extra = cross_origin_headers(request.method, headers.origin, allowed)
        own = without_repeated(response.headers, extra) if extra else response.headers
        common = own + self._common_headers(request, response)
        reason = PHRASES.get(response.status) if response.reason is None else response.reason
        return HttpResponse(response.status, common, response.body, response.content_length, reason)

    async def _logged(
        self, request: HttpRequest, headers: RequestHeaders, snapshot: Snapshot
    ) -> HttpResponse:
        """Log the response or the error's."""
        identity: Identity | None = None
        timing = ServerTiming(self._clock, wanted=snapshot.settings.timing)
        try:
            identity = self.authenticator.identify(headers.token, snapshot)
            timing.mark("jwt")
            context = _Context(request, headers, identity, snapshot, timing)
            response = await self._answer(context)
            varied = with_vary(response.headers)
            if timing.wanted:
                varied += (("Server-Timing", timing.header()),)
            response = HttpResponse(response.status, varied, response.body, response.content_length)
        except InvalidQueryError:
            response = UNREADABLE
        except ApiError as error:
            response = error_response(error.problem, snapshot.settings.verbosity)
            if request.method == "HEAD":
                response = without_body(response)
            self.reporter.failed(error.problem)
        level = snapshot.settings.log_level
        self.reporter.answered(request, level, identity, response)
        return response

    async def _answer(self, context: _Context) -> HttpResponse:
        request, cache = context.request, context.snapshot.cache
        if cache is None:
            raise ApiError.of(NO_SCHEMA_CACHE)
        if request.rest is None or not has_body(request.method):
            return await self._run(context, cache)
        large = LargeRequest(request, context.snapshot, cache, context.identity)
        async with self._large.received(large) as (whole, body):
            return await self._run(replace(context, request=whole), cache, body)

    async def _run(
        self, context: _Context, cache: SchemaCache, body: ReadBody | None = None
    ) -> HttpResponse:
        """Prepare → answer, by the plan cache."""
        request, headers, snapshot = context.request, context.headers, context.snapshot
        context.timing.mark("parse")
        planned = snapshot.plans.planned(request, headers, cache, body)
        if isinstance(planned, LongRequest):
            planning = partial(snapshot.plans.planned_long, planned, cache)
            planned = await self._round_robin.in_thread(request.caller, planning)
        context.timing.mark("plan")
        run = Run(
            request,
            planned.query,
            snapshot.settings,
            cache,
            context.preamble,
            context.timing.mark,
        )
        status = 500
        try:
            if self._replica is None:
                response = await answer(planned.prepared, planned.values, run, self.database)
            else:
                response = await self._replicated(self._replica, planned, run, context.identity)
            status = response.status
        except ApiError as error:
            status = error.problem.status
            raise
        finally:
            if snapshot.settings.log_query:
                self._log_query(planned.prepared, context, status)
        if isinstance(planned.prepared, PreparedStatement):
            self.reporter.old_names(planned.prepared.plan, request)
        return response

    async def _replicated(
        self, replica: Replica, planned: Planned, run: Run, identity: Identity
    ) -> HttpResponse:
        """The replica's response if the replica may answer, else the primary's."""
        prepared, values = planned.prepared, planned.values
        if replica.serves(prepared, run.request.method, identity):
            found = await replica.answer(prepared, values, run)
            if found is not None:
                return found
        try:
            return await answer(prepared, values, run, self.database)
        finally:
            replica.wrote(prepared, identity)

    def _log_query(self, prepared: Prepared, context: _Context, status: int) -> None:
        if isinstance(prepared, InfoPlan):
            return
        snapshot = context.snapshot
        caller, _ = snapshot.plans.caller(context.identity)
        script = prepared.script
        texts = [settings_template(script.facts, caller, snapshot.rules.session)]
        texts += [] if script.pre_request is None else [script.pre_request.text]
        if isinstance(prepared, PreparedStatement):
            texts.append(prepared.script.main.text)
            texts += [] if prepared.script.estimate is None else [prepared.script.estimate.text]
        else:
            texts += inspection_texts(only_accessible=snapshot.settings.only_accessible)
        self.reporter.queried(texts, status)

    def _common_headers(self, request: HttpRequest, answer: HttpResponse) -> Headers:
        headers = SERVER if answer.header("server") is None else ()  # unless SQL set it
        if answer.status == 503:  # noqa: PLR2004 — an HTTP status
            headers += (("Retry-After", str(self.manager.retry_after)),)
            if self.manager.snapshot.cache is not None and not self.manager.loading:
                self.manager.reload_schema()
        trace = self.manager.snapshot.settings.trace_header
        if trace is not None:
            headers += ((trace, request.header(trace.lower()) or ""),)
        return headers


@dataclass(slots=True)  # made for each request: a frozen one takes three times as long
class _Context:
    """One request, its identity, and its answer."""

    request: HttpRequest
    headers: RequestHeaders
    identity: Identity
    snapshot: Snapshot
    timing: ServerTiming

    def preamble(self, script: TransactionScript) -> Preamble:
        """What begins the script's transaction for this caller."""
        return self.snapshot.plans.preamble(self.request, script, self.headers, self.identity)


@asynccontextmanager
async def open_parts(  # noqa: PLR0913 — each is a decision of its own
    settings: Settings,
    *,
    world: World,
    observer: Observer,
    reread: Callable[[], Settings] | None = None,
    remote: jwt.RemoteKeys | None = None,
    writers: SharedTimes | None = None,
) -> AsyncGenerator[Service]:
    """The running service, its tasks started and its first load begun.

    `reread` reads the settings again where they are kept (for a reload); tokens of `remote` keys
    count beside those of the settings'. `writers`: who wrote recently, shared by all workers.
    """
    manager = SchemaCacheManager(settings, world.clock, observer)
    async with (
        open_pool(pool_settings(settings), world.entropy.uuid) as pool,
        open_replica(settings, world.clock, writers) as replica,
        open_round_robin(settings) as round_robin,
        Supervisor(observer) as tasks,
    ):
        service = Service(
            pool, manager, world, Reporter(observer), round_robin, replica=replica, remote=remote
        )
        if replica is not None:
            tasks.start(replica.watch(), "replica")
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
        too_large=lambda: _by_server(error_response(BODY_TOO_LARGE.problem(limit=limit))),
        failed=lambda: _by_server(error_response(INTERNAL.problem())),
        observer=observer,
        reads_ahead=LARGE,
    )


def _by_server(response: HttpResponse) -> HttpResponse:
    """A response of the HTTP server's own, with the header that all responses have."""
    return replace(response, headers=(*response.headers, *SERVER))


@asynccontextmanager
async def open_service(
    settings: Settings, *, world: World, observer: Observer
) -> AsyncGenerator[ASGIApp]:
    """The application once the first load of the schema cache was attempted."""
    async with open_parts(settings, world=world, observer=observer) as service:
        await service.manager.first_attempt.wait()
        yield http_app(service, observer)

"""A request's whole life on one page.

HttpRequest ─ split ─▶ Shape + Values ─ parse ─ plan ─ build ─▶ Script     (pure, remembered)
            authenticate ─▶ Caller                                         (pure, remembered)
Script + Caller ─ execute ─▶ Outcome ─ render ─▶ HttpResponse              (execute alone waits)
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from starlette.types import ASGIApp

from compat_base.asgi import Endpoint
from compat_base.errors import ApiError, Problem
from compat_base.events import Observation, Observer, Severity
from compat_base.http import Headers, HttpRequest, HttpResponse, bearer
from compat_base.session_pool import SessionPool, open_pool
from compat_base.sqltext import Statement
from compat_base.tasks import Supervisor
from compat_base.world import World
from rest_compat.access_log import answered_facts, target_of
from rest_compat.auth import Identity, TokenCache, authenticate
from rest_compat.catalog.model import SchemaCache
from rest_compat.connection import pool_settings
from rest_compat.debounced import Debounced
from rest_compat.errors import (
    BODY_TOO_LARGE,
    CONNECTION,
    GUC_HEADERS,
    GUC_STATUS,
    INTERNAL,
    NO_SCHEMA_CACHE,
    NO_SECRET,
    PHRASES,
    POOL_TIMEOUT,
    error_body,
    error_response,
)
from rest_compat.execute import Opening, execute
from rest_compat.inspect_schema import Inspection, inspect_schema, inspection_texts
from rest_compat.plan.model import InfoPlan, InspectPlan, StatementPlan
from rest_compat.query.build import Script
from rest_compat.query.session import begin, request_settings, settings_template, settings_text
from rest_compat.reload import Keeper, Surroundings
from rest_compat.request.shape import InvalidQueryError
from rest_compat.response.headers import (
    cross_origin_headers,
    preflight,
    with_vary,
    without_body,
)
from rest_compat.response.render import render, render_info
from rest_compat.settings import VERSION, LogLevel, Settings
from rest_compat.snapshot import Planned, Snapshot

_TIMEOUT_COOLDOWN = 5.0  # seconds
# Failures that the log tells in other words, or by their access line alone.
_SILENT = frozenset({CONNECTION.code, GUC_HEADERS.code, GUC_STATUS.code, NO_SECRET.code})

BODY_LIMIT = 512 * 1024 * 1024  # bytes; the original has none, but memory does


class Service:
    """The running service: a pool, the keeper of the snapshot, and the remembered tokens."""

    def __init__(self, pool: SessionPool, keeper: Keeper, world: World, observer: Observer) -> None:
        self.pool = pool
        self.keeper = keeper
        self.pool_timeouts = 0
        self.tokens = TokenCache(keeper.snapshot.settings.jwt_cache)
        self._auth_rules = keeper.snapshot.auth_rules
        self._debugs = False
        self._world = world
        self._observer = observer
        self._tell_timeout = Debounced(_TIMEOUT_COOLDOWN, self._fail)
        self.adopt()

    def adopt(self) -> None:
        """Take over what a new snapshot changes outside of requests."""
        settings = self.keeper.snapshot.settings
        self._debugs = settings.log_level is LogLevel.DEBUG
        self.pool.tell = partial(_debug, self._observer) if self._debugs else None
        self.tokens.resize(settings.jwt_cache)

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request: the arrows, with everything that belongs to no single one around."""
        snapshot = self.keeper.snapshot
        allowed = snapshot.settings.cors_origins
        answer = preflight(request, allowed)
        extra: Headers = ()
        if answer is None:
            answer = await self._answer(request, snapshot)
            extra = cross_origin_headers(request, allowed)
        extra += self._common_headers(request, answer)
        reason = PHRASES.get(answer.status) if answer.reason is None else answer.reason
        return HttpResponse(
            answer.status, answer.headers + extra, answer.body, answer.content_length, reason
        )

    async def _answer(self, request: HttpRequest, snapshot: Snapshot) -> HttpResponse:
        identity: Identity | None = None
        try:
            timer = _Timer(self._world, wanted=snapshot.settings.timing)
            identity = self._identify(request, snapshot)
            timer.mark("jwt")
            answer = await self._respond(request, snapshot, identity, timer)
            headers = with_vary(answer.headers)
            if snapshot.settings.timing:
                headers += (("Server-Timing", timer.header()),)
            answer = HttpResponse(answer.status, headers, answer.body, answer.content_length)
        except InvalidQueryError:
            plain = (("Content-Type", "text/plain; charset=utf-8"),)
            answer = HttpResponse(500, plain, b"Something went wrong")
        except ApiError as error:
            answer = error_response(error.problem, snapshot.settings.verbosity)
            if request.method == "HEAD":
                answer = without_body(answer)
            self._tell_failure(error.problem)
        role = None if identity is None else identity.role
        facts = answered_facts(request, role, answer)
        self._observer(Observation("answered", Severity.DEBUG, facts))
        return answer

    async def _respond(
        self, request: HttpRequest, snapshot: Snapshot, identity: Identity, timer: _Timer
    ) -> HttpResponse:
        cache = snapshot.cache
        if cache is None:
            raise ApiError.of(NO_SCHEMA_CACHE)
        timer.mark("parse")
        planned = snapshot.planned(request, cache)
        timer.mark("plan")
        work, status = _Work(planned, identity, timer), 500
        try:
            answer = await self._run(request, snapshot, cache, work)
            status = answer.status
        except ApiError as error:
            status = error.problem.status
            raise
        finally:
            if snapshot.settings.log_query:
                self._tell_queries(snapshot, work, status)
        return answer

    async def _run(
        self, request: HttpRequest, snapshot: Snapshot, cache: SchemaCache, work: _Work
    ) -> HttpResponse:
        plan, script = work.planned.prepared.plan, work.planned.prepared.script
        if isinstance(plan, InfoPlan) or script is None:
            work.timer.mark("transaction")
            return render_info(plan) if isinstance(plan, InfoPlan) else HttpResponse(200)
        opening = self._opening(request, snapshot, work.identity, script)
        if isinstance(plan, InspectPlan):
            asked = Inspection(plan, snapshot.settings, cache)
            answer = await inspect_schema(self.pool, opening, script, asked)
            work.timer.mark("transaction")
            return answer
        outcome = await execute(self.pool, opening, script, work.planned.values, plan.counting)
        work.timer.mark("transaction")
        self._warn(plan, request)
        return render(plan.reply, outcome, request, snapshot.settings.verbosity)

    # ── what surrounds the arrows ──────────────────────────────────────────────────────────────

    def _identify(self, request: HttpRequest, snapshot: Snapshot) -> Identity:
        rules = snapshot.auth_rules
        if self._auth_rules is not rules:
            if self._auth_rules != rules:
                self.tokens = TokenCache(snapshot.settings.jwt_cache)
            self._auth_rules = rules
        now = self._world.clock.now().timestamp()
        lookups, evictions = self.tokens.requests, self.tokens.evictions
        try:
            return authenticate(bearer(request.headers), rules, self.tokens, now)
        finally:
            if self._debugs and self.tokens.requests > lookups:
                _debug(self._observer, "Looked up a JWT in JWT cache")
            if self._debugs and self.tokens.evictions > evictions:
                _debug(self._observer, "Evicted entry from JWT cache")

    def _opening(
        self, request: HttpRequest, snapshot: Snapshot, identity: Identity, script: Script
    ) -> Opening:
        caller, becoming = snapshot.caller(identity)
        facts = request_settings(request.method, request.raw_path, request.headers)
        pairs = (*script.settings_before, *becoming, *facts, *script.settings_after)
        settings = Statement(settings_text(len(pairs) // 2), pairs)
        called = () if script.pre_request is None else (script.pre_request,)
        return Opening(
            (begin(script.facts, caller), settings, *called),
            authenticated=identity.role != snapshot.settings.anon_role,
        )

    def _common_headers(self, request: HttpRequest, answer: HttpResponse) -> Headers:
        headers: Headers = (("Server", f"postgrest/{VERSION}"),)
        if answer.status == 503:  # noqa: PLR2004 — the status says itself
            headers += (("Retry-After", str(self.keeper.retry_after)),)
            if self.keeper.snapshot.cache is not None and not self.keeper.loading:
                self.keeper.reload_schema()
        trace = self.keeper.snapshot.settings.trace_header
        if trace is not None:
            headers += ((trace, request.header(trace.lower()) or ""),)
        return headers

    def _tell_failure(self, problem: Problem) -> None:
        """The failures that are the database's; time-outs of the pool once in a while."""
        if problem.code == POOL_TIMEOUT.code:
            self.pool_timeouts += 1
            self._tell_timeout(problem)
        elif problem.status >= 500 and problem.code not in _SILENT:  # noqa: PLR2004 — the server's own failures
            self._fail(problem)

    def _fail(self, problem: Problem) -> None:
        facts = {"error": error_body(problem).decode()}
        self._observer(Observation("failed", Severity.ERROR, facts))

    def _tell_queries(self, snapshot: Snapshot, work: _Work, status: int) -> None:
        """The statements of a request that was answered with a status, one observation each."""
        plan, script = work.planned.prepared.plan, work.planned.prepared.script
        if script is None:
            return
        caller, _ = snapshot.caller(work.identity)
        texts = [settings_template(script.facts, caller, snapshot.session_rules)]
        texts += [] if script.pre_request is None else [script.pre_request.text]
        if isinstance(plan, InspectPlan):
            texts += inspection_texts(snapshot.settings)
        else:
            texts.append(script.main.text)
        texts += [] if script.estimate is None else [script.estimate.text]
        for text in texts:
            facts = {"text": " ".join(text.splitlines()), "status": status}
            self._observer(Observation("query", Severity.INFO, facts))

    def _warn(self, plan: StatementPlan, request: HttpRequest) -> None:
        if plan.reply.warnings:
            facts = {
                "renames": plan.reply.warnings,
                "method": request.method,
                "target": target_of(request),
            }
            self._observer(Observation("old_embed_name", Severity.WARNING, facts))


@dataclass(frozen=True, slots=True)
class _Work:
    """What the stages before the transaction have made."""

    planned: Planned
    identity: Identity
    timer: _Timer


class _Timer:
    """How long each stage took, for the Server-Timing header."""

    def __init__(self, world: World, *, wanted: bool) -> None:
        self._wanted = wanted
        self._clock = world.clock
        self._last = world.clock.monotonic() if wanted else 0.0
        self._parts: list[str] = []

    def mark(self, stage: str) -> None:
        """End a stage."""
        if not self._wanted:
            return
        now = self._clock.monotonic()
        self._parts.append(f"{stage};dur={(now - self._last) * 1000:.1f}")
        self._last = now

    def header(self) -> str:
        """All stages in milliseconds; what is left is the response's."""
        self.mark("response")
        return ", ".join(self._parts)


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
    keeper = Keeper(settings, world.clock, observer)
    async with (
        open_pool(pool_settings(settings), world.entropy) as pool,
        Supervisor(observer) as tasks,
    ):
        service = Service(pool, keeper, world, observer)
        keeper.surroundings = Surroundings(reread or (lambda: settings), service.adopt, pool.flush)
        tasks.start(keeper.keep_loaded(), "schema cache")
        tasks.start(keeper.listener.run(), "listener")
        yield service


def _debug(observer: Observer, text: str) -> None:
    observer(Observation("debug", Severity.DEBUG, {"text": text}))


def http_app(service: Service, observer: Observer) -> ASGIApp:
    """The ASGI application of a running service."""
    return Endpoint(
        service.handle,
        limit=BODY_LIMIT,
        too_large=lambda: error_response(BODY_TOO_LARGE.problem(limit=BODY_LIMIT)),
        failed=lambda: error_response(INTERNAL.problem()),
        observer=observer,
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
        await service.keeper.first_attempt.wait()
        yield http_app(service, observer)

"""The service composed: routes, connection pools, replication, maintenance of stored messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.types import Receive, Scope, Send

from compat_base.asgi import Endpoint
from compat_base.broker.asking import Asking
from compat_base.postgres.database import Database, DatabaseSettings, open_database
from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.tasks import Supervisor
from compat_base.values.errors import Row
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.http import HttpRequest, HttpResponse
from compat_base.values.world import World
from realtime_compat import errors
from realtime_compat.access import records, topics
from realtime_compat.access.catalog import Catalog
from realtime_compat.admin.endpoints import AdminEndpoints
from realtime_compat.admin.metrics import Figures, Tally, registry_of
from realtime_compat.changes.decode import Decoder
from realtime_compat.cluster.bridge import Bridge
from realtime_compat.cluster.bus import Bus
from realtime_compat.cluster.door import project_of
from realtime_compat.cluster.machine import MachineBus
from realtime_compat.cluster.wire import Load
from realtime_compat.dispatch.database_broadcasts import StoredMessages
from realtime_compat.dispatch.fanout import FanOut
from realtime_compat.dispatch.router import Router
from realtime_compat.dispatch.slow_callers import SlowCallers
from realtime_compat.dispatch.visibility import VisibilityChecker
from realtime_compat.hub import Hub
from realtime_compat.protocol.limits import Rate
from realtime_compat.protocol.rules import Rates, Rules
from realtime_compat.replication.follower import LogStream, Replication
from realtime_compat.replication.raw import Framer
from realtime_compat.replication.shared import LogReader, RemoteStream
from realtime_compat.replication.stream import Stream, StreamEvent
from realtime_compat.revocation import Live, Revocation
from realtime_compat.settings import Settings
from realtime_compat.subscriptions import Parts, Subscriptions
from realtime_compat.transports import longpoll
from realtime_compat.transports.http_broadcast import PREFIX, Broadcasts, json_response
from realtime_compat.transports.longpoll import LongPoll
from realtime_compat.transports.service import Service
from realtime_compat.transports.websocket import refuse, serve_socket

MESSAGES_PUBLICATION = "supabase_realtime_messages_publication"
_CORS = (
    ("access-control-allow-origin", "*"),
    ("access-control-allow-headers", "authorization, apikey, content-type, x-client-info"),
    ("access-control-allow-methods", "GET, POST, OPTIONS"),
)
SOCKET_PATHS = frozenset({"/websocket", "/socket/websocket"})
MAINTENANCE_SECONDS = 3600.0
RETRY_SECONDS = 5.0
SESSIONS_GROUP = 2  # of the broker's lines

TOPIC_TIMEOUT = 10_000  # milliseconds a statement may take, by the pool it runs in
VISIBILITY_TIMEOUT = 500
SLOW_CALLERS_TIMEOUT = 5_000
IDLE_SECONDS = 300.0  # that an idle connection is kept: opening one would delay the next change


@dataclass(frozen=True, slots=True)
class Pools:
    """Connections by how long a statement on them may take."""

    topics: Database
    visibility: Database
    slow_callers: Database


@asynccontextmanager
async def open_service(
    settings: Settings, *, world: World, observer: Observer, broker: str | None = None
) -> AsyncGenerator[App]:
    """The service as an ASGI application, from its first connection to its last.

    `broker` is the socket of the machine's broker, where this is one of several workers.

    A database that is away at first is waited for in the background.
    """
    async with AsyncExitStack() as stack:
        pools = await _open_pools(stack, settings)
        tally = Tally(observer)
        supervisor = await stack.enter_async_context(Supervisor(tally))
        service = _join(settings, pools, world, tally, supervisor)
        service.bus = _bus(settings, service, broker)
        if service.bus is not None:
            service.bus.start()
            stack.push_async_callback(service.bus.stop)
        _start_stream(settings, service, broker)
        stack.push_async_callback(service.replication.stop)
        service.revocation.start(supervisor)
        supervisor.keep_running(service.subscriptions.forget_gone, "forget-subscriptions")
        supervisor.keep_running(lambda: _prepare(settings, service), "prepare")
        yield App(settings, service, tally, broker)


class App:
    """Sends sockets and requests to where they are served."""

    def __init__(
        self, settings: Settings, service: Service, tally: Tally, broker: str | None
    ) -> None:
        self._service = service
        self.figures = Figures(service, tally)
        self._admin = AdminEndpoints(settings, service, registry_of(service, tally))
        self._broadcasts = Broadcasts(
            service.rules,
            service.hub,
            service.database,
            service.world.clock,
            service.observer,
            service.revocation,
        )
        self._longpoll = _long_poll(service, broker)
        self._http = Endpoint(
            self._handle,
            limit=settings.limits.batch_bytes,
            too_large=lambda: _message(errors.HTTP_BODY_TOO_LARGE),
            failed=lambda: _message(errors.HTTP_FAILED),
            observer=service.observer,
        )

    @property
    def is_streaming(self) -> bool:
        """Whether changes are streamed from the database."""
        return self._service.replication.is_up

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP or WebSocket scope.

        By hand: one Endpoint bounds the bodies of all paths, and Starlette's Router, which would
        want one for each, takes 6 µs of a broadcast where this takes 0.3.
        """
        if scope["type"] != "websocket":
            await self._http(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if path.rstrip("/") in SOCKET_PATHS:
            await serve_socket(scope, receive, send, self._service)
        else:
            await receive()
            await refuse(send, 404, {"message": errors.HTTP_NOT_FOUND.message})

    async def _handle(self, request: HttpRequest) -> HttpResponse:
        path = request.path
        if request.method == "OPTIONS":
            return HttpResponse(204, _CORS)
        if path in longpoll.PATHS and request.method in longpoll.METHODS:
            answer = await self._longpoll.handle(request)
            return HttpResponse(answer.status, (*answer.headers, *_CORS), answer.body)
        if path == PREFIX or path.startswith(f"{PREFIX}/"):
            answer = await self._broadcasts.handle(request)
            return HttpResponse(answer.status, (*answer.headers, *_CORS), answer.body)
        if request.method not in {"GET", "HEAD"}:
            return _message(errors.HTTP_NOT_FOUND)
        answer = await self._admin.handle(request)
        if request.method == "HEAD":
            return HttpResponse(answer.status, answer.headers)
        return answer


def _message(row: Row) -> HttpResponse:
    return json_response(row.status, {"message": row.message})


async def _open_pools(stack: AsyncExitStack, settings: Settings) -> Pools:
    async def pool(name: str, size: int, cut_off: int, *own: tuple[str, str]) -> Database:
        return await stack.enter_async_context(
            open_database(
                DatabaseSettings(
                    dsn=settings.database_url,
                    maximum=size,
                    idle_lifetime=IDLE_SECONDS,
                    application_name=f"realtime_{name}",
                    server_settings=(
                        ("statement_timeout", str(cut_off)),
                        ("timezone", "UTC"),
                        ("search_path", ""),
                        *own,
                    ),
                )
            )
        )

    return Pools(
        # What is written here are notes of who is connected: no join waits for the disk.
        topics=await pool(
            "topics", settings.pool_size, TOPIC_TIMEOUT, ("synchronous_commit", "off")
        ),
        visibility=await pool("visibility", settings.visibility_pool, VISIBILITY_TIMEOUT),
        slow_callers=await pool("slow_callers", settings.slow_callers_pool, SLOW_CALLERS_TIMEOUT),
    )


def _join(
    settings: Settings, pools: Pools, world: World, observer: Observer, supervisor: Supervisor
) -> Service:
    """Make the parts and let them know each other."""
    limits, clock = settings.limits, world.clock
    rates = Rates(
        Rate(limits.events_per_second),
        Rate(limits.presence_per_second),
        Rate(limits.joins_per_second),
    )
    hub = Hub(world.entropy.bytes(8).hex(), clock, asyncio.get_running_loop().call_later)
    rules = Rules(settings.keys, limits, rates, hub.presence_size, settings.private_only)
    catalog = Catalog(pools.topics)
    fanout = FanOut(hub, catalog, clock)
    subscriptions = Subscriptions(
        Parts(pools.topics, settings.publication, hub, world, observer, supervisor)
    )
    router = Router(
        database=pools.visibility,
        catalog=catalog,
        subscriptions=subscriptions,
        messages=StoredMessages(hub, limits.payload_bytes, rules.rates.events, clock, observer),
        visibility=VisibilityChecker(pools.visibility, observer),
        slow_callers=SlowCallers(
            VisibilityChecker(pools.slow_callers, observer), fanout, supervisor, clock, observer
        ),
        fanout=fanout,
        clock=clock,
        observer=observer,
    )
    replication = Replication(
        router=router,
        subscriptions=subscriptions,
        hub=hub,
        database=pools.topics,
        supervisor=supervisor,
        observer=observer,
        publications=(settings.publication, MESSAGES_PUBLICATION),
        wait_seconds=limits.replication_wait,
        clock=clock,
    )
    sockets: set[Live] = set()
    revocation = Revocation(
        settings.database_url, hub.node, pools.topics, sockets, rules.revoked, clock, observer
    )
    return Service(
        rules,
        hub,
        subscriptions,
        replication,
        pools.topics,
        supervisor,
        world,
        observer,
        revocation,
        sockets=sockets,
    )


def _bus(settings: Settings, service: Service, broker: str | None) -> Bus | MachineBus | None:
    """How this node speaks to others: to the workers of its machine, or else to other machines."""
    hub, supervisor, observer = service.hub, service.supervisor, service.observer
    clock, rates = service.world.clock, service.rules.rates
    if broker is None and settings.redis_url is None:
        return None
    if broker is None:
        project = project_of(settings.api_secret.reveal())
        return Bus(settings.redis_url or "", project, hub, supervisor, clock, observer)

    def load() -> Load:
        now = clock.now().timestamp()
        counted = (rates.events.average(now), rates.presence.average(now), rates.joins.average(now))
        return Load(*counted, len(service.sockets))

    def loaded(others: Load) -> None:
        rates.events.elsewhere = others.events
        rates.presence.elsewhere = others.presence
        rates.joins.elsewhere = others.joins
        service.sockets_elsewhere = others.sockets

    return MachineBus(broker, hub, supervisor, observer, load, loaded)


@asynccontextmanager
async def open_bridge(
    settings: Settings, broker: str, *, world: World, observer: Observer
) -> AsyncGenerator[None]:
    """What the machine's broker does for its workers: it alone speaks to Redis."""
    async with Supervisor(observer) as supervisor:
        if settings.redis_url is None:
            yield
            return
        bridge = Bridge(broker, world.entropy.bytes(8).hex())
        project = project_of(settings.api_secret.reveal())
        bus = Bus(settings.redis_url, project, bridge, supervisor, world.clock, observer)
        bus.start()
        supervisor.keep_running(bridge.line.keep, "broker line")
        try:
            yield
        finally:
            await bus.stop()


def _long_poll(service: Service, broker: str | None) -> LongPoll:
    """The long poll, whose sessions other workers of the machine reach by its broker."""
    if broker is None:
        return LongPoll(service)

    async def answer(question: bytes) -> bytes:
        return await long_poll.answer(question)

    node = bytes.fromhex(service.hub.node)
    asking = Asking(broker, SESSIONS_GROUP, node, answer, service.supervisor)
    long_poll = LongPoll(service, asking)
    asking.start()
    return long_poll


def _start_stream(settings: Settings, service: Service, broker: str | None) -> None:
    """Follow the log: by this process's own stream, or by the machine's reader."""

    def make_stream(tell: Callable[[StreamEvent], None]) -> LogStream:
        if broker is not None:
            node = bytes.fromhex(service.hub.node)
            return RemoteStream(broker, node, service.supervisor, tell)
        return _stream(settings, service.world, tell)

    service.replication.start(make_stream)


def _stream(
    settings: Settings,
    world: World,
    tell: Callable[[StreamEvent], None],
    make_decoder: Callable[[tuple[int, int]], Any] = Decoder,
) -> Stream:
    return Stream(
        settings.database_url,
        (settings.publication, MESSAGES_PUBLICATION),
        lambda: f"realtime_{world.entropy.bytes(8).hex()}",
        tell,
        make_decoder,
    )


@asynccontextmanager
async def open_log_reader(
    settings: Settings, broker: str, *, world: World, observer: Observer
) -> AsyncGenerator[None]:
    """The machine's one reader of the log, for the length of the block."""
    async with Supervisor(observer) as supervisor:
        reader = LogReader(broker, world.entropy.bytes(8), supervisor, observer)
        reader.start(lambda tell: _stream(settings, world, tell, Framer))
        try:
            yield
        finally:
            await reader.stop()


async def _prepare(settings: Settings, service: Service) -> None:
    """Clear what crashed nodes left behind and keep the table of messages in shape, for ever."""
    await service.revocation.is_held.wait()
    while True:
        pause = MAINTENANCE_SECONDS
        try:
            await records.forget_dead_nodes(service.database)
            if settings.partitions:
                await topics.maintain(service.database)
        except (PgFault, PoolTimeout, Unavailable) as error:
            facts = {"error": str(error)}
            service.observer(Observation("maintenance_failed", Severity.WARNING, facts))
            pause = RETRY_SECONDS
        await asyncio.sleep(pause)

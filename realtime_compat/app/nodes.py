"""A node's bus, stream of the log and long polls: alone, as a worker, as a machine.

A single process streams the log itself; with a broker (several workers of one machine) the log has
one reader, and only the broker connects to Redis, which joins machines.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from compat_base.broker.rpc import Rpc
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.values.world import World
from compat_base.workers.leadership import Leadership
from realtime_compat.app.composition import MESSAGES_PUBLICATION
from realtime_compat.cluster.bridge import Bridge
from realtime_compat.cluster.bus import Bus
from realtime_compat.cluster.machine import MachineBus
from realtime_compat.cluster.messages import Load
from realtime_compat.cluster.signing import project_of
from realtime_compat.dispatch.follower import LogStream
from realtime_compat.replication.led import LedStream
from realtime_compat.replication.log_reader import LogReader
from realtime_compat.replication.remote_stream import RemoteStream
from realtime_compat.replication.stream import Stream, StreamEvent
from realtime_compat.settings import Settings
from realtime_compat.transports.longpoll import LongPoll
from realtime_compat.transports.relay import Tokens
from realtime_compat.transports.service import Service

SESSIONS_GROUP = 2  # of the broker's lines
RELAY_SECONDS = 20.0
_NODE = 8  # bytes of a worker's name
_BRIDGE = b"brdg"  # with which the bridge's name begins among the sessions' workers


def make_bus(settings: Settings, service: Service, broker: str | None) -> Bus | MachineBus | None:
    """The bus to other nodes: to the machine's workers by the broker, or by Redis."""
    hub, supervisor, observer = service.hub, service.supervisor, service.observer
    clock, rates = service.world.clock, service.rules.rates
    if broker is None and settings.redis_url is None:
        return None

    def load() -> Load:
        now = clock.now().timestamp()
        counted = (rates.events.average(now), rates.presence.average(now), rates.joins.average(now))
        return Load(*counted, len(service.sockets))

    def loaded(others: Load) -> None:
        rates.events.elsewhere = others.events
        rates.presence.elsewhere = others.presence
        rates.joins.elsewhere = others.joins
        service.sockets_elsewhere = others.sockets

    if broker is None:
        project, url = project_of(settings.api_secret.reveal()), settings.redis_url or ""
        return Bus(url, project, hub, supervisor, clock, observer, load, loaded)
    is_bridged = settings.redis_url is not None
    return MachineBus(broker, hub, supervisor, observer, load, loaded, is_bridged)


def make_long_poll(settings: Settings, service: Service, broker: str | None) -> LongPoll:
    """The long poll, whose sessions other workers reach: by the broker, or by the bus."""
    tokens, own = Tokens(settings.api_secret.reveal()), service.hub.node
    if broker is not None:
        long_poll = LongPoll(service, tokens)
        node = bytes.fromhex(own)
        rpc = Rpc(broker, SESSIONS_GROUP, node, long_poll.answer, service.supervisor)
        rpc.start()

        async def relay(owner: bytes, request: bytes) -> bytes | None:
            if owner in rpc.others:
                return await rpc.call(owner, request, RELAY_SECONDS)
            bridges = [each for each in rpc.others if each.startswith(_BRIDGE)]
            return await rpc.call(bridges[0], owner + request, RELAY_SECONDS) if bridges else None

        long_poll.relay = relay
        return long_poll
    if not isinstance(service.bus, Bus):
        return LongPoll(service, tokens)
    calls = service.bus.calls
    long_poll = LongPoll(
        service, tokens, lambda owner, request: calls.call(owner.hex(), request, RELAY_SECONDS)
    )
    calls.serve(lambda node: node == own, lambda _node, request: long_poll.answer(request))
    return long_poll


def _pass_calls_on(broker: str, bus: Bus, supervisor: Supervisor, world: World) -> None:
    """Take the workers' requests to other machines, and those of other machines to the workers."""

    async def far(question: bytes) -> bytes:
        return await bus.calls.call(question[:_NODE].hex(), question[_NODE:], RELAY_SECONDS) or b""

    name = _BRIDGE + world.entropy.bytes(_NODE - len(_BRIDGE))
    rpc = Rpc(broker, SESSIONS_GROUP, name, far, supervisor)
    bus.calls.serve(
        lambda node: bytes.fromhex(node) in rpc.others,
        lambda node, request: rpc.call(bytes.fromhex(node), request, RELAY_SECONDS),
    )
    rpc.start()


def start_stream(settings: Settings, service: Service, broker: str | None) -> None:
    """Follow the log: by this process's own stream, or by the machine's reader."""

    def make_stream(report: Callable[[StreamEvent], None]) -> LogStream:
        if broker is not None:
            node = bytes.fromhex(service.hub.node)
            return RemoteStream(broker, node, service.supervisor, report)
        return Stream(*_source(settings, service.world), report)

    service.replication.start(make_stream)


def _source(settings: Settings, world: World) -> tuple[str, tuple[str, ...], Callable[[], str]]:
    """The database, the publications to read, and names of slots."""
    publications = (settings.publication, MESSAGES_PUBLICATION)
    return settings.database_url, publications, lambda: f"realtime_{world.entropy.bytes(8).hex()}"


@asynccontextmanager
async def open_bridge(
    settings: Settings, broker: str, *, world: World, observer: Observer
) -> AsyncGenerator[None]:
    """The broker's connection to Redis for all workers."""
    async with Supervisor(observer) as supervisor:
        if settings.redis_url is None:
            yield
            return
        bridge = Bridge(broker, world.entropy.bytes(_NODE).hex(), supervisor)
        project = project_of(settings.api_secret.reveal())
        bus = Bus(
            settings.redis_url, project, bridge, supervisor, world.clock, observer,
            bridge.load, bridge.loaded,
        )  # fmt: skip
        bus.start()
        _pass_calls_on(broker, bus, supervisor, world)
        supervisor.keep_running(bridge.line.keep, "broker line")
        try:
            yield
        finally:
            await bus.stop()


@asynccontextmanager
async def open_log_reader(
    settings: Settings, broker: str, leadership: Leadership, *, world: World, observer: Observer
) -> AsyncGenerator[None]:
    """One of the machine's readers of the log, which leads or stands by."""
    async with Supervisor(observer) as supervisor:
        reader = LogReader(broker, world.entropy.bytes(8), leadership, supervisor, observer)
        source = _source(settings, world)
        reader.start(lambda report: LedStream(*source, report, leadership))
        try:
            yield
        finally:
            await reader.stop()

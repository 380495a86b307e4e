"""The connection to Redis: publishes this node's messages, applies the others'.

Messages for a room go by a channel of its own, which a node with a member of it is subscribed to
(`channels`): a node without one is not woken. All others go by the one channel of all nodes. While
Redis is away this node serves its own sockets alone, and messages wait (`outgoing`); back again,
nodes exchange their whole lists of members. What is lost all the same is counted and logged. What
comes is verified first (`signing`); a bad message is counted, and never ends the bus.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from compat_base.tasks import Supervisor, raise_if_cancelled, run_together
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from realtime_compat.cluster.calls import Calls
from realtime_compat.cluster.channels import Channels
from realtime_compat.cluster.heartbeats import Heartbeats
from realtime_compat.cluster.messages import (
    Alive,
    Body,
    BusMessage,
    Call,
    Gone,
    Load,
    Lost,
    Reply,
    topic_of,
)
from realtime_compat.cluster.outgoing import BACK_SECONDS, Loss, Outgoing
from realtime_compat.cluster.peers import Peers
from realtime_compat.cluster.redis_connection import SILENT_SECONDS, RedisConnection
from realtime_compat.cluster.signing import MAX_MESSAGE, Project, Refusal, Signer
from realtime_compat.hub import HubPort, Published, Tracked, Untracked
from realtime_compat.protocol.messages import RoomName

REPORT_SECONDS = 10.0  # between two lines of the log about messages that were dropped
GATHER_SECONDS = 0.005  # that a room's subscription waits for others
ROUTED_SECONDS = 4.0  # that a join waits for Redis at most; stock clients wait for 10
CLOSE_SECONDS = 1.0
FIRST_BACKOFF = 0.1
LAST_BACKOFF = 5.0


@dataclass(slots=True)
class Bus:
    """This node's connection to the others, by Redis publish/subscribe.

    `load` gives this node's counters for the project's limits, `loaded` takes those of all others.
    """

    url: str
    project: Project
    hub: HubPort
    supervisor: Supervisor
    clock: Clock
    observer: Observer
    load: Callable[[], Load]
    loaded: Callable[[Load], None]
    _was_up: bool = False
    _number: int = 0
    _has_outgoing: asyncio.Event = field(default_factory=asyncio.Event)
    _reported_at: float | None = None
    _channels: Channels = field(default_factory=Channels)
    calls: Calls = field(init=False)
    signer: Signer = field(init=False)
    _outgoing: Outgoing = field(init=False)
    _peers: Peers = field(init=False)
    _heartbeats: Heartbeats = field(init=False)

    def __post_init__(self) -> None:
        self.signer = Signer(self.project, self.hub.node)
        self._outgoing = Outgoing(self.clock.monotonic())
        self._peers = Peers(self.hub)
        self.calls = Calls(self.hub.node, self._send, self.supervisor)
        self._heartbeats = Heartbeats(
            self.hub, self._peers, self.signer, self._send, self.load, self.loaded,
            self.clock, self.observer,
        )  # fmt: skip

    def start(self) -> None:
        """Connect, and stay connected."""
        self.hub.connect(self._send)
        self.hub.watch_rooms(
            lambda room: self._channels.open(topic_of(room)), self._closed, self._routed
        )
        self.supervisor.keep_running(self._keep_connected, "bus")
        self.supervisor.keep_running(self._heartbeats.share_load, "load")

    async def stop(self) -> None:
        """Announce that this node stops, so that its members leave at once."""
        if self.is_up:
            connection = RedisConnection(self.url)
            with suppress(OSError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    gone = self.signer.sign(BusMessage(self.hub.node, self._number, Gone()))
                    await connection.publish([(self.project.channel, gone)])
            with suppress(OSError):
                await connection.close()

    @property
    def size(self) -> int:
        """The number of nodes, this one included."""
        return len(self._peers) + 1

    @property
    def refused(self) -> Mapping[Refusal, int]:
        """How many messages were refused, by reason."""
        return self.signer.refused

    @property
    def is_up(self) -> bool:
        """Whether Redis is connected."""
        return self._outgoing.is_up

    @property
    def waiting_bytes(self) -> int:
        """Bytes queued for Redis."""
        return self._outgoing.bytes

    @property
    def losses(self) -> Mapping[Loss, int]:
        """How many messages were lost, by reason."""
        return self._outgoing.losses

    def _send(self, body: Body) -> None:
        """Queue a message."""
        room = self._outgoing.put(body, self.clock.monotonic())
        if room is not None:
            self._observe("bus_overflow", Severity.WARNING, topic=room.topic[:200])
        self._has_outgoing.set()

    def _closed(self, room: RoomName) -> None:
        self._channels.close(topic_of(room))
        self._peers.forget_room(room)

    async def _routed(self, room: RoomName) -> None:
        """Wait until this node receives what others send to a room; at once while Redis is down."""
        if self.is_up:
            await self._channels.subscribed(topic_of(room), ROUTED_SECONDS)

    def _channel_of(self, body: Body) -> str:
        is_rooms = isinstance(body, Published | Lost)
        return self.project.room(topic_of(body.room)) if is_rooms else self.project.channel

    def _signed(self, room_messages: int, in_room: int, body: Body) -> bytes | None:
        """A signed message; None for one that is too large for the other nodes."""
        number = self._number + isinstance(body, Tracked | Untracked)
        found = BusMessage(self.hub.node, number, body, room_messages, in_room)
        message = self.signer.sign(found, self._channel_of(body))
        if len(message) > MAX_MESSAGE:
            self._outgoing.losses[Loss.TOO_LARGE] += 1
            self._observe("bus_message_too_large", Severity.WARNING, size=len(message))
            return None
        self._number = number
        return message

    async def _keep_connected(self) -> None:
        backoff = FIRST_BACKOFF
        while True:
            try:
                await self._connected()
            except OSError as error:
                raise_if_cancelled()
                self._observe("bus_down", Severity.WARNING, error=str(error))
                backoff = FIRST_BACKOFF if self._was_up else min(2 * backoff, LAST_BACKOFF)
                self._was_up = False
            await asyncio.sleep(backoff)

    async def _connected(self) -> None:
        """Run one connection; it ends by an exception."""
        connection = RedisConnection(self.url)
        try:
            async with asyncio.timeout(SILENT_SECONDS):
                await self._open(connection)
            self._announce()
            await run_together(
                self._receive(connection),
                connection.watch(),
                self._follow_rooms(connection),
                self._publish(connection),
                self._heartbeats.keep_alive(),
            )
        finally:
            self._outgoing.went_down(self.clock.monotonic())
            self._channels.lost()
            await connection.close()

    async def _open(self, connection: RedisConnection) -> None:
        await connection.subscribe([self.project.channel])
        await self._subscribe(connection)
        while not self._channels.is_confirmed:  # else this node would be announced too early
            await self._receive_one(connection)
        await connection.ping()

    def _announce(self) -> None:
        now = self.clock.monotonic()
        self._was_up = True
        self._outgoing.came_up(now)
        self._peers.wait_again(now)
        self._heartbeats.send_alive(asks=True)
        self._heartbeats.send_members()
        asyncio.get_running_loop().call_later(BACK_SECONDS, self._has_outgoing.set)
        self._observe("bus_up", Severity.INFO, held_bytes=self.waiting_bytes)
        if expired := self._outgoing.losses[Loss.EXPIRED]:
            self._observe("bus_expired", Severity.WARNING, messages_so_far=expired)

    async def _follow_rooms(self, connection: RedisConnection) -> None:
        """Subscribe to rooms as they get members here, for ever."""
        while True:
            await self._channels.changed.wait()
            await asyncio.sleep(GATHER_SECONDS)
            await self._subscribe(connection)

    async def _subscribe(self, connection: RedisConnection) -> None:
        more, fewer = ([*map(self.project.room, each)] for each in self._channels.take())
        await connection.subscribe(more)
        await connection.unsubscribe(fewer)

    async def _receive(self, connection: RedisConnection) -> None:
        while True:
            await self._receive_one(connection)

    async def _receive_one(self, connection: RedisConnection) -> None:
        match await connection.receive():
            case channel, None if channel != self.project.channel:
                self._channels.confirmed(self.project.topic_of(channel))
            case channel, bytes(message):
                self._on_message(message, channel)
            case _:
                pass

    def _on_message(self, data: bytes, channel: str) -> None:
        """Verify a message and apply it; whatever it is, the bus goes on."""
        try:
            found = self.signer.verify(data, channel)
            if isinstance(found, BusMessage):
                self._apply(found)
        except Exception as error:  # noqa: BLE001 — one message must never end the bus
            self.signer.refused[Refusal.UNREADABLE] += 1
            self._report(f"{type(error).__name__}: {error}")
            return
        if found is Refusal.UNKNOWN_NODE:
            self._heartbeats.found_peer()
        elif isinstance(found, Refusal):
            self._report(found.value)

    def _apply(self, message: BusMessage) -> None:
        now, missed = self.clock.monotonic(), self._peers.missed
        is_new = message.node not in self._peers.nodes()
        must_ask = self._peers.receive(message, now)
        if count := self._peers.missed - missed:
            self._outgoing.losses[Loss.MISSED] += count
            self._observe("bus_missed", Severity.WARNING, node=message.node, messages=count)
        if self._outgoing.is_waiting:
            self._has_outgoing.set()  # messages may have waited for this node's return
        if is_new and message.node in self._peers.nodes():
            self._observe("node_met", Severity.INFO, node=message.node)
            self._heartbeats.found_peer()
        if isinstance(message.body, Call | Reply):
            self.calls.received(message.node, message.body)
        if isinstance(message.body, Alive) and message.body.asks:
            self._heartbeats.send_members()
            self._outgoing.queue_counts()
            self._has_outgoing.set()
        if must_ask:
            self._heartbeats.request_members()

    def _report(self, reason: str) -> None:
        """Log dropped messages, rate-limited."""
        now = self.clock.monotonic()
        if self._reported_at is None or now - self._reported_at >= REPORT_SECONDS:
            self._reported_at = now
            refused = sum(self.signer.refused.values())
            self._observe("bus_refused", Severity.WARNING, reason=reason, so_far=refused)

    async def _publish(self, connection: RedisConnection) -> None:
        while True:
            await self._has_outgoing.wait()
            self._has_outgoing.clear()
            while await self._publish_some(connection):
                pass

    async def _publish_some(self, connection: RedisConnection) -> bool:
        """Publish queued messages at once; whether there were any."""
        outgoing, now = self._outgoing, self.clock.monotonic()
        is_held = outgoing.is_held(now, are_back=self._peers.are_back)
        taken = outgoing.take_control() if is_held else outgoing.take()
        signed = ((self._channel_of(each[-1]), self._signed(*each)) for each in taken)
        await connection.publish([(to, message) for to, message in signed if message is not None])
        if not is_held:
            outgoing.confirm()
        return bool(taken)

    def _observe(self, name: str, severity: Severity, **facts: object) -> None:
        self.observer(Observation(name, severity, facts))

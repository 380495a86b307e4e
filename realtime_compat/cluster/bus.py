"""The connection to Redis: publishes this node's messages, applies the others'.

Messages for a room go by a channel of its own, which a node with a member of it is subscribed to
(`channels`): a node without one is not woken. All others go by the one channel of all nodes.
While Redis is away this node serves its own sockets alone, and messages wait (`outgoing`). On
reconnection the nodes exchange their whole lists of members. What is lost all the same is counted
and logged. Received messages are verified first (`signing`); a bad one is counted, and never ends
the bus.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from compat_base.tasks import Supervisor, raise_if_cancelled, run_together
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from realtime_compat.cluster.calls import Calls
from realtime_compat.cluster.channels import Channels
from realtime_compat.cluster.messages import (
    Alive,
    Body,
    BusMessage,
    Call,
    Gone,
    Load,
    Lost,
    Reply,
    member_parts,
    sum_of,
    topic_of,
)
from realtime_compat.cluster.outgoing import BACK_SECONDS, Loss, Outgoing
from realtime_compat.cluster.peers import Peers
from realtime_compat.cluster.signing import MAX_MESSAGE, Project, Refusal, Signer
from realtime_compat.hub import HubPort, Published, Tracked, Untracked
from realtime_compat.protocol.messages import RoomName

ALIVE_SECONDS = 5.0
LOAD_SECONDS = 1.0
ASK_SECONDS = 1.0  # not more often than this
GREETING_DELAY = 0.05  # that a sign of life to unknown nodes waits for more of them
REPORT_SECONDS = 10.0  # between two lines of the log about messages that were dropped
GATHER_SECONDS = 0.005  # that a room's subscription waits for others
ROUTED_SECONDS = 4.0  # that a join waits for Redis at most; stock clients wait for 10
CHANNELS_AT_ONCE = 1000  # in one command
FIRST_BACKOFF = 0.1
LAST_BACKOFF = 5.0

# Named, not imported: it takes 80 ms and 9 MB to load, which only who has several nodes spends. Of
# processor time it takes 29 µs for each message of a pipeline and 26 to receive one; a bare socket,
# which takes 44 for a message by itself, would have no TLS, no users and no addresses of Redis.
_REDIS = "redis.asyncio"


@dataclass(slots=True)
class Bus:
    """This node's connection to the others, by Redis publish/subscribe.

    `load` gives what it counts towards the project's limits, `loaded` takes what all others do.
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
    _asked_at: float = 0.0
    _has_outgoing: asyncio.Event = field(default_factory=asyncio.Event)
    _peer_found: asyncio.Event = field(default_factory=asyncio.Event)
    _reported_at: float | None = None
    _channels: Channels = field(default_factory=Channels)
    calls: Calls = field(init=False)
    signer: Signer = field(init=False)
    _outgoing: Outgoing = field(init=False)
    _peers: Peers = field(init=False)
    _redis: Any = field(init=False)

    def __post_init__(self) -> None:
        self.signer = Signer(self.project, self.hub.node)
        self._outgoing = Outgoing(self.clock.monotonic())
        self._peers = Peers(self.hub)
        self.calls = Calls(self.hub.node, self._send, self.supervisor)
        self._redis = import_module(_REDIS)

    def start(self) -> None:
        """Connect, and stay connected."""
        self.hub.connect(self._send)
        self.hub.watch_rooms(
            lambda room: self._channels.open(topic_of(room)), self._closed, self._routed
        )
        self.supervisor.keep_running(self._keep_connected, "bus")
        self.supervisor.keep_running(self._share_load, "load")

    async def stop(self) -> None:
        """Announce that this node stops, so that its members leave at once."""
        if self.is_up:
            client = self._client()
            try:
                async with asyncio.timeout(1):
                    goodbye = self.signer.sign(BusMessage(self.hub.node, self._number, Gone()))
                    await client.publish(self.project.channel, goodbye)
            except (self._redis.RedisError, OSError, TimeoutError):
                pass
            finally:
                await client.aclose()

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
        """Wait until what other nodes send to a room comes; not while Redis is away."""
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

    def _client(self) -> Any:
        connect = self._redis.Redis.from_url
        return connect(self.url, socket_connect_timeout=5, socket_keepalive=True)

    async def _keep_connected(self) -> None:
        backoff = FIRST_BACKOFF
        while True:
            try:
                await self._connected()
            except (self._redis.RedisError, OSError) as error:
                raise_if_cancelled()
                self._observe("bus_down", Severity.WARNING, error=str(error))
                backoff = FIRST_BACKOFF if self._was_up else min(2 * backoff, LAST_BACKOFF)
                self._was_up = False
            await asyncio.sleep(backoff)

    async def _connected(self) -> None:
        """Run one connection; it ends by an exception."""
        client = self._client()
        subscription = client.pubsub()
        try:
            await subscription.subscribe(self.project.channel)
            await self._subscribe(subscription)
            while not self._channels.is_confirmed:  # or others would be greeted too soon
                await self._receive_one(subscription)
            await client.ping()
            self._greet()
            await run_together(
                self._receive(subscription),
                self._follow_rooms(subscription),
                self._publish(client),
                self._keep_alive(),
            )
        finally:
            self._outgoing.went_down(self.clock.monotonic())
            self._channels.lost()
            await subscription.aclose()
            await client.aclose()

    def _greet(self) -> None:
        now = self.clock.monotonic()
        self._was_up = True
        self._outgoing.came_up(now)
        self._peers.wait_again(now)
        self._send_alive(asks=True)
        self._send_members()
        asyncio.get_running_loop().call_later(BACK_SECONDS, self._has_outgoing.set)
        self._observe("bus_up", Severity.INFO, held_bytes=self.waiting_bytes)
        if expired := self._outgoing.losses[Loss.EXPIRED]:
            self._observe("bus_expired", Severity.WARNING, messages_so_far=expired)

    async def _follow_rooms(self, subscription: Any) -> None:
        """Subscribe to rooms as they get members here, for ever."""
        while True:
            await self._channels.changed.wait()
            await asyncio.sleep(GATHER_SECONDS)
            await self._subscribe(subscription)

    async def _subscribe(self, subscription: Any) -> None:
        more, fewer = ([*map(self.project.room, each)] for each in self._channels.take())
        for ask, names in ((subscription.subscribe, more), (subscription.unsubscribe, fewer)):
            for at in range(0, len(names), CHANNELS_AT_ONCE):
                await ask(*names[at : at + CHANNELS_AT_ONCE])

    async def _receive(self, subscription: Any) -> None:
        while True:
            await self._receive_one(subscription)

    async def _receive_one(self, subscription: Any) -> None:
        message = await subscription.get_message(timeout=None)
        if message is None:
            return
        channel = cast("bytes", message["channel"]).decode()
        if message["type"] == "message":
            self._on_message(cast("bytes", message["data"]), channel)
        elif message["type"] == "subscribe" and channel != self.project.channel:
            self._channels.confirmed(self.project.topic_of(channel))

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
            self._peer_found.set()
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
            self._has_outgoing.set()  # perhaps for this node to be back
        if is_new and message.node in self._peers.nodes():
            self._observe("node_met", Severity.INFO, node=message.node)
            self._peer_found.set()
        if isinstance(message.body, Call | Reply):
            self.calls.received(message.node, message.body)
        if isinstance(message.body, Alive) and message.body.asks:
            self._send_members()
        if must_ask and now - self._asked_at >= ASK_SECONDS:
            self._asked_at = now
            self._send_alive(asks=True)

    def _report(self, reason: str) -> None:
        """Log dropped messages, rate-limited."""
        now = self.clock.monotonic()
        if self._reported_at is None or now - self._reported_at >= REPORT_SECONDS:
            self._reported_at = now
            refused = sum(self.signer.refused.values())
            self._observe("bus_refused", Severity.WARNING, reason=reason, so_far=refused)

    def _send_alive(self, *, asks: bool = False) -> None:
        """Publish a heartbeat with the nodes that this one knows."""
        knows = (*self._peers.nodes(), *self.signer.unknown_nodes)
        self.signer.unknown_nodes.clear()
        self._send(Alive(asks, knows))

    def _send_members(self) -> None:
        for part in member_parts(self.hub.local_presence()):
            self._send(part)

    async def _publish(self, client: Any) -> None:
        while True:
            await self._has_outgoing.wait()
            self._has_outgoing.clear()
            while await self._publish_some(client):
                pass

    async def _publish_some(self, client: Any) -> bool:
        """Publish queued messages in one pipeline; whether there were any."""
        outgoing, now = self._outgoing, self.clock.monotonic()
        is_held = outgoing.is_held(now, are_back=self._peers.are_back)
        taken = outgoing.take_control() if is_held else outgoing.take()
        pipeline = client.pipeline(transaction=False)
        for each in taken:
            message = self._signed(*each)
            if message is not None:
                pipeline.publish(self._channel_of(each[-1]), message)
        await pipeline.execute()
        if not is_held:
            outgoing.confirm()
        return bool(taken)

    async def _share_load(self) -> None:
        """Share what is counted, for ever: limits hold over all nodes, a second late."""
        while True:
            if len(self._peers):
                self._send(self.load())
            self.loaded(sum_of(self._peers.loads.values()))
            await asyncio.sleep(LOAD_SECONDS)

    async def _keep_alive(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(ALIVE_SECONDS):
                    await self._peer_found.wait()
                    await asyncio.sleep(GREETING_DELAY)
            self._peer_found.clear()
            self._send_alive()
            for node in self._peers.forget_silent(self.clock.monotonic()):
                self._observe("node_lost", Severity.WARNING, node=node)

    def _observe(self, name: str, severity: Severity, **facts: object) -> None:
        self.observer(Observation(name, severity, facts))

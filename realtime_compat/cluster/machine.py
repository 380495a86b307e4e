"""The bus between the workers of one machine, over its broker.

Broadcasts go by topic, to the workers with a member of the room; presence goes to all, so that a
room's state is complete for every join. The broker's lines lose and repeat nothing, so there are no
counts here; a new worker is sent the members, one that was cut off asks for them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from compat_base.broker.frames import EVERYBODY, TOPIC
from compat_base.broker.line import Line
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from realtime_compat.cluster.messages import (
    Alive,
    Body,
    BusMessage,
    Load,
    Lost,
    Members,
    Rooms,
    RoomsRouted,
    member_parts,
    sum_of,
    topic_of,
)
from realtime_compat.cluster.outgoing import Loss
from realtime_compat.cluster.signing import Refusal
from realtime_compat.cluster.wire import read, write
from realtime_compat.hub import Hub, Published, Tracked, Untracked
from realtime_compat.protocol.messages import RoomName

GROUP = 1
LOAD_SECONDS = 1.0
DRAIN_SECONDS = 1.0
ROUTED_SECONDS = 5.0  # that a join waits for the broker at most; stock clients wait for 10
ROOMS_AT_ONCE = 500  # in one message
BRIDGE = b"bridge".ljust(TOPIC, b".")
"""The topic of messages for the machine's bridge alone, which also gets all others."""


@dataclass(slots=True)
class MachineBus:
    """This worker's connection to the others, by the machine's broker.

    `load` gives this worker's counters for the project's limits, `loaded` takes the others'.
    Where there are other machines (`is_bridged`), the bridge is sent this worker's rooms.
    """

    path: str
    hub: Hub
    supervisor: Supervisor
    observer: Observer
    load: Callable[[], Load]
    loaded: Callable[[Load], None]
    is_bridged: bool = False
    losses: Counter[Loss] = field(default_factory=Counter[Loss])
    _refused: Counter[Refusal] = field(default_factory=Counter[Refusal])
    _line: Line = field(init=False)
    _known: frozenset[bytes] = frozenset()
    _loads: dict[str, Load] = field(default_factory=dict[str, Load])
    _parts: dict[str, list[Tracked]] = field(default_factory=dict[str, list[Tracked]])
    _pending_losses: dict[RoomName, None] = field(default_factory=dict[RoomName, None])
    _unsent_members: bool = False
    _unsent_rooms: bool = False
    _rooms: dict[RoomName, asyncio.Event] = field(default_factory=dict[RoomName, asyncio.Event])

    def __post_init__(self) -> None:
        self._line = Line(self.path, GROUP, bytes.fromhex(self.hub.node), self)

    def start(self) -> None:
        """Connect, and stay connected."""
        self.hub.connect(self._send)
        self.hub.watch_rooms(self._opened, self._closed, self._routed)
        self.supervisor.keep_running(self._line.keep, "broker line")
        self.supervisor.keep_running(self._share_load, "load")

    async def stop(self) -> None:
        """Wait until the broker has what was sent."""
        await self._line.drain(DRAIN_SECONDS if self.is_up else 0.0)

    @property
    def size(self) -> int:
        """The number of workers, this one included."""
        return len(self._known) + 1

    @property
    def is_up(self) -> bool:
        """Whether the broker is connected."""
        return self._line.is_up

    @property
    def waiting_bytes(self) -> int:
        """Bytes that the other workers do not have yet."""
        return self._line.waiting_bytes

    @property
    def refused(self) -> Mapping[Refusal, int]:
        """How many messages were dropped, and why."""
        return self._refused

    # Rooms

    def _opened(self, room: RoomName) -> None:
        self._line.subscribe(topic_of(room))
        if self.is_bridged:
            self._rooms[room] = asyncio.Event()
            self._unsent_rooms |= not self._post(BRIDGE, Rooms((room,)))

    def _closed(self, room: RoomName) -> None:
        self._line.unsubscribe(topic_of(room))
        left = self._rooms.pop(room, None)
        if left is not None:
            left.set()
            self._post(BRIDGE, Rooms((room,), are_open=False))

    async def _routed(self, room: RoomName) -> None:
        """Wait until the broker, and where there are other machines Redis, knows of a room."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ROUTED_SECONDS):
                await self._line.subscribed(topic_of(room), ROUTED_SECONDS)
                if room in self._rooms:
                    await self._rooms[room].wait()

    def _send_rooms(self) -> None:
        """Send the bridge every room, because a new bridge knows none."""
        rooms = tuple(self._rooms)
        self._unsent_rooms = False
        for at in range(0, len(rooms), ROOMS_AT_ONCE):
            self._unsent_rooms |= not self._post(BRIDGE, Rooms(rooms[at : at + ROOMS_AT_ONCE]))

    # Receiving

    def received(self, node: bytes, body: bytes) -> None:
        """Apply a message of another worker."""
        message = read(node.hex(), body)
        if message is None:
            self._refused[Refusal.UNREADABLE] += 1
        else:
            self._apply(message.node, message.body)

    def peers_changed(self, nodes: Sequence[bytes]) -> None:
        """Send the members of this worker to new workers."""
        now = frozenset(nodes)
        for node in self._known - now:
            self._loads.pop(node.hex(), None)
            self._replace(node.hex(), ())
        for node in now - self._known:
            self._send_members(node)
        if now - self._known:
            self._send_rooms()
        self._known = now

    def messages_lost(self) -> None:
        """Notify rooms of lost messages, and ask for the members again."""
        self._observe("bus_missed")
        self.losses[Loss.MISSED] += 1
        self.hub.notify_all_lost()
        self._post(EVERYBODY, Alive(asks=True))

    def _apply(self, node: str, body: Body) -> None:
        match body:
            case Published(room, frame):
                self.hub.publish(room, frame, is_local=False)
            case Lost(room):
                self.hub.notify_lost(room)
            case Tracked():
                self.hub.put_remote(node, body)
            case Untracked(room, channel):
                self.hub.drop_remote(node, room, channel)
            case Members(tracked, first, last):
                parts = self._parts[node] = [
                    *(() if first else self._parts.pop(node, ())),
                    *tracked,
                ]
                if last:
                    self._replace(node, self._parts.pop(node, parts))
            case Alive(asks=True):
                self._send_members(bytes.fromhex(node))
                self._send_rooms()
            case RoomsRouted(rooms):
                for room in rooms:
                    if room in self._rooms:
                        self._rooms[room].set()
            case Load():
                self._loads[node] = body
            case _:
                self._refused[Refusal.UNREADABLE] += 1

    def _replace(self, node: str, tracked: Iterable[Tracked]) -> None:
        present = {(one.room, one.channel): one for one in tracked}
        for room, channel in self.hub.remote_members(node) - present.keys():
            self.hub.drop_remote(node, room, channel)
        for one in present.values():
            self.hub.put_remote(node, one)

    # Sending

    def _send(self, body: Body) -> None:
        is_message = isinstance(body, Published)
        if self._post(topic_of(body.room) if is_message else EVERYBODY, body):
            self._send_pending()
        elif is_message:
            self.losses[Loss.OVERFLOW] += 1
            self._pending_losses[body.room] = None
        else:
            self._unsent_members = True

    def _send_pending(self) -> None:
        """Send what could not be sent while too much waited: notices of losses, rooms, members."""
        for room in tuple(self._pending_losses):
            if not self._post(topic_of(room), Lost(room)):
                return
            del self._pending_losses[room]
        if self._unsent_rooms:
            self._send_rooms()
        if self._unsent_members:
            self._unsent_members = False
            for part in member_parts(self.hub.local_presence()):
                self._unsent_members |= not self._post(EVERYBODY, part)

    def _send_members(self, node: bytes) -> None:
        for part in member_parts(self.hub.local_presence()):
            self._line.send(node, write(BusMessage(self.hub.node, 0, part)))

    def _post(self, topic: bytes, body: Body) -> bool:
        return self._line.publish(topic, write(BusMessage(self.hub.node, 0, body)))

    async def _share_load(self) -> None:
        """Share the counters, for ever: limits hold over all workers, a second late.

        The bridge is one of them, with what other machines count.
        """
        while True:
            self._post(EVERYBODY, self.load())
            self.loaded(sum_of(self._loads.values()))
            await asyncio.sleep(LOAD_SECONDS)

    def _observe(self, name: str) -> None:
        self.observer(Observation(name, Severity.WARNING, {}))

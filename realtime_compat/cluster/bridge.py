"""The bridge between a machine's workers and Redis: messages relayed in both directions.

The broker's process alone connects to Redis. To the bus the bridge is a hub with the members of all
workers; to the workers it is one more worker with the members of all other machines. Channel ids
are unique in a worker or machine only, so the bridge assigns new ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from compat_base.broker.frames import EVERYBODY, EVERYTHING
from compat_base.broker.line import Line
from compat_base.tasks import Supervisor
from realtime_compat.cluster.machine import GROUP
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
from realtime_compat.cluster.wire import read, write
from realtime_compat.hub import Announcement, Published, Tracked, Untracked
from realtime_compat.protocol.messages import RoomName, ServerFrame

Member = tuple[str, RoomName, int]  # node, room, its own channel


@dataclass(slots=True)
class Bridge:
    """A hub for the bus, and a line among the workers'."""

    path: str
    node: str
    supervisor: Supervisor
    line: Line = field(init=False)
    _announce: Callable[[Announcement], None] = lambda _announcement: None
    _opened: Callable[[RoomName], None] = lambda _room: None
    _closed: Callable[[RoomName], None] = lambda _room: None
    _routed: Callable[[RoomName], Awaitable[object]] | None = None
    _loads: dict[bytes, Load] = field(default_factory=dict[bytes, Load])
    _rooms: dict[RoomName, set[str]] = field(default_factory=dict[RoomName, set[str]])
    _local: dict[Member, Tracked] = field(default_factory=dict[Member, Tracked])
    _remote: dict[Member, Tracked] = field(default_factory=dict[Member, Tracked])
    _known: frozenset[bytes] = frozenset()
    _parts: dict[str, list[Tracked]] = field(default_factory=dict[str, list[Tracked]])
    _channels: Callable[[], int] = field(default_factory=lambda: itertools.count(1).__next__)

    def __post_init__(self) -> None:
        self.line = Line(self.path, GROUP, bytes.fromhex(self.node), self)
        self.line.subscribe(EVERYTHING)

    # The workers' side

    def received(self, node: bytes, body: bytes) -> None:
        """A message of a worker."""
        message = read(node.hex(), body)
        match message.body if message is not None else None:
            case Published() as published:
                self._announce(published)
            case Tracked() as tracked:
                self._put(node.hex(), tracked)
            case Untracked(room, channel):
                self._drop((node.hex(), room, channel))
            case Members(tracked, first, last):
                name = node.hex()
                parts = [*(() if first else self._parts.pop(name, ())), *tracked]
                self._parts[name] = parts
                if last:
                    self._replace(name, self._parts.pop(name))
            case Alive(asks=True):
                self._send_members(node)
            case Load() as load:
                self._loads[node] = load
            case Rooms(rooms, are_open):
                for room in rooms:
                    (self._enter if are_open else self._leave)(node.hex(), room)
                if are_open:
                    self.supervisor.start(self._confirm(node, rooms), "rooms")
            case _:
                pass

    def peers_changed(self, nodes: Sequence[bytes]) -> None:
        """Note which workers of this machine are connected."""
        now = frozenset(nodes)
        for node in self._known - now:
            self._replace(node.hex(), ())
            self._loads.pop(node, None)
            for room in [each for each, nodes in self._rooms.items() if node.hex() in nodes]:
                self._leave(node.hex(), room)
        for node in now - self._known:
            self._send_members(node)
        self._known = now

    def messages_lost(self) -> None:
        """Ask for the members again, as messages for the bridge were dropped."""
        self._send(EVERYBODY, Alive(asks=True))

    def _enter(self, node: str, room: RoomName) -> None:
        if room not in self._rooms:
            self._rooms[room] = set()
            self._opened(room)
        self._rooms[room].add(node)

    def _leave(self, node: str, room: RoomName) -> None:
        nodes = self._rooms.get(room, set())
        nodes.discard(node)
        if not nodes and self._rooms.pop(room, None) is not None:
            self._closed(room)

    async def _confirm(self, node: bytes, rooms: tuple[RoomName, ...]) -> None:
        """Confirm to a worker that messages of other machines for its rooms arrive here."""
        if self._routed is not None:
            for room in rooms:
                await self._routed(room)
        self.line.send(node, write(BusMessage(self.node, 0, RoomsRouted(rooms))))

    def _put(self, node: str, tracked: Tracked) -> None:
        member = (node, tracked.room, tracked.channel)
        old = self._local.get(member)
        channel = old.channel if old else self._channels()
        own = Tracked(tracked.room, channel, replace(tracked.meta, node=self.node))
        self._local[member] = own
        if own != old:
            self._announce(own)

    def _drop(self, member: Member) -> None:
        own = self._local.pop(member, None)
        if own is not None:
            self._announce(Untracked(own.room, own.channel))

    def _replace(self, node: str, tracked: Iterable[Tracked]) -> None:
        present = {(node, one.room, one.channel): one for one in tracked}
        for member in [each for each in self._local if each[0] == node and each not in present]:
            self._drop(member)
        for one in present.values():
            self._put(node, one)

    def _send_members(self, node: bytes) -> None:
        for part in member_parts(tuple(self._remote.values())):
            self.line.send(node, write(BusMessage(self.node, 0, part)))

    def _send(self, topic: bytes, body: Body) -> None:
        self.line.publish(topic, write(BusMessage(self.node, 0, body)))

    # The bus's side

    def connect(self, announce: Callable[[Announcement], None]) -> None:
        """Announce to other machines from now on."""
        self._announce = announce

    def watch_rooms(
        self,
        opened: Callable[[RoomName], None],
        closed: Callable[[RoomName], None],
        routed: Callable[[RoomName], Awaitable[object]],
    ) -> None:
        """Report which rooms get their first member at any worker, and which lose their last."""
        self._opened, self._closed, self._routed = opened, closed, routed

    def load(self) -> Load:
        """The counters of all workers together."""
        return sum_of(self._loads.values())

    def loaded(self, others: Load) -> None:
        """Store the counters of the other machines."""
        self._send(EVERYBODY, others)

    def publish(self, room: RoomName, frame: ServerFrame, *, is_local: bool = True) -> None:
        """Relay another machine's frame for a room."""
        if not is_local:
            self._send(topic_of(room), Published(room, frame))

    def notify_lost(self, room: RoomName) -> None:
        """Messages of other machines for a room were lost."""
        self._send(topic_of(room), Lost(room))

    def local_presence(self) -> list[Tracked]:
        """The tracked members of all workers."""
        return list(self._local.values())

    def put_remote(self, node: str, tracked: Tracked) -> None:
        """Add another machine's member."""
        member = (node, tracked.room, tracked.channel)
        old = self._remote.get(member)
        channel = old.channel if old else self._channels()
        own = Tracked(tracked.room, channel, replace(tracked.meta, node=self.node))
        self._remote[member] = own
        if own != old:
            self._send(EVERYBODY, own)

    def drop_remote(self, node: str, room: RoomName, channel: int) -> None:
        """Remove another machine's member."""
        own = self._remote.pop((node, room, channel), None)
        if own is not None:
            self._send(EVERYBODY, Untracked(own.room, own.channel))

    def remote_members(self, node: str) -> set[tuple[RoomName, int]]:
        """The known members of another machine."""
        return {(room, channel) for name, room, channel in self._remote if name == node}

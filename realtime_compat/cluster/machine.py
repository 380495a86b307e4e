"""The bus between the workers of one machine, over its broker.

Broadcasts go by topic, to the workers with a member of the room; presence goes to all, so that a
room's state is complete for every join. The broker's lines lose and repeat nothing, so there are no
counts here; a new worker is sent the members, one that was cut off asks for them.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from compat_base.broker.frames import EVERYBODY, TOPIC
from compat_base.broker.line import Line
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from realtime_compat.cluster.outgoing import Loss
from realtime_compat.cluster.signing import Refusal
from realtime_compat.cluster.wire import (
    Alive,
    Body,
    BusMessage,
    Load,
    Lost,
    Members,
    member_parts,
    read,
    write,
)
from realtime_compat.hub import Hub, Published, Tracked, Untracked
from realtime_compat.protocol.messages import RoomName

GROUP = 1
LOAD_SECONDS = 1.0
DRAIN_SECONDS = 1.0
ROUTED_SECONDS = 5.0  # that a join waits for the broker at most; stock clients wait for 10


def topic_of(room: RoomName) -> bytes:
    """A room's topic on the broker."""
    digest = hashlib.blake2b(digest_size=TOPIC, person=b"rt room")
    digest.update(b"p" if room.is_private else b"o")
    digest.update(room.topic.encode("utf-8", "surrogatepass"))
    return digest.digest()


@dataclass(slots=True)
class MachineBus:
    """This worker's connection to the others, by the machine's broker.

    `load` gives what it counts towards the project's limits, `loaded` takes what all others do.
    """

    path: str
    hub: Hub
    supervisor: Supervisor
    observer: Observer
    load: Callable[[], Load]
    loaded: Callable[[Load], None]
    losses: Counter[Loss] = field(default_factory=Counter[Loss])
    _refused: Counter[Refusal] = field(default_factory=Counter[Refusal])
    _line: Line = field(init=False)
    _known: frozenset[bytes] = frozenset()
    _loads: dict[str, Load] = field(default_factory=dict[str, Load])
    _parts: dict[str, list[Tracked]] = field(default_factory=dict[str, list[Tracked]])
    _owed: dict[RoomName, None] = field(default_factory=dict[RoomName, None])
    _owes_members: bool = False

    def __post_init__(self) -> None:
        self._line = Line(self.path, GROUP, bytes.fromhex(self.hub.node), self)

    def start(self) -> None:
        """Connect, and stay connected."""
        self.hub.connect(self._send)
        self.hub.watch_rooms(
            lambda room: self._line.subscribe(topic_of(room)),
            lambda room: self._line.unsubscribe(topic_of(room)),
            lambda room: self._line.subscribed(topic_of(room), ROUTED_SECONDS),
        )
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

    # What comes

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

    # What goes

    def _send(self, body: Body) -> None:
        is_message = isinstance(body, Published)
        if self._post(topic_of(body.room) if is_message else EVERYBODY, body):
            self._send_owed()
        elif is_message:
            self.losses[Loss.OVERFLOW] += 1
            self._owed[body.room] = None
        else:
            self._owes_members = True

    def _send_owed(self) -> None:
        """Send the notices of losses that could not be sent while too much waited."""
        for room in tuple(self._owed):
            if not self._post(topic_of(room), Lost(room)):
                return
            del self._owed[room]
        if self._owes_members:
            self._owes_members = False
            for part in member_parts(self.hub.local_presence()):
                self._owes_members |= not self._post(EVERYBODY, part)

    def _send_members(self, node: bytes) -> None:
        for part in member_parts(self.hub.local_presence()):
            self._line.send(node, write(BusMessage(self.hub.node, 0, part)))

    def _post(self, topic: bytes, body: Body) -> bool:
        return self._line.publish(topic, write(BusMessage(self.hub.node, 0, body)))

    async def _share_load(self) -> None:
        """Share the counters, for ever: limits hold over all workers, a second late."""
        while True:
            self._post(EVERYBODY, self.load())
            loads = tuple(self._loads.values())
            self.loaded(
                Load(
                    sum(each.events for each in loads),
                    sum(each.presence for each in loads),
                    sum(each.joins for each in loads),
                    sum(each.sockets for each in loads),
                )
            )
            await asyncio.sleep(LOAD_SECONDS)

    def _observe(self, name: str) -> None:
        self.observer(Observation(name, Severity.WARNING, {}))

"""The messages between nodes, as values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from compat_base.broker.frames import TOPIC
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.messages import RoomName

MEMBERS_AT_ONCE = 1000  # in one message
MEMBERS_BYTES = 1_000_000  # in one message, about: reading it holds the loop
COUNTS_AT_ONCE = 500  # in one message


@dataclass(frozen=True, slots=True)
class Alive:
    """A heartbeat, with the nodes that it knows; they send their members where it `asks`."""

    asks: bool = False
    knows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gone:
    """A node stops."""


@dataclass(frozen=True, slots=True)
class Members:
    """All tracked members of a node, in parts: a `first` one, and a `last`."""

    tracked: tuple[Tracked, ...]
    first: bool = True
    last: bool = True


@dataclass(frozen=True, slots=True)
class Lost:
    """Messages for a room were dropped on their way to the other nodes."""

    room: RoomName


@dataclass(frozen=True, slots=True)
class RoomCounts:
    """How many messages a node has sent to rooms so far; who received fewer has missed some."""

    counts: tuple[tuple[RoomName, int], ...]


@dataclass(frozen=True, slots=True)
class Load:
    """Counters of a worker or machine for the project's limits: events a second, open sockets."""

    events: float
    presence: float
    joins: float
    sockets: int


@dataclass(frozen=True, slots=True)
class Rooms:
    """A worker has its first member of rooms, or its last one has left; to its machine's bridge."""

    rooms: tuple[RoomName, ...]
    are_open: bool = True


@dataclass(frozen=True, slots=True)
class RoomsRouted:
    """To a worker: messages of other machines for these rooms arrive here from now on."""

    rooms: tuple[RoomName, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A request for the worker `callee`, wherever it is."""

    callee: str
    number: int
    request: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """The receipt of a node's request, and later the callee's reply."""

    caller: str
    number: int
    reply: bytes | None


Body: TypeAlias = (
    Published | Tracked | Untracked | Alive | Gone | Members | Lost | RoomCounts | Load
    | Rooms | RoomsRouted | Call | Reply
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BusMessage:
    """A message of a node, with its counts, this message included.

    `presence_changes` and `room_messages`: a message that is sent again has the same count. A gap
    of presence is a loss. A node receives messages of its own rooms alone, so that losses there are
    found by gaps of `in_room`, the count of the room; 0 where it is not counted.
    """

    node: str
    presence_changes: int
    body: Body
    room_messages: int = 0
    in_room: int = 0


def sum_of(loads: Iterable[Load]) -> Load:
    """The sum of several counters."""
    events = presence = joins = 0.0
    sockets = 0
    for each in loads:
        events, presence, joins = (
            events + each.events, presence + each.presence, joins + each.joins,
        )  # fmt: skip
        sockets += each.sockets
    return Load(events, presence, joins, sockets)


def topic_of(room: RoomName) -> bytes:
    """A room's name on the broker, and in the name of its channel."""
    digest = hashlib.blake2b(digest_size=TOPIC, person=b"rt room")
    digest.update(b"p" if room.is_private else b"o")
    digest.update(room.topic.encode("utf-8", "surrogatepass"))
    return digest.digest()


def count_parts(counts: Sequence[tuple[RoomName, int]]) -> list[RoomCounts]:
    """Counts of rooms in parts that each fit into a message; none for none."""
    starts = range(0, len(counts), COUNTS_AT_ONCE)
    return [RoomCounts(tuple(counts[at : at + COUNTS_AT_ONCE])) for at in starts]


def member_parts(tracked: Sequence[Tracked]) -> list[Members]:
    """Members in parts that each fit into a message, at least one."""
    parts: list[list[Tracked]] = [[]]
    size = 0
    for one in tracked:
        if parts[-1] and (
            len(parts[-1]) >= MEMBERS_AT_ONCE or size + one.meta.size > MEMBERS_BYTES
        ):
            parts.append([])
            size = 0
        parts[-1].append(one)
        size += one.meta.size
    last = len(parts) - 1
    return [
        Members(tuple(part), first=number == 0, last=number == last)
        for number, part in enumerate(parts)
    ]

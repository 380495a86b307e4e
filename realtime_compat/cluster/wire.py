"""Messages between nodes as bytes: one line of JSON, then the payload as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

from compat_base.values import jsontext
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.messages import Message, RoomName, ServerFrame, UserBroadcast
from realtime_compat.protocol.presence import Meta

T = TypeVar("T")

MEMBERS_AT_ONCE = 1000  # in one message
MEMBERS_BYTES = 1_000_000  # in one message, about: reading it holds the loop


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
class Load:
    """A worker's counters for the project's limits: events a second, and open sockets."""

    events: float
    presence: float
    joins: float
    sockets: int


Body: TypeAlias = Published | Tracked | Untracked | Alive | Gone | Members | Lost | Load


@dataclass(frozen=True, slots=True)
class BusMessage:
    """A message of a node, with its counts, this message included.

    `presence_changes` and `room_messages`: a message that is sent again has the same count, and a
    gap is a loss.
    """

    node: str
    presence_changes: int
    body: Body
    room_messages: int = 0


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


def write(message: BusMessage) -> bytes:
    """Encode a message, without the name of its node."""
    head, payload = _head(message.body)
    return (
        jsontext.encode_bytes([message.presence_changes, message.room_messages, *head])
        + b"\n"
        + payload
    )


def read(node: str, data: bytes) -> BusMessage | None:
    """Decode a node's message; None for other bytes (another version)."""
    line, _, payload = data.partition(b"\n")
    try:
        changes, messages, kind, *rest = cast("list[Any]", jsontext.decode(line))
        return BusMessage(node, _a(int, changes), _READERS[kind](rest, payload), _a(int, messages))
    except (jsontext.InvalidJsonError, ValueError, TypeError, LookupError):
        return None


def _head(body: Body) -> tuple[list[Any], bytes]:
    match body:
        case Published(room, frame):
            return _frame_head(room, frame)
        case Tracked():
            return ["track", *_tracked_fields(body)], b""
        case Untracked(room, channel):
            return ["untrack", *room, channel], b""
        case Alive(asks, knows):
            return ["alive", asks, list(knows)], b""
        case Gone():
            return ["gone"], b""
        case Lost(room):
            return ["lost", *room], b""
        case Load(events, presence, joins, sockets):
            return ["load", events, presence, joins, sockets], b""
        case Members(tracked, first, last):
            return ["members", [_tracked_fields(one) for one in tracked], first, last], b""


def _frame_head(room: RoomName, frame: ServerFrame) -> tuple[list[Any], bytes]:
    if isinstance(frame, Message):
        payload = frame.payload.encode("utf-8", "replace")
        return ["message", *room, frame.topic, frame.event], payload
    return ["user", *room, frame.topic, frame.event, frame.is_binary, frame.meta], frame.payload


def _tracked_fields(tracked: Tracked) -> list[Any]:
    meta = tracked.meta
    return [
        *tracked.room,
        tracked.channel,
        meta.key,
        meta.ref,
        meta.value,
        meta.previous,
        meta.node,
    ]


def _a(kind: type[T], value: object) -> T:
    """A value of a type; TypeError for another, also for booleans as numbers."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError
    return value


def _optional(value: object) -> str | None:
    return None if value is None else _a(str, value)


def _list(value: object) -> list[Any]:
    return cast("list[Any]", _a(list, value))


def _room(topic: object, is_private: object) -> RoomName:
    return RoomName(_a(str, topic), _a(bool, is_private))


def _read_tracked(fields: list[Any]) -> Tracked:
    topic, is_private, channel, key, ref, value, previous, node = fields
    meta = Meta(
        _a(str, key),
        _a(str, ref),
        _a(str, value),
        _optional(previous),
        _a(str, node),
    )
    return Tracked(_room(topic, is_private), _a(int, channel), meta)


def _read_message(fields: list[Any], payload: bytes) -> Body:
    topic, is_private, address, event = fields
    frame = Message(_a(str, address), _a(str, event), payload.decode())
    return Published(_room(topic, is_private), frame)


def _read_user(fields: list[Any], payload: bytes) -> Body:
    topic, is_private, address, event, is_binary, meta = fields
    names = (_a(str, address), _a(str, event))
    frame = UserBroadcast(*names, payload, _a(bool, is_binary), _a(str, meta))
    return Published(_room(topic, is_private), frame)


def _read_untracked(fields: list[Any], _payload: bytes) -> Body:
    topic, is_private, channel = fields
    return Untracked(_room(topic, is_private), _a(int, channel))


def _read_alive(fields: list[Any], _payload: bytes) -> Body:
    asks, knows = fields
    return Alive(_a(bool, asks), tuple(_a(str, node) for node in _list(knows)))


def _read_members(fields: list[Any], _payload: bytes) -> Body:
    tracked, first, last = fields
    members = tuple(_read_tracked(_list(one)) for one in _list(tracked))
    return Members(members, _a(bool, first), _a(bool, last))


def _read_gone(fields: list[Any], _payload: bytes) -> Body:
    if fields:
        raise ValueError
    return Gone()


def _read_lost(fields: list[Any], _payload: bytes) -> Body:
    topic, is_private = fields
    return Lost(_room(topic, is_private))


def _read_load(fields: list[Any], _payload: bytes) -> Body:
    events, presence, joins, sockets = fields
    return Load(float(events), float(presence), float(joins), _a(int, sockets))


_READERS: dict[str, Callable[[list[Any], bytes], Body]] = {
    "message": _read_message,
    "user": _read_user,
    "track": lambda fields, _payload: _read_tracked(fields),
    "untrack": _read_untracked,
    "alive": _read_alive,
    "gone": _read_gone,
    "lost": _read_lost,
    "members": _read_members,
    "load": _read_load,
}

"""Messages between nodes as bytes: one line of JSON, then the payload as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from compat_base.values import jsontext
from realtime_compat.cluster.messages import (
    Alive,
    Body,
    BusMessage,
    Call,
    Gone,
    Load,
    Lost,
    Members,
    Reply,
    RoomCounts,
    Rooms,
    RoomsRouted,
)
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.messages import Message, RoomName, ServerFrame, UserBroadcast
from realtime_compat.protocol.presence import Meta

T = TypeVar("T")


def write(message: BusMessage) -> bytes:
    """Encode a message, without the name of its node."""
    head, payload = _head(message.body)
    return (
        jsontext.encode_bytes(
            [message.presence_changes, message.room_messages, message.in_room, *head]
        )
        + b"\n"
        + payload
    )


def read(node: str, data: bytes) -> BusMessage | None:
    """Decode a node's message; None for other bytes (another version)."""
    line, _, payload = data.partition(b"\n")
    try:
        changes, messages, in_room, kind, *rest = cast("list[Any]", jsontext.decode(line))
        body = _READERS[kind](rest, payload)
        return BusMessage(node, _a(int, changes), body, _a(int, messages), _a(int, in_room))
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
        case RoomCounts(counts):
            return ["counts", [[*room, count] for room, count in counts]], b""
        case Load(events, presence, joins, sockets):
            return ["load", events, presence, joins, sockets], b""
        case Rooms(rooms, are_open):
            return ["rooms", [list(room) for room in rooms], are_open], b""
        case RoomsRouted(rooms):
            return ["routed", [list(room) for room in rooms]], b""
        case Call(callee, number, request):
            return ["call", callee, number], request
        case Reply(caller, number, reply):
            return ["reply", caller, number, reply is not None], reply or b""
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


def _read_counts(fields: list[Any], _payload: bytes) -> Body:
    [counts] = fields
    return RoomCounts(
        tuple(
            (_room(topic, is_private), _a(int, count))
            for topic, is_private, count in map(_list, _list(counts))
        )
    )


def _read_load(fields: list[Any], _payload: bytes) -> Body:
    events, presence, joins, sockets = fields
    return Load(float(events), float(presence), float(joins), _a(int, sockets))


def _rooms(value: object) -> tuple[RoomName, ...]:
    return tuple(_room(*_list(one)) for one in _list(value))


def _read_rooms(fields: list[Any], _payload: bytes) -> Body:
    rooms, are_open = fields
    return Rooms(_rooms(rooms), _a(bool, are_open))


def _read_routed(fields: list[Any], _payload: bytes) -> Body:
    [rooms] = fields
    return RoomsRouted(_rooms(rooms))


def _read_call(fields: list[Any], payload: bytes) -> Body:
    callee, number = fields
    return Call(_a(str, callee), _a(int, number), payload)


def _read_reply(fields: list[Any], payload: bytes) -> Body:
    caller, number, has_answer = fields
    return Reply(_a(str, caller), _a(int, number), payload if _a(bool, has_answer) else None)


_READERS: dict[str, Callable[[list[Any], bytes], Body]] = {
    "message": _read_message,
    "user": _read_user,
    "track": lambda fields, _payload: _read_tracked(fields),
    "untrack": _read_untracked,
    "alive": _read_alive,
    "gone": _read_gone,
    "lost": _read_lost,
    "members": _read_members,
    "counts": _read_counts,
    "load": _read_load,
    "rooms": _read_rooms,
    "routed": _read_routed,
    "call": _read_call,
    "reply": _read_reply,
}

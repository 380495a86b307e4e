"""What nodes tell each other: one line of JSON, then the payload as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from compat_base import jsontext
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.effects import RoomName
from realtime_compat.protocol.messages import Message, ServerFrame, UserBroadcast
from realtime_compat.protocol.presence import Meta


@dataclass(frozen=True, slots=True)
class Alive:
    """A node is there; every node is asked for its members where `asks`."""

    asks: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """A node stops."""


@dataclass(frozen=True, slots=True)
class Members:
    """Everybody whom a node's own sockets track."""

    tracked: tuple[Tracked, ...]


Word: TypeAlias = Published | Tracked | Untracked | Alive | Gone | Members


@dataclass(frozen=True, slots=True)
class Letter:
    """A word of a node; `number` counts the presence changes it has told so far."""

    node: str
    number: int
    word: Word


def write(letter: Letter) -> bytes:
    """A letter as bytes."""
    head, payload = _head(letter.word)
    return jsontext.encode_bytes([letter.node, letter.number, *head]) + b"\n" + payload


def read(data: bytes) -> Letter | None:
    """A letter out of bytes; None for what is none (another version, a stranger)."""
    line, _, payload = data.partition(b"\n")
    try:
        node, number, kind, *rest = cast("list[Any]", jsontext.decode(line))
        return Letter(node, number, _READERS[kind](rest, payload))
    except (jsontext.InvalidJsonError, ValueError, TypeError, KeyError):
        return None


def _head(word: Word) -> tuple[list[Any], bytes]:
    match word:
        case Published(room, frame):
            return _frame_head(room, frame)
        case Tracked():
            return ["track", *_tracked_fields(word)], b""
        case Untracked(room, channel):
            return ["untrack", *room, channel], b""
        case Alive(asks):
            return ["alive", asks], b""
        case Gone():
            return ["gone"], b""
        case Members(tracked):
            return ["members", [_tracked_fields(one) for one in tracked]], b""


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


def _read_tracked(fields: list[Any]) -> Tracked:
    topic, is_private, channel, *meta = fields
    return Tracked(RoomName(topic, is_private), channel, Meta(*meta))


def _published(fields: list[Any], frame: ServerFrame) -> Published:
    return Published(RoomName(fields[0], fields[1]), frame)


def _read_message(fields: list[Any], payload: bytes) -> Word:
    return _published(fields, Message(fields[2], fields[3], payload.decode()))


def _read_user(fields: list[Any], payload: bytes) -> Word:
    _, _, topic, event, is_binary, meta = fields
    return _published(fields, UserBroadcast(topic, event, payload, is_binary, meta))


def _read_untracked(fields: list[Any], _payload: bytes) -> Word:
    topic, is_private, channel = fields
    return Untracked(RoomName(topic, is_private), channel)


def _read_members(fields: list[Any], _payload: bytes) -> Word:
    (tracked,) = fields
    return Members(tuple(_read_tracked(one) for one in tracked))


_READERS: dict[str, Callable[[list[Any], bytes], Word]] = {
    "message": _read_message,
    "user": _read_user,
    "track": lambda fields, _payload: _read_tracked(fields),
    "untrack": _read_untracked,
    "alive": lambda fields, _payload: Alive(*fields),
    "gone": lambda _fields, _payload: Gone(),
    "members": _read_members,
}

"""The two serializers (realtime reference 2): 1.0.0 objects, 2.0.0 arrays and binary frames."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from typing import Any, Protocol, cast

import msgspec

from compat_base.values import jsontext
from realtime_compat.protocol.messages import (
    ClientFrame,
    Malformed,
    Message,
    Push,
    Ref,
    ServerFrame,
    UserBroadcast,
    UserPush,
)

USER_PUSH = 3
USER_BROADCAST = 4
MAX_FIELD = 255  # bytes; a size is one byte
MAX_NAME = 1000  # characters of a topic, an event or a ref
MAX_DEPTH = (
    200  # levels of nesting in JSON that is decoded, so that writing it again can not overflow
)

_PUSH_SIZES = 7  # kind, five sizes, encoding
_JSON_ENCODING = 1


class _ObjectFrame(msgspec.Struct):
    """A text frame of serializer 1.0.0; the payload is checked and not decoded."""

    topic: str
    event: str
    payload: msgspec.Raw
    ref: Ref
    join_ref: Ref = None


class _ArrayFrame(msgspec.Struct, array_like=True):
    """A text frame of serializer 2.0.0; the payload is checked and not decoded."""

    join_ref: Ref
    ref: Ref
    topic: str
    event: str
    payload: msgspec.Raw


class PresenceCall(msgspec.Struct):
    """The payload of a presence push: the call, and the object of a `track`."""

    event: msgspec.Raw = msgspec.Raw(b"null")
    payload: msgspec.Raw = msgspec.Raw(b"{}")

    def name(self) -> str | None:
        """The call's name; None without one, and "" for what names none.

        It is decoded where it is a short text alone: 5 MB of lists are half a second of work.
        """
        text = str(cast("Any", self.event), "utf-8").strip()
        if text == "null":
            return None
        if not text.startswith('"') or len(text) > MAX_NAME:
            return ""
        try:
            return _NAME.decode(text)
        except msgspec.DecodeError:  # half of a surrogate pair
            return None

    def tracked(self) -> str:
        """What is to be tracked, as JSON text; nothing and null are an empty object."""
        text = str(cast("Any", self.payload), "utf-8").strip()
        return "{}" if text == "null" else text


_OBJECT = msgspec.json.Decoder(_ObjectFrame)
_ARRAY = msgspec.json.Decoder(_ArrayFrame)
_ANY = msgspec.json.Decoder(msgspec.Raw)
_NAME = msgspec.json.Decoder(str)
_PRESENCE = msgspec.json.Decoder(PresenceCall)


class Codec(Protocol):
    """One version of the wire format."""

    version: str

    def decode(self, frame: str | bytes) -> ClientFrame:
        """Read a client's frame; never raises."""
        ...

    def encode(self, frame: ServerFrame) -> str | bytes | None:
        """Write a server's frame; None for what this version cannot express."""
        ...


class ObjectCodec:
    """Serializer 1.0.0: one JSON object a frame; the server's frames carry no `join_ref`."""

    version = "1.0.0"

    def decode(self, frame: str | bytes) -> ClientFrame:
        """Read a JSON object that has topic, event, payload and ref; never raises."""
        return _read_push(_OBJECT, frame)

    def encode(self, frame: ServerFrame) -> str | None:
        """Write an object with exactly topic, event, payload and ref."""
        if isinstance(frame, UserBroadcast):
            return None if frame.is_binary else self.encode(_as_text(frame))
        return (
            f'{{"topic":{jsontext.encode(frame.topic)},"event":{jsontext.encode(frame.event)},'
            f'"payload":{frame.payload},"ref":{jsontext.encode(frame.ref)}}}'
        )


class ArrayCodec:
    """Serializer 2.0.0: JSON arrays, and binary frames for users' broadcasts."""

    version = "2.0.0"

    def decode(self, frame: str | bytes) -> ClientFrame:
        """Read `[join_ref, ref, topic, event, payload]` or a frame of kind 3; never raises."""
        if isinstance(frame, bytes):
            return _read_user_push(frame)
        return _read_push(_ARRAY, frame)

    def encode(self, frame: ServerFrame) -> str | bytes | None:
        """Write an array, or a frame of kind 4 for a user's broadcast."""
        if isinstance(frame, UserBroadcast):
            return _write_user_broadcast(frame)
        return (
            f"[{jsontext.encode(frame.join_ref)},{jsontext.encode(frame.ref)},"
            f"{jsontext.encode(frame.topic)},{jsontext.encode(frame.event)},{frame.payload}]"
        )


class TextArrayCodec(ArrayCodec):
    """Serializer 2.0.0 for a client that reads text alone."""

    def encode(self, frame: ServerFrame) -> str | bytes | None:
        """Write an array, also for a user's broadcast; a binary one cannot be expressed."""
        if isinstance(frame, UserBroadcast):
            return None if frame.is_binary else super().encode(_as_text(frame))
        return super().encode(frame)


V1: Codec = ObjectCodec()
V2: Codec = ArrayCodec()
V2_TEXT: Codec = TextArrayCodec()

_VERSIONS = ((re.compile(r"1\.0\.\d+"), V1), (re.compile(r"2\.0\.\d+"), V2))


def codec_for(version: str | None) -> Codec | None:
    """The serializer a client asks for; 1.0.0 where it asks for none, None for an unknown one."""
    if version is None:
        return V1
    return next((codec for pattern, codec in _VERSIONS if pattern.fullmatch(version)), None)


def read_presence_call(payload: str) -> PresenceCall:
    """The call of a presence push; an empty one for a payload that is no object."""
    try:
        return _PRESENCE.decode(payload)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return PresenceCall()


def is_json(payload: bytes) -> bool:
    """Whether bytes are one JSON value in UTF-8, which can be passed on without being decoded."""
    try:
        _ANY.decode(payload)
        payload.decode()
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    return True


def read_json(frame: str | bytes) -> Any:
    """A JSON value, or Malformed: also for what JSON text cannot carry back out.

    Decoding holds the event loop for up to 60 ms a megabyte: callers bound what they give.
    """
    try:
        value = json.loads(frame, parse_constant=_refuse, parse_float=_finite)
        if isinstance(frame, str) and "\\u" in frame:
            jsontext.encode(value).encode()  # half a surrogate pair has no UTF-8
    except (ValueError, RecursionError) as error:
        return Malformed(f"not JSON: {error}")
    return Malformed("nested too deeply") if _is_deep(frame, value) else value


def _is_deep(frame: str | bytes, value: Any) -> bool:
    """Whether nesting exceeds MAX_DEPTH; the count of brackets clears almost every frame."""
    brackets = (b"[", b"{") if isinstance(frame, bytes) else ("[", "{")
    if sum(frame.count(bracket) for bracket in cast("Any", brackets)) <= MAX_DEPTH:
        return False
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [member for parent in level for member in _members(parent)]
        if not level:
            return False
    return True


def _members(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast("dict[str, Any]", value).values())
    return cast("list[Any]", value) if isinstance(value, list) else []


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):  # it would come out as Infinity, which is not JSON
        raise ValueError(digits)
    return number


def _read_push(
    decoder: msgspec.json.Decoder[_ObjectFrame] | msgspec.json.Decoder[_ArrayFrame],
    frame: str | bytes,
) -> ClientFrame:
    """Read a text frame. Its payload stays text: 5 MB of JSON are checked in 12 ms at most."""
    try:
        read = decoder.decode(frame)
        payload = str(cast("Any", read.payload), "utf-8")
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        return Malformed(f"not a message: {error}")
    names = (read.topic, read.event, read.ref, read.join_ref)
    if any(isinstance(name, str) and len(name) > MAX_NAME for name in names):
        return Malformed(f"a name of more than {MAX_NAME} characters")
    return Push(read.join_ref, read.ref, read.topic, read.event, payload)


def _read_user_push(frame: bytes) -> ClientFrame:
    if len(frame) < _PUSH_SIZES or frame[0] != USER_PUSH:
        return Malformed("not a user broadcast push")
    ends: list[int] = [_PUSH_SIZES]
    for size in frame[1:6]:
        ends.append(ends[-1] + size)
    if len(frame) < ends[-1]:
        return Malformed("shorter than its sizes say")
    try:
        join_ref, ref, topic, event, _meta = (
            frame[start:end].decode() for start, end in pairwise(ends)
        )
    except UnicodeDecodeError:
        return Malformed("a field is not UTF-8")
    payload = frame[ends[-1] :]
    is_binary = frame[6] != _JSON_ENCODING
    if not is_binary and not is_json(payload):
        return Malformed("the payload is not JSON")
    return UserPush(_ref(join_ref), _ref(ref), topic, event, payload, is_binary)


def _ref(text: str) -> Ref:
    return text or None


def _write_user_broadcast(frame: UserBroadcast) -> str | bytes | None:
    fields = [text.encode("utf-8", "replace") for text in (frame.topic, frame.event, frame.meta)]
    if any(len(field) > MAX_FIELD for field in fields):
        # A size byte cannot hold it: the text frame still can, where the payload is JSON.
        return None if frame.is_binary else V2.encode(_as_text(frame))
    sizes = bytes(len(field) for field in fields)
    head = bytes((USER_BROADCAST,)) + sizes + bytes((0 if frame.is_binary else _JSON_ENCODING,))
    return b"".join((head, *fields, frame.payload))


def _as_text(frame: UserBroadcast) -> Message:
    meta = f',"meta":{frame.meta}' if frame.meta else ""
    body = frame.payload.decode()
    payload = (
        f'{{"type":"broadcast","event":{jsontext.encode(frame.event)},"payload":{body}{meta}}}'
    )
    return Message(frame.topic, "broadcast", payload)

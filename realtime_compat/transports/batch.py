"""A batch of broadcasts over HTTP, cut into its messages without decoding their payloads."""

from __future__ import annotations

import itertools
import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, cast

import msgspec

MAX_FIELD = 10_000  # characters of a topic, an event or an id
MAX_MESSAGES = 10_000
MAX_SYMBOLS = 1_000_000  # brackets and quotes: half a second of work, with rests
STEP = 2000  # brackets and quotes between two rests: a millisecond
STRETCH = 1_000_000  # characters between two rests, where they hold few of those

_TEXT = r'"(?:[^"\\]{0,100}")?'  # a short text, or where a long one begins
_HERE = re.compile(rf"{_TEXT}|[\[\]{{}},]")
_DEEPER = re.compile(rf"{_TEXT}|[\[\]{{}}]")
_OPENING, _CLOSING = frozenset("[{"), frozenset("]}")


_NULL = msgspec.Raw(b"null")


class BatchTooLargeError(Exception):
    """More messages, or more in them, than one request may bring."""


class _Batch(msgspec.Struct):
    """The body: its messages are checked to be JSON, and not decoded."""

    messages: msgspec.Raw = _NULL


class _Entry(msgspec.Struct):
    """One message, as it came: what is absent is null."""

    topic: msgspec.Raw = _NULL
    event: msgspec.Raw = _NULL
    payload: msgspec.Raw = _NULL
    private: msgspec.Raw = _NULL
    id: msgspec.Raw = _NULL


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """One message of a batch: values of any type, and the payload's JSON text."""

    topic: Any
    event: Any
    payload: str
    private: Any
    id: Any


_BATCH = msgspec.json.Decoder(_Batch)
_ENTRY = msgspec.json.Decoder(_Entry)


def read_batch(body: bytes) -> Generator[None, None, str]:
    """The JSON text of a body's messages; pauses by yielding.

    Raises ValueError where the body is no JSON object, BatchTooLargeError beyond `MAX_SYMBOLS`.
    """
    if sum(map(body.count, (b"[", b"{", b'"'))) > MAX_SYMBOLS:
        raise BatchTooLargeError
    yield
    try:
        body.decode()
        yield
        messages = _BATCH.decode(body or b"{}").messages
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    yield
    return _text(messages)


def read_batch_entry(text: str) -> BatchEntry | None:
    """One message; None where it is no object."""
    try:
        read = _ENTRY.decode(text)
        fields = map(_value, (read.topic, read.event, read.private, read.id))
        topic, event, private, message_id = fields
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    return BatchEntry(topic, event, _text(read.payload), private, message_id)


def _text(value: msgspec.Raw) -> str:
    return str(cast("Any", value), "utf-8").strip()


def _value(value: msgspec.Raw) -> Any:
    """A short value; an array, which is no good for any field, in place of a long one."""
    text = _text(value)
    return msgspec.json.decode(text) if len(text) <= MAX_FIELD else []


def elements(array: str) -> Generator[None, None, list[str]]:
    """The texts of the elements of a JSON array that is known to be one; it rests by yielding.

    Raises BatchTooLargeError beyond `MAX_MESSAGES`, ValueError where the array has no end.
    """
    found: list[str] = []
    depth, start, position, rest_at, in_text = 1, 1, 1, STRETCH, False
    for number in itertools.count(1):
        if number % STEP == 0 or position >= rest_at:
            rest_at = position + STRETCH
            yield
        if in_text:
            end = array.index('"', position)
            in_text, position = _is_escaped(array[position:end]), end + 1
            continue
        pattern = _HERE if depth == 1 else _DEEPER
        token = pattern.search(array, position, position + STRETCH)
        if token is None:
            position += STRETCH
            if position >= len(array):
                message = "an array without an end"
                raise ValueError(message)
            continue
        symbol, position = token[0], token.end()
        in_text = symbol == '"'
        depth += (symbol in _OPENING) - (symbol in _CLOSING)
        if symbol == "," or not depth:
            found.append(array[start : position - 1])
            start = position
            if len(found) > MAX_MESSAGES:
                raise BatchTooLargeError
        if not depth:
            break
    return [] if len(found) == 1 and not found[0].strip() else found


def _is_escaped(before: str) -> bool:
    """Whether a quote after a piece of text is escaped: by an odd number of backslashes."""
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1

"""Transactions as the log's reader sends them to workers: framed, not decoded; pure.

A worker that connects later has missed the announced relations: they are kept for it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from realtime_compat.changes.decode import PART, DecodeError

PART_BYTES = 1_000_000  # a transaction that is larger comes in several parts
BYTES_A_CHANGE = 800  # a larger one counts as several, where it is bounded how many are under way

_BEGIN = struct.Struct("!xQqI")
_HEAD = struct.Struct("!QI")
_SIZE = struct.Struct("!I")
_CHANGES = b"IUD"
_KINDS = frozenset({b"I", b"U", b"D"})


@dataclass(frozen=True, slots=True)
class RawPart:
    """A transaction, or a part of a long one; `offset` changes of it came before."""

    lsn: int
    offset: int
    messages: tuple[bytes, ...]
    changes: tuple[None, ...]  # as many as there are

    @property
    def size(self) -> int:
        """Bytes of its messages."""
        return sum(map(len, self.messages))

    def pack(self) -> bytes:
        """The part as bytes."""
        pieces = [_HEAD.pack(self.lsn, self.offset)]
        for message in self.messages:
            pieces += (_SIZE.pack(len(message)), message)
        return b"".join(pieces)


def weight(changes: int, size: int) -> int:
    """The weight of so many changes and bytes, in the bound on what is in flight."""
    return max(changes, size // BYTES_A_CHANGE)


def unpack_part(data: bytes) -> tuple[int, int, list[bytes]]:
    """Where the commit stands, how many changes came before, and the messages.

    Raises DecodeError.
    """
    try:
        lsn, offset = _HEAD.unpack_from(data)
    except struct.error as error:
        raise DecodeError(str(error)) from error
    return lsn, offset, unpack_messages(data[_HEAD.size :])


def pack_messages(messages: tuple[bytes, ...]) -> bytes:
    """Messages one after the other."""
    return b"".join(piece for each in messages for piece in (_SIZE.pack(len(each)), each))


def unpack_messages(data: bytes) -> list[bytes]:
    """The messages again. Raises DecodeError."""
    at, found = 0, list[bytes]()
    while at < len(data):
        try:
            (size,) = _SIZE.unpack_from(data, at)
        except struct.error as error:
            raise DecodeError(str(error)) from error
        at += _SIZE.size
        found.append(data[at : at + size])
        at += size
    if at > len(data):
        raise DecodeError("a message longer than its frame")
    return found


def is_change(message: bytes) -> bool:
    """Whether a message is a row's change."""
    return message[:1] in _KINDS


def count_changes(messages: Sequence[bytes]) -> int:
    """How many of the messages are changes of rows."""
    return sum(map(is_change, messages))


class Framer:
    """Cuts one stream into parts; has the methods of `Decoder`."""

    def __init__(self, resume: tuple[int, int] = (0, 0)) -> None:
        self._resume = resume
        self._skip = self._handed = self._lsn = 0
        self._begin = b""
        self._messages: list[bytes] = []
        self._count = self._size = 0

    def feed(self, message: bytes) -> RawPart | None:
        """Add one message; a part where it completes one. Raises DecodeError."""
        kind = message[:1]
        if kind == b"B":
            try:
                self._lsn, _, _ = _BEGIN.unpack_from(message)
            except struct.error as error:
                raise DecodeError(f"a broken message of kind B: {error}") from error
            self._begin, self._messages, self._count, self._size = message, [], 0, 0
            self._skip = self._handed = self._resume[1] if self._resume[0] == self._lsn else 0
        elif kind == b"C":
            part = self._take(message)
            self._handed = 0
            return part
        elif kind == b"R":
            self._messages.append(message)
        elif kind and kind in _CHANGES:
            return self._add(message)
        elif not kind:
            raise DecodeError("an empty message")
        return None

    @property
    def handed(self) -> tuple[int, int]:
        """Where the open transaction's commit stands, and how many of its changes are out."""
        return self._lsn, self._handed

    def _add(self, message: bytes) -> RawPart | None:
        if self._skip:
            self._skip -= 1
            return None
        self._messages.append(message)
        self._count += 1
        self._size += len(message)
        is_whole = self._count >= PART or self._size >= PART_BYTES
        return self._take(b"C") if is_whole else None

    def _take(self, commit: bytes) -> RawPart | None:
        messages, self._messages = self._messages, []
        count, self._count, self._size = self._count, 0, 0
        if not messages:
            return None
        part = RawPart(self._lsn, self._handed, (self._begin, *messages, commit), (None,) * count)
        self._handed += count
        return part

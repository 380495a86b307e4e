"""pgoutput (protocol version 1, text values) to transactions.

PostgreSQL's protocol chapter "Logical Replication Message Formats" gives the layouts. The stream
carries a transaction only after its commit, so a long one can be passed on in parts.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from realtime_compat.changes.model import (
    Action,
    Relation,
    RelationColumn,
    RowChange,
    RowValues,
    Transaction,
    Unchanged,
    Value,
)

PART = 500  # changes; a longer transaction comes in several parts
EPOCH_MICROSECONDS = 946_684_800_000_000  # 2000-01-01, where PostgreSQL's time begins

_INT16 = struct.Struct("!h")
_INT32 = struct.Struct("!I")
_BEGIN = struct.Struct("!QqI")


class DecodeError(Exception):
    """The bytes are not pgoutput as this module knows it."""


class Decoder:
    """Decodes one stream: keeps announced relations and the open transaction.

    `resume` is the previous decoder's `handed`: a transaction that was cut off is streamed again
    from its beginning, and its changes that were handed over are skipped.
    """

    def __init__(self, resume: tuple[int, int] = (0, 0)) -> None:
        self._resume = resume
        self._skip = 0
        self._handed = 0
        self._relations: dict[int, Relation] = {}
        self._changes: list[RowChange] = []
        self._xid = 0
        self._lsn = 0
        self._committed_at = 0
        self._kinds: dict[str, Callable[[_Reader], None]] = {
            "B": self._begin,
            "R": self._relation,
            "I": self._insert,
            "U": self._update,
            "D": self._delete,
        }

    def feed(self, message: bytes) -> Transaction | None:
        """Decode one message; a transaction, or part of one, where it completes that.

        Raises DecodeError for malformed bytes.
        """
        if not message:
            raise DecodeError("an empty message")
        kind = chr(message[0])
        handler = self._kinds.get(kind)
        if handler is not None:
            try:
                handler(_Reader(message))
            except (struct.error, IndexError, KeyError, ValueError) as error:
                raise DecodeError(f"a broken message of kind {kind}: {error!r}") from error
        if kind == "C":
            taken, self._handed = self._take(), 0
            return taken
        return self._take() if len(self._changes) >= PART else None

    @property
    def handed(self) -> tuple[int, int]:
        """Where the open transaction's commit stands, and how many of its changes are out."""
        return self._lsn, self._handed

    def _take(self) -> Transaction | None:
        changes, self._changes = tuple(self._changes), []
        self._handed += len(changes)
        if not changes:
            return None
        return Transaction(self._xid, self._lsn, self._committed_at, changes)

    def _begin(self, reader: _Reader) -> None:
        self._lsn, since_2000, self._xid = reader.unpack(_BEGIN)
        self._committed_at = since_2000 + EPOCH_MICROSECONDS
        self._changes = []
        self._skip = self._handed = self._resume[1] if self._resume[0] == self._lsn else 0

    def _add(self, change: RowChange) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._changes.append(change)

    def _relation(self, reader: _Reader) -> None:
        oid = reader.int32()
        schema, name, identity = reader.text() or "pg_catalog", reader.text(), reader.char()
        columns = tuple(_column(reader) for _ in range(reader.int16()))
        self._relations[oid] = Relation(oid, schema, name, identity, columns)

    def _insert(self, reader: _Reader) -> None:
        relation = self._relations[reader.int32()]
        reader.expect("N")
        self._add(RowChange(Action.INSERT, relation, new=reader.row()))

    def _update(self, reader: _Reader) -> None:
        relation = self._relations[reader.int32()]
        kind = reader.char()
        old = None
        if kind in "KO":
            old = reader.row()
            reader.expect("N")
        self._add(RowChange(Action.UPDATE, relation, reader.row(), old, kind == "O"))

    def _delete(self, reader: _Reader) -> None:
        relation = self._relations[reader.int32()]
        kind = reader.char()
        self._add(RowChange(Action.DELETE, relation, old=reader.row(), old_is_full=kind == "O"))


class _Reader:
    """A cursor over one message, behind its kind byte."""

    __slots__ = ("_bytes", "_position")

    def __init__(self, message: bytes) -> None:
        self._bytes = message
        self._position = 1

    def unpack(self, layout: struct.Struct) -> tuple[int, ...]:
        values = layout.unpack_from(self._bytes, self._position)
        self._position += layout.size
        return values

    def int16(self) -> int:
        return self.unpack(_INT16)[0]

    def int32(self) -> int:
        return self.unpack(_INT32)[0]

    def char(self) -> str:
        self._position += 1
        return chr(self._bytes[self._position - 1])

    def expect(self, kind: str) -> None:
        found = self.char()
        if found != kind:
            raise DecodeError(f"{found!r} where {kind!r} should stand")

    def text(self) -> str:
        end = self._bytes.index(0, self._position)
        text = self._bytes[self._position : end].decode()
        self._position = end + 1
        return text

    def row(self) -> RowValues:
        return tuple(self._value() for _ in range(self.int16()))

    def _value(self) -> Value:
        kind = self.char()
        if kind == "n":
            return None
        if kind == "u":
            return Unchanged.TOAST
        if kind != "t":
            raise DecodeError(f"a value of the unknown kind {kind!r}")
        size = self.int32()
        start = self._position
        self._position += size
        if self._position > len(self._bytes):
            raise DecodeError("a value longer than its message")
        return self._bytes[start : self._position].decode()


def _column(reader: _Reader) -> RelationColumn:
    flags = reader.char()
    column = RelationColumn(reader.text(), reader.int32(), is_key=ord(flags) & 1 == 1)
    reader.int32()  # the type's modifier
    return column

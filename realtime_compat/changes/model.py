"""Types, tables and changes, as the stream and the catalog describe them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias


class JsonForm(Enum):
    """How a type's text becomes JSON (realtime reference 10, values)."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    JSON = "json"
    TIMESTAMP = "timestamp"
    TIMESTAMPTZ = "timestamptz"
    BYTES = "bytes"
    ARRAY = "array"
    COMPOSITE = "composite"
    HSTORE = "hstore"


@dataclass(frozen=True, slots=True)
class PgType:
    """A type: `name` is its own pg_type name, `base` that of the type under its domains."""

    oid: int
    name: str
    base: str
    json_form: JsonForm = JsonForm.TEXT
    element: PgType | None = None
    delimiter: str = ","
    fields: tuple[tuple[str, PgType], ...] = ()
    is_enum: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `is_plain`: equal text means equal values of a text type."""

    name: str
    number: int
    type: PgType
    is_key: bool
    is_plain: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table as the catalog has it now.

    `is_by_subject`: its policies know a caller by functions of schema `auth` alone.
    """

    oid: int
    schema: str
    name: str
    columns: tuple[Column, ...]
    has_policies: bool
    is_guarded: bool = False
    is_by_subject: bool = False
    key: tuple[Column, ...] = field(init=False)
    """The columns of the primary key; none where there is no key."""

    def __post_init__(self) -> None:
        key = tuple(column for column in self.columns if column.is_key)
        object.__setattr__(self, "key", key)


class Unchanged(Enum):
    """An unchanged TOAST value, which the stream omits."""

    TOAST = "unchanged"


Value: TypeAlias = str | Unchanged | None
RowValues: TypeAlias = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column as a Relation message announces it; `is_key`: part of the identity."""

    name: str
    type_oid: int
    is_key: bool


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A Relation message. A new object means that the table may have changed.

    `identity` is `d` (default), `f` (full), `i` (index) or `n` (nothing).
    """

    oid: int
    schema: str
    name: str
    identity: str
    columns: tuple[RelationColumn, ...]


class Action(Enum):
    """What happened to a row."""

    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True)
class RowChange:
    """One changed row; `old` holds only the identity's columns unless `old_is_full`."""

    action: Action
    relation: Relation
    new: RowValues | None = None
    old: RowValues | None = None
    old_is_full: bool = False


@dataclass(frozen=True, slots=True)
class Transaction:
    """A committed transaction, or a part of a long one.

    `xid` is the lower 32 bits of its number, `lsn` is where its commit stands in the log;
    `committed_at` is in microseconds since 1970.
    """

    xid: int
    lsn: int
    committed_at: int
    changes: tuple[RowChange, ...]

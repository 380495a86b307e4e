"""Relations, columns, types and functions, as `gen types` needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as it is looked up: by name, first in its own schema."""

    schema: str
    name: str


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """A type: `shown` is format_type's text; `row_of` the oid of a row type's relation, or 0."""

    oid: int
    schema: str
    name: str
    shown: str
    row_of: int
    labels: tuple[str, ...]  # of an enum
    attributes: tuple[tuple[str, int], ...]  # of a composite type: names and types

    def named(self) -> TypeName:
        """The type's name."""
        return TypeName(self.schema, self.name)


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `is_written`: an insert may give it a value. A domain's type is what it is over."""

    name: str
    type: TypeName
    is_nullable: bool
    has_default: bool
    is_written: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or a view, with the columns that may be seen, by name."""

    oid: int
    schema: str
    name: str
    part: Literal["Tables", "Views"]
    is_inserted: bool
    is_updated: bool
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class KeySide:
    """One side of a foreign key: the relation, and its columns in the key's order."""

    schema: str
    relation: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """A foreign key of a table, or one that leads from or to a view that shows its columns."""

    name: str
    source: KeySide
    target: KeySide
    is_one_to_one: bool


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument with its mode of pg_proc (`i`, `o`, `b`, `v`, `t`); the name may be empty."""

    name: str
    type: int
    mode: str
    has_default: bool


@dataclass(frozen=True, slots=True)
class Function:
    """A function; `declared` and `gives` are PostgreSQL's text of its arguments and of its result.

    `row_of` is the relation of a row type that it returns, or 0.
    """

    oid: int
    schema: str
    name: str
    every_argument: tuple[Argument, ...]
    declared: str
    gives: str
    returns: int
    row_of: int
    returns_set: bool
    rows: float

    def arguments(self) -> list[Argument]:
        """The arguments that a call gives."""
        return [each for each in self.every_argument if each.mode in {"i", "b", "v"}]


@dataclass(frozen=True, slots=True)
class Schemas:
    """The described schemas, what is in them, and all types, by oid and by name.

    `relations` and the types of a name are in the order in which a name is looked up.
    """

    names: tuple[str, ...]
    relations: tuple[Relation, ...]
    keys: tuple[Key, ...]
    functions: tuple[Function, ...]
    types: Mapping[int, TypeFacts]
    types_by_name: Mapping[str, Sequence[TypeFacts]]

    def relation(self, oid: int) -> Relation | None:
        """A described relation."""
        return next((each for each in self.relations if each.oid == oid), None)

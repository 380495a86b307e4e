"""Relations, columns, types and functions, as a description of schemas needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


def collated(name: str) -> tuple[list[tuple[int, str]], str]:
    """A sort key like a locale's: signs, digits, letters; lower case before capitals."""
    letters = [(2 if c.isalpha() else 1 if c.isdigit() else 0, c.casefold()) for c in name]
    return letters, name.swapcase()


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """A type: `kind` is pg_type's `typtype`; `relation` is the kind of a row type's relation."""

    schema: str
    name: str
    kind: str
    element: int
    base: int
    relation: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `never_written`: generated or an identity, always."""

    number: int
    name: str
    type: int
    is_nullable: bool
    has_default: bool
    never_written: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or a view; `origins` are the columns that a view shows unchanged, by number."""

    oid: int
    row_type: int
    schema: str
    name: str
    is_view: bool
    is_written: bool
    columns: tuple[Column, ...]
    origins: Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A foreign key by the numbers of its columns."""

    name: str
    relation: int
    columns: tuple[int, ...]
    referenced: int
    referenced_columns: tuple[int, ...]
    is_one_to_one: bool


@dataclass(frozen=True, slots=True)
class Argument:
    """An input argument; the name may be empty."""

    name: str
    type: int
    has_default: bool


@dataclass(frozen=True, slots=True)
class Function:
    """A function; `table` are the columns of `returns table`."""

    schema: str
    name: str
    arguments: tuple[Argument, ...]
    table: tuple[tuple[str, int], ...]
    returns: int
    returns_set: bool
    returns_one: bool


@dataclass(frozen=True, slots=True)
class Schemas:
    """The described schemas, and the types that they refer to, by oid."""

    names: tuple[str, ...]
    relations: tuple[Relation, ...]
    composites: tuple[Relation, ...]
    keys: tuple[ForeignKey, ...]
    functions: tuple[Function, ...]
    types: Mapping[int, TypeFacts]

    def of(self, schema: str, *, views: bool) -> list[Relation]:
        """The tables or the views of a schema by name."""
        found = [each for each in self.relations if each.schema == schema]
        return sorted((r for r in found if r.is_view == views), key=lambda r: collated(r.name))

    def relation_of(self, row_type: int) -> Relation | None:
        """The relation whose row type a type is."""
        return next((each for each in self.relations if each.row_type == row_type), None)

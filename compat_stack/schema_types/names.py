"""A PostgreSQL type in TypeScript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from compat_base.values import jsontext
from compat_stack.schema_types.model import Relation, Schemas, TypeFacts, TypeName

_SCALARS = {
    "boolean": ("bool",),
    "number": ("int2", "int4", "int8", "float4", "float8", "numeric"),
    "string": (
        "bytea", "bpchar", "varchar", "date", "text", "citext", "time", "timetz", "timestamp",
        "timestamptz", "uuid", "vector", "interval",
    ),
    "Json": ("json", "jsonb"),
    "undefined": ("void",),
    "Record<string, unknown>": ("record",),
}  # fmt: skip
_BY_NAME = {name: word for word, names in _SCALARS.items() for name in names}
_ARRAY = "_"  # what the names of arrays begin with


def value_type(schemas: Schemas, name: TypeName, *, is_nullable: bool) -> str:
    """The type of a value, with `| null` where it may be null."""
    return nullable(type_name(schemas, name), is_nullable=is_nullable)


def nullable(word: str, *, is_nullable: bool) -> str:
    """A type in TypeScript, with `| null` where it may be null."""
    if word == "unknown":
        return word  # null is among what is unknown
    if is_nullable:
        return f"{word} | null"
    return "NonNullable<Json>" if word == "Json" else word


def quoted(name: str) -> str:
    """A name as a TypeScript string."""
    return jsontext.encode(name)


def type_of(schemas: Schemas, oid: int) -> str:
    """A type by its oid in TypeScript."""
    facts = schemas.types.get(oid)
    return "unknown" if facts is None else type_name(schemas, facts.named())


def type_name(schemas: Schemas, name: TypeName) -> str:
    """A PostgreSQL type in TypeScript; `unknown` for types without a JSON form.

    By its name, as the original looks it up: in its own schema first, then in any.
    """
    if (scalar := _BY_NAME.get(name.name)) is not None:
        return scalar
    if name.name.startswith(_ARRAY):
        element = TypeName(name.schema, name.name.removeprefix(_ARRAY))
        return f"({type_name(schemas, element)})[]"
    found = schemas.types_by_name.get(name.name, ())
    if enum := _nearest([each for each in found if each.labels], name):
        if enum.schema in schemas.names:
            return _place(enum.schema, "Enums", enum.name)
        return "|".join(map(quoted, enum.labels))
    if composite := _nearest([each for each in found if each.attributes], name):
        if composite.schema in schemas.names:
            return _place(composite.schema, "CompositeTypes", composite.name)
        return "unknown"
    place = row_place(schemas, name)
    return f"{place}['Row']" if place else "unknown"


def row_place(schemas: Schemas, name: TypeName) -> str | None:
    """Where a row type's relation is described; None for other types."""
    found = [each for each in schemas.relations if each.name == name.name]
    relation = _nearest(found, name)
    return _place(relation.schema, relation.part, relation.name) if relation else None


_Named = TypeVar("_Named", TypeFacts, Relation)


def _nearest(found: Sequence[_Named], name: TypeName) -> _Named | None:
    own = (each for each in found if each.schema == name.schema)
    return next(own, found[0] if found else None)


def _place(schema: str, part: str, name: str) -> str:
    return f"Database[{quoted(schema)}]['{part}'][{quoted(name)}]"

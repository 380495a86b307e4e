"""A PostgreSQL type in TypeScript."""

from __future__ import annotations

from compat_base.values import jsontext
from compat_stack.schema_types.model import Schemas, TypeFacts

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
# By what a row type is the row of; any other is a table's
_PARTS = {"c": "CompositeTypes", "v": "Views", "m": "Views"}


def value_type(schemas: Schemas, oid: int, *, is_nullable: bool) -> str:
    """The type of a value, with `| null` where it may be null."""
    word = type_name(schemas, oid)
    if word == "unknown":
        return word  # null is among what is unknown
    if is_nullable:
        return f"{word} | null"
    return "NonNullable<Json>" if word == "Json" else word


def quoted(name: str) -> str:
    """A name as a TypeScript string."""
    return jsontext.encode(name)


def type_name(schemas: Schemas, oid: int) -> str:
    """A PostgreSQL type in TypeScript; `unknown` for types without a JSON form."""
    facts = schemas.types.get(oid)
    if facts is None:
        return "unknown"
    if facts.element:
        return f"({type_name(schemas, facts.element)})[]"
    if facts.kind == "d":
        return type_name(schemas, facts.base)
    if facts.kind == "e":
        return _place(schemas, facts, "Enums")
    if facts.kind == "c":
        row = "" if facts.relation == "c" else "['Row']"
        return _place(schemas, facts, _PARTS.get(facts.relation, "Tables"), row)
    return _BY_NAME.get(facts.name, "unknown")


def _place(schemas: Schemas, facts: TypeFacts, part: str, end: str = "") -> str:
    if facts.schema not in schemas.names:
        return "unknown"
    return f"Database[{quoted(facts.schema)}]['{part}'][{quoted(facts.name)}]{end}"

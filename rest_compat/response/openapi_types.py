"""What the root document's parts share: what is described, and SQL types as JSON's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rest_compat.catalog.model import Relationships, Routine, Table

Json = dict[str, Any]

_OBJECT_STRIPPED = "application/vnd.pgrst.object+json;nulls=stripped"
_OBJECT = "application/vnd.pgrst.object+json"
RPC_TYPES = ["application/json", _OBJECT_STRIPPED, _OBJECT]
TYPES = [*RPC_TYPES, "text/csv"]

# SQL type → (JSON type, format): types that are not listed are strings, `x[]` are arrays, and the
# JSON types are of any kind.
_SWAGGER_TYPES: Mapping[str, str | None] = {
    "boolean": "boolean",
    "smallint": "integer",
    "integer": "integer",
    "bigint": "integer",
    "numeric": "number",
    "real": "number",
    "double precision": "number",
    "json": None,
    "jsonb": None,
}
_FORMATS = {"smallint": "int32", "integer": "int32", "bigint": "int64"}


@dataclass(frozen=True, slots=True)
class Described:
    """What the document is about: relations, routines and the schema's comment."""

    tables: Sequence[Table]
    relationships: Relationships
    routines: Sequence[Routine]
    comment: str | None


def swagger_type(sql_type: str) -> str | None:
    """The JSON type of an SQL type; None where any JSON may stand."""
    if sql_type.endswith("[]"):
        return "array"
    return _SWAGGER_TYPES.get(sql_type, "string")


def swagger_format(sql_type: str) -> str:
    """The format of an SQL type."""
    return _FORMATS.get(sql_type, sql_type)


def split_comment(comment: str | None) -> tuple[str | None, str | None]:
    """A comment's first line, and what follows it after blank lines."""
    if comment is None:
        return None, None
    first, _, rest = comment.partition("\n")
    return first, rest.lstrip("\n") or None


def given(**members: Any) -> Json:
    """The members that have a value; the original leaves out empty ones."""
    return {name: value for name, value in members.items() if value not in (None, [])}


def array_items(sql_type: str) -> Json | None:
    """What an array type holds; None for others."""
    if not sql_type.endswith("[]"):
        return None
    return given(type=swagger_type(sql_type[:-2]))

"""Reading a row by the names of a record's fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

T = TypeVar("T")


def record_from(cls: type[T], row: Any, **more: Any) -> T:
    """Make a record of a row that has a column for every field that `more` does not give."""
    names = _names(cls)
    return cls(**{name: row[name] for name in names if name not in more}, **more)


@cache
def _names(cls: type[Any]) -> tuple[str, ...]:
    if not is_dataclass(cls):
        raise TypeError(cls)
    return tuple(field.name for field in fields(cls))


def json_object(value: Any) -> dict[str, Any]:
    """A JSON column as an object; NULL and other JSON values, which users' SQL can store, as {}."""
    return dict(cast("Mapping[str, Any]", value)) if isinstance(value, dict) else {}

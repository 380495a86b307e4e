"""Reading a row by the names of a record's fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from operator import itemgetter
from typing import Any, TypeVar, cast

from compat_base.values import jsontext

T = TypeVar("T")


def record_from(cls: type[T], row: Any, **more: Any) -> T:
    """Make a record of a row that has a column for every field that `more` does not give."""
    names, values = _columns(cls, tuple(more))
    return cls(**dict(zip(names, values(row), strict=True)), **more)


@cache
def _columns(
    cls: type[Any], without: tuple[str, ...]
) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The names of a record's fields, without some, and what takes their values out of a row."""
    if not is_dataclass(cls):
        raise TypeError(cls)
    names = tuple(field.name for field in fields(cls) if field.name not in without)
    return names, cast("Callable[[Any], tuple[Any, ...]]", itemgetter(*names))


def json_object(value: Any) -> dict[str, Any]:
    """A JSON value as an object of one's own; what is none, as {}."""
    return dict(jsontext.members(object_column(value)))


def object_column(value: Any) -> Mapping[str, Any]:
    """A JSON column as an object; NULL and other JSON values, which users' SQL can store, as {}."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}

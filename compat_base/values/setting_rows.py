"""A setting is one row: a field of a frozen record, with its variable and how it is read.

Reading a record and documenting its settings both work from its fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from compat_base.values.setting_kinds import Read, T
from compat_base.values.settings import Reader


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A field's variable, without the reader's prefix, and its parser."""

    variable: str
    read: Read[Any]


def setting(variable: str, read: Read[T]) -> T:
    """A field that is read from a variable."""
    return field(metadata={"row": SettingRow(variable, read)})  # pyright: ignore[reportReturnType]


def section(read: Callable[[Reader], T]) -> T:
    """A field that is a record of its own, read by a function."""
    return field(metadata={"row": SettingRow("", lambda reader, _: read(reader))})  # pyright: ignore[reportReturnType]


def record(of: type[T]) -> T:
    """A field that is a record of its own, read by its rows."""
    return section(partial(read_rows, of))


def read_rows(of: type[T], reader: Reader, **others: Any) -> T:
    """Read a record by its rows, in their order; `others` are the fields that have none."""
    rows = {each.name: each.metadata.get("row") for each in fields(of)}  # pyright: ignore[reportArgumentType]
    found = {
        name: row.read(reader, row.variable)
        for name, row in rows.items()
        if isinstance(row, SettingRow)
    }
    return of(**found, **others)

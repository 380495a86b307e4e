"""PostgreSQL's text form of arrays (PostgreSQL, 8.15.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Scalar: TypeAlias = str | bool | None
"""A value of a row; a number is its digits."""


def array_text(values: Sequence[Scalar]) -> str:
    """An array of texts, booleans and nulls."""
    texts = [value for value in values if isinstance(value, str)]
    if texts and len(texts) == len(values):
        joined = '","'.join(texts)
        if "\\" not in joined and joined.count('"') == 2 * (len(values) - 1):
            return f'{{"{joined}"}}'
    return f"{{{','.join(map(_element, values))}}}"


def listed_text(values: Sequence[str]) -> str:
    """The array of an in-list; a single empty element means no elements, NUL ends one."""
    if list(values) == [""]:
        return "{}"
    return array_text([value.partition("\0")[0] for value in values])


def _element(value: Scalar) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case _:
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'

"""The rows of a JSON array by their columns.

Scalars reach PostgreSQL as one array for each key: as JSON it would read each row into a hash
table, which takes a fifth of the time of an insert.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import NoneType
from typing import Any, cast

from compat_base.values.pgarray import array_text

_SCALARS = {str, bool, NoneType}
# NUL and halves of characters: PostgreSQL refuses them in JSON, in words of their own.
_REFUSED = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


@dataclass(frozen=True, slots=True)
class FlatRows:
    """Rows of scalars: how many they are, and for each key an array's text of their values."""

    count: int
    arrays: Mapping[str, bytes]

    def array(self, key: str) -> bytes:
        """What the rows have under a key; nulls where that is nothing."""
        found = self.arrays.get(key)
        return array_text([None] * self.count).encode() if found is None else found


def columns_of(value: Any) -> Mapping[str, Sequence[Any]] | None:
    """What an array of objects has under each key; None for other values and for other keys."""
    if not isinstance(value, list) or {*map(type, cast("list[Any]", value))} != {dict}:
        return None
    rows = cast("list[dict[str, Any]]", value)
    if len({*map(len, rows)}) > 1:
        return None
    try:
        return {key: [*map(itemgetter(key), rows)] for key in rows[0]}
    except KeyError:
        return None


def flat_rows(columns: Mapping[str, Sequence[Any]], body: bytes) -> FlatRows | None:
    """A body's rows where they have columns and hold nothing that only JSON can say; else None.

    They are read `as_written`. The arrays are made at once, because a thousand small
    values that wait for the database push others out of the processor's cache.
    """
    if not columns or (b"\\u" in body and _REFUSED.search(body)):
        return None
    if not all({*map(type, values)} <= _SCALARS for values in columns.values()):
        return None
    count = max(map(len, columns.values()))
    return FlatRows(count, {key: array_text(one).encode() for key, one in columns.items()})

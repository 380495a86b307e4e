"""The rows of a JSON array by their columns.

Scalars reach PostgreSQL as one array for each key: as JSON it would read each row into a hash
table, which takes a fifth of the time of an insert.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from types import NoneType
from typing import Any, cast

from compat_base.values import jsontext
from compat_base.values.pgarray import array_text
from rest_compat.request.json_keys import Keys

_SHORTEST_ROW = 12  # bytes: rows shorter on average cost more to take apart than they save
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


def flat_rows(keys: Keys, body: bytes) -> FlatRows | None:
    """A small body's rows where they are alike and hold nothing that only JSON can say; else None.

    The arrays are made at once, because a thousand small values that wait for the database push
    others out of the processor's cache.
    """
    if not keys.rows or not keys.found or not keys.alike or len(body) < keys.rows * _SHORTEST_ROW:
        return None
    if body.count(b"[") != 1 or body.count(b"{") != keys.rows:
        return None
    if b"\\u" in body and _REFUSED.search(body):
        return None
    rows = cast("list[dict[str, Any]]", jsontext.decode(body.decode(), as_written=True))
    columns = {key: [*map(itemgetter(key), rows)] for key in rows[0]}
    if not all({*map(type, values)} <= _SCALARS for values in columns.values()):
        return None
    return FlatRows(len(rows), {key: array_text(one).encode() for key, one in columns.items()})

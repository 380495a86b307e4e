"""The published tables that the entries of a join name; schema and table may be LIKE patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from realtime_compat.access.catalog import PublishedTable
from realtime_compat.changes.entries import ANY, Wanted

Names: TypeAlias = frozenset[tuple[str, str]]
"""Tables by schema and name."""


def expand(
    wanted: Iterable[Wanted], published: Sequence[PublishedTable]
) -> list[tuple[Wanted, list[int]]]:
    """Each entry with the oids of the published tables that match it."""
    return [
        (
            entry,
            [
                table.oid
                for table in published
                if _is_like(entry.schema, table.schema) and _is_like(entry.table, table.name)
            ],
        )
        for entry in wanted
    ]


def names_of(wanted: Iterable[Wanted], published: Sequence[PublishedTable]) -> Names | None:
    """The tables that entries name; None where one is a pattern, which later tables may match."""
    known = {(table.schema, table.name) for table in published}
    names = frozenset((entry.schema, entry.table) for entry in wanted)
    return names if names <= known else None


def union(one: Names | None, other: Names | None) -> Names | None:
    """Both sets of tables; None, which is all tables, where either is."""
    return None if one is None or other is None else one | other


def _is_like(pattern: str, name: str) -> bool:
    """The original matches names with LIKE and without an escape; `*` is any name."""
    return pattern in {ANY, name} or _like(pattern).fullmatch(name) is not None


@lru_cache(maxsize=1024)
def _like(pattern: str) -> re.Pattern[str]:
    symbols = {"%": ".*", "_": "."}
    parts = (symbols.get(symbol) or re.escape(symbol) for symbol in re.sub("%+", "%", pattern))
    return re.compile("".join(parts), re.DOTALL)

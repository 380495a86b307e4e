"""The published tables that the entries of a join name; schema and table may be LIKE patterns."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Sequence
from typing import TypeAlias

from realtime_compat.access.catalog import PublishedTable
from realtime_compat.changes.entries import ANY, Wanted

Names: TypeAlias = frozenset[tuple[str, str]]
"""Tables by schema and name."""


def expand(
    wanted: Iterable[Wanted], published: Sequence[PublishedTable]
) -> Generator[None, None, list[tuple[Wanted, list[int]]]]:
    """Each entry with the oids of the published tables that match it; yields behind each."""
    expanded: list[tuple[Wanted, list[int]]] = []
    for entry in wanted:
        oids = [
            table.oid
            for table in published
            if _is_like(entry.schema, table.schema) and _is_like(entry.table, table.name)
        ]
        expanded.append((entry, oids))
        yield
    return expanded


def names_of(wanted: Iterable[Wanted], published: Sequence[PublishedTable]) -> Names | None:
    """The tables that entries name; None where one is a pattern, which later tables may match."""
    known = {(table.schema, table.name) for table in published}
    names = frozenset((entry.schema, entry.table) for entry in wanted)
    return names if names <= known else None


def union(one: Names | None, other: Names | None) -> Names | None:
    """Both sets of tables; None, which is all tables, where either is."""
    return None if one is None or other is None else one | other


def _is_like(pattern: str, name: str) -> bool:
    """The original matches names with LIKE and without an escape; `*` is any name.

    By hand: a regular expression with many `.*` takes time exponential in the name, and
    `changes.like`, which reads escapes, prepares a pattern for many texts: for a few names that
    takes longer than they do.
    """
    if pattern in {ANY, name}:
        return True
    if len(pattern) - pattern.count("%") > len(name):
        return False
    pattern = re.sub("%+", "%", pattern)
    at = place = 0
    retry: tuple[int, int] | None = None  # behind the last `%`, and where the rest may begin
    while place < len(name):
        symbol = pattern[at : at + 1]
        if symbol == "%":
            at += 1
            retry = at, place
        elif symbol in {"_", name[place]}:
            at, place = at + 1, place + 1
        elif retry is not None:
            at, place = retry[0], retry[1] + 1
            retry = at, place
        else:
            return False
    return pattern[at:] in {"", "%"}

"""Places under one column: found by value or bound, and no longer once removed."""

from __future__ import annotations

from typing import Any

import pytest

from realtime_compat.changes.column_index import ColumnIndex, IndexEntry
from realtime_compat.changes.conditions import Bound, Equality


def entry(number: int) -> IndexEntry:
    return IndexEntry(None, "*", (), (), None, number)  # type: ignore[arg-type]


def index() -> ColumnIndex:
    return ColumnIndex(lambda text: int(text) if text.isdigit() else None)


def hits(found: ColumnIndex, value: str | None) -> set[int]:
    return {at.number for at, _ in found.hits(value)}


@pytest.mark.parametrize(
    ("op", "found"),
    [("lt", {"4"}), ("lte", {"4", "5"}), ("gt", {"6"}), ("gte", {"5", "6"})],
)
def test_a_bound_is_met_by_the_values_on_its_side(op: str, found: set[str]):
    under = index()
    under.put(entry(1), Bound(op, 5))
    assert {value for value in ("4", "5", "6") if hits(under, value)} == found


def test_equal_values_are_found_and_null_is_a_value_too():
    under = index()
    under.put(entry(1), Equality(frozenset({5, None})))
    under.put(entry(2), Equality(frozenset({7})))
    assert (hits(under, "5"), hits(under, "7"), hits(under, None)) == ({1}, {2}, {1})


def test_a_value_that_cannot_be_read_meets_every_place():
    under = index()
    under.put(entry(1), Equality(frozenset({5})))
    under.put(entry(2), Bound("gt", 100))
    assert hits(under, "x") == {1, 2}
    assert hits(ColumnIndex(None), "x") == set()


def test_what_was_removed_is_found_no_more_and_leaves_nothing():
    under, keys = index(), [Equality(frozenset({5})), Bound("gt", 5), Bound("gt", 5)]
    entries: list[tuple[IndexEntry, Any]] = [(entry(n), key) for n, key in enumerate(keys)]
    for at, key in entries:
        under.put(at, key)
    assert under.largest_bucket(keys[0]) == 1
    for at, key in entries:
        under.remove(at, key)
    assert (hits(under, "5"), hits(under, "6")) == (set(), set())
    assert (under.equal, under.beyond, under.bounds["gt"], under.entries) == ({}, {}, [], {})

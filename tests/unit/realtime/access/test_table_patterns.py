"""Which published tables an entry of a join names."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from realtime_compat.access.catalog import PublishedTable
from realtime_compat.access.table_patterns import expand, names_of, union
from realtime_compat.changes.entries import Wanted, read_entry

PUBLISHED = (
    PublishedTable(1, "public", "pasos"),
    PublishedTable(2, "public", "pasos_2"),
    PublishedTable(3, "otra", "pasos"),
)


def wanted(schema: str, table: str) -> Wanted:
    return read_entry(1, {"event": "*", "schema": schema, "table": table})


def matched(entry: Wanted, published: Sequence[PublishedTable]) -> list[int]:
    expanding = expand([entry], published)
    assert next(expanding) is None
    with pytest.raises(StopIteration) as ended:
        next(expanding)
    [(_, oids)] = ended.value.value
    return oids


@pytest.mark.parametrize(
    ("schema", "table", "oids"),
    [
        ("public", "pasos", [1]),
        ("public", "*", [1, 2]),
        ("*", "pasos", [1, 3]),
        ("public", "pasos%", [1, 2]),
        ("public", "pasos__", [2]),
        ("public", "pa.os", []),
        ("nadie", "*", []),
    ],
)
def test_names_are_matched_as_like_does(schema: str, table: str, oids: list[int]):
    assert matched(wanted(schema, table), PUBLISHED) == oids


@pytest.mark.parametrize(
    ("pattern", "is_matched"),
    [
        ("%_" * 31 + "%!", False),
        ("%_" * 31 + "%", True),
        ("%a" * 31 + "%b", False),
        ("%" * 250_000, True),
        ("_" * 250_000, False),
        ("%a_a%a", True),
    ],
)
def test_no_pattern_takes_long(pattern: str, is_matched: bool):
    long_name = PublishedTable(1, "public", "a" * 63)
    began = time.process_time()
    assert matched(wanted("public", pattern), [long_name]) == [1] * is_matched
    assert time.process_time() - began < 0.05


def test_patterns_may_match_tables_to_come():
    assert names_of([wanted("public", "pasos")], PUBLISHED) == {("public", "pasos")}
    assert names_of([wanted("public", "*")], PUBLISHED) is None


def test_all_tables_and_some_are_all():
    some = frozenset({("public", "pasos")})
    assert union(some, frozenset({("otra", "pasos")})) == {*some, ("otra", "pasos")}
    assert union(some, None) is None

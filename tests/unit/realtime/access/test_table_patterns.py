"""Which published tables an entry of a join names."""

from __future__ import annotations

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
    [(_, found)] = expand([wanted(schema, table)], PUBLISHED)
    assert found == oids


def test_patterns_may_match_tables_to_come():
    assert names_of([wanted("public", "pasos")], PUBLISHED) == {("public", "pasos")}
    assert names_of([wanted("public", "*")], PUBLISHED) is None


def test_all_tables_and_some_are_all():
    some = frozenset({("public", "pasos")})
    assert union(some, frozenset({("otra", "pasos")})) == {*some, ("otra", "pasos")}
    assert union(some, None) is None

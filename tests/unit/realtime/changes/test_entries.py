"""Entries of `postgres_changes`, as clients write them."""

from __future__ import annotations

import pytest

from realtime_compat.changes.entries import EntryError, read_entry


def test_entries_are_understood():
    assert read_entry(1, {"event": "insert", "table": "t"}).schema == "public"
    wanted = read_entry(1, {"event": "odd", "schema": "s"})
    assert (wanted.event, wanted.table, wanted.select) == ("*", "*", None)
    assert read_entry(1, {"schema": "s", "table": "t", "select": ["a", 5]}).select == ("a",)
    assert read_entry(1, {"schema": "s", "table": "t", "select": []}).select is None


def test_an_entry_without_place_shows_itself_as_the_original_does():
    with pytest.raises(EntryError) as caught:
        read_entry(1, {"event": "*", "n": 5, "x": None, "l": ["a"], "b": True})
    assert str(caught.value).endswith(
        'to: %{"b" => true, "event" => "*", "l" => ["a"], "n" => 5, "x" => nil}'
    )

"""Names in the order of the Unicode Collation Algorithm."""

from __future__ import annotations

from compat_stack.schema_types.collation import collated


def test_names_are_sorted_as_people_sort_them():
    names = [
        "Zed",
        "b1",
        "a",
        "_x",
        "A",
        "b_",
        "é",
        "e",
        "f",
        "ss",
        "ß",
        "st",
        "z z",
        "z_z",
        "z-z",
        "10",
        "2",
    ]
    assert sorted(names, key=collated) == [
        "_x", "10", "2", "a", "A", "b_", "b1", "e", "é", "f", "ss", "ß", "st", "z z", "z_z", "z-z", "Zed",
    ]  # fmt: skip

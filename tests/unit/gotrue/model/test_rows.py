"""Rows become records by the names of their fields."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gotrue_compat.model.rows import json_object, record_from


@dataclass(frozen=True)
class Line:
    first: int
    second: str
    third: str


def test_columns_are_found_by_name_and_what_is_given_wins():
    assert record_from(Line, {"third": "c", "second": "b", "first": 1, "x": 5}) == Line(1, "b", "c")
    assert record_from(Line, {"first": 1, "third": "c"}, second="d") == Line(1, "d", "c")


def test_a_column_that_is_missing_and_what_is_no_record_are_errors():
    with pytest.raises(KeyError):
        record_from(Line, {"first": 1})
    with pytest.raises(TypeError):
        record_from(int, {})


@pytest.mark.parametrize("value", [None, [], "text", 5, True])
def test_what_is_no_object_counts_as_an_empty_one(value: object):
    assert json_object(value) == {}


def test_an_object_is_a_copy_of_its_own():
    stored = {"a": 1}
    read = json_object(stored)
    read["a"] = 2
    assert stored == {"a": 1}

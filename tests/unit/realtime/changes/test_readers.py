"""Texts of PostgreSQL read for comparing; what cannot be read alike is left to the database."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.changes.model import Column, PgType
from realtime_compat.changes.readers import ordered_reader, value_reader


def column(base: str, **more: Any) -> Column:
    return Column(
        "c", 1, PgType(1, base, base, is_enum=more.pop("is_enum", False)), is_key=False, **more
    )


@pytest.mark.parametrize(
    ("base", "one", "other"),
    [
        ("numeric", "1.10", " +1.1"),
        ("int4", "007", "7"),
        ("bool", "t", "YES"),
        ("bool", "f", "off"),
        ("uuid", "7d9a1e3c-1111-4222-8333-444455556666", "{7D9A1E3C-1111-4222-8333-444455556666}"),
        ("timestamptz", "2026-11-22 12:00:00+00", "2026-11-22T13:00:00+01:00"),
    ],
)
def test_spellings_of_one_value_are_equal(base: str, one: str, other: str):
    read = value_reader(column(base))
    assert read is not None
    assert read(one) is not None
    assert read(one) == read(other)


@pytest.mark.parametrize(
    ("base", "text"),
    [("int4", "NaN"), ("int4", "1e3"), ("numeric", "Infinity"), ("bool", "maybe"), ("uuid", "x"),
     ("date", "2026-13-01"), ("date", "today"), ("timestamp", "2026-11-22 12:00"),
     ("timestamptz", "infinity")],
)  # fmt: skip
def test_what_only_postgresql_can_read_is_left_to_it(base: str, text: str):
    read = value_reader(column(base))
    assert read is not None
    assert read(text) is None


def test_texts_have_an_order_that_hangs_on_their_collation():
    assert ordered_reader(column("text")) is None
    assert ordered_reader(column("bool")) is None
    assert value_reader(column("text", is_plain=False)) is None
    assert value_reader(column("json")) is None
    assert value_reader(column("mood", is_enum=True)) is not None


def test_numbers_and_times_are_in_their_order():
    for base, less, more in (
        ("int8", "9", "10"), ("date", "2026-01-31", "2026-02-01"),
        ("timestamp", "2026-01-01 00:00:00", "2026-01-01 00:00:00.5"),
    ):  # fmt: skip
        read = ordered_reader(column(base))
        assert read is not None
        assert read(less) < read(more)


@given(
    st.sampled_from(["int4", "numeric", "bool", "uuid", "date", "timestamp", "timestamptz"]),
    st.text(),
)
def test_any_text_is_read_or_left(base: str, text: str):
    read = value_reader(column(base))
    assert read is not None
    read(text)

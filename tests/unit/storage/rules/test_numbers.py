"""Whole numbers of requests."""

from __future__ import annotations

import pytest

from storage_compat.rules.numbers import LARGEST, whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [("007", 7), ("9" * 5000, LARGEST), ("0" * 5000, 0), ("²", None), ("٣", None), ("-1", None)],
)
def test_a_whole_number_is_of_ascii_digits_and_never_too_large(text: str, number: int | None):
    assert whole_number(text) == number

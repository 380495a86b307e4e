"""Patterns of LIKE, against a matcher that tries everything."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.changes.like import Like, like_pieces


def like(pattern: str, text: str) -> bool | None:
    pieces = like_pieces(pattern)
    return None if pieces is None else Like(tuple(pieces)).test(text)


def expression(pattern: str) -> re.Pattern[str]:
    parts: list[str] = []
    symbols = iter(pattern)
    for symbol in symbols:
        parts.append(
            re.escape(next(symbols)) if symbol == "\\"
            else {"%": ".*", "_": "."}.get(symbol, re.escape(symbol))
        )  # fmt: skip
    return re.compile("".join(parts), re.DOTALL)


@given(st.text("ab%_", max_size=8), st.text("ab\n", max_size=12))
def test_a_pattern_is_matched_as_an_expression_would(pattern: str, text: str):
    assert like(pattern, text) is (expression(pattern).fullmatch(text) is not None)


@pytest.mark.parametrize(
    ("pattern", "text", "verdict"),
    [(r"a\%", "a%", True), (r"a\%", "ab", False), (r"a\_", "a_", True), ("a\\", "a", None),
     ("_" * 64, "x" * 64, True), ("_" * 65, "x" * 65, None),
     ("%_%", "x" * 16_384, True), ("%_%", "x" * 16_385, None), ("%x", "x" * 20_000, True)],
)  # fmt: skip
def test_escapes_and_long_work(pattern: str, text: str, verdict: bool | None):
    assert like(pattern, text) is verdict

"""Windows of rows: the Range header, Content-Range, statuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rest_compat.http.ranges import (
    ALL,
    Window,
    content_range,
    integer_of,
    range_status,
    window_of_header,
)


@pytest.mark.parametrize(
    ("text", "window"),
    [("0-9", Window(0, 9)), ("5-", Window(5)), ("items=0-9", ALL), ("-5", ALL), ("", ALL)],
)
def test_range_headers_are_strict(text, window):
    assert window_of_header(text) == window


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", 5), ("007", 7), (" -5 ", -5), ("- 5", -5), ("0x1f", 31), ("0O17", 15), ("( (-5))", -5),
        ("(5", None), ("+5", None), ("5.0", None), ("1_0", None), ("٣", None), ("0x", None),
        ("-(5)", None), ("", None), ("\u3000 5\xa0", 5), ("5\x85", None), ("5\u2028", None),
    ],
)  # fmt: skip
def test_numbers_are_read_as_haskell_reads_them(text: str, number: int | None):
    assert integer_of(text) == number


@given(first=st.integers(0, 50), count=st.integers(0, 50), total=st.none() | st.integers(0, 100))
def test_every_page_has_a_status_and_a_content_range(first, count, total):
    last = first + count - 1
    assert range_status(first, last, total) in {200, 206, 416}
    assert content_range(first, last, total).count("/") == 1

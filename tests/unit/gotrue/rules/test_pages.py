"""Pages of lists: auth reference 7."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from gotrue_compat.http.json_body import decode_body
from gotrue_compat.rules import pages
from tests.unit.gotrue.records import NOW


@pytest.mark.parametrize(
    ("number", "size", "page"),
    [("", "", (1, 50, 0)), ("3", "10", (3, 10, 20)), ("0", "0", (0, 50, 0)),
     (str(2**63), str(2**63), (2**63, 2**63 - 1, 2**63 - 1)),
     (str(2**62), "10", (2**62, 10, 2**63 - 1))],
)  # fmt: skip
def test_a_page_is_a_number_and_a_size(number: str, size: str, page: tuple[int, int, int]):
    read = pages.page_from(number, size)
    assert (read.number, read.size, read.offset) == page


@pytest.mark.parametrize("text", ["-1", "+1", " 1", "1_0", "x", "1.5", "²", "9" * 30])
def test_what_is_no_natural_number_is_refused(text: str):
    with pytest.raises(ApiError, match=r"strconv\.ParseUint"):
        pages.page_from(text, "")


def test_the_last_page_links_to_itself_alone():
    page = pages.Page(2, 10)
    assert pages.link_header("/l", "page=2&z=1&a=x", page, 20) == (
        '</l?a=x&page=2&z=1>; rel="last"'
    )
    assert pages.link_header("/l", "", page, 21) == (
        '</l?page=3>; rel="next", </l?page=3>; rel="last"'
    )


@pytest.mark.parametrize(
    ("query", "ascends"),
    [
        ("", False),
        ("sort=created_at", False),
        ("page=1&sort=created_at%20ASC", True),
        ("sort=created_at+desc&sort=created_at+asc", False),
    ],
)
def test_lists_are_sorted_by_time(query: str, ascends: bool):
    assert pages.ascending(query) is ascends


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("sort=", "bad field for sort ''"),
        ("sort=email+asc", "bad field for sort 'email'"),
        (
            "sort=created_at+asc&sort=created_at+up",
            "bad direction for sort 'up', only 'asc' and 'desc' allowed",
        ),
    ],
)
def test_other_sorts_are_refused(query: str, reason: str):
    with pytest.raises(ApiError) as raised:
        pages.ascending(query)
    assert raised.value.problem.message == f"Bad Sort Parameters: {reason}"


def test_a_page_of_cursors_has_a_most():
    assert pages.cursor_limit("1000") == pages.cursor_limit("1001") == 1000
    with pytest.raises(ApiError, match="limit must be greater than 0"):
        pages.cursor_limit("0")


def test_the_page_after_a_cursor_is_linked_without_a_page():
    assert pages.cursor_link("/l", "page=&z=1&cursor=old&limit=2", "new") == (
        '</l?cursor=new&limit=2&z=1>; rel="next"'
    )


def test_a_cursor_is_read_as_it_was_written():
    cursor = pages.Cursor(NOW, UUID(int=7))
    assert pages.cursor_from(pages.cursor_text(cursor), decode_body) == cursor
    assert pages.cursor_from("", decode_body) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a*", " encoding: illegal base64 data at input byte 1"),
        ("abcde", " encoding: illegal base64 data at input byte 4"),
        ("e3g", ": invalid character 'x' looking for beginning of object key string"),
        ("e30", ": missing id"),
    ],
)
def test_what_is_no_cursor_says_why(text: str, reason: str):
    with pytest.raises(ApiError) as raised:
        pages.cursor_from(text, decode_body)
    assert raised.value.problem.message == f"Bad Pagination Parameters: invalid cursor{reason}"


@given(st.text(max_size=30))
def test_any_text_is_a_cursor_or_refused(text: str):
    try:
        pages.cursor_from(text, decode_body)
    except ApiError as error:
        assert error.problem.status == 400

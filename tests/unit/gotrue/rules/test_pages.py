"""Pages of lists: auth reference 7."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from gotrue_compat.rules import pages
from tests.unit.gotrue.records import NOW


@pytest.mark.parametrize(
    ("number", "size", "page"),
    [("", "", (1, 50, 0)), ("3", "10", (3, 10, 20)), ("0", "0", (0, 50, 0)),
     (str(2**62), "10", (2**62, 10, 2**63 - 1))],
)  # fmt: skip
def test_a_page_is_a_number_and_a_size(number: str, size: str, page: tuple[int, int, int]):
    read = pages.page_from(number, size)
    assert (read.number, read.size, read.offset) == page


@pytest.mark.parametrize("text", ["-1", "x", "1.5", "²", "9" * 30])
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
    ("sort", "ascends"),
    [("", False), ("created_at", False), ("created_at ASC", True), ("created_at desc", False)],
)
def test_lists_are_sorted_by_time(sort: str, ascends: bool):
    assert pages.ascending(sort) is ascends


@pytest.mark.parametrize("sort", ["email asc", "created_at up"])
def test_other_sorts_are_refused(sort: str):
    with pytest.raises(ApiError, match="Bad Sort"):
        pages.ascending(sort)


def test_a_page_of_cursors_has_a_most():
    assert pages.cursor_limit("1000") == 1000
    with pytest.raises(ApiError):
        pages.cursor_limit("1001")


def test_a_cursor_is_read_as_it_was_written():
    cursor = pages.Cursor(NOW, UUID(int=7))
    assert pages.cursor_from(pages.cursor_text(cursor)) == cursor
    assert pages.cursor_from("") is None


@given(st.text(max_size=30))
def test_any_text_is_a_cursor_or_refused(text: str):
    try:
        pages.cursor_from(text)
    except ApiError as error:
        assert error.problem.status == 400

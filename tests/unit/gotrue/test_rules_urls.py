"""Redirects, links, pages: auth reference 4.2, 4.3, 7."""

from __future__ import annotations

import pytest

from compat_base.errors import ApiError
from gotrue_compat.rules import pages, urls


def test_a_fragment_is_sorted_and_marked():
    assert urls.with_fragment("http://x/y#old", {"b": "1 2", "a": "&"}) == (
        "http://x/y#a=%26&b=1+2&sb="
    )


def test_a_code_joins_the_query():
    assert urls.with_query("http://x/y?z=1&code=old#f", {"code": "c"}) == "http://x/y?code=c&z=1#f"


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, "invalid_request"), (401, "unauthorized_client"), (403, "access_denied"),
     (500, "server_error"), (503, "temporarily_unavailable"), (422, None)],
)  # fmt: skip
def test_errors_by_status(status: int, error: str | None):
    assert urls.error_values(status, "c", "t").get("error") == error


@pytest.mark.parametrize(
    ("base", "path", "start"),
    [
        ("https://api.example/auth/v1", "/verify", "https://api.example/verify?"),
        ("https://api.example", "/auth/v1/verify", "https://api.example/auth/v1/verify?"),
    ],
)
def test_an_absolute_path_replaces_that_of_the_api(base: str, path: str, start: str):
    assert urls.action_link(base, path, "t", "signup", "http://x").startswith(start)


def test_links_of_pages():
    page = pages.Page(2, 10)
    assert pages.link_header("/p", "per_page=10&page=2&q=a", page, 25) == (
        '</p?page=3&per_page=10&q=a>; rel="next", </p?page=3&per_page=10&q=a>; rel="last"'
    )
    assert pages.link_header("/p", "", pages.Page(1, 50), 0) == (
        '</p?page=1&per_page=50>; rel="last"'
    )


@pytest.mark.parametrize("text", ["-1", "x", "1.5", "9" * 30, "１"])
def test_page_numbers_refused(text: str):
    with pytest.raises(ApiError, match="Bad Pagination Parameters"):
        pages.page_from(text, "")


def test_empty_numbers_are_the_defaults():
    assert pages.page_from("", "") == pages.Page(1, 50)

"""Redirects, links, pages: auth reference 4.2, 4.3, 7."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError, Problem
from gotrue_compat.rules import pages
from gotrue_compat.urls import links


def test_a_session_stands_behind_the_fragment_that_an_application_routes_by():
    assert links.with_session("http://x/#/y", {"b": "1"}) == "http://x/#/y#b=1&sb="


def test_a_refusal_without_words_leaves_them_out_of_the_fragment_alone():
    refused = Problem("access_denied", 400, "", extra={"oauth": True})
    assert links.callback_redirect("http://x/y", refused) == (
        "http://x/y?error=access_denied&error_description=#error=access_denied&sb="
    )


def test_a_fragment_is_sorted_and_marked():
    assert links.with_fragment("http://x/y#old", {"b": "1 2", "a": "&"}) == (
        "http://x/y#a=%26&b=1+2&sb="
    )


def test_a_code_joins_the_query():
    assert links.with_query("http://x/y?z=1&code=old#f", {"code": "c"}) == "http://x/y?code=c&z=1#f"


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, "invalid_request"), (401, "unauthorized_client"), (403, "access_denied"),
     (500, "server_error"), (503, "temporarily_unavailable"), (422, None)],
)  # fmt: skip
def test_errors_by_status(status: int, error: str | None):
    assert links.error_values(status, "c", "t").get("error") == error


@pytest.mark.parametrize(
    ("base", "path", "start"),
    [
        ("https://api.example/auth/v1", "/verify", "https://api.example/verify?"),
        ("https://api.example", "/auth/v1/verify", "https://api.example/auth/v1/verify?"),
    ],
)
def test_an_absolute_path_replaces_that_of_the_api(base: str, path: str, start: str):
    assert links.action_link(base, path, "t", "signup", "http://x").startswith(start)


def test_links_of_pages():
    page = pages.Page(2, 10)
    assert pages.link_header("/p", "per_page=10&page=2&filter=a%40b", page, 25) == (
        '</p?filter=a%40b&page=3&per_page=10>; rel="next", '
        '</p?filter=a%40b&page=3&per_page=10>; rel="last"'
    )
    assert pages.link_header("/p", "", pages.Page(1, 50), 0) == '</p?page=0>; rel="last"'


def test_page_zero_is_the_first_and_is_followed_by_it():
    assert pages.page_from("0", "0") == pages.Page(0, 50)
    assert pages.Page(0, 50).offset == 0
    assert pages.link_header("/p", "page=0", pages.Page(0, 50), 3) == (
        '</p?page=1>; rel="next", </p?page=1>; rel="last"'
    )


@pytest.mark.parametrize("text", ["-1", "x", "1.5", "9" * 30, "１"])
def test_page_numbers_refused(text: str):
    with pytest.raises(ApiError, match="Bad Pagination Parameters"):
        pages.page_from(text, "")


def test_empty_numbers_are_the_defaults():
    assert pages.page_from("", "") == pages.Page(1, 50)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("mail.example", "https://mail.example"),
        ("MAIL.example:443", "https://mail.example"),
        ("mail.example:8443", "https://mail.example:8443"),
        ("other.example", ""),
        ("mail.example:443@evil.example", ""),
        ("mail.example:x@evil.example", ""),
        ("mail.example@evil.example", ""),
        ("evil.example/mail.example", ""),
        ("mail.example/evil", ""),
        ("mail.example/", ""),
        ("mail.example?x", ""),
        ("mail.example#x", ""),
        ("mail.example\\@evil.example", ""),
        ("mail.example, evil.example", ""),
        ("", ""),
    ],
)
def test_a_host_of_a_request_is_ours_only_by_itself(host: str, address: str):
    assert links.own_address(host, ("mail.example",)) == address


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("https://a.example/x#y", "https://a.example/x#y"),
        ("myapp://callback#a=b", "myapp://callback#a=b"),
        ("https://a.example/ñ\r\nSet-Cookie: x", "https://a.example/%C3%B1Set-Cookie:%20x"),
        ("javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("https://u@a.example/", ""),
        ("/relative", ""),
        ("", ""),
    ],
)
def test_a_location_is_the_parsed_form_of_what_may_be_followed(text: str, sent: str):
    assert links.location(text) == sent


def test_the_first_question_mark_and_hash_are_those_that_count():
    assert links.with_query("http://x/y?a=?#?b", {"c": "d"}) == "http://x/y?a=%3F&c=d#?b"
    assert links.extended("http://x/y#z", (("a", "b"),)) == "http://x/y?a=b#z"

"""HTTP values: headers by name, the bearer token."""

from __future__ import annotations

import pytest

from compat_base.values.http import (
    HttpRequest,
    HttpResponse,
    bearer,
    in_one_line,
    is_header_name,
)


@pytest.mark.parametrize(
    ("value", "token"),
    [
        ("Bearer x", "x"),
        ("bearer  x ", "x"),
        ("Basic x", None),
        ("Bearer", ""),
        ("Bearer\tx", "x"),
        ("", None),
    ],
)
def test_the_bearer_token_is_read_with_the_scheme_in_any_case(value: str, token: str | None):
    assert bearer((("authorization", value),)) == token


def test_headers_are_found_by_name():
    request = HttpRequest("GET", "/", "/", "", (("a", "1"), ("b", "2"), ("a", "3")))
    assert (request.header("a"), request.header_values("a"), request.header("c")) == (
        "1", ("1", "3"), None,
    )  # fmt: skip
    assert HttpResponse(200, (("Vary", "x"),)).header("vary") == "x"


def test_a_header_has_one_line():
    assert in_one_line("a\r\nSet-Cookie: b\nc") == "a Set-Cookie: b c"
    assert in_one_line("é 1") == "é 1"
    names = ("X-A", "", "X A", "X:A", "X\n", "Ü")
    assert [name for name in names if is_header_name(name)] == ["X-A"]

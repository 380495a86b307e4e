"""Browsers of other origins: auth reference 1.9."""

from __future__ import annotations

import pytest

from compat_base.values.http import HttpRequest, HttpResponse
from gotrue_compat.web.cors import preflight, with_cors

ORIGIN = ("origin", "http://a")


def http_request(method: str, *headers: tuple[str, str]) -> HttpRequest:
    return HttpRequest(method, "/x", "/x", "", headers, b"")


def allowed(*headers: tuple[str, str], more: tuple[str, ...] = ()) -> dict[str, str]:
    answer = preflight(http_request("OPTIONS", ORIGIN, *headers), more)
    assert answer is not None
    return dict(answer.headers)


def test_known_headers_are_allowed():
    wanted = ("access-control-request-headers", "authorization,x-client-info")
    shown = allowed(("access-control-request-method", "PUT"), wanted)
    assert shown["Access-Control-Allow-Headers"] == "authorization,x-client-info"
    assert shown["Access-Control-Allow-Methods"] == "PUT"


@pytest.mark.parametrize(
    "requested",
    ["Authorization", "x-client-info,authorization", "authorization, x-client-info", "apikey"],
)
def test_headers_are_allowed_as_browsers_list_them(requested: str):
    wanted = ("access-control-request-headers", requested)
    shown = allowed(("access-control-request-method", "PUT"), wanted)
    assert "Access-Control-Allow-Origin" not in shown


@pytest.mark.parametrize(
    "headers",
    [
        (("access-control-request-method", "TRACE"),),
        (("access-control-request-method", "GET"), ("access-control-request-headers", "x-odd")),
    ],
)
def test_other_methods_and_headers_are_not(headers):
    assert "Access-Control-Allow-Origin" not in allowed(*headers)


def test_a_page_may_ask_what_a_path_has():
    shown = allowed(("access-control-request-method", "OPTIONS"))
    assert shown["Access-Control-Allow-Methods"] == "OPTIONS"


def test_an_empty_origin_is_none():
    empty = ("origin", "")
    answer = preflight(http_request("OPTIONS", empty, ("access-control-request-method", "GET")), ())
    assert answer is not None
    assert "Access-Control-Allow-Origin" not in dict(answer.headers)
    assert with_cors(http_request("GET", empty), HttpResponse(200)).headers == (("Vary", "Origin"),)


def test_a_setting_allows_further_headers():
    headers = (
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "x-odd"),
    )
    assert "Access-Control-Allow-Origin" in allowed(*headers, more=("X-Odd",))


def test_what_is_no_preflight_is_served():
    assert preflight(http_request("OPTIONS", ORIGIN), ()) is None
    assert (
        preflight(http_request("OPTIONS", ORIGIN, ("access-control-request-method", "")), ())
        is None
    )
    assert preflight(http_request("GET", ("access-control-request-method", "GET")), ()) is None


def test_a_page_may_read_when_to_come_back_where_that_is_said():
    plain = dict(with_cors(http_request("GET", ORIGIN), HttpResponse(200)).headers)
    late = HttpResponse(429, (("Retry-After", "5"),))
    assert "Retry-After" not in plain["Access-Control-Expose-Headers"]
    assert (
        "Retry-After"
        in dict(with_cors(http_request("GET", ORIGIN), late).headers)[
            "Access-Control-Expose-Headers"
        ]
    )


def test_what_is_answered_depends_on_the_origin_also_where_none_asks():
    plain = with_cors(http_request("GET"), HttpResponse(200, (("A", "b"),)))
    assert plain.headers == (("A", "b"), ("Vary", "Origin"))

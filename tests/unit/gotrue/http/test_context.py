"""Who calls, from where, and where to: auth reference 1.5 to 1.8."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gotrue_compat.http.context import Principal, RequestContext, first_address
from gotrue_compat.settings import read_settings
from tests.unit.gotrue.incoming import posted
from tests.unit.gotrue.records import NOW, current, session, user

VARIABLES = {
    "GOTRUE_SITE_URL": "http://site", "GOTRUE_JWT_SECRET": "s", "DATABASE_URL": "postgresql://x",
    "API_EXTERNAL_URL": "http://api", "GOTRUE_URI_ALLOW_LIST": "http://app/**",
    "GOTRUE_RATE_LIMIT_HEADER": "x-caller",
}  # fmt: skip


def context(query: str = "", variables: dict[str, str] | None = None, **headers: str):
    sent = tuple(
        (name if name == "redirect_to" else name.replace("_", "-"), value)
        for name, value in headers.items()
    )
    settings = read_settings(VARIABLES | (variables or {}))
    return RequestContext(NOW, "aud", posted(query=query, headers=sent), settings)


@pytest.mark.parametrize(
    ("texts", "address"),
    [
        ("", ""),
        ("x, ::1", "::1"),
        ("1" * 99 + ",10.0.0.1", "10.0.0.1"),
        (" 2001:DB8::1 ", "2001:db8::1"),
    ],
)
def test_the_first_valid_address_counts(texts: str, address: str):
    assert first_address(texts) == address


def test_a_proxys_own_header_counts_only_where_it_is_set_to():
    headers = {"sb_forwarded_for": "203.0.113.9", "x_forwarded_for": "203.0.113.7"}
    assert context(**headers).ip == "203.0.113.7"
    trusted = {"GOTRUE_SECURITY_SB_FORWARDED_FOR_ENABLED": "true"}
    request_context = context(variables=trusted, **headers)
    assert (request_context.ip, request_context.rate_limit_key) == ("203.0.113.9", "203.0.113.9")


def test_limits_know_a_caller_by_the_header_that_is_set():
    assert context(x_caller="2001:db8::5, other").rate_limit_key.startswith("2001:db8::")
    assert context().rate_limit_key == ""


@pytest.mark.parametrize(
    ("query", "headers", "target"),
    [
        ("redirect_to=http://app/a", {}, "http://app/a"),
        ("redirect_to=http://evil/a", {}, "http://site"),
        ("redirect_to=http://app/a", {"redirect_to": "http://app/b"}, "http://app/b"),
        ("", {"referer": "http://app/c"}, "http://app/c"),
    ],
)
def test_a_browser_returns_only_to_what_the_list_has(
    query: str, headers: dict[str, str], target: str
):
    assert context(query, **headers).redirect == target


def test_a_call_without_a_user_has_none():
    with pytest.raises(LookupError):
        assert context().user
    known: Any = replace(context(), principal=Principal({}, current()))
    assert (known.user.id, known.session.id) == (user().id, session().id)
    without: Any = replace(context(), principal=Principal({}, current(session_row=None)))
    assert without.session is None

"""Addresses as browsers parse them."""

from __future__ import annotations

import pytest

from compat_base.values.urls import parse_url
from tests.harness_urls import PLACES, Place


@pytest.mark.parametrize(("text", "place"), PLACES.items())
def test_addresses_lead_where_browsers_go(text: str, place: Place | None):
    url = parse_url(text)
    assert (url and (url.scheme, url.host, url.port)) == place


@pytest.mark.parametrize("text", [text for text, place in PLACES.items() if place])
def test_what_is_shown_of_an_address_parses_to_the_same(text: str):
    url = parse_url(text)
    assert url is not None
    again = parse_url(url.text)
    assert again is not None
    assert again.href == url.href


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://localhost:3000/", "http://localhost:3000/"),
        ("http://localhost:3000?a=1#b", "http://localhost:3000?a=1#b"),
        ("http://localhost:3000/?a=1#b", "http://localhost:3000/?a=1#b"),
        ("HTTPS://App.Example:443#b", "https://app.example#b"),
        ("https://app.example/.", "https://app.example/"),
        ("https:app.example", "https://app.example"),
        ("https://app.example\\", "https://app.example/"),
        ("myapp://callback", "myapp://callback"),
        ("myapp://callback/", "myapp://callback/"),
        ("https://app.example/a b/ñ?ñ#ñ", "https://app.example/a%20b/%C3%B1?%C3%B1#%C3%B1"),
    ],
)
def test_an_address_without_a_path_is_shown_without_a_slash(given: str, shown: str):
    url = parse_url(given)
    assert url is not None
    assert url.text == shown


def test_an_address_is_read_beside_another():
    url = parse_url("/verify?x=1", "https://api.example/auth/v1")
    assert url is not None
    assert url.href == url.text == "https://api.example/verify?x=1"
    assert parse_url("/verify", "no base") is None


@pytest.mark.parametrize(
    ("text", "user"),
    [("http://a@b/", True), ("http://a:b@c/", True), ("http://:b@c/", True), ("http://b/", False)],
)
def test_users_are_told(text: str, user: bool):
    url = parse_url(text)
    assert url is not None
    assert url.has_user is user


def test_ports_to_connect_to():
    ports = {text: url and url.real_port for text in ("http://a", "https://a", "https://a:8", "x://a")
             if (url := parse_url(text))}  # fmt: skip
    assert ports == {"http://a": 80, "https://a": 443, "https://a:8": 8, "x://a": None}


def test_what_cannot_be_written_in_utf8_is_refused():
    assert parse_url("http://our.example/\ud800") is None

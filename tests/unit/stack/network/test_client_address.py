"""Whom the gateway takes for the caller: every way to claim another address."""

from __future__ import annotations

import pytest

from compat_stack.network.client_address import (
    client_address,
    parse_hop,
    read_networks,
    with_client,
)

PROXIES = read_networks(("10.0.0.0/8", "::1", "2001:db8::/32"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("203.0.113.9", [], "203.0.113.9"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["1.1.1.1", "198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7, 10.9.9.9"], "198.51.100.7"),
        ("10.0.0.1", ["1.1.1.1, 198.51.100.7, 10.9.9.9,2001:db8::5"], "198.51.100.7"),
        ("10.0.0.1", ["10.0.0.2, 10.0.0.3"], "10.0.0.2"),
        ("10.0.0.1", ["198.51.100.7, nobody"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7, nobody, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", [" 198.51.100.7:4711 "], "198.51.100.7"),
        ("10.0.0.1", ["[2001:db9::7]:4711"], "2001:db9::7"),
        ("10.0.0.1", ["[2001:db9::7]"], "2001:db9::7"),
        ("10.0.0.1", ["2001:DB9:0::7"], "2001:db9::7"),
        ("10.0.0.1", ["::ffff:198.51.100.7"], "198.51.100.7"),
        ("::ffff:10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("::1", ["198.51.100.7"], "198.51.100.7"),
        ("", [], "unknown"),
        ("/run/socket", [], "unknown"),
    ],
)
def test_the_caller_is_the_nearest_address_that_is_no_trusted_proxy(
    peer: str, forwarded: list[str], address: str
):
    assert client_address(peer, [line.encode() for line in forwarded], PROXIES) == address


@pytest.mark.parametrize(
    "text",
    ["", "x", "1.2.3", "1.2.3.4.5", "0x7f.0.0.1", "127.1", "2130706433", "1.2.3.4:x", "[::1", "[::1]x",
     "[1.2.3.4]:y", "fe80::1%eth0", "::1:1:1:1:1:1:1:1:1", " " * 100 + "1.2.3.4", "①.2.3.4", "1.2.3.4:", "01.2.3.4"],
)  # fmt: skip
def test_what_is_no_address_is_no_hop(text: str):
    assert parse_hop(text) is None


CLAIMS = [
    "x-forwarded-for", "x-real-ip", "forwarded", "sb-forwarded-for", "x-client-ip",
    "true-client-ip", "cf-connecting-ip", "x-forwarded-host", "x-forwarded-proto",
    "x-forwarded-port", "x-forwarded-server", "x-cluster-client-ip", "fastly-client-ip",
]  # fmt: skip


@pytest.mark.parametrize("name", CLAIMS)
def test_nothing_that_a_client_claims_reaches_a_service(name: str):
    headers = [(b"host", b"h"), (name.encode(), b"1.1.1.1"), (name.encode(), b"2.2.2.2")]
    scope = with_client({"client": ("203.0.113.9", 5)}, headers, PROXIES)
    assert scope["headers"] == [(b"host", b"h"), (b"x-forwarded-for", b"203.0.113.9")]
    assert scope["client"] == ("203.0.113.9", 5)


def test_a_trusted_proxy_may_say_under_which_address_it_was_asked():
    forwarded = [(b"x-forwarded-proto", b"https"), (b"x-forwarded-host", b"planes.example")]
    headers = [*forwarded, (b"x-forwarded-for", b"198.51.100.7"), (b"x-real-ip", b"1.1.1.1")]
    scope = with_client({"client": ("10.0.0.1", 5)}, headers, PROXIES)
    assert scope["headers"] == [*forwarded, (b"x-forwarded-for", b"198.51.100.7")]
    assert scope["client"] == ("198.51.100.7", 0)


def test_without_trusted_proxies_a_proxys_word_counts_for_nothing():
    scope = with_client({"client": ("127.0.0.1", 5)}, [(b"x-forwarded-for", b"1.1.1.1")], ())
    assert scope["headers"] == [(b"x-forwarded-for", b"127.0.0.1")]


def test_a_long_claim_is_walked_from_its_end_only():
    lines = [b",".join([b"1.1.1.1"] * 8000), b"198.51.100.7"]
    assert client_address("10.0.0.1", lines, PROXIES) == "198.51.100.7"

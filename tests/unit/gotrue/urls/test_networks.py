"""Callers are known by an IPv4 address or the /64 of an IPv6 one, whatever its spelling."""

from __future__ import annotations

import pytest

from gotrue_compat.urls.networks import rate_limit_key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2::5", "2001:db8:1:2::/64"),
        ("2001:0DB8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("", ""),
        ("somebody", "somebody"),
        ("x" * 1000, "x" * 1000),
    ],
)
def test_the_key_of_a_caller(text: str, key: str):
    assert rate_limit_key(text) == key

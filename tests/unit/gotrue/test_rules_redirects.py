"""Which addresses a browser may return to: auth reference 1.5, 1.6."""

from __future__ import annotations

import pytest

from gotrue_compat.rules.redirects import choose, is_allowed

SITE = "https://site.example:8443"
LIST = (
    "https://*.preview.example/**", "http://app.example/*", "myapp://callback",
    "https://{a,b}.example/x?", "https://n[0-9].example",
)  # fmt: skip


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://site.example:8443/any?x=1", True),
        ("https://site.example/any", False),
        ("http://site.example:8443/", False),
        ("http://127.0.0.1:9/x", True),
        ("http://[::1]:3000", True),
        ("http://10.0.0.1/", False),
        ("http://3232235777/", False),
        ("https://one.preview.example/a/b", True),
        ("https://one.two.preview.example/a", False),
        ("http://app.example/a", True),
        ("http://app.example/a/b", False),
        ("http://app.example/a#b/c", True),
        ("myapp://callback", True),
        ("myapp://other", False),
        ("https://a.example/x1", True),
        ("https://c.example/x1", False),
        ("https://n7.example", True),
        ("https://n77.example", False),
        ("https://evil.example@one.preview.example/a", False),
        ("https://one.preview.example\\@evil.example/", False),
        ("javascript:alert(1)", False),
        ("//site.example", False),
        ("http://[bad", False),
        ("", False),
    ],
)
def test_redirects(url: str, allowed: bool):
    assert is_allowed(url, SITE, LIST) is allowed


def test_ports_of_loopback_sites_do_not_count():
    assert is_allowed("http://localhost:5173/x", "http://localhost:3000", ())


def test_the_first_allowed_candidate_wins_and_the_site_is_the_last_resort():
    assert choose(("https://evil.example", "myapp://callback"), SITE, LIST) == "myapp://callback"
    assert choose(("https://evil.example", ""), SITE, LIST) == SITE

"""Which addresses a browser may return to: auth reference 1.5, 1.6."""

from __future__ import annotations

import pytest

from gotrue_compat.urls.redirects import choose, is_allowed

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


def test_an_apps_own_scheme_is_this_machines_address_only_where_the_list_has_it():
    for text in ("evilapp://127.0.0.1/", "exp://127.0.0.1:19000", "evilapp://[::1]/x"):
        assert not is_allowed(text, SITE, LIST)
    assert is_allowed("exp://127.0.0.1:19000/--/x", SITE, ("exp://127.0.0.1:19000/**",))


def test_the_first_allowed_candidate_wins_and_the_site_is_the_last_resort():
    assert choose(("https://evil.example", "myapp://callback"), SITE, LIST) == "myapp://callback"
    assert choose(("https://evil.example", ""), SITE, LIST) == SITE


TRICKY = (
    "https://*.example.com/**", "https://**.example.com", "https://example.com**",
    "http://localhost:3000/**", "myapp://callback", "exp://**", "**://app.example/**",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "http://evil.example\\@site.example:8443/", "https://evil.example\\@site.example:8443/",
        "https:\\\\site.example:8443\\", "https:/site.example:8443/", "https:site.example:8443/",
        "https:///site.example:8443/", "//site.example:8443/", "/\\site.example:8443/", "/path",
        "https://user@site.example:8443/", "https://:pass@site.example:8443/",
        "https://@site.example:8443/", "https://site.example:8443@evil.example/",
        "https://site.example:8443%40evil.example/", "https://site.example:8443#@evil\n.example",
        " https://site.example:8443/", "\thttps://site.example:8443/",
        "ht\ntps://site.example:8443/", "https://site.exam\tple:8443/",
        "https://site.example:8443/\x00", "https://site.example:8443/\x7f",
        "https://site.example:8443\\.evil.example/", "https://evil.example/.example.com",
        "https://evil.example#.example.com", "https://evil.example?.example.com",
        "https://example.com.evil.example/", "https://evil.example/://app.example/",
        "https://ａ.example.com/", "https://a。example.com/", "https://a%2eexample.com/",
        "https://%61.example.com/", "https://a\u00ad.example.com/", "https://a_b.example.com/",
        "http://2130706433/", "http://127.1/", "http://0x7f000001/", "http://017700000001/",
        "http://①②⑦.0.0.1/", "http://127。0。0。1/", "http://127.0.0.1@evil.example/",
        "http://10.0.0.1/", "http://169.254.169.254/", "http://[::ffff:127.0.0.1]/",
        "http://[fe80::1]/", "http://0.0.0.0/", "http://0/", "exp://10.0.0.1/", "exp://123/",
        "javascript:alert(1)", "javascript://a.example.com/%0aalert(1)", "JAVASCRIPT:alert(1)",
        "java\nscript:alert(1)", "data:text/html,x", "blob:https://site.example:8443/x",
        "vbscript:x", "file:///etc/passwd", "file://site.example:8443/", "about:blank",
        "view-source:https://site.example:8443/", "filesystem:https://site.example:8443/",
        "myapp://callback@evil.example", "myapp://user@callback", "myapp:callback",
        "myapp:\\\\callback", "https://site.example:8443/\ud800",
        "https://site.example:8443/" + "a" * 4096,
    ],
)  # fmt: skip
def test_tricks_are_refused(text: str):
    assert not is_allowed(text, SITE, TRICKY)
    assert not is_allowed(text, SITE, ())


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("https://site.example:8443", "https://site.example:8443"),
        ("HTTPS://SITE.example:8443/A", "https://site.example:8443/A"),
        ("https://site.example:8443/a/../b c", "https://site.example:8443/b%20c"),
        ("https://site.example:8443/a\\b", "https://site.example:8443/a/b"),
        ("https://site.example:8443/ñ?ñ", "https://site.example:8443/%C3%B1?%C3%B1"),
        ("https://site.example:8443/@evil.example", "https://site.example:8443/@evil.example"),
        ("https://site.example:8443?@evil.example", "https://site.example:8443?@evil.example"),
        ("https://a.example.com:443/x", "https://a.example.com/x"),
        ("HTTPS://A.EXAMPLE.com/x", "https://a.example.com/x"),
        ("http://127.0.0.1:9/x", "http://127.0.0.1:9/x"),
        ("http://[0:0:0:0:0:0:0:1]:9/", "http://[::1]:9/"),
        ("exp://u.exp.direct/--/x", "exp://u.exp.direct/--/x"),
    ],
)
def test_what_is_sent_is_the_parsed_address(text: str, sent: str):
    assert choose((text,), SITE, TRICKY) == sent


def test_a_site_with_letters_of_its_own_takes_them_in_both_spellings():
    for site in ("https://münchen.example", "https://xn--mnchen-3ya.example"):
        for text in ("https://münchen.example/x", "https://xn--mnchen-3ya.example/x"):
            assert choose((text,), site, ()) == "https://xn--mnchen-3ya.example/x"


def test_a_site_may_be_an_application_of_a_phone():
    assert choose(("myapp://login/x",), "myapp://login", ()) == "myapp://login/x"


def test_a_long_address_is_judged_in_no_time_whatever_the_glob():
    globs = ("https://a.example/**a**b**c", "https://**a**b.example/**", "https://a.example/*a*b*c")
    for text in ("https://a.example/" + "ab" * 2000, "https://" + "a" * 4000):
        assert not is_allowed(text, SITE, globs)  # hangs where time grows with powers of the length

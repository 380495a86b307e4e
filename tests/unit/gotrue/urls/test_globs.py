"""The allow list's globs: auth reference 1.6."""

from __future__ import annotations

import pytest

from compat_base.values.urls import parse_url
from gotrue_compat.urls.globs import GlobError, read_glob


def matches(glob: str, text: str) -> bool:
    url = parse_url(text)
    assert url is not None
    return read_glob(glob).matches(url)


@pytest.mark.parametrize(
    ("glob", "text"),
    [
        ("http://localhost:3000/**", "http://localhost:3000/a/b?c=d"),
        ("http://localhost:*/**", "http://localhost:5173/a"),
        ("http://localhost:**", "http://localhost:5173/a"),
        ("http://localhost*", "http://localhost:5173"),
        ("https://example.com", "https://example.com"),
        ("https://example.com/", "https://example.com/"),
        ("https://example.com/*", "https://example.com/a?b=c"),
        ("https://example.com/*", "https://example.com/a#b/c.d"),
        ("https://example.com**", "https://example.com"),
        ("https://example.com**", "https://example.com/a/b.c"),
        ("https://example.com**", "https://example.com?a=b.c"),
        ("https://example.com**", "https://example.com:8443/a"),
        ("https://*.example.com", "https://a.example.com"),
        ("https://*.example.com/**", "https://a.example.com/"),
        ("https://**.example.com/**", "https://a.b.example.com/c"),
        ("https://*-team.example.app/**", "https://deploy-preview-7-team.example.app/c"),
        ("https://{a,b{c,d}}.example/x?", "https://bd.example/x1"),
        ("https://n[0-9].example", "https://n7.example"),
        ("https://n[!0-9].example", "https://nx.example"),
        ("http*://example.com/**", "https://example.com/a"),
        ("*://example.com/**", "http://example.com/a"),
        ("https://**", "https://any.example/a"),
        ("https:**", "https://any.example/a"),
        ("**", "https://any.example/a"),
        ("https://a.example/**/b/*", "https://a.example/x/b/y/b/z"),
        ("https://a.example/**b", "https://a.example/xbxb"),
        ("https://a.example/**/b", "https://a.example/b"),
        ("https://a.example/b/**/b/c", "https://a.example/b/c"),
        ("HTTPS://A.Example:443/**", "https://a.example/b"),
        ("http://a.example:80/**", "http://a.example/b"),
        ("https://a.example/año/**", "https://a.example/año/1"),
        ("https://a.example/a b", "https://a.example/a b"),
        ("https://a.example/\\*", "https://a.example/*"),
        ("myapp://callback", "myapp://callback"),
        ("MyApp://callback", "myapp://callback"),
        ("myapp://**", "myapp://callback/a?b"),
        ("exp://**", "exp://u.exp.direct/--/a"),
        ("com.app:/callback", "com.app:/callback"),
        ("com.app:**", "com.app://any/thing"),
    ],
)
def test_globs_that_match(glob: str, text: str):
    assert matches(glob, text)


@pytest.mark.parametrize(
    ("glob", "text"),
    [
        ("https://example.com**", "https://example.com.evil.com/"),
        ("https://example.com**", "https://example.community/"),
        ("https://example.com*", "https://example.comx"),
        ("https://example.com*/**", "https://example.comx/a"),
        ("https://example.com**/**", "https://example.com.evil.com/a"),
        ("https://*.example.com", "https://evil.com/.example.com"),
        ("https://*.example.com", "https://evil.com#.example.com"),
        ("https://*.example.com", "https://evil.com?.example.com"),
        ("https://**.example.com", "https://evil.com/.example.com"),
        ("https://**.example.com", "https://evil.com#.example.com"),
        ("https://**.example.com", "https://evil.com?.example.com"),
        ("https://**.example.com/**", "https://evil.com/.example.com/"),
        ("https://**example.com/**", "https://evil.com/?example.com/"),
        ("https://**/callback", "https://evil.com/x/callback"),
        ("https://*/callback", "https://evil.com/callback"),
        ("https://?.example.com/", "https:///.example.com/"),
        ("https://a[!b].example.com/", "https://a/.example.com/"),
        ("*://example.com/**", "https://evil.com/://example.com/"),
        ("**://example.com/**", "https://evil.com/://example.com/"),
        ("https://*.example.com/**", "https://a.b.example.com/"),
        ("https://*.example.com/**", "https://example.com/"),
        ("https://*.example.com/**", "http://a.example.com/"),
        ("https://example.com/*", "https://example.com/a/b"),
        ("https://example.com/*", "https://example.com/a.b"),
        ("https://example.com/safe/**", "https://example.com/safe/../admin"),
        ("https://example.com/safe/**", "https://example.com/safe/%2e%2e/admin"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com/", "https://example.com"),
        ("https://example.com/**", "https://example.com:8443/"),
        ("myapp://callback", "myapp://callback/x"),
        ("myapp://callback", "myapp://other"),
        ("myapp://*", "myapp://a.b"),
    ],
)
def test_globs_that_do_not_match(glob: str, text: str):
    assert not matches(glob, text)


@pytest.mark.parametrize(
    ("glob", "text"),
    [
        ("", "needs a scheme"),
        ("example.com/**", "needs a scheme"),
        ("*.example.com/**", "needs a scheme"),
        ("**.example.com", "needs a scheme"),
        ("https**example.com", "needs a scheme"),
        ("https:example.com", "needs ://"),
        ("http*:example.com", "needs ://"),
        ("https:///x", "has no host"),
        ("https://**@example.com", "another form"),
        ("https://münchen.example/**", "another form"),
        ("javascript:**", "allows javascript:"),
        ("Data:**", "allows data:"),
        ("https://a[b.example", "without its ]"),
        ("https://a[z-a].example", "cannot be read"),
        ("https://{a.example", "without its }"),
        ("https://a}.example", "without its {"),
        ("https://" + "{a,b}" * 9 + ".example", "more than 256"),
    ],
)
def test_globs_that_cannot_be_read(glob: str, text: str):
    with pytest.raises(GlobError, match=text):
        read_glob(glob)

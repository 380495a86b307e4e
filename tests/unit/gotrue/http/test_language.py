"""The language that a request prefers."""

from __future__ import annotations

import pytest

from compat_base.values.http import HttpRequest
from gotrue_compat.http.language import prefers_spanish


@pytest.mark.parametrize(
    ("header", "is_spanish"),
    [
        ("es", True), ("es-MX,en;q=0.8", True), ("en,es", False), ("en;q=0.5, ES;q=0.9", True),
        ("es;q=0", False), ("es;q=x", False), ("est", False), ("", False), (None, False),
    ],
)  # fmt: skip
def test_spanish_is_preferred_where_it_has_the_largest_weight(header: str | None, is_spanish: bool):
    headers = () if header is None else (("accept-language", header),)
    assert prefers_spanish(HttpRequest("GET", "/", "/", "", headers, b"")) is is_spanish

"""Paths as JavaScript decodes them."""

from __future__ import annotations

from storage_compat.rules import (
    url_tokens,
)


def test_a_path_is_decoded_as_javascript_does():
    assert url_tokens.decoded_uri("a%20b%2Fc%C3%A9%2B") == "a b%2Fcé%2B"

"""Tokens of signed URLs, and paths as JavaScript decodes them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from storage_compat.rules import url_tokens

KEY = jwt.secret_key("a-secret-of-the-tests-that-is-long-enough")
NOW = datetime(2026, 11, 23, tzinfo=UTC)
LAST = 9_007_199_254_740 - int(NOW.timestamp())  # the last second whose milliseconds are safe


def test_a_path_is_decoded_as_javascript_does():
    assert url_tokens.decoded_uri("a%20b%2Fc%C3%A9%2B") == "a b%2Fcé%2B"


def test_a_token_lives_until_the_last_safe_moment_of_javascript():
    token = url_tokens.signed(KEY, {"url": "b/k", "scope": "download"}, NOW, LAST)
    assert url_tokens.check_download(token, [KEY], "b/k", NOW)["exp"] == 9_007_199_254_740
    with pytest.raises(ApiError) as refused:
        url_tokens.signed(KEY, {}, NOW, LAST + 1)
    assert refused.value.problem.message == "Invalid Parameter expiresIn"

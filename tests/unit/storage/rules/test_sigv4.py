"""Signatures of S3 requests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from compat_base.values.errors import ApiError
from storage_compat.rules import (
    sigv4,
)


def test_a_signature_beyond_ascii_is_a_wrong_one():
    credential = "key/20261122/local/s3/aws4_request"
    head = f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature=ñ"
    headers = {"authorization": head, "host": "x", "x-amz-date": "20261122T000000Z"}
    signed = sigv4.Signed("GET", "/s3/b", "", headers)
    with pytest.raises(ApiError, match="SignatureDoesNotMatch"):
        sigv4.check_signature(
            signed, sigv4.read_signature(signed), "secret", datetime(2026, 11, 22, tzinfo=UTC)
        )


QUERY = (
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=key/20261122/local/s3/aws4_request"
    "&X-Amz-SignedHeaders=host&X-Amz-Signature=a&X-Amz-Date=20261122T000000Z"
)


def test_an_expiry_of_other_digits_is_refused():
    with pytest.raises(ApiError, match="Invalid expiration"):
        sigv4.read_signature(sigv4.Signed("GET", "/", f"{QUERY}&X-Amz-Expires=%C2%B2", {}))


def test_a_presigned_url_that_says_no_end_has_passed():
    assert sigv4.read_signature(sigv4.Signed("GET", "/", QUERY, {})).expires == 0

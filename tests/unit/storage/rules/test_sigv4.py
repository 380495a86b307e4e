"""Signatures of S3 requests."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import quote, unquote

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


@pytest.mark.parametrize("path", ["/s3/b/a(1)*!'.txt", "/s3/b/a%281%29%2A%21%27.txt", "/s3/b/a//b"])
@pytest.mark.parametrize("is_canonical", [True, False])
def test_a_path_is_signed_as_it_is_sent_or_in_canonical_form(path: str, *, is_canonical: bool):
    moment = datetime(2026, 11, 22, tzinfo=UTC)
    scope = ("20261122", "local", "s3", "aws4_request")
    unsigned = sigv4.Signature(
        "key", scope, ("host",), "", "20261122T000000Z", "UNSIGNED-PAYLOAD", None
    )
    signed_path = quote(unquote(path), safe="/-_.~") if is_canonical else path
    made = sigv4.sign(sigv4.Signed("GET", signed_path, "", {"host": "x"}), unsigned, "secret")
    sent = sigv4.Signed("GET", path, "", {"host": "x"})
    sigv4.check_signature(sent, replace(unsigned, signature=made), "secret", moment)

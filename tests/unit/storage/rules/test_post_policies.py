"""S3's rules: policies of forms, ranges to copy, trailers, dates."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from storage_compat.rules import sigv4
from storage_compat.rules.aws_chunks import ChunkDecoder
from storage_compat.rules.conditions import Span, copied_span
from storage_compat.rules.post_policies import SizeRange, check_policy
from storage_compat.rules.sigv4 import Signature, Signed

NOW = datetime(2026, 1, 31, 9, tzinfo=UTC)
KEY = {"key": "a/b"}


def encoded(*conditions: Any, expiration: object = "2026-01-31T09:00:01Z") -> str:
    policy = {"expiration": expiration, "conditions": [{"bucket": "b"}, *conditions]}
    return base64.b64encode(json.dumps(policy).encode()).decode()


def code(error: pytest.ExceptionInfo[ApiError]) -> str:
    return error.value.problem.code


def test_a_policy_names_every_field():
    starts = ["starts-with", "$Key", "a/"]
    assert check_policy(encoded(starts), KEY, "b", NOW) == SizeRange()
    assert check_policy(encoded(starts), {**KEY, "x-ignore-me": "1"}, "b", NOW) == SizeRange()
    for fields, bucket in ((KEY, "c"), ({"key": "b"}, "b"), ({**KEY, "acl": "x"}, "b"), ({}, "b")):
        with pytest.raises(ApiError) as refused:
            check_policy(encoded(starts), fields, bucket, NOW)
        assert code(refused) == "AccessDenied"


def test_of_several_ranges_the_narrowest_counts():
    ranges = (["content-length-range", 1, 10], ["content-length-range", 0, "5"])
    found = check_policy(encoded({"key": "a/b"}, *ranges), KEY, "b", NOW)
    assert found == SizeRange(1, 5)


@pytest.mark.parametrize(
    "condition",
    [
        ["content-length-range", 1],
        ["content-length-range", "a", None],
        ["content-length-range", 0, 1e999],
        ["eq", "key", "a/b"],
        ["eq", "$key"],
        ["ends-with", "$key", "b"],
        {"key": "a/b", "acl": "x"},
        {},
        [],
        7,
        None,
    ],
)
def test_a_condition_of_another_form_is_refused(condition: object):
    with pytest.raises(ApiError) as refused:
        check_policy(encoded({"key": "a/b"}, condition), KEY, "b", NOW)
    assert code(refused) == "InvalidSignature"


@pytest.mark.parametrize("expiration", [None, "", "soon", 5, [], "2026-13-01T00:00:00Z"])
def test_a_policy_without_an_end_is_refused(expiration: object):
    with pytest.raises(ApiError) as refused:
        check_policy(encoded({"key": "a/b"}, expiration=expiration), KEY, "b", NOW)
    assert code(refused) == "InvalidSignature"


@pytest.mark.parametrize("expiration", ["2026-01-31T08:59:59Z", "2026-01-31T08:59:59"])
def test_a_policy_whose_time_is_over_is_refused(expiration: str):
    with pytest.raises(ApiError) as refused:
        check_policy(encoded({"key": "a/b"}, expiration=expiration), KEY, "b", NOW)
    assert code(refused) == "ExpiredToken"


@given(st.text() | st.binary().map(lambda data: base64.b64encode(data).decode()))
def test_whatever_a_policy_is_it_is_judged(text: str):
    with pytest.raises(ApiError):
        check_policy(text, KEY, "b", NOW)


@pytest.mark.parametrize(
    ("age", "expires", "refused"),
    [
        (0, None, None),
        (899, None, None),
        (901, None, "RequestTimeTooSkewed"),
        (-901, None, "RequestTimeTooSkewed"),
        (901, 1000, None),
        (-901, 1000, "RequestTimeTooSkewed"),
        (1001, 1000, "ExpiredToken"),
    ],
)
def test_clocks_may_differ_by_so_much(age: int, expires: int | None, refused: str | None):
    date = (NOW - timedelta(seconds=age)).strftime("%Y%m%dT%H%M%SZ")
    signed = Signed("GET", "/s3/b/k", "", {"host": "x"})
    scope = (date[:8], "local", "s3", "aws4_request")
    unsigned = Signature("key", scope, ("host",), "", date, "UNSIGNED-PAYLOAD", None, expires)
    made = sigv4.sign(signed, unsigned, "secret")
    signature = Signature("key", scope, ("host",), made, date, "UNSIGNED-PAYLOAD", None, expires)
    if refused is None:
        sigv4.check_signature(signed, signature, "secret", NOW, 900)
    else:
        with pytest.raises(ApiError) as error:
            sigv4.check_signature(signed, signature, "secret", NOW, 900)
        assert code(error) == refused


@pytest.mark.parametrize("text", ["bytes=-5", "bytes=2-", "bytes=5-2", "bytes=0-10", "0-1", ""])
def test_a_range_to_copy_must_be_there_whole(text: str):
    with pytest.raises(ApiError) as refused:
        copied_span(text, 10)
    assert refused.value.problem.status == 400
    assert copied_span("bytes=0-9", 10) == Span(0, 10)


def test_a_stream_with_trailers_must_have_one():
    decoder = ChunkDecoder(has_trailer=True)
    assert decoder.feed(b"1\r\na\r\n0\r\n") == b"a"
    with pytest.raises(ApiError):
        decoder.feed(b"\r\n")
    whole = ChunkDecoder(has_trailer=True)
    assert whole.feed(b"1\r\na\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n") == b"a"
    whole.finish()

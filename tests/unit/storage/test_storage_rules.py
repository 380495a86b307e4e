"""Rules of the storage service: values in, values out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from storage_compat.rules import (
    conditions,
    cursors,
    paths,
    resumable,
    robots,
    sigv4,
    sizes,
    url_tokens,
)
from storage_compat.rules.aws_chunks import ChunkDecoder
from storage_compat.rules.numbers import LARGEST, whole_number
from storage_compat.rules.schema import Field, check_object
from storage_compat.rules.xml import document, read_items


@pytest.mark.parametrize(
    "body",
    [b"<Delete><Object><Key>a</Key>", b'<!DOCTYPE d [<!ENTITY a "b">]><Delete/>', b"", b"\xff"],
)
def test_a_document_that_is_malformed_or_has_entities_is_refused(body: bytes):
    with pytest.raises(ApiError, match="MalformedXML"):
        read_items(body, "Delete", "Object")


def test_a_text_in_a_document_is_read_back():
    text = "a & b <c> \"d\" 'e' é"
    made = document("Delete", {"Object": [{"Key": text}]}, is_error=True)
    assert read_items(made, "Delete", "Object") == [{"Key": text}]


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=5), st.integers(1, 20))
def test_a_framed_stream_comes_out_however_it_is_cut(chunks: list[bytes], step: int):
    framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    framed += b"0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n"
    decoder = ChunkDecoder(has_trailer=True)
    out = b"".join(decoder.feed(framed[at : at + step]) for at in range(0, len(framed), step))
    decoder.finish()
    assert out == b"".join(chunks)


@pytest.mark.parametrize("framed", [b"5\r\nab", b"zz\r\n", b"1\r\na\r\n", b"0\r\n"])
def test_a_framed_stream_without_its_end_is_refused(framed: bytes):
    decoder = ChunkDecoder(has_trailer=True)

    def read() -> None:
        decoder.feed(framed)
        decoder.finish()

    with pytest.raises(ApiError):
        read()


@given(st.text(max_size=40), st.integers(0, 10**6))
def test_a_range_is_a_part_of_the_object_or_refused(text: str, size: int):
    for header in (text, f"bytes={text}", "bytes=0-"):
        try:
            span = conditions.span_of(header, size)
        except ApiError as error:
            assert error.problem.status == 416
        else:
            assert 0 <= span.start < span.end <= size


@given(st.text())
def test_a_key_is_refused_or_never_climbs(text: str):
    for has_unicode in (False, True):
        try:
            key = paths.check_key(text, has_unicode=has_unicode)
        except ApiError:
            continue
        assert ".." not in key.split("/")
        assert "\0" not in key


@given(st.text())
def test_garbled_input_is_refused_and_never_crashes(text: str):
    for read in (cursors.read_cursor, resumable.read_metadata, resumable.version_of, robots.check):
        try:
            read(text)
        except ApiError as error:
            assert error.problem.status == 400


@pytest.mark.parametrize(
    ("value", "limit"),
    [("1.5KB", 1500), ("12", 12), ("", None), (None, None), ("2 gb", 2_000_000_000), (7, 7)],
)
def test_a_limit_is_a_number_or_a_text(value: object, limit: int | None):
    assert sizes.read_limit(value, 5_000_000_000) == limit


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        ("integer", "5", 5), ("integer", True, 1), ("boolean", 1, True), ("boolean", None, False),
        ("string", 5, "5"), ("string", None, ""), ("integer", ["7"], 7), ("boolean", "true", True),
    ],
)  # fmt: skip
def test_values_are_coerced_as_the_original_does(kind: str, value: object, read: object):
    assert check_object({"x": value}, {"x": Field(kind)}) == {"x": read}


@pytest.mark.parametrize(
    ("kind", "value"),
    [("boolean", "yes"), ("boolean", []), ("integer", 1.5), ("integer", "x"), ("string", {})],
)
def test_what_cannot_be_coerced_is_named(kind: str, value: object):
    with pytest.raises(ApiError, match=f"body/x must be {kind}"):
        check_object({"x": value}, {"x": Field(kind)})


def test_a_path_is_decoded_as_javascript_does():
    assert url_tokens.decoded_uri("a%20b%2Fc%C3%A9%2B") == "a b%2Fcé%2B"


@pytest.mark.parametrize(
    ("text", "number"),
    [("007", 7), ("9" * 5000, LARGEST), ("0" * 5000, 0), ("²", None), ("٣", None), ("-1", None)],
)
def test_a_whole_number_is_of_ascii_digits_and_never_too_large(text: str, number: int | None):
    assert whole_number(text) == number


@pytest.mark.parametrize("size", [b"-5", b"+5", b"1_0", b"0x5", b" 5", b""])
def test_the_size_of_a_chunk_is_of_hexadecimal_digits(size: bytes):
    with pytest.raises(ApiError):
        ChunkDecoder().feed(size + b"\r\nabcde\r\n")


def test_a_signature_beyond_ascii_is_a_wrong_one():
    credential = "key/20261122/local/s3/aws4_request"
    head = f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature=ñ"
    signed = sigv4.Signed("GET", "/s3/b", "", {"authorization": head, "host": "x"})
    with pytest.raises(ApiError, match="SignatureDoesNotMatch"):
        sigv4.check_signature(
            signed, sigv4.read_signature(signed), "secret", datetime(2026, 11, 22, tzinfo=UTC)
        )


def test_an_expiry_of_other_digits_has_passed():
    query = (
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=key/20261122/local/s3/aws4_request"
        "&X-Amz-SignedHeaders=host&X-Amz-Signature=a&X-Amz-Expires=%C2%B2"
    )
    assert sigv4.read_signature(sigv4.Signed("GET", "/", query, {})).expires == 0

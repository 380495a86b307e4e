"""What an upload says of itself, by headers or by fields."""

from __future__ import annotations

import base64

import pytest

from compat_base.values.errors import ApiError
from storage_compat.rules import forms


def test_a_body_without_a_word_is_bytes_that_nobody_keeps():
    assert forms.of_headers({}) == forms.Description("application/octet-stream", "no-cache")


def test_fields_win_over_the_part():
    read = forms.of_fields({"contentType": "a/b", "cacheControl": "60"}, "c/d", {})
    assert (read.mime_type, read.cache_control) == ("a/b", "max-age=60")
    assert forms.of_fields({}, "c/d", {}).mime_type == "c/d"


def test_a_caching_that_is_no_header_counts_for_nothing():
    assert forms.of_fields({"cacheControl": "1\r\nx: y"}, None, {}).cache_control == "no-cache"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (None, None),
        ("", None),
        ("%%%", None),
        ('{"a":1}', {"a": 1}),
        ("{}", {}),
        ("[]", {}),
        ("5", None),
        ("null", None),
        ("{", None),
    ],
)
def test_metadata_of_a_header_is_an_object_or_none(text: str | None, read: object):
    encoded = None if text is None else base64.b64encode(text.encode()).decode().rstrip("=")
    assert forms.header_metadata(encoded) == read


def test_metadata_that_the_database_would_write_out_with_too_many_digits_are_refused():
    for end in ("", ",1e999"):  # which is read by another decoder
        with pytest.raises(ApiError, match="too many digits of numbers"):
            forms.of_fields({"metadata": f'{{"a":[{"1e300," * 5_000}1{end}]}}'}, None, {})
    of_a_megabyte = f'{{"a":[{"123456.25," * 100_000}1]}}'
    assert forms.of_fields({"metadata": of_a_megabyte}, None, {}).user_metadata["a"][-1] == 1


@pytest.mark.parametrize("text", ["[1]", '"a"'])
def test_metadata_that_is_a_list_or_a_text_is_refused(text: str):
    for fields in ({"metadata": text}, {"userMetadata": text}):
        with pytest.raises(ApiError):
            forms.of_fields(fields, None, {})

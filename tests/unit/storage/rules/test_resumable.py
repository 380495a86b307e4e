"""The headers of TUS: storage reference 9."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError, Row
from storage_compat import errors
from storage_compat.rules import resumable

BYTES = resumable.CHUNK_TYPE


@pytest.mark.parametrize(
    ("headers", "refusal"),
    [
        ({}, errors.TUS_NO_OFFSET),
        ({"upload-offset": "0"}, errors.TUS_NO_CONTENT_TYPE),
        ({"content-type": "text/plain"}, errors.TUS_CONTENT_TYPE),
        ({"content-type": BYTES}, errors.TUS_NO_OFFSET),
        ({"content-type": BYTES, "upload-offset": "00"}, errors.TUS_OFFSET),
        ({"content-type": BYTES, "upload-offset": "-1"}, errors.TUS_OFFSET),
        ({"content-type": BYTES, "upload-offset": ""}, errors.TUS_OFFSET),
    ],
)
def test_a_part_says_where_it_begins_and_that_it_is_bytes(headers: dict[str, str], refusal: Row):
    with pytest.raises(ApiError) as caught:
        resumable.offset_of(headers)
    assert caught.value.problem == refusal.problem()


@pytest.mark.parametrize("length", ["03", "+3", "1.5", "", "x", "-1", "9" * 16])
def test_a_length_is_a_plain_number(length: str):
    with pytest.raises(ApiError) as caught:
        resumable.length_of({"upload-length": length})
    assert caught.value.problem == errors.TUS_LENGTH.problem()
    assert [resumable.length_of({"upload-length": text}) for text in ("0", "30")] == [0, 30]


def test_an_empty_version_of_the_protocol_is_none():
    with pytest.raises(ApiError) as caught:
        resumable.check_version({"tus-resumable": ""})
    assert caught.value.problem == errors.TUS_REQUIRED.problem()


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("bucketName Yg==", "bucketName Yg==,cacheControl bm8tY2FjaGU="),
        ("cacheControl,bucketName Yg==", "cacheControl bm8tY2FjaGU=,bucketName Yg=="),
        ("cacheControl NQ==,bucketName Yg==", "cacheControl bWF4LWFnZT01,bucketName Yg=="),
    ],
)
def test_metadata_is_shown_with_the_objects_caching_once(sent: str, shown: str):
    assert resumable.shown_metadata(sent) == shown

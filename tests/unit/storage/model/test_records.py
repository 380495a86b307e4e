"""Records of buckets, objects and uploads under way, as read from their rows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from storage_compat.model.bucket import Bucket
from storage_compat.model.caller import Caller
from storage_compat.model.stored import Stored
from storage_compat.model.uploads import Resumable

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def row(cls: type[Any], **given: Any) -> dict[str, Any]:
    return dict.fromkeys(cls.__slots__) | given


def test_an_owner_is_the_uuid_or_the_text_that_is_kept_beside_it():
    assert Bucket.from_row(row(Bucket, owner=UUID(int=1), owner_id="x")).owner == str(UUID(int=1))
    assert Bucket.from_row(row(Bucket) | {"owner_id": "x"}).owner == "x"


def test_a_bucket_takes_all_types_or_those_of_its_list():
    assert Bucket.from_row(row(Bucket) | {"owner_id": None}).allowed_mime_types is None
    listed = Bucket.from_row(row(Bucket, allowed_mime_types=[]) | {"owner_id": None})
    assert (listed.allowed_mime_types, listed.public) == ((), False)


@pytest.mark.parametrize("metadata", [None, [], "text", {"size": "5"}])
def test_metadata_that_says_nothing_has_defaults(metadata: object):
    stored = Stored.from_row(row(Stored, metadata=metadata))
    assert (stored.size, stored.mime_type, stored.cache_control, stored.etag) == (
        0, "application/octet-stream", "no-cache", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("length", "offset", "is_whole"), [(None, 0, False), (5, 4, False), (5, 5, True), (0, 0, True)]
)
def test_an_upload_is_whole_at_its_length(length: int | None, offset: int, is_whole: bool):
    assert Resumable.from_row(row(Resumable, length=length, offset=offset)).is_whole is is_whole


@pytest.mark.parametrize(("sub", "subject"), [("u", "u"), ("", None), (5, None), (None, None)])
def test_a_subject_is_a_text(sub: object, subject: str | None):
    assert Caller("anon", {"sub": sub}).subject == subject

"""An object's headers and its JSON: storage reference 3, 5."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from storage_compat.model.stored import Stored
from storage_compat.web import views

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def stored(**metadata: Any) -> Stored:
    given = {
        "id": UUID(int=1),
        "bucket_id": "b",
        "name": "n",
        "metadata": metadata,
        "updated_at": NOW,
    }
    return Stored.from_row(dict.fromkeys(Stored.__slots__) | given)


def test_bytes_were_written_when_their_metadata_says_else_when_the_row_was():
    written = "2026-01-31T09:00:00Z"
    assert (
        views.modified_of(stored(lastModified=written)).isoformat() == "2026-01-31T09:00:00+00:00"
    )
    assert views.modified_of(stored(lastModified="never")) == NOW


def test_a_file_that_may_run_scripts_is_opened_in_a_sandbox():
    assert dict(views.typed("image/svg+xml"))["Content-Security-Policy"] == "sandbox"
    assert "Content-Security-Policy" not in dict(views.typed("image/png"))
    assert dict(views.typed("image/png"))["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("download", "value"),
    [
        (None, None),
        ("", "attachment;"),
        ("a b.txt", "attachment; filename=a%20b.txt; filename*=UTF-8''a%20b.txt"),
    ],
)
def test_a_browser_saves_under_the_name_that_was_asked_for(download: str | None, value: str | None):
    assert dict(views.disposition(download)).get("Content-Disposition") == value


def test_no_line_gets_into_a_header_by_a_downloads_name():
    [(_, value)] = views.disposition('a"\r\nx: y')
    assert value.isprintable()


def test_what_is_known_of_an_object_is_shown():
    shown = views.info_view(stored(size=5, mimetype="a/b", eTag='"e"'))
    assert (shown["size"], shown["content_type"], shown["etag"]) == (5, "a/b", '"e"')
    assert views.row_view(stored())["owner"] == ""

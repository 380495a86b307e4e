"""Records to JSON, and an object's headers (storage reference 3, 5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from compat_base.values import jsontext
from compat_base.values.http import Headers, HttpResponse
from storage_compat.model.bucket import Bucket
from storage_compat.model.stored import Stored
from storage_compat.rules import robots
from storage_compat.rules.conditions import cached_for
from storage_compat.rules.content_types import is_active, served
from storage_compat.rules.paths import encode_component
from storage_compat.rules.times import http_date, iso_text, moment_of
from storage_compat.settings import Settings
from storage_compat.web.faults import JSON

_VISIBLE = re.compile(r"[\x20-\x7e\t]*")
_LAST_SECOND = 253_402_300_799  # of the year 9999


def json_answer(value: Any, status: int = 200) -> HttpResponse:
    """A value as JSON."""
    return HttpResponse(status, (JSON,), jsontext.encode_bytes(value))


def bucket_view(bucket: Bucket) -> dict[str, Any]:
    """A bucket."""
    return {
        "id": bucket.id,
        "name": bucket.name,
        "owner": bucket.owner or "",
        "public": bucket.public,
        "file_size_limit": bucket.file_size_limit,
        "allowed_mime_types": (
            None if bucket.allowed_mime_types is None else list(bucket.allowed_mime_types)
        ),
        "created_at": iso_text(bucket.created_at),
        "updated_at": iso_text(bucket.updated_at),
    }


def row_view(stored: Stored) -> dict[str, Any]:
    """An object's row."""
    return {
        "name": stored.name,
        "bucket_id": stored.bucket_id,
        "owner": str(stored.owner) if stored.owner else "",
        "owner_id": stored.owner_id or "",
        "version": stored.version,
        "id": str(stored.id),
        "updated_at": iso_text(stored.updated_at),
        "created_at": iso_text(stored.created_at),
        "last_accessed_at": iso_text(stored.last_accessed_at),
        "metadata": stored.metadata,
        "user_metadata": stored.user_metadata,
    }


def info_view(stored: Stored) -> dict[str, Any]:
    """An object's metadata, as `/object/info` shows it."""
    return {
        "id": str(stored.id),
        "name": stored.name,
        "version": stored.version,
        "bucket_id": stored.bucket_id,
        "size": stored.size,
        "content_type": stored.mime_type,
        "cache_control": stored.cache_control,
        "etag": stored.etag,
        "metadata": stored.user_metadata,
        "last_modified": iso_text(modified_of(stored)),
        "created_at": iso_text(stored.created_at),
    }


def modified_of(stored: Stored) -> datetime:
    """When the bytes were written."""
    return (
        moment_of(stored.metadata.get("lastModified"))
        or stored.updated_at
        or datetime.fromtimestamp(0, UTC)
    )


def object_headers(
    stored: Stored,
    request_headers: Mapping[str, str],
    settings: Settings,
    *,
    is_head: bool,
    expires: Any = None,
) -> Headers:
    """The headers of an object, without those of its length and range."""
    cache = cached_for(
        stored.cache_control,
        is_conditional=any(request_headers.get(name) for name in settings.etag_headers),
        differs=request_headers.get("if-none-match") != stored.etag,
        shared_seconds=settings.shared_max_age,
        is_head=is_head,
    )
    caching = ("Cache-Control", _value(cache, "no-cache"))
    if expires is not None:
        caching = ("Expires", _end(expires))
    return (
        ("Accept-Ranges", "bytes"),
        *typed(stored.mime_type),
        ("ETag", _value(stored.etag, '""')),
        ("Last-Modified", http_date(modified_of(stored))),
        ("X-Robots-Tag", _value(str(stored.metadata.get("xRobotsTag") or ""), robots.DEFAULT)),
        caching,
    )


def typed(mime_type: str) -> Headers:
    """Content-Type headers by which a browser does not run the file as a page of this origin."""
    headers = (("Content-Type", served(mime_type)), ("X-Content-Type-Options", "nosniff"))
    if is_active(mime_type):
        return (*headers, ("Content-Security-Policy", "sandbox"))
    return headers


def disposition(download: str | None) -> Headers:
    """The Content-Disposition that makes a browser save a file, by the name in the request."""
    if download is None:
        return ()
    if not download:
        return (("Content-Disposition", "attachment;"),)
    name = encode_component(download)
    return (("Content-Disposition", f"attachment; filename={name}; filename*=UTF-8''{name}"),)


def _value(text: str, otherwise: str) -> str:
    """A header's value out of a row, whose text may be anything."""
    return text if text and _VISIBLE.fullmatch(text) else otherwise


def _end(expires: Any) -> str:
    seconds = min(float(expires), _LAST_SECOND) if isinstance(expires, int | float) else 0
    return http_date(datetime.fromtimestamp(seconds, UTC))

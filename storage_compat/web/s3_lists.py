"""S3's lists of objects, of either version (storage reference 11)."""

from __future__ import annotations

from base64 import b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from typing import Any

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.flows import buckets
from storage_compat.rules.cursors import Cursor
from storage_compat.rules.times import iso_text
from storage_compat.store import lists
from storage_compat.store.lists import Level
from storage_compat.web.exchange import Answer
from storage_compat.web.s3 import S3Call, echoed, encoded, encoding_of, limit_of, xml_answer


async def list_objects(request: S3Call) -> Answer:
    """A page of keys and common prefixes, by either version of the operation."""
    call, query = request.call, request.query
    await buckets.bucket_of_upload(call.deps, request.bucket)
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    most, encoding = limit_of(query, "max-keys"), encoding_of(query)
    is_second = query.get("list-type") == "2"
    cursor = Cursor(_after(query) if is_second else query.get("marker", ""))
    async with call.deps.sessions.acting(call.context.caller, call.context.facts) as connection:
        level = Level(request.bucket, prefix, delimiter, most + 1, cursor)
        rows = list(await lists.level(connection, level))
    page = rows[:most]
    last = page[-1]["name"] if len(rows) > most else None
    shown = {
        "Name": request.bucket,
        "Prefix": echoed(prefix, encoding) or "",
        **(_second(query, last) if is_second else _first(query, last, encoding)),
        "MaxKeys": most,
        "IsTruncated": last is not None,
        "Contents": [_entry(row, encoding) for row in page if not row["is_folder"]],
        "Delimiter": echoed(delimiter, encoding),
        "EncodingType": encoding,
        "KeyCount": len(page) if is_second else None,
        "CommonPrefixes": [
            {"Prefix": encoded(row["name"], encoding)} for row in page if row["is_folder"]
        ],
    }
    return xml_answer("ListBucketResult", shown)


def _first(query: dict[str, str], last: str | None, encoding: str | None) -> dict[str, Any]:
    """A page's position in version 1; NextMarker is given only with a delimiter."""
    has_next = last is not None and query.get("delimiter")
    next_marker = encoded(last, encoding) if last is not None and has_next else None
    return {"Marker": echoed(query.get("marker", ""), encoding), "NextMarker": next_marker}


def _second(query: dict[str, str], last: str | None) -> dict[str, Any]:
    """A page's position in version 2."""
    token = None if last is None else urlsafe_b64encode(last.encode()).decode()
    return {
        "ContinuationToken": query.get("continuation-token"),
        "StartAfter": query.get("start-after"),
        "NextContinuationToken": token,
    }


def _after(query: dict[str, str]) -> str:
    token = query.get("continuation-token")
    if not token:
        return query.get("start-after", "")
    try:
        return b64decode(token, altchars=b"-_", validate=True).decode()
    except (Base64Error, ValueError) as error:
        raise ApiError.of(errors.INVALID_PARAMETER, name="continuation token") from error


def _entry(row: Any, encoding: str | None) -> dict[str, Any]:
    metadata: dict[str, Any] = row["metadata"] or {}
    return {
        "Key": encoded(row["name"], encoding),
        "LastModified": iso_text(row["updated_at"]),
        "ETag": metadata.get("eTag", ""),
        "Size": metadata.get("size", 0),
        "StorageClass": "STANDARD",
    }

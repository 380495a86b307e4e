"""S3's lists of objects, of either version (storage reference 11)."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
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
from storage_compat.web.s3 import S3Call, encoded, limit_of, xml_answer


async def list_objects(asked: S3Call) -> Answer:
    """A page of keys and common prefixes, by either version of the operation."""
    call, query = asked.call, asked.query
    await buckets.bucket_of_upload(call.deps, asked.bucket)
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    most = limit_of(query, "max-keys")
    is_second = query.get("list-type") == "2"
    place = Cursor(_after(query) if is_second else query.get("marker", ""))
    async with call.deps.sessions.acting(call.context.caller, call.context.facts) as connection:
        level = Level(asked.bucket, prefix, delimiter, most + 1, place)
        rows = list(await lists.level(connection, level))
    page, is_truncated = rows[:most], len(rows) > most
    encoding = query.get("encoding-type")
    content: dict[str, Any] = {
        "Name": asked.bucket,
        "Prefix": encoded(prefix, encoding),
        "Delimiter": encoded(delimiter, encoding) or None,
        "MaxKeys": most,
        "EncodingType": encoding,
        "IsTruncated": is_truncated,
        "Contents": [_entry(row, encoding) for row in page if not row["is_folder"]],
        "CommonPrefixes": [
            {"Prefix": encoded(row["name"], encoding)} for row in page if row["is_folder"]
        ],
    }
    last = page[-1]["name"] if is_truncated else None
    if is_second:
        content |= {
            "KeyCount": len(page),
            "StartAfter": query.get("start-after"),
            "ContinuationToken": query.get("continuation-token"),
            "NextContinuationToken": None
            if last is None
            else urlsafe_b64encode(last.encode()).decode(),
        }
    else:
        marker = encoded(last, encoding) if last is not None and delimiter else None
        content |= {"Marker": query.get("marker", ""), "NextMarker": marker}
    return xml_answer("ListBucketResult", content)


def _after(query: dict[str, str]) -> str:
    token = query.get("continuation-token")
    if not token:
        return query.get("start-after", "")
    try:
        return urlsafe_b64decode(token).decode()
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

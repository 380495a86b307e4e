"""S3's list of uploads in parts that are under way (storage reference 11)."""

from __future__ import annotations

from typing import Any

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.flows import buckets
from storage_compat.rules.numbers import whole_number
from storage_compat.rules.times import iso_text
from storage_compat.store import multipart
from storage_compat.store.multipart import Pending
from storage_compat.web.exchange import Answer
from storage_compat.web.s3 import S3Call, echoed, encoded, encoding_of, xml_answer

_MOST = 1000


async def list_uploads(asked: S3Call) -> Answer:
    """A page of uploads by key and id, and of common prefixes."""
    call, query = asked.call, asked.query
    await buckets.bucket_of_upload(call.deps, asked.bucket)
    most, encoding = _most(query), encoding_of(query)
    pending = Pending(
        bucket_id=asked.bucket,
        prefix=query.get("prefix", ""),
        delimiter=query.get("delimiter", ""),
        key=query.get("key-marker", ""),
        upload=query.get("upload-id-marker", ""),
        most=most + 1,
    )
    async with call.deps.sessions.acting(call.context.caller, call.context.facts) as connection:
        rows = list(await multipart.pending(connection, pending))
    page, is_truncated = rows[:most], len(rows) > most
    content: dict[str, Any] = {
        "Name": asked.bucket,
        "Bucket": asked.bucket,
        "Prefix": echoed(pending.prefix, encoding) or "",
        "KeyMarker": echoed(pending.key, encoding),
        "UploadIdMarker": pending.upload or None,
        "NextKeyMarker": encoded(page[-1]["entry"], encoding) if is_truncated else None,
        "NextUploadIdMarker": page[-1]["id"] if is_truncated else None,
        "Upload": [_upload(row, encoding) for row in page if row["id"] is not None],
        "IsTruncated": is_truncated,
        "MaxUploads": most,
        "Delimiter": echoed(pending.delimiter, encoding),
        "EncodingType": encoding,
        "KeyCount": len(page),
        "CommonPrefixes": [
            {"Prefix": encoded(row["entry"], encoding)} for row in page if row["id"] is None
        ],
    }
    return xml_answer("ListMultipartUploadsResult", content)


def _most(query: dict[str, str]) -> int:
    if "max-uploads" not in query:
        return _MOST
    most = whole_number(query["max-uploads"])
    if most is None or not 1 <= most <= _MOST:
        raise ApiError.of(errors.INVALID_PARAMETER, name="max-uploads")
    return most


def _upload(row: Any, encoding: str | None) -> dict[str, Any]:
    return {
        "Key": encoded(row["entry"], encoding),
        "Initiated": iso_text(row["created_at"]),
        "UploadId": row["id"],
        "StorageClass": "STANDARD",
    }

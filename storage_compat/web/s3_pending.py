"""S3's list of uploads in parts that are under way (storage reference 11)."""

from __future__ import annotations

from typing import Any

from storage_compat.flows import buckets
from storage_compat.rules.times import iso_text
from storage_compat.store import multipart
from storage_compat.store.multipart import Pending
from storage_compat.web.exchange import Answer
from storage_compat.web.s3 import S3Call, echoed, encoded, encoding_of, limit_of, xml_answer


async def list_uploads(request: S3Call) -> Answer:
    """A page of uploads by key and id, and of common prefixes."""
    call, query = request.call, request.query
    await buckets.bucket_of_upload(call.deps, request.bucket)
    most, encoding = limit_of(query, "max-uploads", is_strict=True), encoding_of(query)
    pending = Pending(
        bucket_id=request.bucket,
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
        "Name": request.bucket,
        "Bucket": request.bucket,
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


def _upload(row: Any, encoding: str | None) -> dict[str, Any]:
    return {
        "Key": encoded(row["entry"], encoding),
        "Initiated": iso_text(row["created_at"]),
        "UploadId": row["id"],
        "StorageClass": "STANDARD",
    }

"""S3's uploads in parts (storage reference 11)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from compat_base.values.errors import ApiError
from compat_base.values.http import HttpResponse
from storage_compat import errors
from storage_compat.flows import multipart, reading
from storage_compat.model.stored import Stored
from storage_compat.rules.conditions import copied_span
from storage_compat.rules.numbers import whole_number
from storage_compat.rules.times import iso_text
from storage_compat.web.exchange import Answer
from storage_compat.web.s3 import S3Call, limit_of, xml_answer
from storage_compat.web.s3_objects import source_of, upload_of

_LAST_PART = 10_000
_EXPOSED = ("Access-Control-Expose-Headers", "etag")  # a browser joins the parts by it


async def create_multipart(request: S3Call) -> Answer:
    """Begin an upload in parts."""
    upload = replace(upload_of(request), length=None)
    upload_id = await multipart.create(request.call.deps, request.call.context, upload)
    content = {"Bucket": request.bucket, "Key": request.key, "UploadId": upload_id}
    return xml_answer("InitiateMultipartUploadResult", content)


async def put_part(request: S3Call) -> Answer:
    """Store a part."""
    call = request.call
    row = await multipart.find(call.deps, request.query["uploadId"], request.location)
    number = _number(request)
    etag = await multipart.put_part(call.deps, call.context, row, number, request.chunks())
    return HttpResponse(200, (("ETag", etag), _EXPOSED))


async def copy_part(request: S3Call) -> Answer:
    """Store a part out of another object."""
    call = request.call
    row = await multipart.find(call.deps, request.query["uploadId"], request.location)
    number = _number(request)
    look = partial(reading.visible, call.deps, call.context, source_of(request))

    async def use(stored: Stored) -> str:
        start, end = 0, stored.size
        if "x-amz-copy-source-range" in request.headers:
            span = copied_span(request.headers["x-amz-copy-source-range"], stored.size)
            start, end = span.start, span.end
        chunks = call.deps.files.read(stored.version or "", start, end)
        return await multipart.put_part(call.deps, call.context, row, number, chunks)

    etag = await reading.with_bytes(look, use)
    content = {"ETag": etag, "LastModified": iso_text(call.context.now)}
    return xml_answer("CopyPartResult", content)


async def complete_multipart(request: S3Call) -> Answer:
    """Join the parts."""
    call = request.call
    items = await request.items("CompleteMultipartUpload", "Part", ("PartNumber", "ETag"))
    row = await multipart.find(call.deps, request.query["uploadId"], request.location)
    etag = await multipart.complete(call.deps, call.context, row, items)
    location = f"{request.bucket}/{request.key}"
    content = {"Location": location, "Bucket": request.bucket, "Key": request.key, "ETag": etag}
    return xml_answer("CompleteMultipartUploadResult", content)


async def abort_multipart(request: S3Call) -> Answer:
    """Abort an upload."""
    call = request.call
    row = await multipart.find(call.deps, request.query["uploadId"], request.location)
    await multipart.abort(call.deps, call.context, row)
    return HttpResponse(200)


async def list_parts(request: S3Call) -> Answer:
    """A page of the stored parts."""
    call, query = request.call, request.query
    row = await multipart.find(call.deps, query["uploadId"], request.location)
    limit = limit_of(query, "max-parts", is_strict=True)
    start = _marker(query.get("part-number-marker", ""))
    rows = list(await multipart.list_parts(call.deps, call.context, row, start, limit + 1))
    page = rows[:limit]
    content = {
        "Bucket": request.bucket,
        "Key": request.key,
        "UploadId": query["uploadId"],
        "PartNumberMarker": start or None,
        "NextPartNumberMarker": page[-1]["part_number"] if len(rows) > limit else None,
        "MaxParts": limit,
        "IsTruncated": len(rows) > limit,
        "Part": [
            {
                "PartNumber": part["part_number"],
                "LastModified": iso_text(part["created_at"]),
                "ETag": part["etag"],
                "Size": part["size"],
            }
            for part in page
        ],
    }
    return xml_answer("ListPartsResult", content)


def _marker(text: str) -> int:
    """The part behind which a page begins; ApiError where it is no number."""
    start = whole_number(text or "0")
    if start is None:
        reason = f'invalid input syntax for type integer: "{text}"'
        raise ApiError.of(errors.INVALID_VALUE, reason=reason)
    return min(start, _LAST_PART)


def _number(request: S3Call) -> int:
    """The number of a part; ApiError where it is none of 1 to 10,000."""
    text = request.query["partNumber"]
    number = whole_number(text.removeprefix("-"))
    if number is not None and text.startswith("-"):
        number = 0  # as any below 1
    if number is None:
        reason = "must be integer"
    elif 1 <= number <= _LAST_PART:
        return number
    else:
        reason = "must be >= 1" if number < 1 else f"must be <= {_LAST_PART}"
    raise ApiError.of(errors.S3_QUERY, name="partNumber", reason=reason)

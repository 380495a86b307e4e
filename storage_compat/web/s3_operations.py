"""The operations of S3 that clients call, found by method and subresource."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from dataclasses import replace
from typing import Any

from compat_base.values.errors import ApiError
from compat_base.values.http import Headers, HttpResponse
from storage_compat import errors
from storage_compat.flows import buckets, moves, multipart, reading, uploads
from storage_compat.flows.moves import Copying
from storage_compat.flows.uploads import Upload
from storage_compat.model.stored import Stored
from storage_compat.rules import content_types, xml
from storage_compat.rules.conditions import copied_span
from storage_compat.rules.cursors import Cursor
from storage_compat.rules.forms import Description
from storage_compat.rules.numbers import whole_number
from storage_compat.rules.paths import PLACEHOLDER
from storage_compat.rules.times import iso_text
from storage_compat.store import lists
from storage_compat.store.buckets import Listing
from storage_compat.store.lists import Level
from storage_compat.store.objects import Place
from storage_compat.web.calls import Call
from storage_compat.web.exchange import Answer
from storage_compat.web.objects import object_answer
from storage_compat.web.s3 import Operation, S3Call, encoded, serve, xml_answer
from storage_compat.web.s3_pending import list_uploads
from storage_compat.web.views import typed

_MOST = 1000
_LAST_PART = 10_000
_OVERRIDES = {
    "response-content-type": "Content-Type",
    "response-content-disposition": "Content-Disposition",
    "response-content-encoding": "Content-Encoding",
    "response-content-language": "Content-Language",
    "response-cache-control": "Cache-Control",
    "response-expires": "Expires",
}


async def handle(call: Call) -> Answer:
    """Any request below `/s3`."""
    return await serve(call, find)


def find(method: str, asked: S3Call) -> tuple[str, Operation] | None:
    """The operation of a request and its name for policies."""
    query, headers = asked.query, asked.headers
    if not asked.bucket:
        return ("bucket.list", list_buckets) if method == "GET" else None
    if not asked.key:
        return _bucket_operation(method, query)
    is_part = "uploadId" in query and "partNumber" in query
    copies = "x-amz-copy-source" in headers
    match method:
        case "GET" if "tagging" in query:
            return "object.get_tagging", get_tagging
        case "GET" if "uploadId" in query:
            return "upload.list_parts", list_parts
        case "GET":
            return "object.get", get_object
        case "HEAD":
            return "object.info", get_object
        case "PUT" if is_part and copies:
            return "upload.part_copy", copy_part
        case "PUT" if is_part:
            return "upload.part", put_part
        case "PUT" if copies:
            return "object.copy", copy_object
        case "PUT":
            return "upload", put_object
        case "POST" if "uploads" in query:
            return "upload.create_multipart", create_multipart
        case "POST" if "uploadId" in query:
            return "upload.complete_multipart", complete_multipart
        case "DELETE" if "uploadId" in query:
            return "upload.abort_multipart", abort_multipart
        case "DELETE":
            return "object.delete", delete_object
        case _:
            return None


def _bucket_operation(method: str, query: dict[str, str]) -> tuple[str, Operation] | None:
    match method:
        case "GET" if "location" in query:
            return "bucket.get_location", get_location
        case "GET" if "versioning" in query:
            return "bucket.get_versioning", get_versioning
        case "GET" if "uploads" in query:
            return "upload.list_multipart", list_uploads
        case "GET":
            return "object.list", list_objects
        case "HEAD":
            return "bucket.head", head_bucket
        case "PUT":
            return "bucket.create", create_bucket
        case "DELETE":
            return "bucket.delete", delete_bucket
        case "POST" if "delete" in query:
            return "object.delete_many", delete_objects
        case _:
            return None


# ── buckets ────────────────────────────────────────────────────────────────────────────────────


async def list_buckets(asked: S3Call) -> Answer:
    """The buckets that the caller may see."""
    call = asked.call
    found = await buckets.find_all(call.deps, call.context, Listing())
    shown = [{"Name": one.name, "CreationDate": iso_text(one.created_at)} for one in found]
    owner = {"ID": call.deps.settings.tenant, "DisplayName": call.deps.settings.tenant}
    content = {"Owner": owner, "Buckets": {"Bucket": shown}}
    return xml_answer("ListAllMyBucketsResult", content)


async def create_bucket(asked: S3Call) -> Answer:
    """Make a bucket, public where the canned ACL says so."""
    body = {
        "name": asked.bucket,
        "id": None,
        "public": asked.headers.get("x-amz-acl") == "public-read",
        "type": "STANDARD",
        "file_size_limit": None,
        "allowed_mime_types": None,
    }
    await buckets.create(asked.call.deps, asked.call.context, body)
    return HttpResponse(200, (("Location", f"/{asked.bucket}"),))


async def delete_bucket(asked: S3Call) -> Answer:
    """Delete an empty bucket."""
    await buckets.delete(asked.call.deps, asked.call.context, asked.bucket)
    return HttpResponse(204, content_length=False)


async def head_bucket(asked: S3Call) -> Answer:
    """Whether there is such a bucket."""
    call = asked.call
    await buckets.get(call.deps, call.context, asked.bucket)
    return HttpResponse(200, (("x-amz-bucket-region", call.deps.settings.s3.region),))


async def get_location(asked: S3Call) -> Answer:
    """The configured region."""
    await buckets.get(asked.call.deps, asked.call.context, asked.bucket)
    region = asked.call.deps.settings.s3.region
    body = xml.document("LocationConstraint", {}).replace(b"></", f">{region}</".encode())
    return HttpResponse(200, (("Content-Type", "application/xml"),), body)


async def get_versioning(asked: S3Call) -> Answer:
    """There are no versions to be listed."""
    await buckets.get(asked.call.deps, asked.call.context, asked.bucket)
    return xml_answer("VersioningConfiguration", {"Status": "Suspended"})


# ── lists ──────────────────────────────────────────────────────────────────────────────────────


async def list_objects(asked: S3Call) -> Answer:
    """A page of keys and common prefixes, by either version of the operation."""
    call, query = asked.call, asked.query
    await buckets.bucket_of_upload(call.deps, asked.bucket)
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    most = min(whole_number(query.get("max-keys", "")) or _MOST, _MOST)
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


# ── objects ────────────────────────────────────────────────────────────────────────────────────


async def put_object(asked: S3Call) -> Answer:
    """Write an object, whether it is there or not; a folder of nothing is its placeholder."""
    call = asked.call
    if asked.key.endswith("/") and asked.length == 0:
        asked = replace(asked, key=asked.key + PLACEHOLDER)
    admitted = await uploads.admit(call.deps, call.context, _upload(asked))
    stored = await uploads.receive(call.deps, call.context, admitted, asked.chunks())
    return HttpResponse(200, (("ETag", stored.etag),))


async def get_object(asked: S3Call) -> Answer:
    """Read an object, its answer's headers as the query overrides them."""
    stored = await reading.visible(asked.call.deps, asked.call.context, asked.place)
    answer = object_answer(asked.call, stored, None)
    given = tuple(
        pair
        for name, header in _OVERRIDES.items()
        if asked.query.get(name, "").isprintable() and name in asked.query
        for pair in _override(header, asked.query[name])
    )
    names = {name for name, _ in given}
    kept = tuple(pair for pair in answer.headers if pair[0] not in names)
    headers = (*kept, *given, *_metadata_headers(stored))
    return replace(answer, headers=headers)


def _override(header: str, value: str) -> Headers:
    return typed(value) if header == "Content-Type" else ((header, value),)


async def get_tagging(asked: S3Call) -> Answer:
    """No object has tags."""
    await reading.visible(asked.call.deps, asked.call.context, asked.place)
    return xml_answer("Tagging", {"TagSet": {}})


async def copy_object(asked: S3Call) -> Answer:
    """Write an object with the bytes of another."""
    call, headers = asked.call, asked.headers
    replaces = headers.get("x-amz-metadata-directive", "COPY") == "REPLACE"
    copying = Copying(
        keeps_metadata=not replaces,
        cache_control=headers.get("cache-control"),
        mime_type=headers.get("content-type"),
        user_metadata=_user_metadata(headers) or None,
        is_upsert=True,
    )
    source = _source(asked)
    stored = await moves.copy(call.deps, call.context, source, asked.place, copying)
    content = {"ETag": stored.etag, "LastModified": iso_text(stored.updated_at)}
    return xml_answer("CopyObjectResult", content)


async def delete_object(asked: S3Call) -> Answer:
    """Remove an object; one that is not there counts as removed."""
    call = asked.call
    await buckets.bucket_of_upload(call.deps, asked.bucket)
    try:
        await moves.remove(call.deps, call.context, asked.place)
    except ApiError as error:
        if error.problem.code != errors.NO_SUCH_KEY.code:
            raise
    return HttpResponse(204, content_length=False)


async def delete_objects(asked: S3Call) -> Answer:
    """Remove many; those that may not be are named."""
    call = asked.call
    items = await asked.items("Delete", "Object")
    names = [item["Key"] for item in items if item.get("Key")]
    if not 1 <= len(names) <= _MOST:
        raise ApiError.of(errors.S3_XML)
    await buckets.bucket_of_upload(call.deps, asked.bucket)
    removed = await moves.remove_many(call.deps, call.context, asked.bucket, names)
    gone = {stored.name for stored in removed}
    left = await moves.present(call.deps, asked.bucket, [n for n in names if n not in gone])
    deleted = [{"Key": name} for name in names if name not in left]
    refused = [
        {"Key": name, "Code": "AccessDenied", "Message": "Access Denied"}
        for name in names
        if name in left
    ]
    return xml_answer("DeleteResult", {"Deleted": deleted, "Error": refused})


# ── uploads in parts ───────────────────────────────────────────────────────────────────────────


async def create_multipart(asked: S3Call) -> Answer:
    """Begin an upload in parts."""
    upload = replace(_upload(asked), length=None)
    upload_id = await multipart.create(asked.call.deps, asked.call.context, upload)
    content = {"Bucket": asked.bucket, "Key": asked.key, "UploadId": upload_id}
    return xml_answer("InitiateMultipartUploadResult", content)


async def put_part(asked: S3Call) -> Answer:
    """Store a part."""
    call = asked.call
    row = await multipart.find(call.deps, asked.query["uploadId"], asked.place)
    number = _number(asked)
    etag = await multipart.put_part(call.deps, call.context, row, number, asked.chunks())
    return HttpResponse(200, (("ETag", etag),))


async def copy_part(asked: S3Call) -> Answer:
    """Store a part out of another object."""
    call = asked.call
    row = await multipart.find(call.deps, asked.query["uploadId"], asked.place)
    stored = await reading.visible(call.deps, call.context, _source(asked))
    start, end = 0, stored.size
    if "x-amz-copy-source-range" in asked.headers:
        span = copied_span(asked.headers["x-amz-copy-source-range"], stored.size)
        start, end = span.start, span.end
    chunks = call.deps.files.read(stored.version or "", start, end)
    etag = await multipart.put_part(call.deps, call.context, row, _number(asked), chunks)
    content = {"ETag": etag, "LastModified": iso_text(call.context.now)}
    return xml_answer("CopyPartResult", content)


async def complete_multipart(asked: S3Call) -> Answer:
    """Join the parts."""
    call = asked.call
    row = await multipart.find(call.deps, asked.query["uploadId"], asked.place)
    items = await asked.items("CompleteMultipartUpload", "Part")
    etag = await multipart.complete(call.deps, call.context, row, items)
    location = f"/{asked.bucket}/{asked.key}"
    content = {"Location": location, "Bucket": asked.bucket, "Key": asked.key, "ETag": etag}
    return xml_answer("CompleteMultipartUploadResult", content)


async def abort_multipart(asked: S3Call) -> Answer:
    """Give an upload up."""
    call = asked.call
    row = await multipart.find(call.deps, asked.query["uploadId"], asked.place)
    await multipart.abort(call.deps, call.context, row)
    return HttpResponse(200)


async def list_parts(asked: S3Call) -> Answer:
    """A page of the parts that are there."""
    call, query = asked.call, asked.query
    row = await multipart.find(call.deps, query["uploadId"], asked.place)
    limit = min(whole_number(query.get("max-parts", "")) or _MOST, _MOST)
    start = min(whole_number(query.get("part-number-marker", "")) or 0, _LAST_PART)
    rows = list(await multipart.list_parts(call.deps, row, start, limit + 1))
    page = rows[:limit]
    content = {
        "Bucket": asked.bucket,
        "Key": asked.key,
        "UploadId": query["uploadId"],
        "PartNumberMarker": start,
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


def _upload(asked: S3Call) -> Upload:
    headers = asked.headers
    description = Description(
        mime_type=headers.get("content-type") or content_types.DEFAULT,
        cache_control=headers.get("cache-control") or "no-cache",
        user_metadata=_user_metadata(headers) or None,
    )
    owner = asked.call.context.caller.subject
    return Upload(asked.place, description, owner, is_upsert=True, length=asked.length)


def _user_metadata(headers: dict[str, str]) -> dict[str, str]:
    prefix = "x-amz-meta-"
    return {
        name.removeprefix(prefix): value
        for name, value in headers.items()
        if name.startswith(prefix)
    }


def _metadata_headers(stored: Stored) -> Headers:
    given = stored.user_metadata or {}
    shown = {
        name: value
        for name, value in given.items()
        if isinstance(value, str) and value.isascii() and value.isprintable() and name.isascii()
    }
    headers = tuple((f"x-amz-meta-{name}", value) for name, value in shown.items())
    missing = len(given) - len(shown)
    return (*headers, ("x-amz-missing-meta", str(missing))) if missing else headers


def _source(asked: S3Call) -> Place:
    bucket, _, key = asked.headers["x-amz-copy-source"].lstrip("/").partition("/")
    return Place(bucket, key)


def _number(asked: S3Call) -> int:
    return whole_number(asked.query["partNumber"]) or 0

"""S3's operations on objects (storage reference 11)."""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.errors import ApiError
from compat_base.values.http import Headers, HttpResponse
from storage_compat import errors
from storage_compat.flows import buckets, moves, reading, uploads
from storage_compat.flows.moves import Copying
from storage_compat.flows.uploads import Upload, Writer
from storage_compat.model.stored import Stored
from storage_compat.rules import content_types
from storage_compat.rules.forms import Description
from storage_compat.rules.paths import PLACEHOLDER
from storage_compat.rules.times import http_moment, iso_text
from storage_compat.store.objects import Location
from storage_compat.web.exchange import Answer
from storage_compat.web.objects import object_answer
from storage_compat.web.s3 import S3Call, xml_answer
from storage_compat.web.views import typed

_MOST = 1000
_NOTHING_NAMED = "Body, Delete must have required property 'Object'"
_OVERRIDES = {
    "response-content-type": "Content-Type",
    "response-content-disposition": "Content-Disposition",
    "response-content-encoding": "Content-Encoding",
    "response-content-language": "Content-Language",
    "response-cache-control": "Cache-Control",
    "response-expires": "Expires",
}


async def put_object(request: S3Call) -> Answer:
    """Write or overwrite an object; an empty one ending in a slash is a folder's placeholder."""
    call = request.call
    if request.key.endswith("/") and request.length == 0:
        request = replace(request, key=request.key + PLACEHOLDER)
    bucket = await buckets.bucket_of_upload(call.deps, request.bucket)
    admitted = await uploads.admit(call.deps, call.context, upload_of(request), bucket)
    stored = await uploads.receive(call.deps, call.context, admitted, request.chunks())
    return HttpResponse(200, (("ETag", stored.etag),))


async def get_object(request: S3Call) -> Answer:
    """Read an object, its answer's headers as the query overrides them."""
    stored = await reading.visible(request.call.deps, request.call.context, request.location)
    answer = object_answer(request.call, stored, None, is_plain=True)
    given = tuple(
        pair
        for name, header in _OVERRIDES.items()
        if request.query.get(name) and request.query[name].isprintable()
        for pair in _override(header, request.query[name])
    )
    if (
        "response-expires" in request.query
        and http_moment(request.query["response-expires"]) is None
    ):
        raise ApiError.of(errors.INVALID_PARAMETER, name="response-expires")
    names = {name for name, _ in given}
    kept = tuple(pair for pair in answer.headers if pair[0] not in names)
    headers = (*kept, *given, *_metadata_headers(stored))
    return replace(answer, headers=headers)


def _override(header: str, value: str) -> Headers:
    return typed(value) if header == "Content-Type" else ((header, value),)


async def get_tagging(request: S3Call) -> Answer:
    """No object has tags."""
    await reading.visible(request.call.deps, request.call.context, request.location)
    return xml_answer("Tagging", {"TagSet": {}})


async def copy_object(request: S3Call) -> Answer:
    """Write an object with the bytes of another."""
    call, headers = request.call, request.headers
    replaces = headers.get("x-amz-metadata-directive", "COPY") != "COPY"
    copying = Copying(
        keeps_metadata=not replaces,
        cache_control=headers.get("cache-control"),
        mime_type=headers.get("content-type"),
        user_metadata=_user_metadata(headers) or None,
        is_upsert=True,
        drops_omitted=True,
    )
    source = source_of(request)
    stored = await moves.copy(call.deps, call.context, source, request.location, copying)
    content = {"ETag": stored.etag, "LastModified": iso_text(stored.updated_at)}
    return xml_answer("CopyObjectResult", content)


async def delete_object(request: S3Call) -> Answer:
    """Remove an object; one that is not there counts as removed."""
    call = request.call
    await buckets.bucket_of_upload(call.deps, request.bucket)
    try:
        await moves.remove(call.deps, call.context, request.location)
    except ApiError as error:
        if error.problem.code != errors.NO_SUCH_KEY.code:
            raise
    return HttpResponse(204, content_length=False)


async def delete_objects(request: S3Call) -> Answer:
    """Remove many objects; the answer names those that could not be removed."""
    call = request.call
    names = [item["Key"] for item in await request.items("Delete", "Object", ("Key",))]
    if not names:
        raise ApiError.of(errors.S3_BODY, reason=_NOTHING_NAMED)
    if len(names) > _MOST:
        raise ApiError.of(errors.S3_XML)
    await buckets.bucket_of_upload(call.deps, request.bucket)
    removing = moves.remove_many(call.deps, call.context, request.bucket, names)
    gone = {stored.name async for removed in removing for stored in removed}
    left = await moves.present(call.deps, request.bucket, [n for n in names if n not in gone])
    deleted = [{"Key": name} for name in names if name not in left]
    refused = [
        {"Key": name, "Code": "AccessDenied", "Message": "Access Denied"}
        for name in names
        if name in left
    ]
    return xml_answer("DeleteResult", {"Deleted": deleted, "Error": refused})


def upload_of(request: S3Call) -> Upload:
    """The object that a request's headers describe."""
    headers = request.headers
    description = Description(
        mime_type=headers.get("content-type") or content_types.DEFAULT,
        cache_control=headers.get("cache-control") or "no-cache",
        user_metadata=_user_metadata(headers) or None,
    )
    writer = Writer(request.call.context.caller.subject, is_upsert=True)
    return Upload(request.location, description, writer, request.length)


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


def source_of(request: S3Call) -> Location:
    """The object that a request copies."""
    bucket, _, key = request.headers["x-amz-copy-source"].lstrip("/").partition("/")
    if not key:
        raise ApiError.of(errors.MISSING_PARAMETER, name="CopySource")
    return Location(bucket, key)

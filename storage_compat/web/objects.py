"""Handlers of `/object`: uploads, downloads, lists and moves (storage reference 4 to 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from compat_base.values.http import Headers, HttpResponse
from storage_compat import errors
from storage_compat.flows import lists, moves, reading, uploads
from storage_compat.flows.buckets import bucket_of_upload
from storage_compat.flows.lists import Page
from storage_compat.flows.moves import Copying
from storage_compat.flows.uploads import Upload, Writer
from storage_compat.model.stored import Stored
from storage_compat.rules import forms
from storage_compat.rules.conditions import is_not_modified, span_of
from storage_compat.rules.cursors import Cursor, read_cursor
from storage_compat.rules.forms import Description
from storage_compat.rules.paths import check_bucket_name
from storage_compat.rules.transformations import transformation_of
from storage_compat.store.lists import FolderPage
from storage_compat.store.objects import Location
from storage_compat.web.calls import Call
from storage_compat.web.exchange import Answer, Streamed
from storage_compat.web.faults import JSON
from storage_compat.web.multipart import Form, open_form
from storage_compat.web.views import (
    disposition,
    info_view,
    json_answer,
    modified_of,
    object_headers,
    row_view,
)

_MOST_REMOVED = 1000
_LAST_OFFSET = 2**31 - 10_000  # to which the database adds a page


async def create(call: Call) -> HttpResponse:
    """Upload a new object, or over one that is there where the header says so."""
    return _written(await _upload(call, is_upsert=call.is_upsert))


async def update(call: Call) -> HttpResponse:
    """Upload an object whether it is there or not."""
    return _written(await _upload(call, is_upsert=True))


def _written(stored: Stored) -> HttpResponse:
    return json_answer({"Id": str(stored.id), "Key": f"{stored.bucket_id}/{stored.name}"})


async def _upload(call: Call, *, is_upsert: bool) -> Stored:
    return await upload_of(call, Writer(call.context.caller.subject, is_upsert))


async def upload_of(call: Call, writer: Writer) -> Stored:
    """Upload the body, raw or the file of a form."""
    bucket = await bucket_of_upload(call.deps, check_bucket_name(call.bucket))
    content_type = call.headers.get("content-type", "")
    is_form = content_type.startswith("multipart/form-data")
    chunks = call.incoming.body.chunks()
    if is_form:
        form = await open_form(content_type, chunks)
        described = forms.of_fields(form.single, form.part_type, call.headers)
        chunks = form.file
    else:
        form = None
        described = forms.of_headers(call.headers)
    upload = Upload(call.location, described, writer, call.incoming.content_length)
    admitted = await uploads.admit(call.deps, call.context, upload, bucket, is_raw=not is_form)

    async def at_end(form: Form) -> Description:
        """The whole form's description; admitted again if its end changed it."""
        complete = forms.of_fields(form.single, form.part_type, call.headers)
        if complete != described:
            changed = replace(upload, description=complete)
            await uploads.admit(call.deps, call.context, changed, bucket, is_raw=False)
        return complete

    completed = None if form is None else partial(at_end, form)
    return await uploads.receive(call.deps, call.context, admitted, chunks, completed)


# ── reading ────────────────────────────────────────────────────────────────────────────────────


async def download(call: Call) -> Answer:
    """An object, if the caller may read it."""
    stored = await reading.for_caller(
        call.deps, call.context, call.location, has_token=call.has_token
    )
    return object_answer(call, stored, call.query.get("download"))


async def download_public(call: Call) -> Answer:
    """An object of a public bucket."""
    check_bucket_name(call.bucket)
    stored = await reading.public(call.deps, call.location)
    return object_answer(call, stored, call.query.get("download"))


async def info(call: Call) -> HttpResponse:
    """An object's metadata, if the caller may read it."""
    stored = await reading.for_caller(
        call.deps, call.context, call.location, has_token=call.has_token
    )
    return info_answer(call, stored)


async def info_public(call: Call) -> HttpResponse:
    """What there is to know of an object of a public bucket."""
    return info_answer(call, await reading.public(call.deps, call.location))


def info_answer(call: Call, stored: Stored) -> HttpResponse:
    """The JSON of an object, with its caching headers."""
    wanted = {"etag", "last-modified", "cache-control"}
    headers = object_headers(stored, {}, call.deps.settings, is_head=False)
    answer = json_answer(info_view(stored))
    kept = tuple((name, value) for name, value in headers if name.lower() in wanted)
    return HttpResponse(200, (*answer.headers, *kept, *_transformed(call)), answer.body)


def _transformed(call: Call) -> Headers:
    """How the object would be rendered, where the query says so (storage reference 5.7)."""
    settings = call.deps.settings.images
    text = transformation_of(call.query, settings.least, settings.most).header()
    return (("X-Transformations", text),) if text else ()


def object_answer(  # noqa: PLR0913 — a download's ways
    call: Call,
    stored: Stored,
    saved_as: str | None,
    expires: object = None,
    *,
    is_plain: bool = False,
    is_head: bool | None = None,
) -> Answer:
    """An object's bytes, or those that Range names; HEAD is answered from the row.

    `is_plain`: Cache-Control is always the stored one; `is_head` False
    where HEAD is answered as GET, whose bytes are not sent.
    """
    request, settings = call.headers, call.deps.settings
    is_head = call.incoming.method == "HEAD" if is_head is None else is_head
    known: Mapping[str, str] = {} if is_plain else request
    headers = object_headers(stored, known, settings, is_head=is_head, expires=expires)
    if is_head:
        length = ("Content-Length", str(stored.size))
        return HttpResponse(200, (*headers, *_transformed(call), length), content_length=False)
    tag, since = request.get("if-none-match"), request.get("if-modified-since")
    if is_not_modified(stored.etag, modified_of(stored), tag, since):
        return HttpResponse(304, headers, content_length=False)
    headers += disposition(saved_as)
    version = stored.version or ""
    if not request.get("range"):
        pieces = call.deps.files.read(version, 0, stored.size)
        return Streamed(200, headers, stored.size, pieces)
    span = span_of(request["range"], stored.size)
    headers += (("Content-Range", span.content_range(stored.size)),)
    pieces = call.deps.files.read(version, span.start, span.end)
    return Streamed(206, headers, span.end - span.start, pieces)


# ── lists ──────────────────────────────────────────────────────────────────────────────────────


async def list_folder(call: Call) -> HttpResponse:
    """What is in a folder."""
    body = call.body
    order: dict[str, str] = body["sortBy"] or {}
    prefix: str = body["prefix"]
    page = FolderPage(
        prefix=f"{prefix}/" if prefix and not prefix.endswith("/") else prefix,
        limit=min(body["limit"], 2**31 - 1),
        offset=min(body["offset"], _LAST_OFFSET),
        search=body["search"] or "",
        column=order.get("column") or "name",
        order=order.get("order") or "asc",
    )
    return json_answer(await lists.folder(call.deps, call.context, call.bucket, page))


async def list_v2(call: Call) -> HttpResponse:
    """A page of names, or of files and folders."""
    body = call.body
    order: dict[str, str] = body["sortBy"] or {}
    cursor = Cursor("", order.get("order") or "asc", order.get("column") or "name")
    if body["cursor"]:
        cursor = read_cursor(body["cursor"])
    page = Page(body["prefix"] or "", body["limit"], bool(body["with_delimiter"]), cursor)
    return json_answer(await lists.page_of(call.deps, call.context, call.bucket, page))


# ── moves ──────────────────────────────────────────────────────────────────────────────────────


async def move(call: Call) -> HttpResponse:
    """Move or rename an object."""
    source, destination = _locations(call.body)
    await moves.move(call.deps, call.context, source, destination)
    return json_answer({"message": "Successfully moved"})


async def copy(call: Call) -> HttpResponse:
    """Write an object with the bytes of another."""
    body = call.body
    source, destination = _locations(body)
    metadata: dict[str, str] = body["metadata"] or {}
    keeps = body["copyMetadata"]
    copying = Copying(
        keeps_metadata=keeps,
        cache_control=metadata.get("cacheControl"),
        mime_type=metadata.get("mimetype"),
        user_metadata=None if keeps else forms.header_metadata(call.headers.get("x-metadata")),
        is_upsert=call.is_upsert,
    )
    stored = await moves.copy(call.deps, call.context, source, destination, copying)
    names = {"Id": str(stored.id), "Key": f"{stored.bucket_id}/{stored.name}"}
    return json_answer(names | row_view(stored))


async def remove(call: Call) -> HttpResponse:
    """Remove one object."""
    await moves.remove(call.deps, call.context, call.location)
    return json_answer({"message": "Successfully deleted"})


async def remove_many(call: Call) -> HttpResponse:
    """Remove objects by their keys."""
    names: list[str] = call.body["prefixes"]
    if call.deps.settings.has_hard_limits and len(names) > _MOST_REMOVED:
        reason = f"body/prefixes must NOT have more than {_MOST_REMOVED} items"
        raise ApiError.of(errors.INVALID_BODY, reason=reason)
    removing = moves.remove_many(call.deps, call.context, call.bucket, names)
    views = [
        jsontext.encode_bytes(list(map(row_view, removed)))[1:-1] async for removed in removing
    ]
    return HttpResponse(200, (JSON,), b"[%b]" % b",".join(filter(None, views)))


def _locations(body: dict[str, str]) -> tuple[Location, Location]:
    bucket = body["bucketId"]
    destination = body["destinationBucket"] or bucket
    return Location(bucket, body["sourceKey"]), Location(destination, body["destinationKey"])

"""Handlers of `/render/image` (storage reference 10)."""

from __future__ import annotations

from typing import Any

from compat_base.values.http import HttpResponse
from storage_compat.flows import reading, rendering, signing
from storage_compat.model.stored import Stored
from storage_compat.rules.paths import check_bucket_name
from storage_compat.rules.transformations import (
    Transformation,
    read_claim,
    transformation_of,
    wanted_format,
)
from storage_compat.web import faults
from storage_compat.web.calls import Call
from storage_compat.web.exchange import Answer, Streamed
from storage_compat.web.signed import signed_path
from storage_compat.web.views import disposition, object_headers, typed

_OF_THE_SOURCE = {
    "Accept-Ranges", "Content-Type", "Content-Security-Policy", "X-Content-Type-Options",
}  # fmt: skip


async def public(call: Call) -> Answer:
    """An image of a public bucket."""
    if not call.deps.settings.images.is_enabled:
        return faults.no_route(call.incoming.method, call.incoming.target)
    query = call.query
    transformation = _transformation(call, query)
    check_bucket_name(call.bucket)
    stored = await reading.public(call.deps, call.location)
    return await _answer(call, stored, transformation, query["download"])


async def authenticated(call: Call) -> Answer:
    """An image that the caller's policies show."""
    if not call.deps.settings.images.is_enabled:
        return faults.no_route(call.incoming.method, call.incoming.target)
    query = call.query
    transformation = _transformation(call, query)
    stored = await reading.visible(call.deps, call.context, call.location)
    return await _answer(call, stored, transformation, query["download"])


async def signed(call: Call) -> Answer:
    """An image by its token, which says how it is rendered."""
    settings = call.deps.settings.images
    if not settings.is_enabled:
        return faults.no_route(call.incoming.method, call.incoming.target)
    query = call.query
    stored, claims = await signing.signed_object(
        call.deps, call.context, call.location, query["token"], signed_path(call)
    )
    text = str(claims.get("transformations") or "")
    transformation = read_claim(text, settings.least, settings.most)
    return await _answer(call, stored, transformation, query["download"], claims.get("exp"))


def _transformation(call: Call, query: dict[str, Any]) -> Transformation:
    settings = call.deps.settings.images
    return transformation_of(query, settings.least, settings.most)


async def _answer(
    call: Call,
    stored: Stored,
    transformation: Transformation,
    saved_as: str | None,
    expires: object = None,
) -> Answer:
    request_headers, settings = call.headers, call.deps.settings
    image_format = wanted_format(transformation, request_headers.get("accept", ""))
    rendered = await rendering.render(
        call.deps, stored, transformation, image_format, call.incoming.address
    )
    is_head = call.incoming.method == "HEAD"
    headers = object_headers(stored, request_headers, settings, is_head=is_head, expires=expires)
    kept = tuple(pair for pair in headers if pair[0] not in _OF_THE_SOURCE)
    own = (
        *typed(rendered.media_type),
        ("X-Transformations", transformation.header(image_format)),
        ("Vary", "Accept"),
    )
    if is_head:
        call.deps.images.release(rendered)
        length = ("Content-Length", str(rendered.size))
        return HttpResponse(200, (*kept, *own, length), content_length=False)
    pieces = call.deps.images.read(rendered)
    return Streamed(200, (*kept, *own, *disposition(saved_as)), rendered.size, pieces)

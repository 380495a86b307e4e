"""Handlers of signed URLs (storage reference 6)."""

from __future__ import annotations

from typing import Any

from compat_base.values.http import HttpResponse
from storage_compat.flows import signing
from storage_compat.flows.uploads import Upload, Writer
from storage_compat.rules import forms
from storage_compat.rules.forms import Description
from storage_compat.rules.transformations import transformation_of
from storage_compat.rules.url_tokens import decoded_uri
from storage_compat.web.calls import Call
from storage_compat.web.exchange import Answer
from storage_compat.web.objects import object_answer, upload_of
from storage_compat.web.views import json_answer


async def sign(call: Call) -> HttpResponse:
    """A URL that reads an object."""
    seconds, path = call.body["expiresIn"], signed_path(call)
    claims = _rendering(call, call.body["transform"] or {})
    to_sign = signing.ToSign(path, seconds, claims)
    token = await signing.sign(call.deps, call.context, call.location, to_sign)
    kind = "render/image" if "transformations" in claims else "object"
    return json_answer({"signedURL": f"/{kind}/sign/{path}?token={token}"})


def _rendering(call: Call, query: dict[str, Any]) -> dict[str, str]:
    """The claims of an image that is to be rendered."""
    settings = call.deps.settings.images
    transformation = transformation_of(query, settings.least, settings.most)
    claims: dict[str, str] = {}
    if settings.is_enabled and (rendering_claim := transformation.claim()):
        claims["transformations"] = rendering_claim
    return claims | ({"format": transformation.format} if transformation.format else {})


async def sign_many(call: Call) -> HttpResponse:
    """A URL for each of many objects."""
    seconds, names = call.body["expiresIn"], call.body["paths"]
    return json_answer(
        await signing.sign_many(call.deps, call.context, call.bucket, seconds, names)
    )


async def download(call: Call) -> Answer:
    """An object by its token."""
    query = call.query
    stored, claims = await signing.signed_object(
        call.deps, call.context, call.location, query["token"], signed_path(call)
    )
    return object_answer(call, stored, query["download"], claims.get("exp"), is_head=False)


async def sign_upload(call: Call) -> HttpResponse:
    """A URL that writes an object."""
    metadata = forms.header_metadata(call.headers.get("x-metadata"))
    description = Description("", "", None, metadata)
    writer = Writer(call.context.caller.subject, call.is_upsert)
    upload = Upload(call.location, description, writer)
    token = await signing.sign_upload(call.deps, call.context, upload)
    url = f"/object/upload/sign/{call.location.path}?token={token}"
    return json_answer({"url": url, "token": token})


async def upload(call: Call) -> HttpResponse:
    """Write an object by a token."""
    token: str = call.query["token"]
    writer = signing.signed_writer(call.deps, call.context, token, call.location.path)
    stored = await upload_of(call, writer)
    return json_answer({"Key": f"{stored.bucket_id}/{stored.name}"})


def signed_path(call: Call) -> str:
    """The requested path as it was sent, to be compared with the token's path."""
    return f"{decoded_uri(call.raw['bucket'])}/{decoded_uri(call.raw['key'])}"

"""Signed URLs (storage reference 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from storage_compat.flows import reading, uploads
from storage_compat.flows.uploads import Upload, Writer
from storage_compat.model.stored import Stored
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules import url_tokens
from storage_compat.rules.paths import check_bucket_name
from storage_compat.store import objects
from storage_compat.store.objects import Location

_NOT_THERE = "Either the object does not exist or you do not have access to it"


@dataclass(frozen=True, slots=True)
class ToSign:
    """A URL to be signed: its path as a request will send it, expiry, and transformation."""

    path: str
    seconds: int
    rendering: dict[str, str]


async def sign(
    deps: Dependencies, context: RequestContext, location: Location, wanted: ToSign
) -> str:
    """A token that reads an object which the caller may read."""
    check_bucket_name(location.bucket_id)
    token = _download(deps, context, wanted.path, wanted.seconds, wanted.rendering)
    await reading.visible(deps, context, location)
    return token


async def sign_many(
    deps: Dependencies, context: RequestContext, bucket_id: str, seconds: int, names: Sequence[str]
) -> list[dict[str, Any]]:
    """One entry a name, in order: a URL, or an error."""
    check_bucket_name(bucket_id)
    async with deps.sessions.acting(context.caller, context.facts) as connection:
        found = await objects.find_many(connection, bucket_id, names)
    entries: list[dict[str, Any]] = []
    for name in names:
        url: str | None = None
        if name in found:
            path = f"{bucket_id}/{name}".replace("%", "%25")
            url = f"/object/sign/{path}?token={_download(deps, context, path, seconds, {})}"
        error = None if url else _NOT_THERE
        entries.append({"error": error, "path": name, "signedURL": url})
    return entries


async def sign_upload(deps: Dependencies, context: RequestContext, upload: Upload) -> str:
    """A token that writes an object which the caller may write."""
    check_bucket_name(upload.location.bucket_id)
    await uploads.check_rights(deps, context, upload)
    claims: dict[str, Any] = {"url": upload.location.path, "upsert": upload.writer.is_upsert}
    if upload.writer.owner_id is not None:
        claims["owner"] = upload.writer.owner_id
    seconds = deps.settings.uploads.signed_seconds
    return url_tokens.signed(
        deps.settings.tokens.url_key, claims | {"scope": "upload"}, context.now, seconds
    )


async def signed_object(
    deps: Dependencies, context: RequestContext, location: Location, token: str, path: str
) -> tuple[Stored, dict[str, Any]]:
    """The object of a token, and the token's claims; `path` is the requested one."""
    key = deps.settings.tokens.url_key
    claims = url_tokens.check_download(token, (key,), path, context.now)
    return await reading.signed(deps, location), claims


def signed_writer(deps: Dependencies, context: RequestContext, token: str, path: str) -> Writer:
    """The writer whom a token allows to write at a path; ApiError for any other token."""
    key = deps.settings.tokens.url_key
    claims = url_tokens.check_upload(token, (key,), path, context.now)
    owner = claims.get("owner")
    is_upsert = bool(claims.get("upsert"))
    return Writer(owner if isinstance(owner, str) else None, is_upsert, is_checked=False)


def _download(
    deps: Dependencies, context: RequestContext, path: str, seconds: int, rendering: dict[str, str]
) -> str:
    claims = {"url": path, "scope": "download", **rendering}
    return url_tokens.signed(deps.settings.tokens.url_key, claims, context.now, seconds)

"""Buckets: created, listed, changed, emptied, deleted (storage reference 3)."""

from __future__ import annotations

import asyncio
from typing import Any

from compat_base.postgres.faults import PgFault
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.model.bucket import Bucket
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules.access_tokens import require_role
from storage_compat.rules.content_types import check_patterns
from storage_compat.rules.paths import check_bucket_name, check_new_bucket_name
from storage_compat.rules.sizes import read_limit
from storage_compat.store import buckets
from storage_compat.store.buckets import Listing, NewBucket

_EMPTY_SECONDS = 10.0  # that a client waits before emptying goes on in the background
_BATCH = 5_000
_UNIQUE, _REFERENCED = "23505", "23503"


async def create(deps: Dependencies, context: RequestContext, body: dict[str, Any]) -> str:
    """Create a bucket; its name."""
    if body["type"] != "STANDARD":
        raise ApiError.of(errors.NOT_ENABLED, name="iceberg")
    name = check_new_bucket_name(body["name"])
    types = body["allowed_mime_types"]
    new = NewBucket(
        id=check_new_bucket_name(body["id"] or name),
        name=name,
        owner_id=context.caller.subject,
        public=bool(body["public"]),
        file_size_limit=read_limit(body["file_size_limit"], deps.settings.uploads.limit),
        allowed_mime_types=check_patterns(types) if types is not None else None,
    )
    try:
        async with deps.sessions.acting(context.caller, context.facts) as connection:
            await buckets.insert(connection, new)
    except PgFault as error:
        if error.fault.sqlstate == _UNIQUE:
            raise ApiError.of(errors.BUCKET_EXISTS) from error
        raise
    return name


async def find_all(
    deps: Dependencies, context: RequestContext, listing: Listing
) -> tuple[Bucket, ...]:
    """The buckets that the caller may see."""
    async with deps.sessions.acting(context.caller, context.facts) as connection:
        return await buckets.list_all(connection, listing)


async def get(deps: Dependencies, context: RequestContext, bucket_id: str) -> Bucket:
    """A bucket that the caller may see."""
    async with deps.sessions.acting(context.caller, context.facts) as connection:
        found = await buckets.find(connection, bucket_id)
    if found is None:
        raise ApiError.of(errors.NO_SUCH_BUCKET)
    return found


async def update(
    deps: Dependencies, context: RequestContext, bucket_id: str, body: dict[str, Any]
) -> None:
    """Change what the body names; null clears."""
    check_bucket_name(bucket_id)
    changes: dict[str, Any] = {}
    if "public" in body:
        changes["public"] = bool(body["public"])
    if "file_size_limit" in body:
        limit = read_limit(body["file_size_limit"], deps.settings.uploads.limit)
        changes["file_size_limit"] = limit
    if "allowed_mime_types" in body:
        types = body["allowed_mime_types"]
        changes["allowed_mime_types"] = None if types is None else check_patterns(types)
    async with deps.sessions.acting(context.caller, context.facts) as connection:
        if not await buckets.change(connection, bucket_id, changes):
            raise ApiError.of(errors.NO_SUCH_BUCKET)


async def delete(deps: Dependencies, context: RequestContext, bucket_id: str) -> None:
    """Delete an empty bucket; a full one is refused."""
    async with deps.sessions.own() as connection:
        if await buckets.has_objects(connection, bucket_id):
            raise ApiError.of(errors.BUCKET_NOT_EMPTY)
        if await buckets.has_uploads(connection, bucket_id):
            raise ApiError.of(errors.BUCKET_REFERENCED)
    try:
        async with deps.sessions.acting(context.caller, context.facts) as connection:
            if not await buckets.delete(connection, bucket_id):
                raise ApiError.of(errors.NO_SUCH_BUCKET)
    except PgFault as error:
        if error.fault.sqlstate == _REFERENCED:  # filled meanwhile
            raise ApiError.of(errors.BUCKET_NOT_EMPTY) from error
        raise


async def empty(deps: Dependencies, context: RequestContext, bucket_id: str) -> None:
    """Remove the bucket's present objects; after a while this goes on in the background."""
    require_role(context.caller, deps.settings.database.service_role)
    most = deps.settings.most_emptied
    async with deps.sessions.own() as connection:
        if await buckets.find(connection, bucket_id) is None:
            raise ApiError.of(errors.NO_SUCH_BUCKET)
        if await buckets.count_objects(connection, bucket_id, most + 1) > most:
            raise ApiError.of(errors.BUCKET_TOO_FULL, most=most)
    task = deps.tasks.start(_empty(deps, context, bucket_id), "empty a bucket")
    await asyncio.wait({task}, timeout=_EMPTY_SECONDS)
    if task.done():
        task.result()


async def _empty(deps: Dependencies, context: RequestContext, bucket_id: str) -> None:
    removed = _BATCH
    while removed == _BATCH:
        async with deps.sessions.superuser(context.facts) as connection:
            removed = await buckets.empty(connection, bucket_id, context.now, _BATCH)
        deps.wake()


async def bucket_of_upload(deps: Dependencies, bucket_id: str) -> Bucket:
    """The bucket of an object's call, read without policies (storage reference 2.10)."""
    async with deps.sessions.own() as connection:
        found = await buckets.find(connection, bucket_id)
    if found is None:
        raise ApiError.of(errors.NO_SUCH_BUCKET)
    return found

"""S3's multipart uploads (storage reference 11)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from compat_base.postgres.database import Connection, Record
from compat_base.postgres.faults import PgFault
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.files.pieces import chained
from storage_compat.flows import uploads
from storage_compat.flows.uploads import Upload, Writer
from storage_compat.model.stored import NewObject
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules.forms import Description
from storage_compat.rules.numbers import whole_number
from storage_compat.store import multipart, objects
from storage_compat.store.objects import Location

_MOST_PARTS = 10_000


async def create(deps: Dependencies, context: RequestContext, upload: Upload) -> str:
    """Begin an upload; its id."""
    bucket = await uploads.bucket_at(deps, upload.location)
    await uploads.admit(deps, context, upload, bucket)
    upload_id = deps.world.entropy.bytes(24).hex()
    described = upload.description
    metadata = {"mimetype": described.mime_type, "cacheControl": described.cache_control}
    version = str(deps.world.entropy.uuid())
    row = (version, upload.writer.owner_id, described.user_metadata, metadata)
    async with deps.sessions.own() as connection:
        await multipart.insert(connection, upload_id, upload.location, row)
    return upload_id


async def find(deps: Dependencies, upload_id: str, location: Location) -> Record:
    """An upload in progress; ApiError without one."""
    async with deps.sessions.own() as connection:
        found = await multipart.find(connection, upload_id, location)
    if found is None:
        raise ApiError.of(errors.S3_NO_UPLOAD)
    return found


async def check_rights(
    deps: Dependencies, context: RequestContext, row: Record
) -> uploads.Admitted:
    """Check the policies again, as for the upload's beginning."""
    upload = _upload(context, row)
    bucket = await uploads.bucket_at(deps, upload.location)
    return await uploads.admit(deps, context, upload, bucket)


async def put_part(
    deps: Dependencies,
    context: RequestContext,
    row: Record,
    number: int,
    chunks: AsyncIterator[bytes],
) -> str:
    """Store a part; its etag."""
    if not 1 <= number <= _MOST_PARTS:
        raise ApiError.of(errors.INVALID_PARAMETER, name="partNumber")
    admitted = await check_rights(deps, context, row)
    async with deps.sessions.own() as connection:
        left = admitted.limit - await multipart.size(connection, row["id"], without=number)
    version = str(deps.world.entropy.uuid())
    written = await deps.files.write(version, uploads.limited(chunks, left))
    try:
        async with deps.sessions.own() as connection, connection.transaction():
            part = (written.etag, version, written.size)
            is_added = await multipart.put_part(connection, row, number, part)
            await _check_added(connection, row, admitted.limit, is_added=is_added)
    except (ApiError, PgFault):  # of any other the row may be there all the same
        await deps.files.remove((version,))
        raise
    deps.wake()
    return written.etag


async def _check_added(connection: Connection, row: Record, limit: int, *, is_added: bool) -> None:
    """Refuse a part whose upload is over, or with which all are too large together."""
    if not is_added:
        raise ApiError.of(errors.S3_NO_UPLOAD)
    if await multipart.size(connection, row["id"]) > limit:
        raise ApiError.of(errors.TOO_LARGE)


async def list_parts(
    deps: Dependencies, context: RequestContext, row: Record, after: int, most: int
) -> Sequence[Record]:
    """A page of the parts, for a caller who may continue the upload."""
    await check_rights(deps, context, row)
    async with deps.sessions.own() as connection:
        return await multipart.parts(connection, row["id"], after, most)


async def complete(
    deps: Dependencies, context: RequestContext, row: Record, wanted: list[dict[str, str]]
) -> str:
    """Join the named parts, or all, by their numbers; the object's etag."""
    await check_rights(deps, context, row)
    async with deps.sessions.own() as connection:
        stored = {
            part["part_number"]: part for part in await multipart.parts(connection, row["id"])
        }
    named = {part["part_number"]: part for part in (_chosen(row["id"], stored, w) for w in wanted)}
    chosen = [named[number] for number in sorted(named)] or list(stored.values())
    version = str(deps.world.entropy.uuid())
    streams = (deps.files.read(part["version"], 0, part["size"]) for part in chosen)
    written = await deps.files.write(version, chained(*streams))
    location, described = Location(row["bucket_id"], row["key"]), _description(row)
    metadata = uploads.file_metadata(written, described, deps.world.clock.now())
    new = NewObject(
        location.bucket_id, location.name, row["owner_id"], version, metadata, row["user_metadata"]
    )
    try:
        async with deps.sessions.own() as connection, connection.transaction():
            if not await multipart.delete(connection, row["id"]):
                raise ApiError.of(errors.S3_NO_UPLOAD)
            locks = (location.path,)
            await deps.sessions.become_superuser(connection, context.facts, locks=locks)
            await objects.write(connection, new, is_upsert=True)
    except (ApiError, PgFault, LookupError):
        await deps.files.remove((version,))
        raise
    deps.wake()
    return metadata["eTag"]


async def abort(deps: Dependencies, context: RequestContext, row: Record) -> None:
    """Abort an upload."""
    await check_rights(deps, context, row)
    async with deps.sessions.own() as connection:
        await multipart.delete(connection, row["id"])
    deps.wake()


def _chosen(upload_id: str, stored: dict[int, Record], wanted: dict[str, str]) -> Record:
    number = whole_number(wanted["PartNumber"]) or 0
    part = stored.get(number)
    if part is None:
        raise ApiError.of(errors.S3_MISSING_PART, number=number, upload=upload_id)
    if wanted["ETag"].strip('"') != part["etag"]:
        raise ApiError.of(errors.S3_CHECKSUM, number=number)
    return part


def _description(row: Record) -> Description:
    metadata: dict[str, Any] = row["metadata"] or {}
    return Description(
        str(metadata.get("mimetype") or "application/octet-stream"),
        str(metadata.get("cacheControl") or "no-cache"),
        None,
        row["user_metadata"],
    )


def _upload(context: RequestContext, row: Record) -> Upload:
    location = Location(row["bucket_id"], row["key"])
    return Upload(location, _description(row), Writer(context.caller.subject, is_upsert=True))

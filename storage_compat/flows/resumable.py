"""Uploads in parts, by TUS (storage reference 9).

There is no lock: a part counts only if the upload's offset is still the one it began at, which the
database decides once its bytes are stored. Of two concurrent writers one succeeds, the other gets a
conflict.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta

from compat_base.asgi import ClientGoneError
from compat_base.postgres.faults import PgFault
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.files.pieces import chained
from storage_compat.files.port import NoBytesError, Written
from storage_compat.flows import uploads
from storage_compat.flows.uploads import Upload, Writer
from storage_compat.model.stored import NewObject
from storage_compat.model.uploads import Resumable
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules.resumable import Target, target_of
from storage_compat.store import objects, resumable
from storage_compat.store.objects import Location
from storage_compat.store.resumable import Part


@dataclass(frozen=True, slots=True)
class NewUpload:
    """A new upload: its length, None where it is deferred, and Upload-Metadata as sent."""

    target: Target
    metadata: str
    length: int | None


async def create(
    deps: Dependencies, context: RequestContext, requested: NewUpload, writer: Writer
) -> Resumable:
    """Create an upload, after checks and policies."""
    target = requested.target
    await _check(deps, context, _upload(target, writer, requested.length))
    new = Resumable(
        version=str(deps.world.entropy.uuid()),
        bucket_id=target.bucket_id,
        key=target.key,
        length=requested.length,
        offset=0,
        upload_metadata=requested.metadata,
        owner_id=writer.owner_id,
        is_upsert=writer.is_upsert,
        is_complete=False,
        expires_at=context.now + timedelta(seconds=deps.settings.uploads.tus_seconds),
    )
    async with deps.sessions.own() as connection:
        await resumable.insert(connection, new)
    return new


async def find(deps: Dependencies, context: RequestContext, path: str, version: str) -> Resumable:
    """An upload by its URL; ApiError where there is none, or it has expired."""
    async with deps.sessions.own() as connection:
        found = await resumable.find(connection, version)
    if found is None or f"{found.bucket_id}/{found.key}" != path:
        raise ApiError.of(errors.TUS_NOT_FOUND)
    if found.expires_at < context.now:
        raise ApiError.of(errors.TUS_EXPIRED)
    return found


async def current(
    deps: Dependencies, context: RequestContext, path: str, version: str
) -> Resumable:
    """An upload's state. One whose last part was stored before a crash is completed now."""
    found = await find(deps, context, path, version)
    if found.is_whole and not found.is_complete:
        await _complete(deps, context, found)
    return found


async def append(
    deps: Dependencies,
    context: RequestContext,
    upload: Resumable,
    writer: Writer,
    received: Received,
) -> Resumable:
    """Append bytes; what arrived before the connection was cut is kept."""
    length = upload.length if upload.length is not None else received.length
    target = target_of(upload.upload_metadata)
    limit = await _check(deps, context, _upload(target, writer, length))
    if received.offset != upload.offset:  # a missing right is reported first
        raise ApiError.of(errors.TUS_CONFLICT)
    most = (limit if length is None else length) - upload.offset
    if received.declared is not None and received.declared > most:
        raise ApiError.of(errors.TUS_SIZE)
    if upload.is_complete:
        return upload
    upload = await _store(deps, upload, replace(received, length=length), most)
    if upload.is_whole:
        await _complete(deps, context, replace(upload, is_upsert=writer.is_upsert))
    return upload


@dataclass(frozen=True, slots=True)
class Received:
    """The body of a PATCH: its offset, and its declared length."""

    offset: int
    declared: int | None
    length: int | None
    chunks: AsyncIterator[bytes]


async def _store(deps: Dependencies, upload: Resumable, received: Received, most: int) -> Resumable:
    version = str(deps.world.entropy.uuid())
    cut: list[ClientGoneError] = []
    bounded = uploads.limited(_until_cut(received.chunks, cut), most, errors.TUS_TOO_LARGE)
    written = await deps.files.write(version, bounded)
    limit = deps.settings.uploads.tus_part_limit
    part = Part(
        upload.version, upload.offset, version, written.size, written.etag, received.length, limit
    )
    try:
        async with deps.sessions.own() as connection, connection.transaction():
            moved = await resumable.advance(connection, part)
            if moved is None:
                raise ApiError.of(errors.TUS_CONFLICT)
            upload, had = moved
            if had >= limit:
                raise ApiError.of(errors.TUS_PARTS, most=limit)
    except (ApiError, PgFault):
        await deps.files.remove((version,))
        raise
    if not written.size:
        await deps.files.remove((version,))
    if cut:
        raise cut[0]
    return upload


async def end(
    deps: Dependencies, context: RequestContext, upload: Resumable, writer: Writer
) -> None:
    """Delete an upload."""
    if writer.is_checked:
        target = target_of(upload.upload_metadata)
        await _check(deps, context, _upload(target, writer, upload.length))
    async with deps.sessions.own() as connection:
        if not await resumable.delete(connection, upload.version):
            raise ApiError.of(errors.TUS_COMPLETE)
    deps.wake()


async def _complete(deps: Dependencies, context: RequestContext, upload: Resumable) -> None:
    """Join the parts and write the row. Idempotent."""
    async with deps.sessions.own() as connection:
        parts = await resumable.parts(connection, upload.version)
    try:
        version, written = await _joined(deps, [(row["version"], row["size"]) for row in parts])
    except NoBytesError:
        async with deps.sessions.own() as connection:  # somebody else completed it meanwhile
            found = await resumable.find(connection, upload.version)
        if found is None or not found.is_complete:
            raise
        return
    if len(parts) == 1:
        written = Written(parts[0]["size"], parts[0]["etag"])
    joined = () if len(parts) == 1 else (version,)
    try:
        is_written = await _write_row(deps, context, upload, version, written)
    except (ApiError, PgFault, LookupError):  # of any other the row may be there all the same
        await deps.files.remove(joined)
        raise
    if not is_written:
        await deps.files.remove(joined)
    deps.wake()


async def _joined(deps: Dependencies, parts: list[tuple[str, int]]) -> tuple[str, Written]:
    """All parts joined under one version; a single part keeps its own."""
    if len(parts) == 1:
        return parts[0][0], Written(parts[0][1], "")
    version = str(deps.world.entropy.uuid())
    streams = (deps.files.read(part, 0, size) for part, size in parts)
    return version, await deps.files.write(version, chained(*streams))


async def _write_row(
    deps: Dependencies, context: RequestContext, upload: Resumable, version: str, written: Written
) -> bool:
    """Write the row and end the upload in one transaction; False where it has ended."""
    location = Location(upload.bucket_id, upload.key)
    description = target_of(upload.upload_metadata).description
    now = deps.world.clock.now()
    new = NewObject(
        bucket_id=location.bucket_id,
        name=location.name,
        owner_id=upload.owner_id,
        version=version,
        metadata=uploads.file_metadata(written, description, now),
        user_metadata=description.user_metadata,
    )
    with uploads.taken(errors.KEY_EXISTS):
        async with deps.sessions.own() as connection, connection.transaction():
            if not await resumable.complete(connection, upload.version):
                return False
            locks = (location.path,)
            await deps.sessions.become_superuser(connection, context.facts, locks=locks)
            await objects.write(connection, new, is_upsert=upload.is_upsert)
    return True


async def _check(deps: Dependencies, context: RequestContext, upload: Upload) -> int:
    """The checks and policies of an upload, in the protocol's order; gives the limit in bytes."""
    bucket = await uploads.bucket_at(deps, upload.location)
    limit = uploads.limit_of(deps, upload, bucket, errors.TUS_TOO_LARGE)
    await uploads.check_rights(deps, context, upload)
    uploads.check_type(upload, bucket)
    return limit


def _upload(target: Target, writer: Writer, length: int | None) -> Upload:
    location = Location(target.bucket_id, target.key)
    return Upload(location, target.description, writer, length)


async def _until_cut(
    chunks: AsyncIterator[bytes], cut: list[ClientGoneError]
) -> AsyncGenerator[bytes]:
    """The body up to the client's disconnect, which is noted."""
    try:
        async for chunk in chunks:
            yield chunk
    except ClientGoneError as error:
        cut.append(error)

"""Uploads in parts, by TUS (storage reference 9).

Nobody holds a lock: a part counts only if the upload's offset is still the one it began at, which
the database decides when its bytes are stored. Of two writers one goes on, the other is told.
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
from storage_compat.flows.uploads import Upload
from storage_compat.model.stored import NewObject
from storage_compat.model.uploads import Resumable
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules.paths import check_bucket_name
from storage_compat.rules.resumable import Target, target_of
from storage_compat.store import objects, resumable
from storage_compat.store.objects import Location
from storage_compat.store.resumable import Part


@dataclass(frozen=True, slots=True)
class Writer:
    """In whose name an upload is; `is_asked` where policies are, not a token of its own."""

    owner_id: str | None
    is_upsert: bool
    is_asked: bool


@dataclass(frozen=True, slots=True)
class Begun:
    """An upload to be: its length, None where it is said later, and Upload-Metadata as sent."""

    target: Target
    metadata: str
    length: int | None


async def create(
    deps: Dependencies, context: RequestContext, begun: Begun, writer: Writer
) -> Resumable:
    """Begin an upload, once checks and policies let it."""
    target = begun.target
    check_bucket_name(target.bucket_id)
    await _check(deps, context, _upload(target, writer, begun.length), writer)
    new = Resumable(
        version=str(deps.world.entropy.uuid()),
        bucket_id=target.bucket_id,
        key=target.key,
        length=begun.length,
        offset=0,
        upload_metadata=begun.metadata,
        owner_id=writer.owner_id,
        is_upsert=writer.is_upsert,
        is_complete=False,
        expires_at=context.now + timedelta(seconds=deps.settings.uploads.tus_seconds),
    )
    async with deps.sessions.own() as connection:
        await resumable.insert(connection, new)
    return new


async def find(deps: Dependencies, context: RequestContext, path: str, version: str) -> Resumable:
    """An upload by its URL; ApiError where there is none, or its time is over."""
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
    """An upload's state. One whose last part came before a crash is completed now."""
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
    """Store bytes behind those that are there; what came before a cut is kept."""
    if received.offset != upload.offset:
        raise ApiError.of(errors.TUS_CONFLICT)
    length = upload.length if upload.length is not None else received.length
    target = target_of(upload.upload_metadata)
    limit = await _check(deps, context, _upload(target, writer, length), writer)
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
    """The bytes of a PATCH: where they begin, and how many are declared."""

    offset: int
    declared: int | None
    length: int | None
    chunks: AsyncIterator[bytes]


async def _store(deps: Dependencies, upload: Resumable, received: Received, most: int) -> Resumable:
    version = str(deps.world.entropy.uuid())
    cut: list[ClientGoneError] = []
    bounded = uploads.limited(_until_cut(received.chunks, cut), most, errors.TUS_SIZE)
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
    """Give an upload up."""
    if writer.is_asked:
        target = target_of(upload.upload_metadata)
        await _check(deps, context, _upload(target, writer, upload.length), writer)
    async with deps.sessions.own() as connection:
        if not await resumable.delete(connection, upload.version):
            raise ApiError.of(errors.TUS_COMPLETE)
    deps.wake()


async def _complete(deps: Dependencies, context: RequestContext, upload: Resumable) -> None:
    """Join the parts and write the row. Done once, whoever comes here how often."""
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
    is_written = False
    try:
        is_written = await _write_row(deps, context, upload, version, written)
    finally:
        if not is_written and len(parts) != 1:
            await deps.files.remove((version,))
    deps.wake()


async def _joined(deps: Dependencies, parts: list[tuple[str, int]]) -> tuple[str, Written]:
    """The bytes of all parts under one version: of a single part its own."""
    if len(parts) == 1:
        return parts[0][0], Written(parts[0][1], "")
    version = str(deps.world.entropy.uuid())
    streams = (deps.files.read(part, 0, size) for part, size in parts)
    return version, await deps.files.write(version, chained(*streams))


async def _write_row(
    deps: Dependencies, context: RequestContext, upload: Resumable, version: str, written: Written
) -> bool:
    """Write the row and end the upload in one transaction; False where it is ended already."""
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


async def _check(
    deps: Dependencies, context: RequestContext, upload: Upload, writer: Writer
) -> int:
    """Check and ask as for any upload; the limit in bytes."""
    admit = uploads.admit if writer.is_asked else uploads.admit_signed
    try:
        return (await admit(deps, context, upload)).limit
    except ApiError as error:
        if error.problem.code == errors.TOO_LARGE.code:
            raise ApiError.of(errors.TUS_TOO_LARGE) from error
        raise


def _upload(target: Target, writer: Writer, length: int | None) -> Upload:
    location = Location(target.bucket_id, target.key)
    return Upload(location, target.description, writer.owner_id, writer.is_upsert, length)


async def _until_cut(
    chunks: AsyncIterator[bytes], cut: list[ClientGoneError]
) -> AsyncGenerator[bytes]:
    """The bytes until the client is gone, which is noted."""
    try:
        async for chunk in chunks:
            yield chunk
    except ClientGoneError as error:
        cut.append(error)

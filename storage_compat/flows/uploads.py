"""Uploads: rights checked first, then the bytes, then the row (storage reference 2.8, 4)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from compat_base.postgres.faults import PgFault
from compat_base.values.errors import ApiError, Row
from storage_compat import errors
from storage_compat.files.port import Written
from storage_compat.flows.buckets import bucket_of_upload
from storage_compat.model.bucket import Bucket
from storage_compat.model.stored import NewObject, Stored
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules.content_types import check_allowed
from storage_compat.rules.forms import Description
from storage_compat.rules.paths import PLACEHOLDER, check_bucket_name, check_key
from storage_compat.rules.sizes import upload_limit
from storage_compat.rules.times import iso_text
from storage_compat.store import objects
from storage_compat.store.objects import Location

_UNIQUE = "23505"
_TRIED = "1"  # the version that policies see while an upload has none yet


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes an object, and whether it may overwrite one.

    `is_checked` False: by a signed token, for which policies were checked when it was issued.
    """

    owner_id: str | None
    is_upsert: bool
    is_checked: bool = True


@dataclass(frozen=True, slots=True)
class Upload:
    """An object to be written; `length` is the declared one of the body, None if unknown."""

    location: Location
    description: Description
    writer: Writer
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Admitted:
    """An upload after its checks: `limit` in bytes."""

    upload: Upload
    limit: int


async def bucket_at(deps: Dependencies, location: Location) -> Bucket:
    """The bucket of an upload whose bucket's name and key are judged first; ApiError."""
    check_bucket_name(location.bucket_id)
    check_key(location.name, has_unicode=deps.settings.uploads.has_unicode_keys)
    return await bucket_of_upload(deps, location.bucket_id)


async def admit(
    deps: Dependencies,
    context: RequestContext,
    upload: Upload,
    bucket: Bucket,
    *,
    is_raw: bool = True,
) -> Admitted:
    """Check type, declared length, key and policies. Raises ApiError.

    Without `is_raw` the object is part of a form, so the declared length is not its own.
    """
    check_type(upload, bucket)
    sized = upload if is_raw else replace(upload, length=None)
    limit = limit_of(deps, sized, bucket)
    check_key(upload.location.name, has_unicode=deps.settings.uploads.has_unicode_keys)
    await check_rights(deps, context, upload)
    return Admitted(upload, limit)


def check_type(upload: Upload, bucket: Bucket) -> None:
    """Refuse a type that the bucket does not take; a placeholder of a folder may have any."""
    if not upload.location.name.endswith(PLACEHOLDER):
        check_allowed(upload.description.mime_type, bucket.allowed_mime_types)


def limit_of(
    deps: Dependencies, upload: Upload, bucket: Bucket, refused: Row = errors.TOO_LARGE
) -> int:
    """The most bytes that an upload may have; ApiError where more are declared."""
    settings = deps.settings.uploads
    limit = upload_limit(settings.limit, settings.standard_limit, bucket.file_size_limit)
    if upload.location.name.endswith(PLACEHOLDER):
        limit = 0
    if upload.length is not None and upload.length > limit:
        raise ApiError.of(refused)
    return limit


async def check_rights(deps: Dependencies, context: RequestContext, upload: Upload) -> None:
    """Check the policies by writing the row and rolling back; ApiError where one refuses.

    For a signed token they were checked when it was issued: only the place must still be free.
    """
    if not upload.writer.is_checked:
        await _check_place(deps, context, upload)
        return
    metadata: dict[str, Any] = {"mimetype": upload.description.mime_type}
    if upload.length is not None:
        metadata["contentLength"] = upload.length
    new = NewObject(
        bucket_id=upload.location.bucket_id,
        name=upload.location.name,
        owner_id=upload.writer.owner_id,
        version=_TRIED,
        metadata=metadata,
        user_metadata=upload.description.user_metadata,
    )
    with taken(errors.KEY_EXISTS):
        async with deps.sessions.acting(context.caller, context.facts, keeps=False) as connection:
            await objects.try_writing(connection, new, is_upsert=upload.writer.is_upsert)


async def _check_place(deps: Dependencies, context: RequestContext, upload: Upload) -> None:
    if upload.writer.is_upsert:
        return
    async with deps.sessions.superuser(context.facts) as connection:
        if await objects.find(connection, upload.location) is not None:
            raise ApiError.of(errors.KEY_EXISTS)


async def receive(
    deps: Dependencies,
    context: RequestContext,
    admitted: Admitted,
    chunks: AsyncIterator[bytes],
    described: Callable[[], Awaitable[Description]] | None = None,
) -> Stored:
    """Write the bytes, then the row. A failure in between leaves nothing, or an orphan.

    `described` is called after the bytes, and may refuse: a form says more behind its file.
    """
    version = str(deps.world.entropy.uuid())
    written = await deps.files.write(version, limited(chunks, admitted.limit))
    upload = admitted.upload
    description = upload.description
    if described is not None:
        try:
            description = await described()
        except BaseException:
            await deps.files.remove((version,))
            raise
    if description.user_metadata is None:  # only uploads in parts may have none
        description = replace(description, user_metadata={})
    upload = replace(upload, description=description)
    return await complete(deps, context, upload, version, written)


async def complete(
    deps: Dependencies, context: RequestContext, upload: Upload, version: str, written: Written
) -> Stored:
    """Write the row of stored bytes, as the service."""
    description = upload.description
    new = NewObject(
        bucket_id=upload.location.bucket_id,
        name=upload.location.name,
        owner_id=upload.writer.owner_id,
        version=version,
        metadata=file_metadata(written, description, deps.world.clock.now()),
        user_metadata=description.user_metadata,
    )
    return await write_row(deps, context, new, is_upsert=upload.writer.is_upsert)


async def write_row(
    deps: Dependencies, context: RequestContext, new: NewObject, *, is_upsert: bool
) -> Stored:
    """Write the row of stored bytes; where the database refuses it, the bytes are removed.

    Where the database does not answer, the orphan sweep decides later.
    """
    location = Location(new.bucket_id, new.name)
    try:
        with taken(errors.KEY_EXISTS):
            async with deps.sessions.superuser(context.facts, locks=(location.path,)) as connection:
                stored = await objects.write(connection, new, is_upsert=is_upsert)
    except (ApiError, PgFault, LookupError):
        await deps.files.remove((new.version,))
        raise
    if is_upsert:
        deps.wake()
    return stored


def file_metadata(written: Written, description: Description, now: datetime) -> dict[str, Any]:
    """The column `metadata` of stored bytes (storage reference 4.12)."""
    metadata: dict[str, Any] = {
        "eTag": f'"{written.etag}"',
        "size": written.size,
        "mimetype": description.mime_type,
        "cacheControl": description.cache_control,
        "lastModified": iso_text(now.astimezone(UTC)),
        "contentLength": written.size,
        "httpStatusCode": 200,
    }
    if description.robots is not None:
        metadata["xRobotsTag"] = description.robots
    return metadata


async def limited(
    chunks: AsyncIterator[bytes], limit: int, refused: Row = errors.TOO_LARGE
) -> AsyncGenerator[bytes]:
    """The same bytes; ApiError as soon as they exceed the limit."""
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > limit:
            raise ApiError.of(refused)
        yield chunk


class taken:  # noqa: N801 — a context manager, read as a sentence
    """Turn a unique violation in the block into the error of this row."""

    def __init__(self, row: Row) -> None:
        self._row = row

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, PgFault) and error.fault.sqlstate == _UNIQUE:
            raise ApiError.of(self._row) from error

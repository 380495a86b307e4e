"""Objects moved, copied and removed (storage reference 8)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from compat_base.postgres.faults import PgFault
from compat_base.slices import Slices
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.flows import reading
from storage_compat.flows.uploads import Upload, Writer, check_rights, write_row
from storage_compat.model.stored import NewObject, Stored
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules.forms import Description
from storage_compat.rules.paths import check_bucket_name, check_key
from storage_compat.rules.times import iso_text
from storage_compat.store import objects
from storage_compat.store.objects import Location

_BATCH = 500
_NAMES = 10_000  # checked before other requests are served
_UNIQUE = "23505"


@dataclass(frozen=True, slots=True)
class Copying:
    """What a copy takes over of its source, and what the request sets.

    `drops_omitted`: type and caching that the request omits are not the source's either.
    """

    keeps_metadata: bool
    cache_control: str | None
    mime_type: str | None
    user_metadata: Any
    is_upsert: bool
    drops_omitted: bool = False


async def move(
    deps: Dependencies, context: RequestContext, source: Location, destination: Location
) -> None:
    """Move or rename an object: its row changes, its bytes are not copied."""
    check_bucket_name(source.bucket_id)
    check_key(destination.name, has_unicode=deps.settings.uploads.has_unicode_keys)
    owner = context.caller.subject
    try:
        async with deps.sessions.acting(context.caller, context.facts, keeps=False) as connection:
            if await objects.find(connection, source) is None:
                raise ApiError.of(errors.NO_SUCH_KEY)
            if await objects.move(connection, source, destination, owner) is None:  # no UPDATE
                raise ApiError.of(errors.NO_SUCH_KEY)
        if source == destination:
            return
        locks = (source.path, destination.path)
        async with deps.sessions.superuser(context.facts, locks=locks) as connection:
            if await objects.move(connection, source, destination, owner) is None:
                raise ApiError.of(errors.NO_SUCH_KEY)
    except PgFault as error:
        if error.fault.sqlstate == _UNIQUE:
            raise ApiError.of(errors.RESOURCE_EXISTS) from error
        raise


async def copy(
    deps: Dependencies,
    context: RequestContext,
    source: Location,
    destination: Location,
    copying: Copying,
) -> Stored:
    """Create an object from the bytes of another, owned by the caller."""
    check_bucket_name(source.bucket_id)
    check_key(destination.name, has_unicode=deps.settings.uploads.has_unicode_keys)

    async def look() -> Stored:
        found = await reading.seen(deps, context, source)
        if found is None:
            raise ApiError.of(errors.NO_SUCH_KEY)
        return found

    use = partial(_copied, deps, context, destination, copying)
    return await reading.with_bytes(look, use)


async def _copied(
    deps: Dependencies,
    context: RequestContext,
    destination: Location,
    copying: Copying,
    found: Stored,
) -> Stored:
    metadata = dict(found.metadata)
    user_metadata = found.user_metadata
    if not copying.keeps_metadata:
        given = {"cacheControl": copying.cache_control, "mimetype": copying.mime_type}
        if copying.drops_omitted:
            metadata = {name: value for name, value in metadata.items() if name not in given}
        metadata |= {name: value for name, value in given.items() if value is not None}
        user_metadata = copying.user_metadata
    owner = context.caller.subject
    described = Description(str(metadata.get("mimetype", "")), "", None, user_metadata)
    upload = Upload(destination, described, Writer(owner, copying.is_upsert), found.size)
    await check_rights(deps, context, upload)
    version = str(deps.world.entropy.uuid())
    await deps.files.copy(found.version or "", version)
    metadata["lastModified"] = iso_text(deps.world.clock.now())
    new = NewObject(
        destination.bucket_id, destination.name, owner, version, metadata, user_metadata
    )
    return await write_row(deps, context, new, is_upsert=copying.is_upsert)


async def remove(deps: Dependencies, context: RequestContext, location: Location) -> None:
    """Remove one object; AccessDenied where it is there and the caller may not."""
    check_bucket_name(location.bucket_id)
    if "\0" in location.name:
        raise ApiError.of(errors.NO_SUCH_KEY)
    refused: PgFault | None = None  # by a policy that raises; a missing object comes first
    try:
        async with deps.sessions.acting(context.caller, context.facts) as connection:
            removed = await objects.delete(connection, location.bucket_id, (location.name,))
    except PgFault as error:
        refused, removed = error, ()
    if not removed:
        async with deps.sessions.own() as connection:
            is_there = await objects.find(connection, location) is not None
        if is_there and refused is not None:
            raise refused
        raise ApiError.of(errors.ACCESS_DENIED if is_there else errors.NO_SUCH_KEY)
    deps.wake()


async def present(deps: Dependencies, bucket_id: str, names: Sequence[str]) -> set[str]:
    """Those of the names that exist, also those that the caller may not see."""
    async with deps.sessions.own() as connection:
        return await objects.find_many(connection, bucket_id, names)


async def remove_many(
    deps: Dependencies, context: RequestContext, bucket_id: str, names: Sequence[str]
) -> AsyncGenerator[tuple[Stored, ...]]:
    """Remove the objects that the caller may, 500 at a time; yields each batch's removed ones.

    Other requests are served in between. A batch that fails does not undo earlier ones.
    """
    check_bucket_name(bucket_id)
    slices, wanted = Slices(deps.world.clock), dict[str, None]()
    for start in range(0, len(names), _NAMES):
        wanted |= dict.fromkeys(names[start : start + _NAMES])
        await slices.rest()
    left = iter(wanted)
    while batch := tuple(islice(left, _BATCH)):
        async with deps.sessions.acting(context.caller, context.facts) as connection:
            removed = await objects.delete(connection, bucket_id, batch)
        if removed:
            deps.wake()
        yield removed

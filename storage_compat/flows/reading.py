"""An object that a request may read (storage reference 5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.files.port import NoBytesError
from storage_compat.model.stored import Stored
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules.paths import check_characters
from storage_compat.store import objects
from storage_compat.store.objects import Location

T = TypeVar("T")

LOOKS = 5  # tries to read an object that is overwritten each time


async def for_caller(
    deps: Dependencies, context: RequestContext, location: Location, *, has_token: bool = True
) -> Stored:
    """An object of a public bucket, or one visible by the caller's policies.

    Without a token only public buckets are readable.
    """
    _check_text(location)
    async with deps.sessions.own() as connection:
        found = await objects.find_in_bucket(connection, location)
    if found is None:
        raise ApiError.of(errors.NO_SUCH_BUCKET)
    is_public, stored = found
    if not is_public:
        if not has_token:
            raise ApiError.of(errors.NO_SUCH_BUCKET)
        return await visible(deps, context, location)
    return _found(deps, location, stored)


async def visible(deps: Dependencies, context: RequestContext, location: Location) -> Stored:
    """An object visible by the caller's policies."""
    return _found(deps, location, await seen(deps, context, location))


async def seen(deps: Dependencies, context: RequestContext, location: Location) -> Stored | None:
    """An object visible by the caller's policies, else None."""
    _check_text(location)
    async with deps.sessions.acting(context.caller, context.facts) as connection:
        return await objects.find(connection, location)


async def public(deps: Dependencies, location: Location) -> Stored:
    """An object of a public bucket."""
    _check_text(location)
    async with deps.sessions.own() as connection:
        found = await objects.find_in_bucket(connection, location)
    if found is None or not found[0]:
        raise ApiError.of(errors.NO_SUCH_BUCKET)
    return _found(deps, location, found[1])


async def signed(deps: Dependencies, location: Location) -> Stored:
    """The object of a signed URL: no policy is checked."""
    _check_text(location)
    async with deps.sessions.own() as connection:
        return _found(deps, location, await objects.find(connection, location))


async def with_bytes(
    look: Callable[[], Awaitable[Stored]], use: Callable[[Stored], Awaitable[T]]
) -> T:
    """Use an object's bytes; look again where it was overwritten or removed in between.

    NoBytesError where the row that names the lost bytes is still there, or the object was
    overwritten again before each of `LOOKS` uses.
    """
    lost: str | None = None
    for _ in range(LOOKS - 1):
        stored = await look()
        try:
            return await use(stored)
        except NoBytesError:
            if stored.version == lost:
                raise
            lost = stored.version
    return await use(await look())


def _check_text(location: Location) -> None:
    """Refuse text that PostgreSQL cannot store."""
    if "\0" in location.bucket_id:
        raise ApiError.of(errors.NO_SUCH_BUCKET)
    if "\0" in location.name:
        raise ApiError.of(errors.INVALID_KEY, key=location.name)


def _found(deps: Dependencies, location: Location, stored: Stored | None) -> Stored:
    """The object; else the ApiError of a missing object, or of an impossible name."""
    if stored is None:
        check_characters(location.name, has_unicode=deps.settings.uploads.has_unicode_keys)
        raise ApiError.of(errors.NO_SUCH_KEY)
    return stored

"""Rows of objects: found, tried, written, moved, removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compat_base.postgres.database import Connection, fetch, fetch_one
from compat_base.postgres.queries import load_queries
from compat_base.values.sqltext import Statement
from storage_compat.model.stored import NewObject, Stored
from storage_compat.store.buckets import uuid_or_none

_SQL = load_queries(__package__ or "", "objects.sql")


@dataclass(frozen=True, slots=True)
class Location:
    """Where an object is: its bucket's id and its name in the bucket."""

    bucket_id: str
    name: str

    @property
    def path(self) -> str:
        """`bucket/name`."""
        return f"{self.bucket_id}/{self.name}"


async def find(connection: Connection, location: Location) -> Stored | None:
    """The object at this location, where the session may see it."""
    row = await fetch_one(connection, Statement(_SQL["find"], (location.bucket_id, location.name)))
    return None if row is None else Stored.from_row(row)


async def find_in_bucket(
    connection: Connection, location: Location
) -> tuple[bool, Stored | None] | None:
    """Whether the bucket is public, and the object in it; None where there is no bucket."""
    args = (location.bucket_id, location.name)
    row = await fetch_one(connection, Statement(_SQL["find_with_bucket"], args))
    if row is None:
        return None
    return bool(row["is_public"]), None if row["id"] is None else Stored.from_row(row)


async def find_many(connection: Connection, bucket_id: str, names: Sequence[str]) -> set[str]:
    """The objects among these names that the session may see."""
    rows = await fetch(connection, Statement(_SQL["find_many"], (bucket_id, list(names))))
    return {row["name"] for row in rows}


async def try_writing(connection: Connection, new: NewObject, *, is_upsert: bool) -> None:
    """Write a row to check its policies: the caller rolls it back."""
    name = "upsert" if is_upsert else "insert"
    await fetch(connection, Statement(_SQL[name], _columns(new)))


async def write(connection: Connection, new: NewObject, *, is_upsert: bool) -> Stored:
    """Write a row; an existing one is overwritten and keeps its id."""
    name = "upsert" if is_upsert else "insert_row"
    row = await fetch_one(connection, Statement(_SQL[name], _columns(new)))
    if row is None:
        raise LookupError("the row was swallowed by a trigger")
    return Stored.from_row(row)


async def move(
    connection: Connection, source: Location, destination: Location, owner_id: str | None
) -> Stored | None:
    """Move or rename an object; None where the session may not, or there is none."""
    args = (
        source.bucket_id, source.name, destination.bucket_id, destination.name,
        uuid_or_none(owner_id), owner_id,
    )  # fmt: skip
    row = await fetch_one(connection, Statement(_SQL["move"], args))
    return None if row is None else Stored.from_row(row)


async def delete(
    connection: Connection, bucket_id: str, names: Sequence[str]
) -> tuple[Stored, ...]:
    """Delete objects; gives the deleted ones."""
    rows = await fetch(connection, Statement(_SQL["delete"], (bucket_id, list(names))))
    return tuple(map(Stored.from_row, rows))


def _columns(new: NewObject) -> tuple[object, ...]:
    return (
        new.bucket_id, new.name, uuid_or_none(new.owner_id), new.owner_id, new.version,
        new.metadata, new.user_metadata,
    )  # fmt: skip

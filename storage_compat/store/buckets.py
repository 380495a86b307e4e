"""Buckets and whether they are empty."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection, fetch, fetch_one
from compat_base.postgres.queries import load_queries
from compat_base.values.sqltext import Statement, compile_sql, ident, param, raw
from storage_compat.model.bucket import Bucket

_SQL = load_queries(__package__ or "", "buckets.sql")


@dataclass(frozen=True, slots=True)
class NewBucket:
    """A bucket to be made."""

    id: str
    name: str
    owner_id: str | None
    public: bool
    file_size_limit: int | None
    allowed_mime_types: list[str] | None


@dataclass(frozen=True, slots=True)
class Listing:
    """Which buckets to list, and in what order: by default the one in which they were made."""

    limit: int | None = None
    offset: int = 0
    column: str = "created_at"
    is_descending: bool = False
    search: str = ""


async def find(connection: Connection, bucket_id: str) -> Bucket | None:
    """The bucket with this id, where the session may see it."""
    row = await fetch_one(connection, Statement(_SQL["find"], (bucket_id,)))
    return None if row is None else Bucket.from_row(row)


async def list_all(connection: Connection, listing: Listing) -> tuple[Bucket, ...]:
    """The buckets that the session may see."""
    pattern = "".join(f"\\{c}" if c in "\\%_" else c for c in listing.search)
    sql = (
        raw("select b.*, b.type::text as type from storage.buckets b where b.name ilike ")
        + param(f"%{pattern}%", "text") + raw(" and b.type = 'STANDARD' order by ")
        + ident("b", listing.column) + (raw(" desc") if listing.is_descending else raw(" asc"))
        + raw(", b.id limit ") + param(listing.limit, "bigint")
        + raw(" offset ") + param(listing.offset, "bigint")
    )  # fmt: skip
    return tuple(map(Bucket.from_row, await fetch(connection, compile_sql(sql))))


async def insert(connection: Connection, new: NewBucket) -> None:
    """Make a bucket."""
    args = (
        new.id, new.name, uuid_or_none(new.owner_id), new.owner_id, new.public,
        new.file_size_limit, new.allowed_mime_types,
    )  # fmt: skip
    await fetch(connection, Statement(_SQL["insert"], args))


async def change(connection: Connection, bucket_id: str, changes: dict[str, object]) -> bool:
    """Change the columns that are given; False where the session may not, or there is none."""
    names = ("public", "file_size_limit", "allowed_mime_types")
    args = [part for name in names for part in (name in changes, changes.get(name))]
    return await fetch_one(connection, Statement(_SQL["change"], (bucket_id, *args))) is not None


async def delete(connection: Connection, bucket_id: str) -> bool:
    """Delete a bucket; False where the session may not, or there is none."""
    return await fetch_one(connection, Statement(_SQL["delete"], (bucket_id,))) is not None


async def has_objects(connection: Connection, bucket_id: str) -> bool:
    """Whether anything is in the bucket."""
    return await _value(connection, "has_objects", bucket_id)


async def has_uploads(connection: Connection, bucket_id: str) -> bool:
    """Whether a multipart upload into the bucket is open."""
    return await _value(connection, "has_uploads", bucket_id)


async def count_objects(connection: Connection, bucket_id: str, most: int) -> int:
    """How many objects are in the bucket; counting ends at `most`."""
    return await _value(connection, "count_objects", bucket_id, most)


async def empty(connection: Connection, bucket_id: str, before: datetime, most: int) -> int:
    """Remove at most so many objects older than a moment; returns how many were removed."""
    status: str = await connection.execute(_SQL["empty"], bucket_id, before, most)
    return int(status.rpartition(" ")[2])


def uuid_or_none(text: str | None) -> UUID | None:
    """The UUID that a text is, None for any other."""
    try:
        return UUID(text) if text else None
    except ValueError:
        return None


async def _value(connection: Connection, name: str, *args: object) -> Any:
    row = await fetch_one(connection, Statement(_SQL[name], args))
    return row[0] if row is not None else 0

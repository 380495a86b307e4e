"""TUS uploads under way: each PATCH is a part, joined when all are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from compat_base.postgres.database import Connection, Record, fetch, fetch_one
from compat_base.postgres.queries import load_queries
from compat_base.values.sqltext import Statement
from storage_compat.model.uploads import Resumable

_SQL = load_queries(__package__ or "", "resumable.sql")


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes that were received: under a version of their own, from an offset of the upload."""

    upload: str
    offset: int
    version: str
    size: int
    etag: str
    length: int | None
    most: int


async def insert(connection: Connection, new: Resumable) -> None:
    """Begin an upload."""
    args = (
        new.version, new.bucket_id, new.key, new.length, new.upload_metadata, new.owner_id,
        new.is_upsert, new.expires_at,
    )  # fmt: skip
    await fetch(connection, Statement(_SQL["insert"], args))


async def find(connection: Connection, version: str) -> Resumable | None:
    """The upload of a version; None without one."""
    row = await fetch_one(connection, Statement(_SQL["find"], (version,)))
    return None if row is None else Resumable.from_row(row)


async def advance(connection: Connection, part: Part) -> tuple[Resumable, int] | None:
    """Add a part; the upload then and how many parts it had. None where the offset is another."""
    args = (
        part.upload, part.offset, part.version, part.most, part.size, part.etag, part.length,
    )  # fmt: skip
    row = await fetch_one(connection, Statement(_SQL["advance"], args))
    return None if row is None else (Resumable.from_row(row), row["parts"])


async def parts(connection: Connection, version: str) -> Sequence[Record]:
    """The parts in their order: version, size and etag."""
    return await fetch(connection, Statement(_SQL["parts"], (version,)))


async def complete(connection: Connection, version: str) -> bool:
    """Mark an upload as complete; False where it is already."""
    if await fetch_one(connection, Statement(_SQL["complete"], (version,))) is None:
        return False
    await fetch(connection, Statement(_SQL["drop_parts"], (version,)))
    return True


async def delete(connection: Connection, version: str) -> bool:
    """End an upload that is not complete; its bytes are garbage."""
    return await fetch_one(connection, Statement(_SQL["delete"], (version,))) is not None


async def delete_expired(connection: Connection, now: datetime) -> None:
    """Delete expired uploads."""
    await fetch(connection, Statement(_SQL["delete_expired"], (now,)))

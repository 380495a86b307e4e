"""S3's multipart uploads under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compat_base.postgres.database import Connection, Record, fetch, fetch_one
from compat_base.postgres.queries import load_queries
from compat_base.values.sqltext import Statement
from storage_compat.store.objects import Location


@dataclass(frozen=True, slots=True)
class Pending:
    """A page of uploads under way, after a key and an id."""

    bucket_id: str
    prefix: str
    delimiter: str
    key: str
    upload: str
    most: int


_SQL = load_queries(__package__ or "", "multipart.sql")


async def insert(
    connection: Connection, upload: str, location: Location, row: tuple[Any, ...]
) -> None:
    """Begin an upload; `row` is version, owner, user metadata and metadata."""
    args = (upload, location.bucket_id, location.name, *row)
    await fetch(connection, Statement(_SQL["insert"], args))


async def find(connection: Connection, upload: str, location: Location) -> Record | None:
    """The upload to this location."""
    args = (upload, location.bucket_id, location.name)
    return await fetch_one(connection, Statement(_SQL["find"], args))


async def put_part(
    connection: Connection, upload: Record, number: int, part: tuple[str, str, int]
) -> bool:
    """Add a part (etag, version and size), in place of an earlier one of its number.

    False where the upload was completed or aborted meanwhile.
    """
    etag, version, part_size = part
    if not await fetch(connection, Statement(_SQL["lock"], (upload["id"],))):
        return False
    args = (
        upload["id"], number, upload["bucket_id"], upload["key"], etag, upload["owner_id"],
        version, part_size,
    )  # fmt: skip
    await fetch(connection, Statement(_SQL["put_part"], args))
    return True


async def parts(
    connection: Connection, upload: str, after: int = 0, most: int = 10_000
) -> Sequence[Record]:
    """The parts in their order."""
    return await fetch(connection, Statement(_SQL["parts"], (upload, after, most)))


async def size(connection: Connection, upload: str, *, without: int = 0) -> int:
    """The bytes of all parts, one that is sent again excepted."""
    row = await fetch_one(connection, Statement(_SQL["size"], (upload, without)))
    return row["size"] if row is not None else 0


async def delete(connection: Connection, upload: str) -> bool:
    """End an upload; the bytes of its parts are garbage."""
    return await fetch_one(connection, Statement(_SQL["delete"], (upload,))) is not None


async def pending(connection: Connection, page: Pending) -> Sequence[Record]:
    """Uploads under way, and the folders of a delimiter, which have no id."""
    args = (page.bucket_id, page.prefix, page.delimiter, page.key, page.upload, page.most)
    return await fetch(connection, Statement(_SQL["pending"], args))

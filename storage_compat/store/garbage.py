"""Stored bytes that no row names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from compat_base.postgres.database import Connection, Record, fetch, fetch_one
from compat_base.postgres.queries import load_queries
from compat_base.values.sqltext import Statement

_SQL = load_queries(__package__ or "", "garbage.sql")


async def take(connection: Connection, most: int) -> tuple[str, ...]:
    """Entries of garbage, deleted when this transaction commits."""
    rows = await fetch(connection, Statement(_SQL["take"], (most,)))
    return tuple(row["version"] for row in rows)


async def is_held(connection: Connection) -> bool:
    """Whether a backup forbids removing bytes; none can start before this transaction ends."""
    row = await fetch_one(connection, Statement(_SQL["hold"], ()))
    return row is None or not row["is_free"]


async def named(connection: Connection, beginning: str) -> set[str]:
    """The versions with this prefix that a row names: an object's, an upload's or garbage."""
    rows = await fetch(connection, Statement(_SQL["named"], (beginning,)))
    return {row["version"] for row in rows}


async def objects_named(connection: Connection, beginning: str) -> Sequence[Record]:
    """Objects whose version begins so: id, bucket, name and version."""
    return await fetch(connection, Statement(_SQL["objects_named"], (beginning,)))


async def some_objects(connection: Connection, most: int) -> Sequence[Record]:
    """At most so many objects, whichever are cheapest to find."""
    return await fetch(connection, Statement(_SQL["some_objects"], (most,)))


async def begin_sweep(connection: Connection, every: timedelta) -> bool:
    """Whether a sweep for orphans is due and no other process has begun it."""
    return bool(await fetch(connection, Statement(_SQL["begin_sweep"], (every,))))

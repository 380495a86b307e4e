"""Rate limits that several processes and nodes share, by the database's clock (docs/limits)."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from compat_base.postgres.database import Database
from compat_base.postgres.queries import load_queries
from gotrue_compat.ports import Rate
from gotrue_compat.store.statements import one, run

_SQL = load_queries(__package__ or "", "rate_limits.sql")
_BATCH, _MOST_BATCHES = 5000, 60  # rows of one statement, statements of one round
_LEAST_WAIT = 0.001  # seconds: a bucket that regained an event between the two statements


class DatabaseBuckets:
    """Buckets as rows of an unlogged table; their connections are their own.

    A request that sends a mail holds a connection already: waiting for a second one of the same
    pool could deadlock.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, key: bytes, rate: Rate) -> float:
        """Take one event and give 0, or take none and give the seconds until there is one."""
        step, capacity = timedelta(seconds=rate.step), timedelta(seconds=rate.burst * rate.step)
        async with self._database.acquire() as connection:
            if await one(connection, _SQL["take"], UUID(bytes=key), step, capacity):
                return 0.0
            found = await one(connection, _SQL["wait"], UUID(bytes=key), step, capacity)
        return max(found["seconds"] if found else 0.0, _LEAST_WAIT)

    async def give_back(self, key: bytes, rate: Rate) -> None:
        """Give one event back."""
        async with self._database.acquire() as connection:
            await run(connection, _SQL["give_back"], UUID(bytes=key), timedelta(seconds=rate.step))

    async def sweep(self) -> None:
        """Forget buckets that are full again, 300,000 at most."""
        for _ in range(_MOST_BATCHES):
            async with self._database.acquire() as connection:
                row = await one(connection, _SQL["sweep"], _BATCH)
            if row is None or row["rows"] < _BATCH:
                break

"""Deleting what has expired, in batches (auth reference 5.9)."""

from __future__ import annotations

from datetime import datetime

from compat_base.postgres.database import Database
from compat_base.postgres.queries import load_queries
from gotrue_compat.store.statements import one

_SQL = load_queries(__package__ or "", "cleanup.sql")
_USERS = "anonymous_users"
BATCH = 500  # rows of one transaction
MOST_BATCHES = 60  # of one kind in a round


async def clean(database: Database, now: datetime, *, anonymous_users: bool) -> None:
    """Delete what has expired: of each kind at most 30,000 rows, by transactions of 500.

    Users without an address are deleted after 30 days, where that is wanted.
    """
    for name, statement in _SQL.items():
        if name == _USERS and not anonymous_users:
            continue
        for _ in range(MOST_BATCHES):
            async with database.transaction() as tx:
                row = await one(tx, statement, now, BATCH)
            if row is None or row["rows"] < BATCH:
                break

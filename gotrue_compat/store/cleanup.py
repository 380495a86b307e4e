"""Deleting what has expired, a hundred rows of each kind at a time (auth reference 5.9)."""

from __future__ import annotations

from datetime import datetime

from compat_base.postgres.database import Database
from compat_base.postgres.queries import load_queries
from gotrue_compat.store.statements import run

_SQL = load_queries(__package__ or "", "cleanup.sql")


async def clean(database: Database, now: datetime) -> None:
    """Delete what has expired, each kind in a transaction of its own."""
    for statement in _SQL.values():
        async with database.transaction() as tx:
            await run(tx, statement, now)

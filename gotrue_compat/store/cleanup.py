"""Deleting what has expired, in batches (auth reference 5.9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from compat_base.postgres.database import Database
from compat_base.postgres.queries import load_queries
from gotrue_compat.store.statements import one

_SQL = load_queries(__package__ or "", "cleanup.sql")
BATCH = 500  # rows of one transaction
MOST_BATCHES = 60  # of one kind in a round


@dataclass(frozen=True, slots=True)
class Retention:
    """What a deployment keeps: users without an address for 30 days, or for ever.

    Audit entries and users who never confirmed are kept for so many seconds; 0 is for ever.
    """

    anonymous_users: bool = False
    audit_seconds: float = 0
    unconfirmed_seconds: float = 0

    def moments(self, now: datetime) -> dict[str, datetime | None]:
        """The moment that a kind of rows is judged by, where it is not now; None keeps them all."""
        kept = {"audit_log": self.audit_seconds, "unconfirmed_users": self.unconfirmed_seconds}
        moments = {
            name: now - timedelta(seconds=seconds) if seconds else None
            for name, seconds in kept.items()
        }
        return moments | {"anonymous_users": now if self.anonymous_users else None}


async def clean(database: Database, now: datetime, retention: Retention) -> None:
    """Delete what has expired: of each kind at most 30,000 rows, by transactions of 500."""
    moments = retention.moments(now)
    for name, statement in _SQL.items():
        moment = moments.get(name, now)
        if moment is None:
            continue
        for _ in range(MOST_BATCHES):
            async with database.transaction() as tx:
                row = await one(tx, statement, moment, BATCH)
            if row is None or row["rows"] < BATCH:
                break

"""Which sessions of users still exist; the lock by which a node is known to be alive."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compat_base.postgres.database import Connection, Database, fetch
from compat_base.values.sqltext import Statement
from realtime_compat.access.catalog import QUERIES

CHANNEL = "realtime_revoked"
EVERY = "*"  # the payload that makes each node check all of its sessions
AT_ONCE = 5000
_SESSION = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


async def hold_node(connection: Connection, node: str) -> None:
    """Take the lock of a node (16 hexadecimal digits)."""
    number = int.from_bytes(bytes.fromhex(node), signed=True)
    await fetch(connection, Statement(QUERIES["hold_node"], (number,)))


async def revoked(database: Database, sessions: Sequence[str]) -> frozenset[str]:
    """Which of these sessions are gone; raises PgFault, PoolTimeout or Unavailable."""
    gone: set[str] = set()
    for start in range(0, len(sessions), AT_ONCE):
        part = list(sessions[start : start + AT_ONCE])
        async with database.acquire() as connection:
            rows = await fetch(connection, Statement(QUERIES["revoked_sessions"], (part,)))
        gone.update(row["id"] for row in rows)
    return frozenset(gone)


def sessions_named(payload: str) -> Iterable[str]:
    """The sessions that a notification names; none where it means all."""
    return _SESSION.findall(payload)

"""One transaction of one request: what the shared parts of flows take."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from compat_base.postgres.database import Connection
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.settings.hooks import HookPoint


@dataclass(frozen=True, slots=True)
class Work:
    """A request inside its transaction."""

    deps: Deps
    visit: Visit
    tx: Connection

    @property
    def now(self) -> datetime:
        """The moment of the request."""
        return self.visit.now


@asynccontextmanager
async def in_one_statement(deps: Deps, visit: Visit) -> AsyncGenerator[Work]:
    """The same for a request that writes by one statement, which is a transaction by itself.

    Two round trips less: what is read before must be judged again by that statement. With a hook
    of PostgreSQL, which sees what the request wrote, it is a whole transaction.
    """
    if deps.hooks.has(HookPoint.CUSTOM_ACCESS_TOKEN):
        async with working(deps, visit) as work:
            yield work
        return
    async with deps.database.acquire() as connection:
        yield Work(deps, visit, connection)


@asynccontextmanager
async def working(deps: Deps, visit: Visit) -> AsyncGenerator[Work]:
    """A transaction for the request: kept at the end of the block, undone where it raises."""
    async with deps.database.transaction() as tx:
        yield Work(deps, visit, tx)

"""One transaction of one request: what the shared parts of flows take."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from compat_base.database import Connection
from gotrue_compat.ports import Deps, Visit


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
async def working(deps: Deps, visit: Visit) -> AsyncGenerator[Work]:
    """A transaction for the request: kept at the end of the block, undone where it raises."""
    async with deps.database.transaction() as tx:
        yield Work(deps, visit, tx)

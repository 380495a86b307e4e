"""A request's transaction, as flows share it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from compat_base.postgres.database import Connection
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.ports import HookPoint


@dataclass(frozen=True, slots=True)
class UnitOfWork:
    """A request inside its transaction."""

    deps: Dependencies
    context: RequestContext
    tx: Connection

    @property
    def now(self) -> datetime:
        """The moment of the request."""
        return self.context.now


@asynccontextmanager
async def single_statement(
    deps: Dependencies, context: RequestContext
) -> AsyncGenerator[UnitOfWork]:
    """A unit of work for a request that writes by one statement, a transaction by itself.

    Two round trips less: what is read before must be judged again by that statement. With a hook
    of PostgreSQL, which sees what the request wrote, it is a whole transaction.
    """
    if deps.hooks.has(HookPoint.CUSTOM_ACCESS_TOKEN):
        async with unit_of_work(deps, context) as work:
            yield work
        return
    async with deps.database.acquire() as connection:
        yield UnitOfWork(deps, context, connection)


@asynccontextmanager
async def unit_of_work(deps: Dependencies, context: RequestContext) -> AsyncGenerator[UnitOfWork]:
    """A transaction for the request: committed at the block's end, rolled back if it raises."""
    async with deps.database.transaction() as tx:
        yield UnitOfWork(deps, context, tx)

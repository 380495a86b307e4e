"""A pool of pipeline sessions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from operator import attrgetter
from typing import TypeAlias

from compat_base.postgres.pipeline import PipelineSession, open_session
from compat_base.postgres.pool import Driver, Pool, PoolSettings

SessionPool: TypeAlias = Pool[PipelineSession]


@asynccontextmanager
async def open_pool(
    settings: PoolSettings, name: Callable[[], object] | None = None
) -> AsyncGenerator[SessionPool]:
    """A pool for the length of the block; the settings' `dsn` is a libpq string."""
    opening = partial(
        open_session, settings.dsn, settings.application_name, settings.statement_cache
    )
    driver = Driver(opening, attrgetter("is_lost"), PipelineSession.close)
    pool = Pool(driver, settings, name)
    try:
        yield pool
    finally:
        await pool.close()

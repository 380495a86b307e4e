"""A pool of pipeline sessions."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TypeAlias

from compat_base.pipeline import Session, open_session
from compat_base.pool import Driver, Pool, Tell
from compat_base.world import Entropy

SessionPool: TypeAlias = Pool[Session]


@dataclass(frozen=True, slots=True)
class SessionPoolSettings:
    """Where to connect and how: `dsn` is libpq's, sizes in connections, times in seconds."""

    dsn: str
    maximum: int = 10
    acquire_timeout: float = 10.0
    idle_lifetime: float = 30.0
    lifetime: float = 1800.0
    closing_patience: float = 5.0
    statement_cache: int = 1024
    application_name: str = "compat"


@asynccontextmanager
async def open_pool(
    settings: SessionPoolSettings, entropy: Entropy, tell: Tell | None = None
) -> AsyncGenerator[SessionPool]:
    """A pool for the length of the block; `entropy` names its connections for `tell`."""
    opening = partial(
        open_session, settings.dsn, settings.application_name, settings.statement_cache
    )
    driver = Driver(opening, attrgetter("is_lost"), Session.close)
    pool = Pool(driver, settings, entropy, tell)
    try:
        yield pool
    finally:
        await pool.close()

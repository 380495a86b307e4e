"""How the service connects: the pool, and the connections outside it that listen and load."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing

from compat_base.postgres.pipeline import PipelineSession, open_session
from compat_base.postgres.pool import PoolSettings
from compat_base.values.settings import Secret
from compat_base.values.sqltext import Statement
from rest_compat.settings import VERSION, Settings

_VERSION = Statement("select current_setting('server_version_num') as number, version() as name")

APPLICATION_NAME = f"PostgREST {VERSION}"


def pool_settings(settings: Settings, uri: Secret | None = None) -> PoolSettings:
    """The pool of a service, or of another server that it asks."""
    return PoolSettings(
        dsn=(uri or settings.db_uri).reveal(),
        maximum=settings.pool_size,
        acquire_timeout=float(settings.pool_acquisition_timeout),
        idle_lifetime=float(settings.pool_max_idletime),
        lifetime=float(settings.pool_max_lifetime),
        statement_cache=1024 if settings.prepared else 0,
        application_name=APPLICATION_NAME,
        waiting=settings.pool_waiting,
        waiting_each=settings.pool_waiting_each,
    )


@asynccontextmanager
async def connected(
    settings: Settings, *, writable: bool = False
) -> AsyncGenerator[PipelineSession]:
    """A connection outside the pool for the length of the block; Unavailable where none can be had.

    `writable`: of several hosts, none that only reads.
    """
    dsn = settings.db_uri.reveal()
    with closing(await open_session(dsn, APPLICATION_NAME, 0, writable=writable)) as session:
        yield session


async def server_version(session: PipelineSession) -> tuple[int, str]:
    """The server's version as a number (150003) and in its own words."""
    row = (await session.run((_VERSION,)))[0].records()[0]
    return int(row["number"]), row["name"]

"""Connection pools, by how long a statement on them may take."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass

from compat_base.postgres.database import Database, DatabaseSettings, open_database
from realtime_compat.settings import Settings

TOPIC_TIMEOUT = 10_000  # milliseconds a statement may take, by the pool it runs in
VISIBILITY_TIMEOUT = 500
SLOW_CALLERS_TIMEOUT = 5_000
IDLE_SECONDS = 300.0  # that an idle connection is kept: opening one would delay the next change


@dataclass(frozen=True, slots=True)
class Pools:
    """Connections by how long a statement on them may take."""

    topics: Database
    visibility: Database
    slow_callers: Database


async def open_pools(stack: AsyncExitStack, settings: Settings) -> Pools:
    """Open them for the length of the stack."""

    async def pool(name: str, size: int, cut_off: int, *own: tuple[str, str]) -> Database:
        return await stack.enter_async_context(
            open_database(
                DatabaseSettings(
                    dsn=settings.database_url,
                    maximum=size,
                    idle_lifetime=IDLE_SECONDS,
                    application_name=f"realtime_{name}",
                    server_settings=(
                        ("statement_timeout", str(cut_off)),
                        ("timezone", "UTC"),
                        ("search_path", ""),
                        *own,
                    ),
                )
            )
        )

    return Pools(
        # Only notes of who is connected are written here: no join waits for the disk.
        topics=await pool(
            "topics", settings.pool_size, TOPIC_TIMEOUT, ("synchronous_commit", "off")
        ),
        visibility=await pool("visibility", settings.visibility_pool, VISIBILITY_TIMEOUT),
        slow_callers=await pool("slow_callers", settings.slow_callers_pool, SLOW_CALLERS_TIMEOUT),
    )

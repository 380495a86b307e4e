"""The realtime service, opened for the stack."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

import realtime_compat
from compat_base.workers.leadership import Leadership
from compat_stack.services.opened import Dependencies, Opened
from compat_stack.services.service import Variables
from realtime_compat.settings import read_settings


@asynccontextmanager
async def open_realtime(variables: Variables, dependencies: Dependencies) -> AsyncGenerator[Opened]:
    """The realtime service for the length of the block. Raises SettingsError."""
    settings = read_settings(variables)
    settings = replace(settings, keys=replace(settings.keys, remote=dependencies.remote))
    async with realtime_compat.open_service(
        settings,
        world=dependencies.world,
        observer=dependencies.observer,
        broker=dependencies.broker,
    ) as app:

        async def check() -> str | None:
            return None if app.is_streaming else "does not stream changes"

        yield Opened(app, check, collector=app.figures)


def open_machine(
    variables: Variables, dependencies: Dependencies
) -> AbstractAsyncContextManager[None]:
    """The machine's broker side of realtime: Redis for all workers. Raises SettingsError."""
    return realtime_compat.open_bridge(
        read_settings(variables),
        dependencies.broker or "",
        world=dependencies.world,
        observer=dependencies.observer,
    )


def open_log(
    leadership: Leadership, variables: Variables, dependencies: Dependencies
) -> AbstractAsyncContextManager[None]:
    """A reader of the log for all workers. Raises SettingsError."""
    return realtime_compat.open_log_reader(
        read_settings(variables),
        dependencies.broker or "",
        leadership,
        world=dependencies.world,
        observer=dependencies.observer,
    )


def most_connections(variables: Variables) -> int:
    """The most connections to the database: pools, stream, standby, LISTEN for revocations."""
    settings = read_settings(variables)
    return settings.pool_size + settings.visibility_pool + settings.slow_callers_pool + 3

"""The auth service, opened for the stack."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import gotrue_compat
from compat_stack.services.opened import Dependencies, Opened, http_check
from compat_stack.services.service import Variables
from gotrue_compat.settings import read_settings


@asynccontextmanager
async def open_auth(variables: Variables, dependencies: Dependencies) -> AsyncGenerator[Opened]:
    """The auth service for the length of the block. Raises SettingsError."""
    settings = read_settings(variables)
    # Browsers send the gateway's key to each service
    api = replace(settings.api, cors_headers=(*settings.api.cors_headers, "apikey"))
    async with gotrue_compat.open_service(
        replace(settings, api=api),
        world=dependencies.world,
        observer=dependencies.observer,
        mailer=dependencies.mailer,
    ) as app:
        yield Opened(app, http_check(app, "/health"))


def most_connections(variables: Variables) -> int:
    """The most connections to the database: its pool, and those that count shared limits."""
    settings = read_settings(variables)
    return settings.database.pool_size + settings.limits.connections

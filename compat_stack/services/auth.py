"""The auth service, opened for the stack."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import gotrue_compat
from compat_stack.services.opened import Dependencies, Opened, http_check
from compat_stack.services.service import Variables
from gotrue_compat.settings import read_settings

_HEADERS = "GOTRUE_CORS_ALLOWED_HEADERS"


@asynccontextmanager
async def open_auth(variables: Variables, dependencies: Dependencies) -> AsyncGenerator[Opened]:
    """The auth service for the length of the block. Raises SettingsError."""
    further = variables.get(_HEADERS)
    # Browsers send the gateway's key to each service
    variables = {**variables, _HEADERS: f"{further},apikey" if further else "apikey"}
    async with gotrue_compat.open_service(
        read_settings(variables),
        world=dependencies.world,
        observer=dependencies.observer,
        mailer=dependencies.mailer,
    ) as app:
        yield Opened(app, http_check(app, "/health"))


def most_connections(variables: Variables) -> int:
    """The most connections to the database: its pool, and those that count shared limits."""
    settings = read_settings(variables)
    return settings.database.pool_size + settings.limits.connections

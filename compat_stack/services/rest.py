"""The REST service, opened for the stack."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from compat_stack.services.opened import Dependencies, Opened
from compat_stack.services.service import Variables
from rest_compat.app import Service, http_app, open_parts
from rest_compat.process.admin import metrics
from rest_compat.settings import read_settings


@asynccontextmanager
async def open_rest(variables: Variables, dependencies: Dependencies) -> AsyncGenerator[Opened]:
    """The REST service for the length of the block. Raises SettingsError."""
    async with open_parts(
        read_settings(variables),
        world=dependencies.world,
        observer=dependencies.observer,
        remote=dependencies.remote,
        writers=dependencies.writers,
    ) as service:
        yield Opened(
            http_app(service, dependencies.observer),
            partial(_problem, service),
            metrics_text=partial(metrics, service),
            until_loaded=service.manager.first_attempt.wait,
        )


async def _problem(service: Service) -> str | None:
    """What is not ready: the schema cache, or the connection that listens for reloads."""
    manager = service.manager
    if manager.pending:
        return "has no schema cache"
    is_listening = manager.listener.listening or not manager.snapshot.settings.channel_enabled
    return None if is_listening else "does not hear the database"


def most_connections(variables: Variables) -> int:
    """The most connections to the database: its pool, one that listens and one that loads."""
    return read_settings(variables).pool_size + 2

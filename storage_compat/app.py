"""Composition: settings to an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from functools import partial
from importlib import import_module
from typing import Any

from starlette.types import ASGIApp

from compat_base.postgres.database import DatabaseSettings, open_database
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.values.world import World
from storage_compat.files.collector import Collector
from storage_compat.files.images import Renderer
from storage_compat.files.opened import open_store
from storage_compat.ports import Dependencies
from storage_compat.settings import Settings
from storage_compat.store.sessions import Sessions, prepare
from storage_compat.web.service import Service

_METRICS = "storage_compat.web.metrics"
_SCHEMAS = ("storage", "public", "extensions")


@asynccontextmanager
async def open_service(
    settings: Settings, *, world: World, observer: Observer
) -> AsyncGenerator[ASGIApp]:
    """Serve until the block ends.

    Without a database it opens all the same, and answers DatabaseTimeout until there is one.
    """
    async with open_parts(settings, world=world, observer=observer) as (deps, collector):
        tasks = deps.tasks
        tasks.start(collector.check(), "storage check")
        tasks.keep_running(collector.run, "storage garbage")
        sweep = partial(collector.sweep_forever, settings.sweep_seconds, settings.orphan_seconds)
        tasks.keep_running(sweep, "storage orphans")
        service = Service(deps)
        # prometheus_client is loaded only if metrics are on
        yield import_module(_METRICS).Metered(service) if settings.has_metrics else service


@asynccontextmanager
async def open_parts(
    settings: Settings, *, world: World, observer: Observer
) -> AsyncGenerator[tuple[Dependencies, Collector]]:
    """The parts that the service and the command line share, open until the block ends."""
    store: Any = open_store(settings, lambda: str(world.entropy.uuid()))
    renderer = Renderer(settings.images, settings.files.folder / ".images")
    with closing(store), closing(renderer):
        async with (
            open_database(pool_settings(settings), prepare=prepare) as database,
            Supervisor(observer) as tasks,
        ):
            sessions = Sessions(
                database,
                service_role=settings.database.service_role,
                timeout=settings.database.timeout,
            )
            collector = Collector(sessions, store, world.clock, observer)
            deps = Dependencies(
                settings=settings,
                world=world,
                observer=observer,
                sessions=sessions,
                files=store,
                images=renderer,
                tasks=tasks,
                wake=collector.wake,
            )
            yield deps, collector


def pool_settings(settings: Settings) -> DatabaseSettings:
    """How the service connects: names without a schema are its own, then the project's."""
    return DatabaseSettings(
        dsn=settings.database.url.reveal(),
        maximum=settings.database.pool_size,
        acquire_timeout=settings.database.connection_timeout,
        application_name="storage",
        server_settings=(("search_path", ", ".join((*_SCHEMAS, *settings.database.search_path))),),
    )

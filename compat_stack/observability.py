"""The operator's view of the running stack: endpoints, metrics, access log, around the gateway."""

from __future__ import annotations

import sys
from asyncio import to_thread
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from starlette.types import ASGIApp, Scope

from compat_base.database import Database, DatabaseSettings, open_database
from compat_base.events import Observer
from compat_base.tasks import Supervisor
from compat_base.world import World
from compat_stack.access_log import AccessLog
from compat_stack.client_address import caller_of
from compat_stack.metrics import Metrics
from compat_stack.probes import Check, Probes, Readiness, answer_check, database_check
from compat_stack.reporter import Reporter, Sinks
from compat_stack.services import Place
from compat_stack.settings import Settings
from realtime_compat.app import App as RealtimeApp
from rest_compat.admin import metrics as rest_metrics
from rest_compat.app import Service as RestService

Admits = Callable[[Scope], Awaitable[bool]]
"""Whether a request is the operator's."""

_SERVICES = {
    **{name: name for name in ("auth", "rest", "realtime", "mailbox")},
    **dict.fromkeys(("livez", "readyz", "metrics"), "operator"),
}
"""The first part of a path → the name of who answers there, in metrics and the access log."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The running services, and what their reports are made with."""

    auth: ASGIApp
    rest: RestService
    realtime: RealtimeApp
    world: World
    observer: Observer


@asynccontextmanager
async def observed(
    gateway: ASGIApp, settings: Settings, place: Place, admits: Admits, parts: Parts
) -> AsyncGenerator[ASGIApp]:
    """The gateway with the operator's endpoints, metrics and the access log around it."""
    metrics = Metrics()
    metrics.register(parts.realtime.figures)
    metrics.register_text(lambda: rest_metrics(parts.rest))
    log = AccessLog(sys.stderr) if settings.access_log else None
    if log is not None:
        metrics.watch_log(lambda: log.dropped)
    own = DatabaseSettings(place.database_url, maximum=1, application_name="readiness")
    try:
        async with open_database(own) as database, Supervisor(parts.observer) as tasks:
            tasks.start(metrics.watch_loop(), "loop lag")
            readiness = Readiness(_checks(parts, database), tasks, parts.world.clock)
            client_of = partial(caller_of, proxies=settings.trusted_proxies)
            probes = Probes(gateway, readiness, metrics, admits)
            yield Reporter(probes, _SERVICES, parts.world, Sinks(metrics, log, client_of))
    finally:
        if log is not None:
            await to_thread(log.close)


def _checks(parts: Parts, database: Database) -> dict[str, Check]:
    async def rest() -> str | None:
        keeper = parts.rest.keeper
        if keeper.pending:
            return "has no schema cache"
        is_listening = keeper.listener.listening or not keeper.snapshot.settings.channel_enabled
        return None if is_listening else "does not hear the database"

    async def realtime() -> str | None:
        return None if parts.realtime.is_streaming else "does not stream changes"

    auth = answer_check(parts.auth, "/health")
    return {
        "database": database_check(database),
        "auth": auth,
        "rest": rest,
        "realtime": realtime,
    }

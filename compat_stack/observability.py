"""The operator's view of the running stack: endpoints, metrics, access log, around the gateway."""

from __future__ import annotations

import sys
from asyncio import sleep, to_thread
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from starlette.types import ASGIApp, Scope

from compat_base.postgres.database import Database, DatabaseSettings, open_database
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.values.world import World
from compat_stack.access_log import AccessLog
from compat_stack.client_address import caller_of
from compat_stack.gateway import Gateway
from compat_stack.keys import Keys
from compat_stack.metrics import Metrics
from compat_stack.probes import Check, Probes, Readiness, answer_check, database_check
from compat_stack.reporter import Reporter, Sinks
from compat_stack.services import Place
from compat_stack.settings import Settings
from realtime_compat.app import App as RealtimeApp
from rest_compat.app import Service as RestService
from rest_compat.process.admin import metrics as rest_metrics

Admits = Callable[[Scope], Awaitable[bool]]

_LONGEST_SLEEP = 60.0  # seconds; a clock that is set anew is noticed then
_SERVICES = {
    **{name: name for name in ("auth", "rest", "realtime", "mailbox")},
    **dict.fromkeys(("livez", "readyz", "metrics"), "operator"),
}
"""The first part of a path → the name of who answers there, in metrics and the access log."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The running services, and what their reports are made with.

    `admits` tells whether a request is the operator's.
    """

    auth: ASGIApp
    rest: RestService
    realtime: RealtimeApp
    admits: Admits
    world: World
    observer: Observer


@asynccontextmanager
async def observed(
    gateway: Gateway, settings: Settings, place: Place, keys: Keys, parts: Parts
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
            tasks.start(_forget_retired(gateway, keys, parts.world), "retired keys")
            readiness = Readiness(_checks(parts, database), tasks, parts.world.clock)
            client_of = partial(caller_of, proxies=settings.trusted_proxies)
            probes = Probes(gateway, readiness, metrics, parts.admits)
            yield Reporter(probes, _SERVICES, parts.world, Sinks(metrics, log, client_of))
    finally:
        if log is not None:
            await to_thread(log.close)


async def _forget_retired(gateway: Gateway, keys: Keys, world: World) -> None:
    """End each retired API key at its time."""
    for each in sorted(keys.retired.api, key=lambda each: each.until):
        while (left := (each.until - world.clock.now()).total_seconds()) > 0:  # noqa: ASYNC110 — nobody tells the time
            await sleep(min(left, _LONGEST_SLEEP))
        gateway.forget(each.key)


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

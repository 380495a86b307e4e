"""The operator's endpoints of the running stack: readiness, metrics; and the access log."""

from __future__ import annotations

import sys
from asyncio import gather, sleep, to_thread
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from starlette.types import ASGIApp, Scope

from compat_base.broker.frames import NODE
from compat_base.broker.rpc import Rpc
from compat_base.memory import trim_forever
from compat_base.postgres.database import DatabaseSettings, open_database
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.values.jwt import Key
from compat_base.values.world import World
from compat_base.workers.scoreboard import Scoreboard, Siblings
from compat_stack.keys.installation import Keys
from compat_stack.network.client_address import caller_of
from compat_stack.observe.access_log import AccessLog, Subjects
from compat_stack.observe.clock import DatabaseClock
from compat_stack.observe.fleet_metrics import merged
from compat_stack.observe.metrics import Metrics
from compat_stack.observe.probes import PATHS, Probes, Readiness, database_check, workers_check
from compat_stack.observe.reporter import Reporter, Sinks
from compat_stack.services.opened import Opened
from compat_stack.services.roles import NO_FOREIGN_NAMES
from compat_stack.services.service import Deployment, Service
from compat_stack.settings import Settings

_FIGURES_GROUP = 3  # of the broker's lines
_SLOT_BYTES = 2
_CALL_SECONDS = 2.0  # that another worker has to give its figures
_LONGEST_SLEEP = 60.0  # seconds; a clock that is set anew is noticed then
_OPERATOR = "operator"
"""The service name of the operator's paths in metrics and the access log."""


@dataclass(frozen=True, slots=True)
class Monitored:
    """The running services; `admits`: whether a request is the operator's.

    `signers` are the keys that verify tokens, for the access log.
    """

    settings: Settings
    deployment: Deployment
    services: Mapping[Service, Opened]
    admits: Callable[[Scope], Awaitable[bool]]
    world: World
    observer: Observer
    signers: Callable[[], Iterable[Key]]
    siblings: Siblings | None = None  # where there are several workers
    scoreboard: Scoreboard | None = None
    clock: DatabaseClock | None = None  # the world's, where the database is another machine's


@dataclass(frozen=True, slots=True)
class Monitoring:
    """The operator's endpoints; `reporting` wraps an app in request ids, metrics and log."""

    probes: Probes
    reporting: Callable[[ASGIApp], Reporter]
    tasks: Supervisor


@asynccontextmanager
async def monitoring(monitored: Monitored) -> AsyncGenerator[Monitoring]:
    """Watch the services for the length of the block."""
    metrics = _metrics_of(monitored.services.values())
    settings, world = monitored.settings, monitored.world
    log = AccessLog(sys.stderr) if settings.access_log else None
    if log is not None:
        metrics.watch_log(lambda: log.dropped)
    own = DatabaseSettings(
        monitored.deployment.database_url,
        maximum=1,
        application_name="readiness",
        server_settings=tuple(NO_FOREIGN_NAMES.items()),
    )
    checks = {service.name: opened.check for service, opened in monitored.services.items()}
    try:
        async with open_database(own) as database, Supervisor(monitored.observer) as tasks:
            tasks.start(metrics.watch_loop(), "loop lag")
            tasks.start(trim_forever(), "memory")
            if (clock := monitored.clock) is not None:
                metrics.watch_clock(lambda: clock.offset)
                tasks.keep_running(partial(clock.follow, database), "clock")
            folder = None if settings.database_url else settings.data_dir
            checks = {"database": database_check(database, folder), **checks}
            if monitored.siblings is not None:
                checks["workers"] = workers_check(monitored.siblings.scoreboard)
            readiness = Readiness(checks, tasks, world.clock, scoreboard=monitored.scoreboard)
            caller = partial(caller_of, proxies=settings.trusted_proxies)
            sinks = Sinks(metrics, log, caller, Subjects(monitored.signers))
            prefixes = prefix_names(monitored.services)
            without_ids = frozenset(
                service.name for service in monitored.services if not service.reads_request_ids
            )
            exposition = _exposition(metrics, monitored.siblings, tasks, world)
            yield Monitoring(
                Probes(readiness, exposition, monitored.admits),
                lambda app: Reporter(app, prefixes, world, sinks, without_ids),
                tasks,
            )
    finally:
        if log is not None:
            await to_thread(log.close)


def _metrics_of(services: Iterable[Opened]) -> Metrics:
    """The process's own figures, and those that each service registers."""
    metrics = Metrics()
    for opened in services:
        if opened.collector is not None:
            metrics.register(opened.collector)
        if opened.metrics_text is not None:
            metrics.register_text(opened.metrics_text)
    return metrics


def _exposition(
    metrics: Metrics, siblings: Siblings | None, tasks: Supervisor, world: World
) -> Callable[[], Awaitable[bytes]]:
    """The figures of this process, or of all workers together."""

    async def own(_request: bytes = b"") -> bytes:
        return metrics.exposition()

    if siblings is None:
        return own
    slot = siblings.slot
    # Its name among the workers begins with its slot.
    node = slot.to_bytes(_SLOT_BYTES) + world.entropy.bytes(NODE - _SLOT_BYTES)
    rpc = Rpc(siblings.broker, _FIGURES_GROUP, node, own, tasks)
    rpc.start()

    async def of_all() -> bytes:
        others = tuple(rpc.others)
        answers = await gather(*(rpc.call(each, b"", _CALL_SECONDS) for each in others))
        found = {
            int.from_bytes(each[:_SLOT_BYTES]): answer
            for each, answer in zip(others, answers, strict=True)
            if answer is not None
        }
        return merged({**found, slot: metrics.exposition()})

    return of_all


def prefix_names(services: Mapping[Service, Opened]) -> dict[str, str]:
    """The first part of a path → the service name in metrics and the access log."""
    return {
        **{service.prefix[1:].partition("/")[0]: service.name for service in services},
        "mailbox": "mailbox",
        **{path[1:]: _OPERATOR for path in PATHS},
    }


async def forget_retired(forget: Callable[[str], None], keys: Keys, world: World) -> None:
    """Refuse each retired API key from its end on."""
    for each in sorted(keys.retired.api, key=lambda each: each.until):
        while (left := (each.until - world.clock.now()).total_seconds()) > 0:  # noqa: ASYNC110 — no event announces a time
            await sleep(min(left, _LONGEST_SLEEP))
        forget(each.key)

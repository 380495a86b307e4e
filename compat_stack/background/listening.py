"""The background worker's loop: one LISTEN connection wakes it; it sleeps without work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

import httpx2

from compat_base.egress import open_guarded
from compat_base.postgres.database import (
    Database,
    DatabaseSettings,
    connect,
    notifications,
    open_database,
    run_script,
)
from compat_base.postgres.faults import Unavailable
from compat_base.tasks import Supervisor, run_together
from compat_base.values.networks import Permitted
from compat_base.values.sqltext import compile_sql, ident, raw
from compat_base.values.world import World
from compat_stack.background.jobs import JobRunner
from compat_stack.background.logins import Logins, worker_url
from compat_stack.background.mail import MailSender
from compat_stack.background.push import PushSender
from compat_stack.background.queue import Deliverer, Senders, owner_of_queue
from compat_stack.background.requests import RequestSender
from compat_stack.keys.vapid import vapid_key
from compat_stack.network.egress import egress_of
from compat_stack.services.roles import NO_FOREIGN_NAMES
from compat_stack.services.service import Deployment
from compat_stack.settings import Settings
from gotrue_compat.ports import Mailer

REQUESTS, JOBS, MESSAGES = "compat_net", "compat_cron", "recados"
_POOL = 2  # with the connections that listen, deliver and run jobs: services.budget
_GIVE_UP_SECONDS = 30.0  # between checks for requests that a killed worker had taken


@dataclass(frozen=True, slots=True)
class Outgoing:
    """How messages are sent: the VAPID key of push messages, and the mailer."""

    vapid: str
    mailer: Mailer


async def work(
    settings: Settings, deployment: Deployment, outgoing: Outgoing, tasks: Supervisor, world: World
) -> None:
    """Send requests and messages and run jobs until the connection is lost: Unavailable."""
    own = DatabaseSettings(
        worker_url(deployment),
        maximum=_POOL,
        application_name="workers",
        server_settings=tuple(NO_FOREIGN_NAMES.items()),
    )
    async with (
        open_database(own) as database,
        AsyncExitStack() as clients,
        connect(
            worker_url(deployment), application_name="workers", **NO_FOREIGN_NAMES
        ) as connection,
    ):
        client = LazyClient(clients, egress_of(settings.environment))
        sender = RequestSender(database, client.opened, tasks)
        logins = Logins(deployment, database)
        runner = JobRunner(database, logins, tasks)
        push = PushSender(
            client.opened,
            vapid_key(outgoing.vapid),
            settings.push_contact,
            settings.push_hosts,
            world,
        )
        senders = Senders(push, MailSender(outgoing.mailer, deployment.url, world))
        requests, jobs, messages = asyncio.Event(), asyncio.Event(), asyncio.Event()
        async with (
            notifications(connection, REQUESTS, lambda _: requests.set()) as ended,
            notifications(connection, JOBS, lambda _: jobs.set()),
            notifications(connection, MESSAGES, lambda _: messages.set()),
        ):
            await run_together(
                _watch(ended),
                _send(sender, requests),
                _run(runner, jobs),
                _deliver(database, logins, senders, tasks, messages),
            )


class LazyClient:
    """An HTTP client for public addresses, opened at its first use; it closes with the stack."""

    def __init__(self, stack: AsyncExitStack, allowed: Permitted) -> None:
        self._stack = stack
        self._allowed = allowed
        self._lock = asyncio.Lock()
        self._client: httpx2.AsyncClient | None = None

    async def opened(self) -> httpx2.AsyncClient:
        """The client, opened at the first call."""
        async with self._lock:
            if self._client is None:
                self._client = await self._stack.enter_async_context(open_guarded(self._allowed))
            return self._client


async def _watch(ended: asyncio.Event) -> None:
    await ended.wait()
    raise Unavailable("the connection of the workers has ended")


async def _send(sender: RequestSender, woken: asyncio.Event) -> None:
    await _until_needed(sender.is_needed, woken)
    while True:
        woken.clear()
        sender.wake()
        is_left = await sender.give_up()
        await _sleep(woken, _GIVE_UP_SECONDS if is_left else None)


async def _run(runner: JobRunner, woken: asyncio.Event) -> None:
    await _until_needed(runner.is_needed, woken)
    await runner.run_at_start()
    while True:
        woken.clear()
        seconds = await runner.run_due()
        if seconds is not None:
            await runner.sweep()
        await _sleep(woken, seconds)


async def _deliver(
    database: Database, logins: Logins, senders: Senders, tasks: Supervisor, woken: asyncio.Event
) -> None:
    owner: list[str] = []

    async def is_needed() -> bool:
        owner[:] = [name for name in [await owner_of_queue(database)] if name]
        return bool(owner)

    await _until_needed(is_needed, woken)
    # By the queue's owner: its triggers and functions are the project's, and no superuser's
    url, role = await logins.url_of(owner[0])
    async with connect(url, application_name="messages", **NO_FOREIGN_NAMES) as connection:
        if role is not None:
            await run_script(connection, compile_sql(raw("set role ") + ident(role)).text)
        deliverer = Deliverer(connection, senders, tasks, woken)
        while True:
            woken.clear()
            await _sleep(woken, await deliverer.run_due())


async def _until_needed(is_needed: Callable[[], Awaitable[bool]], woken: asyncio.Event) -> None:
    while not await is_needed():
        woken.clear()
        await woken.wait()


async def _sleep(woken: asyncio.Event, seconds: float | None) -> None:
    try:
        async with asyncio.timeout(seconds):
            await woken.wait()
    except TimeoutError:
        pass

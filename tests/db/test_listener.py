"""The listener against PostgreSQL: what it hears, and how it comes and goes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from rest_compat.runtime.listener import Listener, ListenerHooks
from tests.conftest import Server
from tests.harness_states import until


class Notified:
    """What a listener called."""

    def __init__(self) -> None:
        self.payloads: list[str] = []
        self.returns = 0
        self.failures = 0
        self.log: list[str] = []

    def hooks(self) -> ListenerHooks:
        return ListenerHooks(self.payloads.append, self.come_back, self.fail, self.log.append)

    def come_back(self) -> None:
        self.returns += 1

    def fail(self) -> None:
        self.failures += 1


@asynccontextmanager
async def running(dsn: str) -> AsyncIterator[tuple[Listener, Notified]]:
    notified = Notified()
    listener = Listener(dsn, "chan nel", notified.hooks())
    listener.want(wanted=True)
    task = asyncio.ensure_future(listener.run())
    try:
        yield listener, notified
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def run(server: Server, statement: str) -> None:
    await asyncio.to_thread(server.run, statement)


async def test_payloads_are_heard_in_order(server: Server):
    async with running(server.url()) as (listener, notified):
        await until(lambda: listener.listening)
        await run(server, "notify \"chan nel\", 'one'")
        await run(server, 'notify "chan nel"')
        await until(lambda: len(notified.payloads) == 2)
        assert notified.payloads == ["one", ""]
        assert notified.log[0].startswith("Listener connected to PostgreSQL ")
        assert notified.log[0].endswith(
            '" and listening for database notifications on the "chan nel" channel'
        )


async def test_a_lost_connection_is_told_and_made_again(server: Server):
    async with running(server.url()) as (listener, notified):
        await until(lambda: listener.listening)
        await run(
            server,
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where query = 'LISTEN \"chan nel\"'",
        )
        await until(lambda: notified.returns == 1)
        assert notified.failures == 1
        assert "Failed listening for database notifications" in notified.log[1]
        assert notified.log[2] == "Retrying listening for database notifications in 1 seconds..."


async def test_who_is_not_wanted_goes_without_a_word_and_returns_when_wanted(server: Server):
    async with running(server.url()) as (listener, notified):
        await until(lambda: listener.listening)
        listener.want(wanted=False)
        await until(lambda: not listener.listening)
        listener.want(wanted=True)
        await until(lambda: listener.listening)
        assert (notified.failures, notified.returns, len(notified.log)) == (0, 0, 2)


async def test_a_host_that_nobody_knows_is_told_in_libpqs_words():
    async with running("postgresql://no-such-host.invalid/x") as (_, notified):
        await until(lambda: bool(notified.log))
        assert notified.log[0].startswith(
            'Failed listening for database notifications on the "chan nel" channel.'
            ' could not translate host name "no-such-host.invalid" to address: '
        )

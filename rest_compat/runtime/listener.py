"""LISTEN on the channel for schema and configuration reloads, where the settings want it (I/O).

Source: rest reference 13.8, 16.11.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.postgres.pipeline import PipelineSession, open_session
from compat_base.values.sqltext import Statement, compile_sql, ident, raw
from rest_compat.runtime.backoff import Backoff
from rest_compat.runtime.connection import APPLICATION_NAME, server_version


@dataclass(frozen=True, slots=True)
class ListenerHooks:
    """What a listener calls: for each payload, after a reconnect, after each failure, for the log.

    What was notified while it was not connected is lost.
    """

    notified: Callable[[str], None]
    returned: Callable[[], None]
    failed: Callable[[], None]
    log: Callable[[str], None]


class Listener:
    """One connection that listens, made anew with backoff where it is lost."""

    def __init__(self, dsn: str, channel: str, hooks: ListenerHooks) -> None:
        self.listening = False
        self._dsn = dsn
        self._channel = channel
        self._hooks = hooks
        self._wanted = asyncio.Event()
        self._session: PipelineSession | None = None

    def want(self, *, wanted: bool) -> None:
        """Listen from now on, or no longer."""
        if wanted:
            self._wanted.set()
        elif self._wanted.is_set():
            self._wanted.clear()
            if self._session is not None:
                self._session.close()

    async def run(self) -> None:
        """Listen whenever it is wanted, for ever."""
        delay = Backoff()
        while True:
            await self._wanted.wait()
            try:
                await self._listen(is_return=not delay.is_first)
            except (PgFault, Unavailable) as error:
                if self.listening:
                    delay.reset()
                self.listening = False
                if not self._wanted.is_set():
                    continue
                words = " ".join(str(error).split())
                self._hooks.log(
                    f'Failed listening for database notifications on the "{self._channel}" channel.'
                    f" {words}"
                )
                self._hooks.failed()
                self._hooks.log(
                    "Retrying listening for database notifications in"
                    f" {int(delay.seconds)} seconds..."
                )
                await asyncio.sleep(delay.seconds)
                delay.grow()

    async def _listen(self, *, is_return: bool) -> None:
        session = await open_session(self._dsn, APPLICATION_NAME, 0, writable=True)
        with closing(session):
            self._session = session
            _, name = await server_version(session)
            listen = compile_sql(raw("LISTEN ") + ident(self._channel)).text
            await session.run([Statement(listen)])
            self.listening = True
            if is_return:
                self._hooks.returned()
            self._hooks.log(
                f'Listener connected to {name} on "{session.address}"'
                f' and listening for database notifications on the "{self._channel}" channel'
            )
            await session.listen(self._hooks.notified)

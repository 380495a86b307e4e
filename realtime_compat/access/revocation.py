"""Session revocation: channels and sockets end with the session that their token belongs to.

The database notifies which sessions are gone (`realtime.revoked_sessions`, sql/realtime). Missed
notifications are made up for: every live session is checked once the listening connection is up
again, and periodically; an unknown session at its first join. That connection also holds the lock
by which other nodes know that this node is alive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from compat_base.postgres.database import Database, connect, fetch, notifications
from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.slices import Slices
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.sqltext import Statement
from compat_base.values.world import Clock
from realtime_compat.access import sessions
from realtime_compat.access.catalog import QUERIES
from realtime_compat.auth import Caller, Revoked

CHECK_SECONDS = 30.0  # between checks of every live session
GATHER_SECONDS = 0.1
PING_SECONDS = 15.0
ANSWER_SECONDS = 10.0
RETRY_SECONDS = 1.0


class Live(Protocol):
    """A socket, as revocation sees it."""

    def sessions(self) -> Iterable[str]:
        """The sessions that its tokens belong to."""
        ...

    def revoke(self, gone: Collection[str]) -> int:
        """Close the channels of these sessions; how many there were."""
        ...


@dataclass(slots=True)
class Revocation:
    """Follows which sessions are gone, and closes their sockets and channels."""

    url: str
    node: str
    database: Database
    live: Collection[Live]
    revoked: Revoked
    clock: Clock
    observer: Observer
    closed: int = 0
    is_held: asyncio.Event = field(default_factory=asyncio.Event)
    _new: set[str] = field(default_factory=set[str])
    _checks_all: bool = False
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def start(self, supervisor: Supervisor) -> None:
        """Listen and check, for ever."""
        supervisor.keep_running(self._listen, "session-listener")
        supervisor.keep_running(self._check, "session-check")

    def watch(self, session: str | None) -> None:
        """Note the session of a new token."""
        if session is not None:
            self._new.add(session)
            self._changed.set()

    async def check(self, caller: Caller) -> None:
        """ApiError where a caller's session is gone, by a query.

        For callers without a socket, which no later notification can close. Without the database
        the cached state decides, as at a join.
        """
        self.revoked.check(caller)
        if caller.session is None:
            return
        try:
            self.revoked.add(await sessions.revoked(self.database, (caller.session,)))
        except (PgFault, PoolTimeout, Unavailable) as error:
            facts = {"error": str(error)}
            self.observer(Observation("session_check_failed", Severity.WARNING, facts))
        self.revoked.check(caller)

    def _notified(self, payload: str) -> None:
        # Any role may send NOTIFY: the sessions it names are looked up, not believed.
        self._new.update(sessions.sessions_named(payload))
        self._checks_all |= payload == sessions.EVERY
        self._changed.set()

    async def _listen(self) -> None:
        while True:
            try:
                async with connect(self.url, application_name="realtime_sessions") as connection:
                    await sessions.hold_node(connection, self.node)
                    async with notifications(
                        connection, sessions.CHANNEL, self._notified
                    ) as is_closed:
                        self.is_held.set()
                        self._checks_all = True
                        self._changed.set()
                        while not is_closed.is_set():
                            with suppress(TimeoutError):
                                await asyncio.wait_for(is_closed.wait(), PING_SECONDS)
                            async with asyncio.timeout(ANSWER_SECONDS):
                                await fetch(connection, Statement(QUERIES["ping"]))
            except (PgFault, Unavailable, TimeoutError) as error:
                facts = {"error": str(error)}
                self.observer(Observation("session_listener_down", Severity.WARNING, facts))
            await asyncio.sleep(RETRY_SECONDS)

    async def _check(self) -> None:
        while True:
            try:
                async with asyncio.timeout(CHECK_SECONDS):
                    await self._changed.wait()
                    await asyncio.sleep(GATHER_SECONDS)
            except TimeoutError:
                self._checks_all = True
            self._changed.clear()
            checked, self._new = self._new, set()
            if self._checks_all:
                self._checks_all = False
                checked |= await self._every() | self.revoked.all()
            try:
                gone = await sessions.revoked(self.database, tuple(checked))
            except (PgFault, PoolTimeout, Unavailable) as error:
                facts = {"error": str(error)}
                self.observer(Observation("session_check_failed", Severity.WARNING, facts))
                self._new |= checked
                await asyncio.sleep(RETRY_SECONDS)
                self._changed.set()
            else:
                self.revoked.forget(checked - gone)
                await self._end(gone)

    async def _every(self) -> set[str]:
        found, slices = set[str](), Slices(self.clock)
        for socket in tuple(self.live):
            found.update(socket.sessions())
            await slices.rest()
        return found

    async def _end(self, gone: Collection[str]) -> None:
        if not gone:
            return
        self.revoked.add(gone)
        slices, closed = Slices(self.clock), 0
        for socket in tuple(self.live):
            closed += socket.revoke(gone)
            await slices.rest()
        self.closed += closed
        if closed:
            facts = {"channels": closed}
            self.observer(Observation("sessions_revoked", Severity.INFO, facts))

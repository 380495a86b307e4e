"""A pool of pipeline sessions: made when wanted, lent one at a time, closed when idle or old."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from compat_base.faults import PoolTimeout, Unavailable
from compat_base.pipeline import Session, open_session
from compat_base.world import Entropy


@dataclass(frozen=True, slots=True)
class SessionPoolSettings:
    """Where to connect and how: `dsn` is libpq's, sizes in connections, times in seconds."""

    dsn: str
    maximum: int = 10
    acquire_timeout: float = 10.0
    idle_lifetime: float = 30.0
    lifetime: float = 1800.0
    closing_patience: float = 5.0
    statement_cache: int = 1024
    application_name: str = "compat"


Tell: TypeAlias = Callable[[str], None]
"""Hears what becomes of each connection, one sentence at a time."""


@asynccontextmanager
async def open_pool(
    settings: SessionPoolSettings, entropy: Entropy, tell: Tell | None = None
) -> AsyncGenerator[SessionPool]:
    """A pool for the length of the block; `entropy` names its connections for `tell`."""
    pool = SessionPool(settings, entropy, tell)
    try:
        yield pool
    finally:
        await pool.close()


@dataclass(slots=True)
class _Kept:
    """A session's name, when it was opened, and since when nobody has it."""

    name: UUID
    opened: float
    idle_since: float = 0.0


class SessionPool:
    """At most `maximum` sessions; whoever comes later waits in line for `acquire_timeout`."""

    def __init__(
        self, settings: SessionPoolSettings, entropy: Entropy, tell: Tell | None = None
    ) -> None:
        self.settings = settings
        self._entropy = entropy
        self._tell = tell
        self.waiting = 0
        self._sessions: dict[Session, _Kept] = {}
        self._connecting = 0
        self._idle: deque[Session] = deque()
        self._line: deque[asyncio.Future[Session | None]] = deque()
        self._loop = asyncio.get_running_loop()
        self._trimming: asyncio.TimerHandle | None = None
        self._closing = False
        self._empty = asyncio.Event()

    async def borrow(self) -> Session:
        """A session to be given back; PoolTimeout or Unavailable where none can be had."""
        if self._tell is not None:
            self._tell("Trying to borrow a connection from pool")
        session = None if self._line else self._take_idle()
        if session is None:
            self.waiting += 1
            try:
                async with asyncio.timeout(self.settings.acquire_timeout):
                    session = await self._next()
            except TimeoutError as error:
                raise PoolTimeout from error
            finally:
                self.waiting -= 1
        self._say(session, "is used")
        if self._tell is not None:
            self._tell("Borrowed a connection from the pool")
        return session

    def give_back(self, session: Session, *, failed: bool = False) -> None:
        """Return a session, which must be outside any transaction; a lost or old one goes."""
        now = self._loop.time()
        kept = self._sessions.get(session)
        if kept is None or session.is_lost:
            self._drop(session, "network error")
        elif self._closing:
            self._drop(session, "release")
        elif now - kept.opened >= self.settings.lifetime:
            self._drop(session, "max lifetime")
        else:
            self._say(session, f"is available due to session {'failure' if failed else 'success'}")
            if not self._hand_over(session):
                kept.idle_since = now
                self._idle.append(session)
                self._trim_later()

    def size(self) -> tuple[int, int]:
        """Connections open, and of these idle."""
        return len(self._sessions) + self._connecting, len(self._idle)

    async def close(self) -> None:
        """Wait for the sessions in use, then close all; cut off those that go on for too long."""
        self._closing = True
        if self._trimming is not None:
            self._trimming.cancel()
        while self._idle:
            self._drop(self._idle.popleft(), "release")
        with suppress(TimeoutError):
            async with asyncio.timeout(self.settings.closing_patience if self._sessions else 0):
                await self._empty.wait()
        for session in list(self._sessions):
            self._drop(session, "release")

    # ── who comes next ─────────────────────────────────────────────────────────────────────────

    async def _next(self) -> Session:
        while True:
            if self._closing:
                raise Unavailable("the pool is closed")
            if (session := self._take_idle()) is not None:
                return session
            if len(self._sessions) + self._connecting < self.settings.maximum:
                return await self._open()
            session = await self._wait_in_line()
            if session is not None:
                return session

    def _take_idle(self) -> Session | None:
        """The session used last, whose caches are warm; those lost meanwhile go."""
        while self._idle:
            session = self._idle.pop()
            if not session.is_lost:
                return session
            self._drop(session, "network error")
        return None

    async def _open(self) -> Session:
        settings, name = self.settings, self._entropy.uuid()
        self._connecting += 1
        self._tell_of(name, "is being established")
        try:
            session = await open_session(
                settings.dsn, settings.application_name, settings.statement_cache
            )
        except BaseException:
            self._connecting -= 1
            self._tell_of(name, "is terminated due to network error")
            self._hand_over(None)
            raise
        self._connecting -= 1
        self._sessions[session] = _Kept(name, opened=self._loop.time())
        self._say(session, "is available due to connection establishment")
        return session

    async def _wait_in_line(self) -> Session | None:
        turn: asyncio.Future[Session | None] = self._loop.create_future()
        self._line.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.cancelled() or not turn.done():
                self._line.remove(turn)
            elif (session := turn.result()) is not None:
                self.give_back(session)
            else:
                self._hand_over(None)
            raise

    def _hand_over(self, session: Session | None) -> bool:
        """Give a session, or the chance to open one, to whoever waits longest."""
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_result(session)
                return True
        return False

    def _drop(self, session: Session, reason: str) -> None:
        session.close()
        self._say(session, f"is terminated due to {reason}")
        if self._sessions.pop(session, None) is not None:
            self._hand_over(None)
        if not self._sessions:
            self._empty.set()

    # ── sessions that nobody wants ─────────────────────────────────────────────────────────────

    def _trim_later(self) -> None:
        if self._trimming is None:
            self._trimming = self._loop.call_later(self.settings.idle_lifetime, self._trim)

    def _trim(self) -> None:
        self._trimming = None
        oldest = self._loop.time() - self.settings.idle_lifetime
        while self._idle and self._sessions[self._idle[0]].idle_since <= oldest:
            self._drop(self._idle.popleft(), "max idletime")
        if self._idle:
            self._trim_later()

    # ── what is told ───────────────────────────────────────────────────────────────────────────

    def _say(self, session: Session, what: str) -> None:
        if self._tell is not None and session in self._sessions:
            self._tell_of(self._sessions[session].name, what)

    def _tell_of(self, name: UUID, what: str) -> None:
        if self._tell is not None:
            self._tell(f"Connection {name} {what}")

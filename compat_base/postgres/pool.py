"""A connection pool for any driver: connections opened on demand, closed when idle or old.

Callers who are named get them in turn, and none of them all (`compat_base.fair_semaphore`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeAlias, TypeVar
from weakref import WeakSet

from compat_base.fair_semaphore import FairSemaphore, QueueFullError, ShareFullError
from compat_base.postgres.faults import PoolTimeout, Unavailable

T = TypeVar("T")

_CLOSED = "the pool is closed"
SHARE = 4  # a caller gets a connection while it has fewer than so many times the free ones


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Where to connect and how: sizes in connections, times in seconds.

    `waiting`: how many may wait for a connection, and `waiting_each` of a caller.
    """

    dsn: str
    maximum: int = 10
    acquire_timeout: float = 10.0
    idle_lifetime: float = 30.0
    lifetime: float = 3600.0
    closing_timeout: float = 5.0
    waiting: int = 100_000
    waiting_each: int = 100_000
    statement_cache: int = 1024
    application_name: str = "compat"


@dataclass(frozen=True, slots=True)
class Driver(Generic[T]):
    """Opens connections (Unavailable where it cannot), checks and closes them."""

    open: Callable[[], Awaitable[T]]
    is_lost: Callable[[T], bool]
    close: Callable[[T], None]


Report: TypeAlias = Callable[[str], None]
"""Called with a sentence for each event of a connection, for logs."""


@dataclass(slots=True)
class _Pooled:
    """A connection's state: name, times of opening and idling, flushed; who has borrowed it."""

    name: object
    opened: float
    idle_since: float = 0.0
    is_stale: bool = False
    caller: str | None = None


_open: WeakSet[Pool[Any]] = WeakSet()


def open_pools() -> tuple[Pool[Any], ...]:
    """The open pools of this process by name, for metrics."""
    pools = (pool for pool in _open if not pool.is_closing)
    return tuple(sorted(pools, key=lambda pool: pool.settings.application_name))


class Pool(Generic[T]):
    """At most `maximum` connections; a caller without one waits for up to `acquire_timeout`.

    A caller that is named has at most four fifths of them at once, and never the last ones of a
    pool of three or more: what it does with its own does not keep others waiting.

    `name` names each connection in what is reported; numbers by default.
    """

    def __init__(
        self,
        driver: Driver[T],
        settings: PoolSettings,
        name: Callable[[], object] | None = None,
    ) -> None:
        self.settings = settings
        self._driver = driver
        self._name = name or count(1).__next__
        self.report: Report | None = None
        self._connections: dict[T, _Pooled] = {}
        self._connecting = 0
        self._idle: deque[T] = deque()
        self._places = FairSemaphore(
            settings.maximum,
            most=settings.waiting,
            most_each=settings.waiting_each,
            seconds=settings.acquire_timeout,
            share=SHARE,
        )
        self._loop = asyncio.get_running_loop()
        self._trimming: asyncio.TimerHandle | None = None
        self._closing = False
        self._empty = asyncio.Event()
        _open.add(self)

    async def borrow(self, caller: str = "") -> T:
        """Borrow a connection; PoolTimeout or Unavailable where none can be had.

        PoolTimeout at once where the queue is full.
        """
        if self.report is not None:
            self.report("Trying to borrow a connection from pool")
        since = self._loop.time()
        if not self._places.try_acquire(caller):
            await self._wait(caller)
        connection = self._take_idle()
        if connection is None:
            connection = await self._connected(caller, since + self.settings.acquire_timeout)
        self._connections[connection].caller = caller
        if self.report is not None:
            self._report(connection, "is used")
            self.report("Borrowed a connection from the pool")
        return connection

    def give_back(self, connection: T, *, failed: bool = False) -> None:
        """Return a connection outside any transaction; a lost or old one is closed."""
        now = self._loop.time()
        kept = self._connections.get(connection)
        caller = None
        if kept is not None:
            caller, kept.caller = kept.caller, None
        if kept is None or self._driver.is_lost(connection):
            self._drop(connection, "network error")
        elif self._closing or kept.is_stale:
            self._drop(connection, "release")
        elif now - kept.opened >= self.settings.lifetime:
            self._drop(connection, "max lifetime")
        else:
            if self.report is not None:
                outcome = "failure" if failed else "success"
                self._report(connection, f"is available due to session {outcome}")
            kept.idle_since = now
            self._idle.append(connection)
            if self._trimming is None:
                self._trim_later()
        if caller is not None:
            self._places.release(caller)

    def retire(self, connection: T) -> None:
        """Close a borrowed connection when it comes back."""
        kept = self._connections.get(connection)
        if kept is not None:
            kept.is_stale = True

    def flush(self) -> None:
        """Close all present connections: idle ones now, borrowed ones when they come back."""
        while self._idle:
            self._drop(self._idle.popleft(), "release")
        for kept in self._connections.values():
            kept.is_stale = True

    @property
    def is_closing(self) -> bool:
        """Whether it is closed or being closed."""
        return self._closing

    @property
    def waiting(self) -> int:
        """How many wait, for their turn or for a new connection."""
        return len(self._places) + self._connecting

    def size(self) -> tuple[int, int]:
        """Open connections, and how many of them are idle."""
        return len(self._connections) + self._connecting, len(self._idle)

    async def close(self) -> None:
        """Wait for borrowed connections for a while, then close all."""
        self._closing = True
        if self._trimming is not None:
            self._trimming.cancel()
        while self._idle:
            self._drop(self._idle.popleft(), "release")
        with suppress(TimeoutError):
            async with asyncio.timeout(self.settings.closing_timeout if self._connections else 0):
                await self._empty.wait()
        for connection in list(self._connections):
            self._drop(connection, "release")
        self._places.refuse_all(Unavailable(_CLOSED))

    # ── the queue ─────────────────────────────────────────────────────────────────────────

    async def _wait(self, caller: str) -> None:
        """Wait for a place; PoolTimeout where none can be had in time."""
        try:
            await self._places.acquire(caller)
        except (TimeoutError, ShareFullError, QueueFullError) as error:
            raise PoolTimeout from error

    async def _connected(self, caller: str, deadline: float) -> T:
        """A new connection for a caller that has a place; the place is given back on failure."""
        try:
            async with asyncio.timeout_at(deadline):
                return await self._open()
        except BaseException as error:
            self._places.release(caller)
            if isinstance(error, TimeoutError):
                raise PoolTimeout from error
            raise

    def _take_idle(self) -> T | None:
        """The connection used last, whose caches are warm; lost ones are closed."""
        while self._idle:
            connection = self._idle.pop()
            if not self._driver.is_lost(connection):
                return connection
            self._drop(connection, "network error")
        return None

    async def _open(self) -> T:
        if self._closing:
            raise Unavailable(_CLOSED)
        name = self._name()
        self._connecting += 1
        self._report_named(name, "is being established")
        try:
            connection = await self._driver.open()
        except BaseException:
            self._connecting -= 1
            self._report_named(name, "is terminated due to network error")
            raise
        self._connecting -= 1
        self._connections[connection] = _Pooled(name, opened=self._loop.time())
        self._empty.clear()
        self._report(connection, "is available due to connection establishment")
        return connection

    def _drop(self, connection: T, reason: str) -> None:
        self._driver.close(connection)
        self._report(connection, f"is terminated due to {reason}")
        self._connections.pop(connection, None)
        if not self._connections:
            self._empty.set()

    # ── connections that nobody wants ─────────────────────────────────────────────────────────────

    def _trim_later(self) -> None:
        self._trimming = self._loop.call_later(self.settings.idle_lifetime, self._trim)

    def _trim(self) -> None:
        self._trimming = None
        oldest = self._loop.time() - self.settings.idle_lifetime
        while self._idle and self._connections[self._idle[0]].idle_since <= oldest:
            self._drop(self._idle.popleft(), "max idletime")
        if self._idle:
            self._trim_later()

    # ── observations ───────────────────────────────────────────────────────────────────────────

    def _report(self, connection: T, what: str) -> None:
        if self.report is not None and connection in self._connections:
            self._report_named(self._connections[connection].name, what)

    def _report_named(self, name: object, what: str) -> None:
        if self.report is not None:
            self.report(f"Connection {name} {what}")

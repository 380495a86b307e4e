"""A thread pool with fair queueing between callers, bounded for each and for all.

A caller with much work waits behind itself: threads go to callers in turn. Where the queue is full,
the caller with the most entries loses its youngest to somebody who has fewer.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


class ShareFullError(Exception):
    """The caller has as many entries in the queue as one may have."""


class QueueFullError(Exception):
    """The queue is full and no caller has more than this one; or the wait took too long."""


class FairQueue:
    """Runs work in an executor of so many threads; used from one event loop.

    Callers without a name share one turn, and have no bound but that of all. A waiter who is
    cancelled, or waits longer than `seconds`, gives its place up at once. Work that runs is not
    interrupted: its thread is free when it ends, and only then is the next one started.
    """

    def __init__(
        self, executor: Executor, threads: int, *, most: int, most_each: int, seconds: float
    ) -> None:
        self._executor = executor
        self._free = threads
        self._most = most
        self._most_each = most_each
        self._seconds = seconds
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    async def run(self, caller: str, work: Callable[[], T]) -> T:
        """Run the work in its turn; ShareFullError or QueueFullError at once where it is full."""
        if self._free:
            self._free -= 1
        else:
            try:
                async with asyncio.timeout(self._seconds):
                    await self._wait(caller)
            except TimeoutError as error:
                raise QueueFullError from error
        loop = asyncio.get_running_loop()
        try:
            future = self._executor.submit(work)
        except BaseException:
            self._pass_on()
            raise
        future.add_done_callback(lambda ended: self._ended(loop, ended))
        return await asyncio.wrap_future(future)

    async def _wait(self, caller: str) -> None:
        """Wait for a free thread."""
        self._make_room(caller)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        self._count += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._pass_on()  # the turn came in the same moment
            else:
                self._forget(caller, turn)
            raise

    def _make_room(self, caller: str) -> None:
        own = len(self._waiting.get(caller, ()))
        if caller and own >= self._most_each:
            raise ShareFullError
        if self._count < self._most:
            return
        greediest = max(self._waiting, key=lambda name: len(self._waiting[name]))
        if len(self._waiting[greediest]) <= own + 1:
            raise QueueFullError
        youngest = self._waiting[greediest][-1]
        self._forget(greediest, youngest)
        youngest.set_exception(ShareFullError())

    def _forget(self, caller: str, turn: asyncio.Future[None]) -> None:
        turns = self._waiting.get(caller)
        if turns is None or turn not in turns:
            return
        turns.remove(turn)
        self._count -= 1
        if not turns:
            del self._waiting[caller]

    def _ended(self, loop: asyncio.AbstractEventLoop, _future: Future[T]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(self._pass_on)

    def _pass_on(self) -> None:
        """Give the thread to the next caller."""
        if not self._waiting:
            self._free += 1
            return
        caller, turns = self._waiting.popitem(last=False)
        turn = turns.popleft()
        self._count -= 1
        if turns:
            self._waiting[caller] = turns
        if turn.done():  # cancelled, and its task has not run since
            self._pass_on()
        else:
            turn.set_result(None)

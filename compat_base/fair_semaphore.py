"""A semaphore with fair queueing between callers, bounded for each and for all.

Free places go to callers in turn, so a caller with many entries delays only itself. If the queue is
full, a caller with fewer entries displaces the youngest entry of the caller with the most.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque

_Waiter = asyncio.Future[None]


class ShareFullError(Exception):
    """The caller has as many entries in the queue as one may have."""


class QueueFullError(Exception):
    """The queue is full and no caller has more than this one."""


class FairSemaphore:
    """A semaphore of `places`, used from one event loop.

    Up to `most` callers may wait for a place, `most_each` of the same caller, each for at most
    `seconds`. `share` bounds the places of one caller: it gets another only while it has fewer than
    `share` times the free ones (a dynamic threshold, Choudhury and Hahne 1998), and the last of
    three or more only if it has none, so that others always find one; 0 sets no such bound.
    Callers without a name share one turn and are not bounded individually.
    """

    def __init__(
        self,
        places: int,
        *,
        most: int,
        most_each: int,
        seconds: float | None = None,
        share: int = 0,
    ) -> None:
        self._free = places
        self._most = most
        self._most_each = most_each
        self._seconds = seconds
        self._share = share
        self._left = 1 if places > 2 else 0  # noqa: PLR2004 — of two, one would be half of them
        self._taken: dict[str, int] = {}
        self._waiting: OrderedDict[str, deque[_Waiter]] = OrderedDict()
        self._count = 0
        # Deadlines have the order of arrival: one timer serves all.
        self._deadlines: dict[_Waiter, tuple[str, float]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """How many wait."""
        return self._count

    async def acquire(self, caller: str = "") -> None:
        """Take a place in the caller's turn.

        ShareFullError or QueueFullError if the queue is full, TimeoutError after too long a wait.
        """
        if not self.try_acquire(caller):
            await self._wait(caller)

    def try_acquire(self, caller: str = "") -> bool:
        """Take a place if one is available at once; whether it was taken."""
        # Waiting callers may not take one: a release serves all that may.
        if not self._may_take(caller):
            return False
        self._take(caller)
        return True

    def release(self, caller: str = "") -> None:
        """Give a place back, for those who wait."""
        self._free += 1
        if caller and self._share:
            left = self._taken[caller] - 1
            if left:
                self._taken[caller] = left
            else:
                del self._taken[caller]
        if self._waiting:
            self._serve()

    def refuse_all(self, error: Exception) -> None:
        """End every wait with an exception."""
        waiters = [waiter for waiters in self._waiting.values() for waiter in waiters]
        self._waiting.clear()
        self._count = 0
        for waiter in waiters:
            if not waiter.done():
                waiter.set_exception(error)

    def _may_take(self, caller: str) -> bool:
        if not (caller and self._share):
            return self._free > 0
        taken = self._taken.get(caller, 0)
        if taken and self._free <= self._left:
            return False
        return taken < self._share * self._free

    def _take(self, caller: str) -> None:
        self._free -= 1
        if caller and self._share:
            self._taken[caller] = self._taken.get(caller, 0) + 1

    async def _wait(self, caller: str) -> None:
        self._make_room(caller)
        loop = asyncio.get_running_loop()
        waiter: _Waiter = loop.create_future()
        waiters = self._waiting.get(caller)
        if waiters is None:
            self._waiting[caller] = deque((waiter,))
        else:
            waiters.append(waiter)
        self._count += 1
        if self._seconds is not None:
            self._await_deadline(loop, waiter, caller, loop.time() + self._seconds)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.release(caller)  # the turn came in the same moment
            else:
                self._forget(caller, waiter)
            raise
        finally:
            self._deadlines.pop(waiter, None)

    def _await_deadline(
        self, loop: asyncio.AbstractEventLoop, waiter: _Waiter, caller: str, deadline: float
    ) -> None:
        self._deadlines[waiter] = caller, deadline
        if self._timer is None:
            self._timer = loop.call_at(deadline, self._expire, loop)

    def _expire(self, loop: asyncio.AbstractEventLoop) -> None:
        """End the waits that are late, and look again when the next one may be."""
        self._timer = None
        now = loop.time()
        late: list[tuple[str, _Waiter]] = []
        for waiter, (caller, deadline) in self._deadlines.items():
            if deadline > now:
                self._timer = loop.call_at(deadline, self._expire, loop)
                break
            late.append((caller, waiter))
        for caller, waiter in late:
            self._forget(caller, waiter)
            if not waiter.done():
                waiter.set_exception(TimeoutError())

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
        if not youngest.done():  # else cancelled, and its task has not run since
            youngest.set_exception(ShareFullError())

    def _forget(self, caller: str, waiter: asyncio.Future[None]) -> None:
        waiters = self._waiting.get(caller)
        if waiters is None or waiter not in waiters:
            return
        waiters.remove(waiter)
        self._count -= 1
        if not waiters:
            del self._waiting[caller]

    def _serve(self) -> None:
        """Give the free places to those in turn who may take one."""
        waiting = self._waiting
        while self._free and (caller := next(filter(self._may_take, waiting), None)) is not None:
            waiters = waiting[caller]
            waiter = waiters.popleft()
            self._count -= 1
            if waiters:
                waiting.move_to_end(caller)
            else:
                del waiting[caller]
            if not waiter.done():  # else cancelled, and its task has not run since
                self._take(caller)
                waiter.set_result(None)

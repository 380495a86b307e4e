"""Long work that does not block the event loop: a slice at a time, or in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from compat_base.fair_executor import FairExecutor
from compat_base.fair_semaphore import QueueFullError, ShareFullError
from compat_base.process import switching_promptly
from compat_base.values.errors import ApiError
from rest_compat.errors import POOL_TIMEOUT
from rest_compat.request.slices import Slices
from rest_compat.settings import Settings

T = TypeVar("T")


class RoundRobin:
    """One slice in each round of the event loop, whichever request it belongs to.

    All other callbacks of the loop come before the next slice; all long work takes turns. `thread`
    is an executor of one: callers take turns there too, bounded as those who wait for a connection.
    """

    def __init__(self, thread: Executor, settings: Settings) -> None:
        self._lock = asyncio.Lock()
        self._thread = FairExecutor(
            thread,
            1,
            most=settings.pool_waiting,
            most_each=settings.pool_waiting_each,
            seconds=settings.pool_acquisition_timeout,
        )

    async def run(self, work: Slices[T]) -> T:
        """The result of the work."""
        while True:
            async with self._lock:
                try:
                    next(work)
                except StopIteration as end:
                    return end.value
                await asyncio.sleep(0)

    async def in_thread(self, caller: str, function: Callable[[], T]) -> T:
        """A pure function's result; ApiError where the caller's turn does not come."""
        try:
            return await self._thread.run(caller, partial(switching_promptly, function))
        except (ShareFullError, QueueFullError) as error:
            raise ApiError.of(POOL_TIMEOUT) from error


@asynccontextmanager
async def open_round_robin(settings: Settings) -> AsyncGenerator[RoundRobin]:
    """A round robin with a thread, which is not joined at the end."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="plan")
    try:
        yield RoundRobin(thread, settings)
    finally:
        thread.shutdown(wait=False, cancel_futures=True)

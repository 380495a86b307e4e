"""Work in threads, with fair queueing by caller."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from compat_base.fair_semaphore import FairSemaphore, QueueFullError
from compat_base.tasks import call_from_thread

T = TypeVar("T")


class FairExecutor:
    """Runs work in an executor of so many threads; used from one event loop.

    `most` calls may wait, `most_each` of a caller (`FairSemaphore`). A call that is cancelled, or
    waits longer than `seconds`, leaves the queue at once. Running work is not interrupted: its
    thread becomes free when the work ends.
    """

    def __init__(
        self, executor: Executor, threads: int, *, most: int, most_each: int, seconds: float
    ) -> None:
        self._executor = executor
        self._threads = FairSemaphore(threads, most=most, most_each=most_each, seconds=seconds)

    def __len__(self) -> int:
        """How many wait."""
        return len(self._threads)

    async def run(self, caller: str, work: Callable[[], T]) -> T:
        """Run the work in its turn; ShareFullError or QueueFullError at once if the queue is full.

        QueueFullError too after too long a wait.
        """
        try:
            await self._threads.acquire(caller)
        except TimeoutError as error:
            raise QueueFullError from error
        loop = asyncio.get_running_loop()
        try:
            future = self._executor.submit(work)
        except BaseException:
            self._threads.release(caller)
            raise
        future.add_done_callback(lambda _: call_from_thread(loop, self._threads.release, caller))
        return await asyncio.wrap_future(future)

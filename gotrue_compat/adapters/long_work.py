"""Long work beside the event loop: reading a large body, an assertion, a large answer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from compat_base.fair_executor import FairExecutor
from compat_base.fair_semaphore import QueueFullError, ShareFullError
from compat_base.process import switching_promptly
from compat_base.values.errors import ApiError
from gotrue_compat import errors

T = TypeVar("T")

_MOST, _MOST_EACH, _SECONDS = 128, 32, 5.0
_LATER = (("Retry-After", "1"),)


class ThreadLongWork:
    """Runs work in one thread, with fair queueing by caller.

    One, because a library's call may hold the interpreter for some 20 ms: with more of them the
    event loop might wait for several such calls at once.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="long")
        self._queue = FairExecutor(
            self._thread, 1, most=_MOST, most_each=_MOST_EACH, seconds=_SECONDS
        )

    async def run(self, caller: str, work: Callable[[], T]) -> T:
        """The result of the work; ApiError if the queue is full or the wait too long."""
        try:
            return await self._queue.run(caller, partial(switching_promptly, work))
        except ShareFullError as error:
            raise ApiError.of(errors.REQUEST_LIMIT, headers=_LATER) from error
        except QueueFullError as error:
            raise ApiError.of(errors.TOO_BUSY, headers=_LATER) from error

    def close(self) -> None:
        """Stop the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

"""Supervised background tasks: the only place that creates one.

Every task is referenced until it ends, its failure is observed, and `close` ends all of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVarTuple

from compat_base.values.events import Observation, Observer, Severity

FIRST_PAUSE = 0.1  # seconds
LAST_PAUSE = 10.0
HEALTHY_SECONDS = 30.0
CANCEL_AGAIN_SECONDS = 1.0

Args = TypeVarTuple("Args")


def call_from_thread(
    loop: asyncio.AbstractEventLoop, callback: Callable[[*Args], object], *args: *Args
) -> None:
    """Have an event loop call something soon; nothing if the loop is closed.

    A thread that a database holds up may outlive the loop, where nobody waits for it then.
    """
    try:
        loop.call_soon_threadsafe(callback, *args)
    except RuntimeError:
        if not loop.is_closed():
            raise


class Supervisor:
    """Owns the background tasks of one application."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failing: set[str] = set()
        self.restarts = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def start(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Run work in the background under a name; a failure is observed as `task_failed`."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def keep_running(
        self, make: Callable[[], Coroutine[Any, Any, None]], name: str
    ) -> asyncio.Task[None]:
        """Run work that is meant to go on for ever; a failure restarts it with backoff.

        The pause grows from `FIRST_PAUSE` to `LAST_PAUSE` seconds, and is short again after a life
        of `HEALTHY_SECONDS`. Meanwhile the name is among the `failing`.
        """
        return self.start(self._keep(make, name), name)

    @property
    def failing(self) -> frozenset[str]:
        """The names of works that failed and have not been healthy for long since."""
        return frozenset(self._failing)

    async def _keep(self, make: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        pause, loop = FIRST_PAUSE, asyncio.get_running_loop()
        while True:
            began = loop.time()
            recovery = loop.call_later(HEALTHY_SECONDS, self._failing.discard, name)
            try:
                await make()
            except Exception as error:  # noqa: BLE001 — whatever it is, the work must go on
                raise_if_cancelled()
                self._observe(name, error)
            else:
                self._failing.discard(name)
                return
            finally:
                recovery.cancel()
            self._failing.add(name)
            self.restarts += 1
            is_short = loop.time() - began < HEALTHY_SECONDS
            pause = min(2 * pause, LAST_PAUSE) if is_short else FIRST_PAUSE
            await asyncio.sleep(pause)

    def _observe(self, name: str, error: BaseException) -> None:
        facts = {"task": name, "error": f"{type(error).__name__}: {error}"}
        self._observer(Observation("task_failed", Severity.ERROR, facts))

    async def close(self) -> None:
        """Cancel every task and wait until all have ended.

        A library may swallow a cancellation by raising its own error, and a retry loop then goes
        on: tasks that have not ended after `CANCEL_AGAIN_SECONDS` are cancelled again.
        """
        pending = {task for task in self._tasks if task is not asyncio.current_task()}
        while pending:
            for task in pending:
                task.cancel()
            _, pending = await asyncio.wait(pending, timeout=CANCEL_AGAIN_SECONDS)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._observe(task.get_name(), error)


async def run_together(*works: Coroutine[Any, Any, None]) -> None:
    """Run works concurrently; when one fails the others are cancelled and its error is raised.

    Cancelled from outside, it ends as cancelled, even if a work then fails. (`asyncio.TaskGroup`
    would raise that failure alone, and a caller that retries on it would never end.)
    """
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for error in (task.exception() for task in done if not task.cancelled()):
        if error is not None:
            raise error


def raise_if_cancelled() -> None:
    """Raise CancelledError where the current task was cancelled and an error took its place."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError

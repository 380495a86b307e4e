"""Look-ups of concurrent callers in one statement (a data loader).

A row is read after the call for it, so it shows all earlier commits. If a statement fails, each of
its keys is loaded alone, so that no caller gets the error of another's key.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

from compat_base.postgres.faults import PoolTimeout, Unavailable
from compat_base.tasks import Supervisor

K = TypeVar("K")
V = TypeVar("V")

LoadMany: TypeAlias = Callable[[Sequence[K]], Awaitable[Sequence[V]]]
"""Gives a value for each key, in their order."""


class Batches(Generic[K, V]):
    """Loads keys that are requested at the same time in one statement.

    At most `most_keys` in a statement and `most_running` statements at a time; later callers wait
    for the next statement. A statement whose callers are all gone is cancelled.
    """

    def __init__(
        self,
        load: LoadMany[K, V],
        tasks: Supervisor,
        *,
        most_keys: int = 32,
        most_running: int = 4,
    ) -> None:
        self._load = load
        self._tasks = tasks
        self._most_keys = most_keys
        self._most_running = most_running
        self._running = 0
        self._waiting: deque[tuple[K, asyncio.Future[V]]] = deque()
        self._is_sending = False

    async def load(self, key: K) -> V:
        """The value of a key; raises what its loading raises."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[V] = loop.create_future()
        self._waiting.append((key, future))
        if not self._is_sending:
            self._is_sending = True
            loop.call_soon(self._send)  # after the other callers that were woken with this one
        return await future

    def _send(self) -> None:
        self._is_sending = False
        while self._waiting and self._running < self._most_running:
            size = min(self._most_keys, len(self._waiting))
            taken = [self._waiting.popleft() for _ in range(size)]
            batch = [(key, future) for key, future in taken if not future.done()]
            if batch:
                self._start(batch)

    def _start(self, batch: list[tuple[K, asyncio.Future[V]]]) -> None:
        self._running += 1
        task = self._tasks.start(self._run(batch), "batch")
        left = len(batch)

        def count_done(_: object) -> None:
            nonlocal left
            left -= 1
            if not left:
                task.cancel()

        def end(_: object) -> None:
            self._running -= 1
            for _, future in batch:
                future.cancel()
            self._send()

        for _, future in batch:
            future.add_done_callback(count_done)
        task.add_done_callback(end)

    async def _run(self, batch: list[tuple[K, asyncio.Future[V]]]) -> None:
        try:
            values = await self._load([key for key, _ in batch])
        except Exception as error:  # noqa: BLE001 — it is the waiting callers', each of them
            if len(batch) == 1 or isinstance(error, PoolTimeout | Unavailable):
                _fail(batch, error)
                return
        else:
            for (_, future), value in zip(batch, values, strict=True):
                if not future.done():
                    future.set_result(value)
            return
        for one in batch:
            await self._run([one])


def _fail(batch: list[tuple[K, asyncio.Future[V]]], error: Exception) -> None:
    for _, future in batch:
        if not future.done():
            future.set_exception(error)

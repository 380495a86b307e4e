"""A round robin on the event loop: many sources of work, none of which blocks the loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Generator
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")

TURN_SECONDS = 0.004  # that all of them may take together before the loop's other work is done
STEPS_SECONDS = 0.001  # that the steps of one generator may take


class Source(Protocol):
    """A source of work that is done a little at a time."""

    is_queued: bool

    def take_turn(self) -> None:
        """Do a little; ask for another turn if there is more."""
        ...


class _Steps(Generic[T]):
    """A generator as a source: some steps each turn, its result in a future."""

    __slots__ = ("_all", "_work", "is_queued", "result")

    def __init__(self, work: Generator[None, None, T], all_: RoundRobin) -> None:
        self._work = work
        self._all = all_
        self.is_queued = False
        self.result: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def take_turn(self) -> None:
        if self.result.done():  # nobody waits for it any more
            self._work.close()
            return
        loop = asyncio.get_running_loop()
        until = loop.time() + STEPS_SECONDS
        try:
            next(self._work)
            while loop.time() < until:
                next(self._work)
        except StopIteration as end:
            if not self.result.done():  # else its own step has cancelled its waiter
                self.result.set_result(end.value)
        except Exception as error:  # noqa: BLE001 — whatever it is, it is the waiting task's
            if not self.result.done():
                self.result.set_exception(error)
        else:
            self._all.add(self)


class RoundRobin:
    """A round robin (fair queue) of sources of work."""

    def __init__(self) -> None:
        self._queue: deque[Source] = deque()
        self._is_called = False

    def add(self, source: Source) -> None:
        """Give the source a turn soon, unless it waits for one already."""
        if not source.is_queued:
            source.is_queued = True
            self._queue.append(source)
            self._call()

    def run(self, work: Generator[None, None, T]) -> asyncio.Future[T]:
        """The result of a generator, of which each turn does some steps."""
        steps = _Steps(work, self)
        self.add(steps)
        return steps.result

    def _call(self) -> None:
        if not self._is_called:
            self._is_called = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        self._is_called = False
        loop = asyncio.get_running_loop()
        end = loop.time() + TURN_SECONDS
        for _ in range(len(self._queue)):
            source = self._queue.popleft()
            source.is_queued = False
            source.take_turn()
            if loop.time() > end:
                break
        if self._queue:
            self._call()

"""A round robin on the event loop: many sources of work, none of which blocks the loop."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

TURN_SECONDS = 0.004  # that all of them may take together before the loop's other work is done


class Source(Protocol):
    """A source of work that is done a little at a time."""

    is_queued: bool

    def take_turn(self) -> None:
        """Do a little; ask for another turn if there is more."""
        ...


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

"""Long work in slices of a few milliseconds, between which the event loop does other work.

For one coroutine that knows where it can pause. For many sockets' parsers, which run in callbacks
and have no task of their own, see `compat_base.server.round_robin`. `rest_compat.runtime` runs the
slices of all requests under one lock, so that one long body does not delay another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import TypeVar

from compat_base.values.world import Clock

T = TypeVar("T")

SLICE_SECONDS = 0.005


class Slices:
    """Yields to the event loop from one piece of work, whenever its slice of time is used up."""

    __slots__ = ("_began", "_clock")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.monotonic()

    async def rest(self) -> None:
        """Yield to the event loop where the slice is used up."""
        if self._clock.monotonic() - self._began >= SLICE_SECONDS:
            await asyncio.sleep(0)
            self._began = self._clock.monotonic()

    async def run(self, work: Generator[None, None, T]) -> T:
        """Run a generator to its end; wherever it yields, the event loop may do other work."""
        while True:
            try:
                next(work)
            except StopIteration as end:
                return end.value
            await self.rest()

"""Long work in slices: the event loop is let go every few milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import TypeVar

from compat_base.values.world import Clock

T = TypeVar("T")

SLICE_SECONDS = 0.005


class Slices:
    """Rests of one piece of work, so that others have their turn."""

    __slots__ = ("_began", "_clock")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.monotonic()

    async def rest(self) -> None:
        """Let the loop go where the slice is used up."""
        if self._clock.monotonic() - self._began >= SLICE_SECONDS:
            await asyncio.sleep(0)
            self._began = self._clock.monotonic()

    async def run(self, work: Generator[None, None, T]) -> T:
        """Do work that rests by yielding; the next line follows its last step at once."""
        while True:
            try:
                next(work)
            except StopIteration as end:
                return end.value
            await self.rest()

"""Long work on the event loop, a slice at a time."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from rest_compat.request.slices import Slices

T = TypeVar("T")


class Turns:
    """One slice in each round of the event loop, whoever it belongs to.

    Whoever else waits for the loop comes before the next slice; all long work takes turns.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def run(self, work: Slices[T]) -> T:
        """The result of the work."""
        while True:
            async with self._turn:
                try:
                    next(work)
                except StopIteration as end:
                    return end.value
                await asyncio.sleep(0)

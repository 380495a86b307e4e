"""Long work beside the event loop's other work: a slice at a time, or in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from rest_compat.request.slices import Slices

T = TypeVar("T")
P = ParamSpec("P")


class RoundRobin:
    """One slice in each round of the event loop, whoever it belongs to.

    Whoever else waits for the loop comes before the next slice; all long work takes turns.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._thread = asyncio.Lock()

    async def run(self, work: Slices[T]) -> T:
        """The result of the work."""
        while True:
            async with self._turn:
                try:
                    next(work)
                except StopIteration as end:
                    return end.value
                await asyncio.sleep(0)

    async def in_thread(self, function: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """A pure function's result, one at a time: the interpreter changes threads every 5 ms."""
        async with self._thread:
            return await asyncio.to_thread(function, *args, **named)

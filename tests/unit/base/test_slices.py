"""Work in slices lets others have their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, datetime

from compat_base.slices import SLICE_SECONDS, Slices


@dataclass
class Hands:
    """A clock that is moved by hand."""

    seconds: float = 0.0

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)

    def monotonic(self) -> float:
        return self.seconds


async def turns_of_another(step_seconds: float, steps: int) -> int:
    """How often another task has its turn while a work of so many steps is done."""
    clock, turns, is_done = Hands(), 0, False

    async def another() -> None:
        nonlocal turns
        while not is_done:
            turns += 1
            await asyncio.sleep(0)

    def work() -> Generator[None, None, str]:
        for _ in range(steps):
            clock.seconds += step_seconds
            yield
        return "done"

    other = asyncio.ensure_future(another())
    assert await Slices(clock).run(work()) == "done"
    is_done = True
    await other
    return turns


async def test_each_slice_that_is_used_up_is_a_turn_for_others():
    assert await turns_of_another(2 * SLICE_SECONDS, 10) >= 10


async def test_short_work_rests_for_nobody():
    assert await turns_of_another(SLICE_SECONDS / 100, 10) == 0

"""Background tasks that are meant to go on for ever."""

from __future__ import annotations

import asyncio

from compat_base.events import Observation
from compat_base.tasks import Supervisor


async def test_a_work_that_fails_is_started_again_and_counts_as_failing():
    observed: list[Observation] = []
    lives = 0
    is_back = asyncio.Event()

    async def work() -> None:
        nonlocal lives
        lives += 1
        if lives < 3:
            raise LookupError("whatever")
        is_back.set()
        await asyncio.Event().wait()

    async with Supervisor(observed.append) as supervisor:
        supervisor.keep_running(work, "work")
        async with asyncio.timeout(10):
            await is_back.wait()
        assert supervisor.failing == {"work"}
        assert supervisor.restarts == 2
    assert [(seen.name, seen.facts["task"]) for seen in observed] == [("task_failed", "work")] * 2


async def test_a_work_that_ends_well_is_not_started_again():
    lives = 0

    async def work() -> None:
        nonlocal lives
        lives += 1

    async with Supervisor(lambda _seen: None) as supervisor:
        await supervisor.keep_running(work, "work")
        assert (lives, supervisor.failing) == (1, frozenset())

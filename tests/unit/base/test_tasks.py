"""Background tasks that are meant to go on for ever."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from compat_base.tasks import Supervisor, run_together
from compat_base.values.events import Observation


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


async def test_a_work_that_fails_while_it_is_told_to_end_is_not_started_again():
    lives = 0
    is_waiting = asyncio.Event()

    async def work() -> None:
        nonlocal lives
        lives += 1
        is_waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise ConnectionError("the connection is in the way of its own end")

    async with asyncio.timeout(10):
        async with Supervisor(lambda _seen: None) as supervisor:
            supervisor.keep_running(work, "work")
            await is_waiting.wait()
    assert lives == 1


async def test_works_that_run_together_end_as_cancelled_also_where_one_fails_meanwhile():
    is_waiting = asyncio.Event()

    async def fails_at_its_end() -> None:
        is_waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise ConnectionError("gone")

    async with Supervisor(lambda _seen: None) as supervisor:
        task = supervisor.start(run_together(fails_at_its_end()), "together")
        await is_waiting.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


async def test_a_work_that_fails_ends_its_neighbours_and_its_error_is_raised():
    async def fails() -> None:
        raise LookupError("first")

    async def waits() -> None:
        await asyncio.Event().wait()

    with pytest.raises(LookupError, match="first"):
        await run_together(fails(), waits())


async def test_a_work_that_lost_its_cancellation_is_cancelled_again():
    is_waiting = asyncio.Event()

    async def work() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            is_waiting.set()
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    async with asyncio.timeout(10):
        async with Supervisor(lambda _seen: None) as supervisor:
            task = supervisor.start(work(), "work")
            await is_waiting.wait()
    assert task.cancelled()

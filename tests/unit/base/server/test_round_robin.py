"""Long work of many takes turns on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from compat_base.server import round_robin
from compat_base.server.round_robin import RoundRobin


@pytest.fixture(autouse=True)
def every_step_is_long(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(round_robin, "TURN_SECONDS", -1)
    monkeypatch.setattr(round_robin, "STEPS_SECONDS", -1)


async def test_one_long_step_of_many_works_is_done_each_round_of_the_loop():
    everything, steps, most = RoundRobin(), 0, 0

    def work(result: int) -> Generator[None, None, int]:
        nonlocal steps
        for _ in range(5):
            steps += 1
            yield
        return result

    running = [everything.run(work(number)) for number in range(4)]
    while not all(one.done() for one in running):
        before = steps
        await asyncio.sleep(0)
        most = max(most, steps - before)
    assert [one.result() for one in running] == [0, 1, 2, 3]
    assert (steps, most) == (20, 1)


async def test_a_failure_is_that_of_who_waits_and_the_others_go_on():
    def failing() -> Generator[None]:
        yield
        raise LookupError("gone")

    def sound() -> Generator[None, None, str]:
        yield
        return "done"

    everything = RoundRobin()
    first, second = everything.run(failing()), everything.run(sound())
    with pytest.raises(LookupError, match="gone"):
        await first
    assert await second == "done"


async def test_work_that_nobody_waits_for_any_more_is_closed():
    is_closed = asyncio.Event()

    def work() -> Generator[None]:
        try:
            while True:
                yield
        finally:
            is_closed.set()

    running = RoundRobin().run(work())
    await asyncio.sleep(0)
    running.cancel()
    await is_closed.wait()


async def test_work_that_ends_who_waits_for_it_leaves_the_others_their_turn():
    everything, running = RoundRobin(), list[asyncio.Future[None]]()

    def ending() -> Generator[None]:
        running[0].cancel()
        yield from ()

    def sound() -> Generator[None, None, str]:
        yield
        return "done"

    running.append(everything.run(ending()))
    async with asyncio.timeout(60):
        assert await everything.run(sound()) == "done"

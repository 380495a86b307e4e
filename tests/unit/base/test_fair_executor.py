"""Whose turn it is, who is refused, and what a waiter that goes away leaves behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from compat_base.fair_executor import FairExecutor
from compat_base.fair_semaphore import QueueFullError, ShareFullError


class Gate:
    """Work that waits until the test lets it go, and writes down who ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self._open = threading.Event()

    def hold(self) -> None:
        self._open.wait(30)

    def note(self, name: str) -> None:
        self.ran.append(name)

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open()


@pytest.fixture
def thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


async def waiting(queue: FairExecutor, count: int) -> None:
    while len(queue) < count:  # noqa: ASYNC110 — the queue tells nobody
        await asyncio.sleep(0)


async def test_callers_take_turns(gate: Gate, thread: ThreadPoolExecutor):
    queue = FairExecutor(thread, 1, most=100, most_each=50, seconds=30)
    async with asyncio.TaskGroup() as group:
        group.create_task(queue.run("first", gate.hold))
        for n in range(5):
            group.create_task(queue.run("flood", lambda n=n: gate.note(f"flood {n}")))
        await waiting(queue, 5)
        group.create_task(queue.run("honest", lambda: gate.note("honest")))
        await waiting(queue, 6)
        gate.open()
    assert gate.ran == ["flood 0", "honest", *(f"flood {n}" for n in range(1, 5))]


async def test_beyond_a_share_a_caller_is_refused_at_once(gate: Gate, thread: ThreadPoolExecutor):
    queue = FairExecutor(thread, 1, most=100, most_each=2, seconds=30)
    async with asyncio.TaskGroup() as group:
        group.create_task(queue.run("a", gate.hold))
        for _ in range(2):
            group.create_task(queue.run("a", lambda: gate.note("a")))
        await waiting(queue, 2)
        with pytest.raises(ShareFullError):
            await queue.run("a", lambda: None)
        group.create_task(queue.run("b", lambda: gate.note("b")))
        await waiting(queue, 3)
        gate.open()
    assert sorted(gate.ran) == ["a", "a", "b"]


async def test_a_full_queue_takes_from_who_has_most(gate: Gate, thread: ThreadPoolExecutor):
    queue = FairExecutor(thread, 1, most=3, most_each=3, seconds=30)
    running = asyncio.ensure_future(queue.run("x", gate.hold))
    await asyncio.sleep(0)
    greedy = [asyncio.ensure_future(queue.run("greedy", lambda: None)) for _ in range(3)]
    await waiting(queue, 3)
    late = asyncio.ensure_future(queue.run("late", lambda: gate.note("late")))
    with pytest.raises(ShareFullError):
        await greedy[2]
    other = asyncio.ensure_future(queue.run("other", lambda: gate.note("other")))
    with pytest.raises(ShareFullError):
        await greedy[1]
    with pytest.raises(QueueFullError):
        await queue.run("one more", lambda: None)
    gate.open()
    await asyncio.gather(running, greedy[0], late, other)
    assert gate.ran == ["late", "other"]


async def test_who_goes_away_leaves_its_place(gate: Gate, thread: ThreadPoolExecutor):
    queue = FairExecutor(thread, 1, most=2, most_each=2, seconds=30)
    running = asyncio.ensure_future(queue.run("x", gate.hold))
    await asyncio.sleep(0)
    gone = [asyncio.ensure_future(queue.run("a", lambda: gate.note("gone"))) for _ in range(2)]
    await waiting(queue, 2)
    for task in gone:
        task.cancel()
    await asyncio.gather(*gone, return_exceptions=True)
    assert len(queue) == 0
    stays = asyncio.ensure_future(queue.run("a", lambda: gate.note("stays")))
    await waiting(queue, 1)
    running.cancel()  # its thread is busy all the same
    await asyncio.gather(running, return_exceptions=True)
    assert len(queue) == 1
    gate.open()
    await stays
    assert gate.ran == ["stays"]


async def test_work_that_fails_frees_its_thread(thread: ThreadPoolExecutor):
    queue = FairExecutor(thread, 1, most=1, most_each=1, seconds=30)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            await queue.run("a", lambda: 1 // 0)


async def test_nobody_waits_longer_than_the_bound(gate: Gate, thread: ThreadPoolExecutor):
    queue = FairExecutor(thread, 1, most=5, most_each=5, seconds=0)
    running = asyncio.ensure_future(queue.run("x", gate.hold))
    await asyncio.sleep(0)
    with pytest.raises(QueueFullError):
        await queue.run("a", lambda: gate.note("late"))
    assert len(queue) == 0
    gate.open()
    await running
    assert gate.ran == []

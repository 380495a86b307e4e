"""Who gets a place when, what one caller leaves to others, and who is refused."""

from __future__ import annotations

import asyncio

import pytest

from compat_base.fair_semaphore import FairSemaphore, QueueFullError, ShareFullError


def semaphore(places: int, *, most: int = 100, most_each: int = 50, share: int = 2):
    return FairSemaphore(places, most=most, most_each=most_each, share=share)


def taken(places: FairSemaphore, caller: str) -> int:
    """How many places a caller gets at once, taking all that it may."""
    count = 0
    while places.try_acquire(caller):
        count += 1
    return count


class Line:
    """Callers that wait, and the order in which their turns came."""

    def __init__(self, places: FairSemaphore) -> None:
        self.served: list[str] = []
        self._places = places

    async def join(self, caller: str) -> asyncio.Task[None]:
        task = asyncio.create_task(self._wait(caller))
        await asyncio.sleep(0)  # it runs until it has a place or waits for one
        return task

    async def _wait(self, caller: str) -> None:
        await self._places.acquire(caller)
        self.served.append(caller)


@pytest.mark.parametrize(
    ("share", "places", "shares"),
    [
        (2, 1, [1, 0]),
        (2, 2, [2, 0]),
        (2, 3, [2, 1]),
        (2, 10, [7, 2, 1]),
        (2, 30, [20, 7, 2, 1]),
        (4, 2, [2, 0]),
        (4, 3, [2, 1]),
        (4, 5, [4, 1]),
        (4, 10, [8, 1, 1]),
        (4, 30, [24, 5, 1]),
    ],
)
def test_what_one_caller_takes_leaves_some_to_the_next(share: int, places: int, shares: list[int]):
    free = semaphore(places, share=share)
    assert [taken(free, f"caller {number}") for number in range(len(shares))] == shares


def test_without_a_share_a_caller_may_take_all():
    assert taken(semaphore(5, share=0), "a") == 5


def test_who_has_no_name_may_take_all():
    assert taken(semaphore(5), "") == 5


async def test_callers_take_turns_for_what_comes_free():
    free = semaphore(2, share=0)
    taken(free, "flood")
    line = Line(free)
    waiting = [await line.join(caller) for caller in ("flood", "flood", "flood", "honest")]
    for _ in waiting:
        free.release("flood")
    await asyncio.gather(*waiting)
    assert line.served == ["flood", "honest", "flood", "flood"]


async def test_who_has_its_share_is_passed_over():
    free = semaphore(4)
    assert taken(free, "flood") == 3
    line = Line(free)
    flood = await line.join("flood")
    honest = [await line.join("honest"), await line.join("honest")]
    assert line.served == ["honest"]
    free.release("honest")
    await honest[1]
    free.release("flood")
    assert not flood.done()
    free.release("honest")
    await flood
    assert line.served == ["honest", "honest", "flood"]


async def test_what_comes_free_serves_all_who_may_take_it():
    free = semaphore(10)
    assert taken(free, "flood") == 7
    line = Line(free)
    waiting = [await line.join("flood") for _ in range(2)]
    for _ in range(2):
        free.release("flood")
    await asyncio.gather(*waiting)
    assert len(free) == 0


async def test_who_leaves_as_its_turn_comes_passes_it_on():
    free = semaphore(1)
    taken(free, "a")
    line = Line(free)
    gone, stays = await line.join("b"), await line.join("c")
    free.release("a")
    gone.cancel()
    await stays
    assert line.served == ["c"]
    free.release("c")
    assert taken(free, "b") == 1


async def test_a_full_queue_takes_the_place_of_who_leaves_in_the_same_moment():
    free = semaphore(1, most=2)
    taken(free, "a")
    line = Line(free)
    stays, gone = await line.join("greedy"), await line.join("greedy")
    gone.cancel()  # its task has not run since
    for caller in ("a", "greedy"):
        asyncio.get_running_loop().call_soon(free.release, caller)
    await free.acquire("honest")
    await stays
    assert line.served == ["greedy"]


async def test_a_full_queue_takes_from_who_has_most():
    free = semaphore(1, most=2)
    taken(free, "a")
    line = Line(free)
    first, second = await line.join("greedy"), await line.join("greedy")
    honest = await line.join("honest")
    with pytest.raises(ShareFullError):
        await second
    with pytest.raises(QueueFullError):
        await free.acquire("late")
    for task in (first, honest):
        task.cancel()


async def test_all_who_wait_can_be_refused():
    free = semaphore(1)
    taken(free, "a")
    waiting = [await Line(free).join(caller) for caller in ("a", "b", "")]
    free.refuse_all(LookupError("closed"))
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in found] == [LookupError] * 3
    assert len(free) == 0


async def test_who_waits_too_long_is_told_and_leaves_the_queue():
    free = FairSemaphore(1, most=10, most_each=10, seconds=0.05)
    taken(free, "")
    first, second = (asyncio.create_task(free.acquire(caller)) for caller in "ab")
    for late in (first, second):
        with pytest.raises(TimeoutError):
            await late
    with pytest.raises(TimeoutError):
        await free.acquire("a")
    assert len(free) == 0
    free.release()
    assert free.try_acquire()

"""Who gets a connection when, and which are kept: a pool of things that are not connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from compat_base.postgres.faults import PoolTimeout, Unavailable
from compat_base.postgres.pool import Driver, Pool, PoolSettings, open_pools


@dataclass(eq=False)
class Thing:
    number: int
    is_lost: bool = False
    is_closed: bool = False


@dataclass
class Made:
    """A driver of things, and the things it made."""

    things: list[Thing] = field(default_factory=list)
    numbers: Any = field(default_factory=count)
    refuses: bool = False

    async def open(self) -> Thing:
        if self.refuses:
            raise Unavailable("away")
        self.things.append(Thing(next(self.numbers)))
        return self.things[-1]

    def close(self, thing: Thing) -> None:
        thing.is_closed = True

    def pool(self, **settings: Any) -> Pool[Thing]:
        driver = Driver(self.open, lambda thing: thing.is_lost, self.close)
        return Pool(driver, PoolSettings("", **settings))


async def test_the_connection_used_last_is_lent_first():
    pool = Made().pool()
    first, second = await pool.borrow(), await pool.borrow()
    pool.give_back(first)
    pool.give_back(second)
    assert await pool.borrow() is second


async def test_no_more_are_opened_than_the_most():
    made = Made()
    pool = made.pool(maximum=2, acquire_timeout=0)
    await pool.borrow()
    await pool.borrow()
    with pytest.raises(PoolTimeout):
        await pool.borrow()
    assert (len(made.things), pool.size()) == (2, (2, 0))


async def test_who_waits_longest_is_served_first():
    pool = Made().pool(maximum=1)
    held = await pool.borrow()
    served: list[int] = []

    async def wait(number: int) -> None:
        thing = await pool.borrow()
        served.append(number)
        pool.give_back(thing)

    waiting = [asyncio.ensure_future(wait(number)) for number in range(3)]
    await asyncio.sleep(0)
    pool.give_back(held)
    await asyncio.gather(*waiting)
    assert served == [0, 1, 2]


async def test_a_lost_connection_is_neither_kept_nor_lent():
    made = Made()
    pool = made.pool()
    thing = await pool.borrow()
    thing.is_lost = True
    pool.give_back(thing)
    assert thing.is_closed
    idle = await pool.borrow()
    pool.give_back(idle)
    idle.is_lost = True
    assert await pool.borrow() is not idle


async def test_a_connection_beyond_its_life_goes_when_it_comes_back():
    pool = Made().pool(lifetime=0)
    thing = await pool.borrow()
    pool.give_back(thing)
    assert thing.is_closed


async def test_a_flush_lets_idle_ones_go_at_once_and_lent_ones_when_they_come_back():
    pool = Made().pool()
    borrowed, idle = await pool.borrow(), await pool.borrow()
    pool.give_back(idle)
    pool.flush()
    assert (idle.is_closed, borrowed.is_closed) == (True, False)
    pool.give_back(borrowed)
    assert borrowed.is_closed


async def test_one_that_cannot_be_opened_lets_the_next_in_line_try():
    made = Made(refuses=True)
    pool = made.pool(maximum=1)
    tries = await asyncio.gather(pool.borrow(), pool.borrow(), return_exceptions=True)
    assert [type(each) for each in tries] == [Unavailable, Unavailable]
    made.refuses = False
    assert await pool.borrow() is made.things[0]


async def test_whoever_gives_up_waiting_passes_the_connection_on():
    pool = Made().pool(maximum=1)
    held = await pool.borrow()
    gone, stays = asyncio.ensure_future(pool.borrow()), asyncio.ensure_future(pool.borrow())
    await asyncio.sleep(0)
    pool.give_back(held)
    gone.cancel()
    assert await stays is held


async def test_a_pool_that_is_closed_lends_nothing_and_is_listed_no_more():
    pool = Made().pool(closing_timeout=0)
    thing = await pool.borrow()
    assert pool in open_pools()
    await pool.close()
    assert thing.is_closed
    assert pool not in open_pools()
    with pytest.raises(Unavailable, match="the pool is closed"):
        await pool.borrow()


async def test_one_that_is_retired_is_closed_when_it_comes_back():
    pool = Made().pool()
    retired, other = await pool.borrow(), await pool.borrow()
    pool.retire(retired)
    assert not retired.is_closed
    pool.give_back(retired)
    pool.give_back(other)
    assert (retired.is_closed, other.is_closed) == (True, False)


async def test_no_caller_takes_the_last_connection():
    pool = Made().pool(maximum=3)
    for _ in range(2):
        await pool.borrow("flood")
    waiting = asyncio.ensure_future(pool.borrow("flood"))
    await until(lambda: pool.waiting == 1)
    honest = await pool.borrow("honest")
    assert not waiting.done()
    pool.give_back(honest)
    assert await pool.borrow("honest") is honest
    pool.give_back(honest)
    waiting.cancel()
    assert pool.size() == (3, 1)


async def test_a_callers_own_connection_that_comes_back_is_its_next():
    pool = Made().pool(maximum=3)
    first, second = [await pool.borrow("flood") for _ in range(2)]
    waiting = asyncio.ensure_future(pool.borrow("flood"))
    await until(lambda: pool.waiting == 1)
    pool.give_back(first)
    assert await waiting is first
    pool.give_back(second)


async def test_beyond_the_queue_of_a_caller_it_is_refused_at_once():
    pool = Made().pool(maximum=1, waiting_each=1)
    held = await pool.borrow("flood")
    waiting = asyncio.ensure_future(pool.borrow("flood"))
    await until(lambda: pool.waiting == 1)
    with pytest.raises(PoolTimeout):
        await pool.borrow("flood")
    honest = asyncio.ensure_future(pool.borrow("honest"))
    await until(lambda: pool.waiting == 2)
    pool.give_back(held)
    assert await waiting is held
    pool.give_back(held)
    assert await honest is held


async def test_a_lost_connection_gives_its_place_back():
    made = Made()
    pool = made.pool(maximum=1)
    for _ in range(3):
        thing = await pool.borrow("a")
        thing.is_lost = True
        pool.give_back(thing)
    assert len(made.things) == 3


async def test_who_waits_as_the_pool_closes_is_told():
    pool = Made().pool(maximum=1, closing_timeout=0)
    await pool.borrow()
    waiting = asyncio.ensure_future(pool.borrow())
    await until(lambda: pool.waiting == 1)
    await pool.close()
    with pytest.raises(Unavailable, match="the pool is closed"):
        await waiting


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 — the pool tells nobody
        await asyncio.sleep(0)

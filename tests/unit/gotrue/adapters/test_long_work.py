"""Long work: one piece of it at a time, in turns, and bounded for each caller."""

from __future__ import annotations

import asyncio
import threading

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.adapters.long_work import ThreadLongWork


@pytest.fixture
def long_work():
    made = ThreadLongWork()
    yield made
    made.close()


async def test_never_more_than_one_piece_is_worked_on(long_work: ThreadLongWork):
    is_free = threading.Lock()

    def work() -> bool:
        had = is_free.acquire(blocking=False)
        threading.Event().wait(0.001)
        if had:
            is_free.release()
        return had

    assert all(await asyncio.gather(*(long_work.run(caller, work) for caller in "abcde")))


async def test_a_caller_beyond_its_share_is_told_to_come_later(long_work: ThreadLongWork):
    may_end = threading.Event()
    waiting = [asyncio.ensure_future(long_work.run("a", may_end.wait)) for _ in range(33)]
    await asyncio.sleep(0)
    with pytest.raises(ApiError) as refused:
        await long_work.run("a", may_end.wait)
    assert refused.value.problem.code == errors.REQUEST_LIMIT.code
    assert dict(refused.value.problem.headers)["Retry-After"] == "1"
    may_end.set()
    assert all(await asyncio.gather(*waiting))
    assert await long_work.run("b", may_end.wait)

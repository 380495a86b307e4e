"""Requests for one thing take turns."""

from __future__ import annotations

import asyncio

import pytest

from compat_base.keyed_lock import KeyedLock


async def test_one_at_a_time_for_a_key_and_nothing_is_kept():
    turns, inside, most = KeyedLock(), 0, 0

    async def work(key: str) -> None:
        nonlocal inside, most
        async with turns.hold(key):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(work("a") for _ in range(20)))
    assert most == 1
    await asyncio.gather(work("a"), work("b"))
    assert most == 2
    with pytest.raises(ValueError, match="x"):
        async with turns.hold("a"):
            raise ValueError("x")
    assert turns._queues == {}

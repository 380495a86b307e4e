"""Look-ups of concurrent callers in one statement."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from compat_base.batches import Batches
from compat_base.postgres.faults import Fault, PgFault, Unavailable
from compat_base.tasks import Supervisor


class Server:
    """Answers ten times a key, once it may; keeps what it was asked together."""

    def __init__(self) -> None:
        self.queries: list[list[int]] = []
        self.calls: asyncio.Queue[None] = asyncio.Queue()
        self.ended = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.failure: Exception | None = None

    async def load(self, keys: Sequence[int]) -> list[int]:
        self.queries.append(list(keys))
        self.calls.put_nowait(None)
        try:
            await self.may_answer.wait()
        finally:
            self.ended += 1
        if self.failure is not None and 13 in keys:
            raise self.failure
        return [10 * key for key in keys]


async def test_callers_of_one_time_are_answered_by_one_statement():
    server = Server()
    async with Supervisor(print) as tasks:
        batches: Batches[int, int] = Batches(server.load, tasks, most_keys=3)
        assert await asyncio.gather(*map(batches.load, range(5))) == [0, 10, 20, 30, 40]
        assert await batches.load(7) == 70
    assert server.queries == [[0, 1, 2], [3, 4], [7]]


async def test_who_comes_while_the_statements_run_shares_the_next():
    server = Server()
    server.may_answer.clear()
    async with Supervisor(print) as tasks:
        batches: Batches[int, int] = Batches(server.load, tasks, most_running=1)
        callers = [asyncio.create_task(batches.load(1))]
        await server.calls.get()
        callers += [asyncio.create_task(batches.load(key)) for key in (2, 3)]
        await asyncio.sleep(0)
        server.may_answer.set()
        assert await asyncio.gather(*callers) == [10, 20, 30]
    assert server.queries == [[1], [2, 3]]


async def test_nobody_fails_for_anothers_row():
    server = Server()
    server.failure = PgFault(Fault("22P02", "bad row"))
    async with Supervisor(print) as tasks:
        batches: Batches[int, int] = Batches(server.load, tasks)
        found = await asyncio.gather(*map(batches.load, (12, 13, 14)), return_exceptions=True)
    assert found == [120, server.failure, 140]


async def test_a_server_that_cannot_be_had_is_asked_once():
    server = Server()
    server.failure = Unavailable("gone")
    async with Supervisor(print) as tasks:
        batches: Batches[int, int] = Batches(server.load, tasks)
        found = await asyncio.gather(*map(batches.load, (12, 13)), return_exceptions=True)
    assert (found, server.queries) == ([server.failure] * 2, [[12, 13]])


async def test_a_statement_that_nobody_waits_for_is_cancelled_and_makes_room():
    server = Server()
    server.may_answer.clear()
    async with Supervisor(print) as tasks:
        batches: Batches[int, int] = Batches(server.load, tasks, most_running=1)
        callers = [asyncio.create_task(batches.load(key)) for key in (1, 2)]
        await server.calls.get()
        later = asyncio.create_task(batches.load(3))
        callers[0].cancel()
        await asyncio.wait(callers[:1])
        assert server.ended == 0
        callers[1].cancel()
        await server.calls.get()
        assert server.ended == 1
        server.may_answer.set()
        assert await later == 30


async def test_who_waits_when_the_tasks_are_closed_is_cancelled():
    server = Server()
    server.may_answer.clear()
    tasks = Supervisor(print)
    batches: Batches[int, int] = Batches(server.load, tasks)
    caller = asyncio.create_task(batches.load(1))
    await server.calls.get()
    await tasks.close()
    with pytest.raises(asyncio.CancelledError):
        await caller

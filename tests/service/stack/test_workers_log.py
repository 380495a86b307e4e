"""One reader of the log for all workers: two slots, each change once, through deaths."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing

import asyncpg
import pytest
from psycopg.conninfo import make_conninfo

from compat_base.postgres.replication import SlotQueue
from tests.harness_live import Live
from tests.harness_stack import Stack, start_stack
from tests.harness_workers import (
    await_standby,
    broker_of,
    get,
    is_alive,
    is_ready,
    log_reader_of,
    resident,
    sockets_of_each,
    until,
)

WORKERS = 2
TIMEOUT = 60.0
ROUNDS = 3
EACH = 40
SLOTS = """
select (select count(*) from pg_stat_replication where state = 'streaming') as streamed,
(select count(*) from pg_replication_slots where active and confirmed_flush_lsn is not null) as all
"""
TAKE_SLOTS = """
select pg_create_physical_replication_slot(translate(gen_random_uuid()::text, '-', '_'), false, true)
from generate_series(1, current_setting('max_replication_slots')::int) as n
where n > (select count(*) from pg_replication_slots)
"""
WANTED = {"event": "INSERT", "schema": "public", "table": "pasos"}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    started = start_stack(
        tmp_path_factory.mktemp("workers") / "data",
        WORKERS=str(WORKERS),
        REALTIME_QUEUE_BYTES=str(100_000_000),  # a burst here is more than a busy client may leave
    )
    yield started
    started.stop()


@pytest.fixture
async def database(stack: Stack) -> AsyncIterator[asyncpg.Connection]:
    until(lambda: is_ready(stack), "ready")
    connection = await asyncpg.connect(stack.keys["DATABASE_URL"])
    await connection.execute(
        "drop table if exists public.pasos; create table public.pasos (id int primary key);"
        "grant select on public.pasos to anon;"
        "alter publication supabase_realtime add table public.pasos"
    )
    yield connection
    await connection.close()


@pytest.fixture
async def lives(stack: Stack, database: asyncpg.Connection) -> AsyncIterator[dict[int, Live]]:
    """A subscriber at each worker, by its process."""
    async with sockets_of_each(stack, stack.keys["SUPABASE_ANON_KEY"], WORKERS) as found:
        for live in found.values():
            await subscribe(live)
        assert database is not None
        yield found


async def subscribe(live: Live) -> None:
    config = {"config": {"postgres_changes": [WANTED]}}
    answer = await live.reply("realtime:pasos", "phx_join", config)
    assert answer["status"] == "ok", answer
    frame = await live.take_frame(lambda f: f.event == "system")
    assert frame.payload["status"] == "ok", frame


async def ids_of(live: Live, last: int) -> list[int]:
    found: list[int] = []
    while last not in found:
        frame = await live.take_frame(lambda f: f.event == "postgres_changes")
        found.append(frame.payload["data"]["record"]["id"])
    return found


async def insert(database: asyncpg.Connection, first: int, last: int) -> None:
    await database.execute(
        "insert into public.pasos select generate_series($1::int, $2)", first, last
    )


async def test_there_are_two_slots_however_many_workers(
    lives: dict[int, Live], database: asyncpg.Connection
):
    assert len(lives) == WORKERS
    await slots_of_both(database)
    assert await database.fetchval("select count(*) from pg_replication_slots") == 2


async def slots_of_both(database: asyncpg.Connection) -> None:
    """Wait until one slot is streamed and the other stands by."""
    async with asyncio.timeout(TIMEOUT):
        while await database.fetchrow(SLOTS) != (1, 2):  # noqa: ASYNC110 — a slot tells nobody
            await asyncio.sleep(0.02)


async def test_a_large_transaction_comes_whole_and_in_order_at_each_worker(
    lives: dict[int, Live], database: asyncpg.Connection
):
    await insert(database, 1, 3_000)
    for live in lives.values():
        assert await ids_of(live, 3_000) == list(range(1, 3_001))


async def test_a_row_too_large_to_pass_on_is_told_to_the_subscribers_of_its_table(
    lives: dict[int, Live], database: asyncpg.Connection
):
    await database.execute(
        "create table public.fotos (id int primary key, cuerpo text);"
        "grant select on public.fotos to anon;"
        "alter publication supabase_realtime add table public.fotos"
    )
    first, *_ = lives.values()
    await first.subscribe("fotos", None, WANTED | {"table": "fotos"})
    await database.execute("insert into public.fotos values (1, repeat('x', 34000000))")
    await database.execute("insert into public.fotos values (2, 'x')")
    await insert(database, 1, 1)
    error = await first.take_frame(lambda f: f.event == "phx_error")
    assert error.topic == "realtime:fotos"
    small = await first.take_frame(lambda f: f.event == "postgres_changes")
    assert small.payload["data"]["record"] == {"id": 2, "cuerpo": "x"}
    for live in lives.values():
        kinds = {"phx_error", "postgres_changes"}
        frame = await live.take_frame(lambda f, kinds=kinds: f.event in kinds)
        assert (frame.event, frame.topic) == ("postgres_changes", "realtime:pasos")
    await database.execute("drop table public.fotos")


async def test_brokers_die_and_each_change_comes_once_and_in_order(
    stack: Stack, lives: dict[int, Live], database: asyncpg.Connection
):
    listening = [asyncio.create_task(ids_of(live, 300)) for live in lives.values()]
    for number in range(1, 301):
        await insert(database, number, number)
        if number % 100 == 50:
            broker = broker_of(stack)
            os.kill(broker, signal.SIGKILL)
            until(lambda gone=broker: not is_alive(gone), "it is dead")
    for received in await asyncio.gather(*listening):
        assert received == list(range(1, 301))


async def test_readers_die_and_each_change_comes_once_and_in_order(
    stack: Stack, lives: dict[int, Live], database: asyncpg.Connection
):
    other = await asyncpg.connect(stack.keys["DATABASE_URL"])
    async with other.transaction():  # no slot that is created begins meanwhile
        await other.execute("select pg_current_xact_id()")
        await through_deaths(stack, lives, database, lambda reader, _: [reader])
    await other.close()


async def test_heirs_die_and_each_change_comes_once_and_in_order(
    stack: Stack, lives: dict[int, Live], database: asyncpg.Connection
):
    await through_deaths(stack, lives, database, lambda _, standby: [standby])


async def test_broker_and_reader_die_together_and_each_change_comes_once_and_in_order(
    stack: Stack, lives: dict[int, Live], database: asyncpg.Connection
):
    await through_deaths(stack, lives, database, lambda reader, _: [broker_of(stack), reader])


async def test_walsenders_end_and_each_change_comes_once_and_in_order(
    stack: Stack, lives: dict[int, Live], database: asyncpg.Connection
):
    listening = [asyncio.create_task(ids_of(live, ROUNDS * EACH)) for live in lives.values()]
    for round_ in range(ROUNDS):
        reader, _ = await_standby(stack)
        await slots_of_both(database)
        await insert_each(database, round_ * EACH + 1, EACH)
        await database.execute(
            "select pg_terminate_backend(pid) from pg_stat_replication where state = 'streaming'"
        )
        until(lambda was=reader: log_reader_of(stack) != was, "another one streams")
    for received in await asyncio.gather(*listening):
        assert received == list(range(1, ROUNDS * EACH + 1))


async def through_deaths(
    stack: Stack,
    lives: dict[int, Live],
    database: asyncpg.Connection,
    chosen: Callable[[int, int], list[int]],
) -> None:
    """Kill processes in the midst of writing, and see each change once at each worker."""
    listening = [asyncio.create_task(ids_of(live, ROUNDS * EACH)) for live in lives.values()]
    gone: list[int] = []
    for round_ in range(ROUNDS):
        reader, standby = await_standby(stack, *gone)
        await slots_of_both(database)
        await insert_each(database, round_ * EACH + 1, EACH // 2)
        gone = chosen(reader, standby)
        for pid in gone:
            os.kill(pid, signal.SIGKILL)
        await insert_each(database, round_ * EACH + 1 + EACH // 2, EACH - EACH // 2)
    for received in await asyncio.gather(*listening):
        assert received == list(range(1, ROUNDS * EACH + 1))
    for live in lives.values():
        assert [f for f in live.kept if f.event == "phx_error"] == []


async def insert_each(database: asyncpg.Connection, first: int, count: int) -> None:
    """One transaction a row."""
    for number in range(first, first + count):
        await insert(database, number, number)


async def test_where_reader_and_heir_die_every_channel_is_told_and_hears_on(
    stack: Stack, lives: dict[int, Live], database: asyncpg.Connection
):
    for pid in await_standby(stack):
        os.kill(pid, signal.SIGKILL)
    for live in lives.values():
        await live.take_frame(lambda f: f.event == "phx_error")
        await live.take_frame(lambda f: f.event == "system")
    until(lambda: is_ready(stack), "ready")
    await insert(database, 1, 5)
    for live in lives.values():
        assert await ids_of(live, 5) == [1, 2, 3, 4, 5]


async def test_a_standby_gives_its_slot_to_a_node_that_has_none_and_its_absence_is_told(
    stack: Stack, lives: dict[int, Live], database: asyncpg.Connection
):
    await slots_of_both(database)
    until(lambda: guarded(stack) == {1}, "every worker knows of the standby's slot")
    url = make_conninfo(stack.keys["DATABASE_URL"], user="supabase_realtime_admin")
    other = await asyncpg.connect(stack.keys["DATABASE_URL"])
    await other.execute(TAKE_SLOTS)
    with closing(SlotQueue(url)) as queue:
        until(queue.has_free, "the standby's is free")
        await other.execute(TAKE_SLOTS)
    until(lambda: guarded(stack) == {0}, "every worker knows that there is none")
    os.kill(log_reader_of(stack), signal.SIGKILL)
    for live in lives.values():
        await live.take_frame(lambda f: f.event == "phx_error")
        await live.take_frame(lambda f: f.event == "system")
    await insert(database, 1, 5)
    for live in lives.values():
        assert await ids_of(live, 5) == [1, 2, 3, 4, 5]
    await other.close()
    await slots_of_both(database)
    until(lambda: guarded(stack) == {1}, "the standby has a slot again")


def guarded(stack: Stack) -> set[int]:
    """What the workers' figures say of the standby's slot."""
    text = get(stack, "/metrics")[1].decode()
    return {
        int(float(n))
        for n in re.findall(r"^realtime_replication_guarded\{.*\} (.+)$", text, re.MULTILINE)
    }


async def test_a_worker_that_is_stopped_holds_no_other_up_and_loses_nothing(
    lives: dict[int, Live], database: asyncpg.Connection
):
    (stopped, one), (_, other) = lives.items()
    os.kill(stopped, signal.SIGSTOP)
    try:
        began = time.monotonic()
        await insert(database, 1, 200)
        assert await ids_of(other, 200) == list(range(1, 201))
        assert time.monotonic() - began < TIMEOUT
    finally:
        os.kill(stopped, signal.SIGCONT)
    assert await ids_of(one, 200) == list(range(1, 201))


async def test_a_worker_dies_and_the_other_hears_each_change_once_and_in_order(
    stack: Stack, lives: dict[int, Live], database: asyncpg.Connection
):
    (dying, _), (_, other) = lives.items()
    listening = asyncio.create_task(ids_of(other, EACH))
    await insert_each(database, 1, EACH // 2)
    os.kill(dying, signal.SIGKILL)
    await insert_each(database, 1 + EACH // 2, EACH - EACH // 2)
    assert await listening == list(range(1, EACH + 1))


async def test_what_a_stopped_worker_has_not_read_waits_in_the_log_and_not_in_memory(
    stack: Stack, lives: dict[int, Live], database: asyncpg.Connection
):
    rows, size = 40, 400_000  # twice what the broker holds
    await database.execute("alter table public.pasos add column if not exists carga text")
    stopped = min(lives)
    listening = [asyncio.create_task(ids_of(live, rows)) for live in lives.values()]
    passing = (broker_of(stack), *await_standby(stack))
    before = {pid: resident(pid) for pid in passing}
    os.kill(stopped, signal.SIGSTOP)
    try:
        await database.execute(
            "insert into public.pasos (id, carga) "
            "select n, repeat(md5(n::text), $2 / 32) from generate_series(1, $1::int) n",
            rows, size,
        )  # fmt: skip
        grown = {pid: resident(pid) - before[pid] for pid in passing}
    finally:
        os.kill(stopped, signal.SIGCONT)
    assert max(grown.values()) < rows * size
    for received in await asyncio.gather(*listening):
        assert received == list(range(1, rows + 1))

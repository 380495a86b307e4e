"""The stream is cut, the database restarts, publications come and go: told, and taken up again."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from compat_base.values.world import SystemClock
from compat_stack.embedded import postgres
from compat_stack.migrations.apply import migrate
from tests.harness_realtime import TIMEOUT, Client, Served, serve_realtime
from tests.harness_states import until

SELECT_LIMIT = 1024  # descriptors that `select` knows

TODOS = {"event": "*", "schema": "public", "table": "todos"}
CUT = "select pg_terminate_backend(pid) from pg_stat_replication where application_name = 'realtime_replication'"
CUT_ALL = "select pg_terminate_backend(pid) from pg_stat_replication"
CUT_GUARD = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'realtime_guard'"
SLOT_OF = """
select pid from pg_stat_activity join pg_replication_slots on active_pid = pid
where application_name = 'realtime_{}' and confirmed_flush_lsn is not null
"""
INSERT = "insert into todos (task) values ('{}')"


async def test_nothing_is_lost_or_doubled_where_the_stream_alone_is_cut(served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS)
        for round_number in range(3):
            streaming = await another(served, client, "replication")
            standby = await another(served, client, "guard")
            statements = [INSERT.format(f"{round_number}.{n}") for n in range(5)]
            await served.sql(*statements[:2], CUT, *statements[2:])
            tasks = [(await client.change())["data"]["record"]["task"] for _ in range(5)]
            assert tasks == [f"{round_number}.{n}" for n in range(5)]
            assert await client.frames_until_heartbeat() == []
            assert await another(served, client, "replication", streaming) == standby
    assert served.has_observed("replication_taken_over")


async def another(served: Served, client: Client, purpose: str, before: int = 0) -> int:
    """The process of the one slot of a purpose, once it is another than before."""
    async with asyncio.timeout(TIMEOUT):
        while True:
            pids = [row["pid"] for row in await served.sql(SLOT_OF.format(purpose))]
            if len(pids) == 1 and pids[0] != before:
                return pids[0]
            assert (
                await client.frames_until_heartbeat() == []
            )  # a heartbeat: it stays open meanwhile
            await asyncio.sleep(0.05)


@asynccontextmanager
async def open_transaction(server) -> AsyncIterator[None]:
    """A transaction with an id in another database: no new slot finds its start meanwhile."""
    connection = await asyncpg.connect(server.url())
    try:
        async with connection.transaction():
            await connection.execute("select pg_current_xact_id()")
            yield
    finally:
        await connection.close()


async def test_a_long_transaction_that_is_cut_in_its_midst_comes_whole_and_once(served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS)
        await served.sql(
            "insert into todos (task) select n::text from generate_series(1, 5000) as n", CUT
        )
        tasks = [(await client.change(30))["data"]["record"]["task"] for _ in range(5000)]
        assert tasks == [str(n) for n in range(1, 5001)]
        assert await client.frames_until_heartbeat() == []


async def test_a_standby_that_is_cut_is_replaced_and_nothing_is_lost(server, served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS)
        streaming = await another(served, client, "replication")
        standby = await another(served, client, "guard")
        async with open_transaction(server):
            await served.sql(CUT_GUARD, INSERT.format("a"))
            assert (await client.change())["data"]["record"]["task"] == "a"
            standby = await another(served, client, "guard", standby)
            await served.sql(INSERT.format("b"), CUT, INSERT.format("c"))
            tasks = [(await client.change())["data"]["record"]["task"] for _ in range(2)]
            assert tasks == ["b", "c"]
            assert await another(served, client, "replication", streaming) == standby
            await another(served, client, "guard", standby)
        assert await client.frames_until_heartbeat() == []


async def test_a_stream_begun_anew_costs_nothing_while_nothing_changes(served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS)
        await served.sql("drop publication supabase_realtime")
        await client.until("phx_error")
        await served.sql("create publication supabase_realtime for table public.todos")
        async with served.connect() as other:
            await other.subscribe(TODOS)
            before = processor_seconds("realtime-wal")
            await asyncio.sleep(1)  # the span that is measured
            assert processor_seconds("realtime-wal") - before < 0.2


def processor_seconds(thread: str) -> float:
    """What the threads of a name have used of the processor."""
    numbers = [one.native_id for one in threading.enumerate() if one.name == thread]
    used = [Path(f"/proc/self/task/{number}/schedstat").read_text() for number in numbers]
    return sum(int(line.split()[0]) for line in used) / 1e9


async def test_a_loss_is_told_and_delivery_goes_on(served: Served):
    async with served.connect() as client:
        ids = await client.subscribe(TODOS)
        await served.sql(CUT_ALL)
        assert await client.until("phx_error") == {}
        assert (await client.until("system"))["message"] == "Subscribed to PostgreSQL"
        await served.sql(INSERT.format("after"))
        change = await client.change()
        assert (change["ids"], change["data"]["record"]["task"]) == (ids, "after")
        assert await client.frames_until_heartbeat() == []


async def test_a_room_is_told_that_messages_of_the_database_may_be_lost(served: Served):
    async with served.connect() as client:
        await client.join("room")
        await served.sql(CUT_ALL)
        notice = await client.until("system")
        assert notice == {
            "extension": "broadcast",
            "status": "error",
            "message": "Messages were lost on the way from the database, please reload",
            "channel": "room",
        }
        await served.sql("select realtime.send('{}', 'after', 'room', false)")
        assert b"after" in await client.next()
        assert await client.frames_until_heartbeat() == []


async def test_a_room_is_told_that_it_was_joined_before_the_stream_began(
    server, realtime_database: str
):
    url = server.url(realtime_database)
    async with AsyncExitStack() as stack:
        held = await stack.enter_async_context(AsyncExitStack())
        await held.enter_async_context(open_transaction(server))
        served = await stack.enter_async_context(serve_realtime(url, is_streaming=False))
        client = await stack.enter_async_context(served.connect())
        await client.join("room")
        await served.sql("select realtime.send('{}', 'unheard', 'room', false)")
        await held.aclose()
        assert (await client.until("system"))["message"] == (
            "Messages were lost on the way from the database, please reload"
        )
        await served.sql("select realtime.send('{}', 'heard', 'room', false)")
        assert b"heard" in await client.next()
        assert await client.frames_until_heartbeat() == []


async def test_a_client_that_joins_anew_hears_everything_once(served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS)
        await served.sql(CUT_ALL)
        await client.until("phx_error")
        await client.subscribe(TODOS)
        await served.sql(INSERT.format("once"))
        assert (await client.change())["data"]["record"]["task"] == "once"
        assert await client.frames_until_heartbeat() == []


async def test_no_slot_outlives_the_service(server, served: Served):
    rows = await served.sql(
        "select temporary from pg_replication_slots where database = current_database()"
    )
    assert {row["temporary"] for row in rows} == {True}


async def test_a_dropped_publication_is_survived(served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS)
        await served.sql(
            "drop publication supabase_realtime", "insert into todos (task) values ('unheard')"
        )
        await client.until("phx_error")
        refused = await client.until("system")
        assert refused["status"] == "error"
        assert "Please check Realtime is enabled" in refused["message"]
        await served.sql(
            "create publication supabase_realtime for table public.todos, public.secrets, public.keyless"
        )
        await served.sql(CUT)
        async with served.connect() as other:
            await other.subscribe(TODOS)
            await served.sql("insert into todos (task) values ('heard')")
            assert (await other.change())["data"]["record"]["task"] == "heard"


async def test_a_publication_made_anew_is_streamed_before_a_channel_is_told_so(served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS)
        await served.sql("drop publication supabase_realtime")
        await client.until("phx_error")
        await client.until("system")
        await served.sql("create publication supabase_realtime for table public.todos")
        async with served.connect() as other:
            await other.subscribe(TODOS)
            await served.sql("insert into todos (task) values ('heard')")
            assert (await other.change())["data"]["record"]["task"] == "heard"


async def test_a_restart_of_the_database_is_survived(tmp_path: Path):
    cluster = postgres.embedded_cluster(tmp_path / "pg", durable=False)
    folder = tmp_path / "none"
    folder.mkdir()
    async with (
        serve_realtime(cluster.url(), is_streaming=False) as served,
        served.connect() as client,
    ):
        # The database is not even there when the service and its clients start.
        reply = await client.join(postgres_changes=[TODOS])
        assert reply["status"] == "ok"
        assert (await client.join("secret", private=True))["response"]["reason"] == (
            "UnableToConnectToProject: Realtime was unable to connect to the project database"
        )
        await asyncio.to_thread(postgres.start, cluster)
        try:
            await migrate(cluster.url(), folder)
            await served.sql(
                "create table public.todos (id int primary key)",
                "grant select on public.todos to anon",
                "alter publication supabase_realtime add table public.todos",
            )
            async with served.connect() as other:
                await other.subscribe(TODOS)
                await served.sql("insert into todos values (1)")
                assert (await other.change())["data"]["record"] == {"id": 1}
                await asyncio.to_thread(postgres.stop, cluster)
                await asyncio.to_thread(postgres.start, cluster)
                assert await other.until("phx_error") == {}
                assert (await other.until("system"))["status"] == "ok"
                await served.sql("insert into todos values (2)")
                assert (await other.change())["data"]["record"] == {"id": 2}
        finally:
            await asyncio.to_thread(postgres.stop, cluster)


async def test_on_another_day_messages_have_a_place_at_once(
    server, realtime_database: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("realtime_compat.app.service.DAY_SECONDS", 0.05)
    today = datetime.now(UTC)
    partition = f"realtime.messages_{today + timedelta(days=1):%Y_%m_%d}"
    async with serve_realtime(server.url(realtime_database)) as served:
        await served.sql(f"drop table if exists {partition}", "select")
        monkeypatch.setattr(SystemClock, "now", lambda _: today + timedelta(days=2))

        async def is_there() -> bool:
            return (await served.sql(f"select to_regclass('{partition}') is not null as it"))[0][
                "it"
            ]

        await until(is_there)


async def test_changes_are_streamed_by_descriptors_beyond_1024(server, realtime_database: str):
    with ExitStack() as opened:
        while True:
            descriptor = os.open(os.devnull, os.O_RDONLY)
            opened.callback(os.close, descriptor)
            if descriptor >= SELECT_LIMIT:
                break
        async with (
            serve_realtime(server.url(realtime_database)) as served,
            served.connect() as client,
        ):
            await client.subscribe(TODOS)
            await served.sql("insert into todos (task) values ('far up')")
            assert (await client.change())["data"]["record"]["task"] == "far up"
            assert not served.has_observed("replication_down")

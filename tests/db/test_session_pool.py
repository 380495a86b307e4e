"""Pipelines of statements, and the pool that lends them, against PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import struct
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from threading import Thread

import pytest
import uvloop
from psycopg.conninfo import make_conninfo

from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.postgres.pipeline import PipelineSession, open_session
from compat_base.postgres.pool import PoolSettings
from compat_base.postgres.results import BinaryRow
from compat_base.postgres.session_pool import SessionPool, open_pool
from compat_base.values.sqltext import Statement
from tests.conftest import Server
from tests.harness_states import until

ONE = Statement("select '1' as n")
BACKEND = Statement("select pg_backend_pid()::text as pid")
LONG = 8_000_000  # bytes: more than any socket's buffers hold
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends a reset


@pytest.fixture(params=[100, 1, 0], ids=["prepared", "one statement kept", "unprepared"])
async def session(server: Server, request: pytest.FixtureRequest) -> AsyncIterator[PipelineSession]:
    """A session, whatever it prepares."""
    opened = await open_session(server.url(), "tests", request.param)
    yield opened
    opened.close()


@asynccontextmanager
async def pool_of(server: Server, **settings: float) -> AsyncGenerator[SessionPool]:
    async with open_pool(PoolSettings(server.url(), **settings)) as pool:  # pyright: ignore[reportArgumentType] — each key is the dataclass's own
        yield pool


async def rows(session: PipelineSession, *statements: Statement) -> list[list[BinaryRow]]:
    return [answer.rows() for answer in await session.run(statements)]


async def pid(session: PipelineSession) -> bytes | None:
    return (await rows(session, BACKEND))[0][0]["pid"]


@contextmanager
def resettable(server: Server) -> Generator[tuple[str, Callable[[], None]]]:
    """The server by TCP for one connection: its connection string, and what resets it."""
    path = f"{server.cluster.sockets}/.s.PGSQL.{server.cluster.port}"
    asks, answering = socket.socketpair()
    listener = socket.create_server(("127.0.0.1", 0))

    def forward() -> None:
        with (
            listener,
            answering,
            socket.socket(socket.AF_UNIX) as behind,
            listener.accept()[0] as front,
        ):
            behind.connect(path)
            while answering not in (
                readable := select.select([answering, front, behind], [], [])[0]
            ):
                for one in readable:
                    (behind if one is front else front).sendall(one.recv(65_536))
            front.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    thread = Thread(target=forward)
    thread.start()
    port = listener.getsockname()[1]
    with asks:
        yield make_conninfo(server.url(), host="127.0.0.1", port=port), asks.close
    thread.join()


# ── one pipeline ───────────────────────────────────────────────────────────────────────────────


async def test_values_are_read_by_their_types_and_json_stays_text(session: PipelineSession):
    text = """select 'ñ' as text, 'x'::name as name, 9223372036854775807 as bigint, true as bool,
      array['a,b', null] as texts, '{1,2}'::int[] as numbers, '{"b": 1.0, "a": 2}'::json as json,
      null as nothing"""
    records = (await session.run([Statement(text)]))[0].records()
    assert records == [
        {
            "text": "ñ", "name": "x", "bigint": 2**63 - 1, "bool": True, "texts": ["a,b", None],
            "numbers": [1, 2], "json": '{"b": 1.0, "a": 2}', "nothing": None,
        }
    ]  # fmt: skip
    assert (await session.run([Statement("select 1 where false")]))[0].records() == []


async def test_each_statement_gives_its_rows_in_order(session: PipelineSession):
    found = await rows(
        session,
        Statement("BEGIN"),
        Statement("select $1 as n union all select '2'", (b"1",)),
        Statement("select $1 as word, null as nothing", ("año".encode(),)),
        Statement("COMMIT"),
    )
    assert found == [
        [],
        [{"n": b"1"}, {"n": b"2"}],
        [{"word": "año".encode(), "nothing": None}],
        [],
    ]


async def test_results_come_in_binary_form(session: PipelineSession):
    query = "select '\\x00ff'::bytea as raw, null::bytea as none, '[1]'::json as list, 258 as n"
    found = await rows(session, Statement(query))
    assert found == [[{"raw": b"\0\xff", "none": None, "list": b"[1]", "n": b"\0\0\1\2"}]]


async def test_a_long_value_goes_out_and_comes_back(session: PipelineSession):
    found = await rows(session, Statement("select $1::text as long", (b"x" * LONG,)))
    assert found == [[{"long": b"x" * LONG}]]


async def test_a_server_that_stands_still_within_a_long_value_can_be_left(session: PipelineSession):
    backend = int(await pid(session) or b"")
    os.kill(backend, signal.SIGSTOP)
    try:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await session.run((Statement("select $1 as n", (b"x" * LONG,)),))
    finally:
        os.kill(backend, signal.SIGCONT)
    assert session.is_lost


async def test_a_session_closed_within_a_long_value_tells_who_waits(session: PipelineSession):
    backend = int(await pid(session) or b"")
    os.kill(backend, signal.SIGSTOP)
    try:
        asyncio.get_running_loop().call_later(0.2, session.close)
        with pytest.raises(Unavailable):
            await session.run((Statement("select $1 as n", (b"x" * LONG,)),))
    finally:
        os.kill(backend, signal.SIGCONT)


async def test_a_long_value_that_fails_leaves_the_session_usable(session: PipelineSession):
    with pytest.raises(PgFault):
        await session.run((Statement("select $1::int as n", (b"x" * LONG,)),))
    assert (await rows(session, ONE))[0] == [{"n": b"1"}]


def test_a_failure_that_has_come_once_a_long_value_is_out_holds_up_nobody(server: Server):
    async def refused() -> None:
        session = await open_session(server.url(), "tests", 100)
        query = Statement("select $1::text", (b"\xff" * LONG,))
        running = asyncio.create_task(session.run([query]))
        await asyncio.sleep(0)  # a thread sends it now
        select.select([session._socket], [], [], 60)  # the loop is late: the answer is there
        with pytest.raises(PgFault, match="invalid byte sequence"):
            await running
        assert await pid(session)
        session.close()

    # The services' loop: it reads sockets before it wakes who waits.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(refused())


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_reset_of_the_connection_ends_what_runs_on_it(
    server: Server, loop: Callable[[], asyncio.AbstractEventLoop]
):
    async def run_and_reset() -> None:
        with resettable(server) as (conninfo, reset):
            session = await open_session(conninfo, "tests", 100)
            running = asyncio.create_task(session.run([Statement("select pg_sleep(60)")]))
            await asyncio.sleep(0)  # it is sent
            reset()
            async with asyncio.timeout(60):
                with pytest.raises(Unavailable):
                    await running
            assert session.is_lost

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(run_and_reset())


async def test_the_first_failure_is_raised_and_ends_the_rest(session: PipelineSession):
    begin = [Statement("BEGIN"), Statement("create temp table kept (n int)")]
    with pytest.raises(PgFault, match="22012: division by zero"):
        await session.run([*begin, Statement("select 1 / 0"), Statement("COMMIT")])
    assert session.in_transaction
    await session.run([Statement("ROLLBACK")])
    assert not session.in_transaction
    found = await rows(session, Statement("select to_regclass('kept')::text as there"))
    assert found == [[{"there": None}]]


async def test_a_statement_that_could_not_be_prepared_can_be_tried_again(session: PipelineSession):
    query = Statement("select n from later")
    with pytest.raises(PgFault, match="42P01"):
        await session.run([query])
    await session.run([Statement("create temp table later as select '7' as n")])
    assert await rows(session, query) == [[{"n": b"7"}]]


async def test_a_statement_behind_a_failed_one_can_be_tried_again(session: PipelineSession):
    with pytest.raises(PgFault, match="22012"):
        await session.run([Statement("select 1 / 0"), ONE])
    assert await rows(session, ONE) == [[{"n": b"1"}]]


async def test_a_value_with_nul_is_refused_as_postgresql_would(session: PipelineSession):
    with pytest.raises(PgFault, match='22021: invalid byte sequence for encoding "UTF8": 0x00'):
        await session.run([Statement("BEGIN"), Statement("select $1::text", (b"a\0b",))])
    assert not session.in_transaction


async def test_the_fault_says_what_it_is_about(session: PipelineSession):
    await session.run([Statement("create temp table few (n int constraint small check (n < 3))")])
    with pytest.raises(PgFault) as raised:
        await session.run([Statement("insert into few values (4)")])
    fault = raised.value.fault
    assert (fault.sqlstate, fault.constraint, fault.table) == ("23514", "small", "few")
    assert fault.detail == "Failing row contains (4)."


async def test_a_terminated_connection_says_why_and_stays_lost(
    server: Server, session: PipelineSession
):
    await session.run([ONE])
    running = asyncio.ensure_future(session.run([Statement("select pg_sleep(60)")]))
    while not running.done():  # it may be asked to end before PostgreSQL shows that it sleeps
        await asyncio.to_thread(
            server.run,
            "select pg_terminate_backend(pid) from pg_stat_activity where query like '%sleep(60)%'"
            " and pid <> pg_backend_pid()",
        )
    with pytest.raises(Unavailable, match="terminating connection due to administrator command"):
        await running
    assert session.is_lost
    with pytest.raises(Unavailable):
        await session.run([ONE])


async def test_a_cancelled_pipeline_closes_its_connection(session: PipelineSession):
    running = asyncio.ensure_future(session.run([Statement("select pg_sleep(60)")]))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert session.is_lost


async def test_no_server_is_unavailable_with_libpqs_words(server: Server):
    nowhere = server.url().replace("host=", "host=/nowhere")
    with pytest.raises(Unavailable, match=r"^connection to server on socket"):
        await open_session(nowhere, "tests", 0)


# ── the pool ───────────────────────────────────────────────────────────────────────────────────


async def test_a_session_given_back_is_lent_again(server: Server):
    async with pool_of(server) as pool:
        first = await pool.borrow()
        pool.give_back(first)
        assert await pool.borrow() is first
        assert pool.size() == (1, 0)
        pool.give_back(first)
        assert pool.size() == (1, 1)


async def test_whoever_comes_when_all_are_lent_waits_in_line(server: Server):
    async with pool_of(server, maximum=1) as pool:
        borrowed = await pool.borrow()
        waiting = [asyncio.ensure_future(pool.borrow()) for _ in range(3)]
        await until(lambda: pool.waiting == 3)
        for turn in waiting:
            pool.give_back(borrowed)
            assert await turn is borrowed
        pool.give_back(borrowed)
        assert (pool.waiting, pool.size()) == (0, (1, 1))


async def test_who_waits_too_long_is_told(server: Server):
    async with pool_of(server, maximum=1) as pool:
        borrowed = await pool.borrow()
        pool.settings = replace(pool.settings, acquire_timeout=0.05)
        with pytest.raises(PoolTimeout):
            await pool.borrow()
        pool.settings = replace(pool.settings, acquire_timeout=10)
        pool.give_back(borrowed)
        assert await pool.borrow() is borrowed
        pool.give_back(borrowed)


async def test_who_leaves_the_line_passes_the_session_on(server: Server):
    async with pool_of(server, maximum=1) as pool:
        borrowed = await pool.borrow()
        first, second = (asyncio.ensure_future(pool.borrow()) for _ in range(2))
        await until(lambda: pool.waiting == 2)
        pool.give_back(borrowed)
        first.cancel()
        assert await second is borrowed
        pool.give_back(borrowed)


async def test_who_left_the_line_is_passed_over(server: Server):
    async with pool_of(server, maximum=1) as pool:
        borrowed = await pool.borrow()
        first, second = (asyncio.ensure_future(pool.borrow()) for _ in range(2))
        await until(lambda: pool.waiting == 2)
        first.cancel()
        pool.give_back(borrowed)
        with pytest.raises(asyncio.CancelledError):
            await first
        assert await second is borrowed
        pool.give_back(borrowed)


async def test_a_lost_session_is_replaced(server: Server):
    async with pool_of(server, maximum=1) as pool:
        borrowed = await pool.borrow()
        before = await pid(borrowed)
        pool.give_back(borrowed)
        await asyncio.to_thread(server.run, f"select pg_terminate_backend({int(before or 0)})")
        await until(lambda: borrowed.is_lost)
        again = await pool.borrow()
        assert await pid(again) != before
        pool.give_back(again)


async def test_a_session_closed_while_lent_makes_room_for_who_waits(server: Server):
    async with pool_of(server, maximum=1) as pool:
        borrowed = await pool.borrow()
        waiting = asyncio.ensure_future(pool.borrow())
        await until(lambda: pool.waiting == 1)
        borrowed.close()
        pool.give_back(borrowed)
        again = await waiting
        assert await rows(again, ONE) == [[{"n": b"1"}]]
        pool.give_back(again)


async def test_an_idle_session_is_closed_after_its_time(server: Server):
    async with pool_of(server, idle_lifetime=0.02) as pool:
        pool.give_back(await pool.borrow())
        await until(lambda: pool.size() == (0, 0))


async def test_an_old_session_is_not_lent_again(server: Server):
    async with pool_of(server, lifetime=0.0) as pool:
        old = await pool.borrow()
        pool.give_back(old)
        assert old.is_lost
        assert pool.size() == (0, 0)


async def test_a_failed_connection_lets_the_next_in_line_try(server: Server):
    settings = PoolSettings(server.url("no_such_database"), maximum=1)
    async with open_pool(settings) as pool:
        failures = await asyncio.gather(*(pool.borrow() for _ in range(3)), return_exceptions=True)
    assert [type(one) for one in failures] == [Unavailable] * 3
    assert 'database "no_such_database" does not exist' in str(failures[0])


async def test_a_closing_pool_cuts_off_what_goes_on_for_too_long(server: Server):
    async with pool_of(server, closing_timeout=0.05) as pool:
        borrowed = await pool.borrow()
        running = asyncio.ensure_future(borrowed.run([Statement("select pg_sleep(60)")]))
        await pool.close()
        with pytest.raises(Unavailable, match="the connection was closed"):
            await running


async def test_a_closing_pool_waits_for_the_sessions_in_use(server: Server):
    async with pool_of(server) as pool:
        borrowed = await pool.borrow()
        closing = asyncio.ensure_future(pool.close())
        assert await rows(borrowed, ONE) == [[{"n": b"1"}]]
        assert not closing.done()
        pool.give_back(borrowed)
        await closing
        assert borrowed.is_lost


async def test_a_closing_pool_that_was_empty_once_waits_all_the_same(server: Server):
    async with pool_of(server) as pool:
        pool.give_back(await pool.borrow())
        pool.flush()
        borrowed = await pool.borrow()
        closing = asyncio.ensure_future(pool.close())
        assert await rows(borrowed, ONE) == [[{"n": b"1"}]]
        assert not closing.done()
        pool.give_back(borrowed)
        await closing

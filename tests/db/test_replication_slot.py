"""A temporary slot and its stream, against PostgreSQL."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path

import psycopg
import pytest

from compat_base.postgres.replication import ReplicationSlot, StreamError, open_slot
from tests.conftest import Server

NUMBERS = count(1)
ODD_NAME = """odd, "name" o'\\f"""
INSERT = "insert into letters (body) values ('{}')"
SLOTS = (
    "select confirmed_flush_lsn - '0/0' from pg_replication_slots where slot_name like 'tests_%'"
)
LOST = "the connection|connection to server|ended the stream|terminating connection"


@pytest.fixture(scope="module")
def database(server: Server, services_template: str) -> Iterator[str]:
    name = server.clone(services_template)
    server.run(
        "create table letters (id int generated always as identity primary key, body text)",
        "create publication letters for table letters",
        f'create publication "{ODD_NAME.replace(chr(34), chr(34) * 2)}" for table letters',
        database=name,
    )
    yield name
    server.drop(name)


@pytest.fixture
def sql(server: Server, database: str) -> Iterator[Callable[[str], list[tuple[object, ...]]]]:
    with psycopg.connect(server.url(database), autocommit=True) as connection:

        def run(text: str) -> list[tuple[object, ...]]:
            cursor = connection.execute(text)
            return cursor.fetchall() if cursor.description else []

        yield run


@pytest.fixture
def opened(server: Server, database: str) -> Iterator[Callable[..., ReplicationSlot]]:
    with ExitStack() as stack:

        def make(dsn: str | None = None, options: str = "") -> ReplicationSlot:
            slot = open_slot(
                dsn or server.url(database), f"tests_{next(NUMBERS)}", "tests", options
            )
            return stack.enter_context(closing(slot))

        yield make


def committed(slot: ReplicationSlot, transactions: int) -> list[bytes]:
    """The messages up to so many commits."""
    found: list[bytes] = []
    deadline = time.monotonic() + 10
    while sum(message[:1] == b"C" for message in found) < transactions:
        assert time.monotonic() < deadline
        message = slot.read()
        if message is None:
            slot.wait(1)
        else:
            found.append(message)
    return found


def walsender(sql: Callable[[str], list[tuple[object, ...]]]) -> int:
    rows = sql("select pid from pg_stat_replication where application_name = 'tests'")
    return int(str(rows[0][0]))


@pytest.mark.parametrize("publication", ["letters", ODD_NAME])
def test_messages_come_one_by_one_in_their_order(sql, opened, publication: str):
    slot = opened()
    slot.start((publication,))
    sql(INSERT.format("one"))
    assert [message[:1] for message in committed(slot, 1)] == [b"B", b"R", b"I", b"C"]
    assert slot.read() is None


def test_nothing_is_read_twice_by_a_slot_that_goes_on_where_another_was(sql, opened):
    guard, slot = opened(), opened()
    slot.start(("letters",))
    sql(INSERT.format("heard"))
    committed(slot, 1)
    slot.close()
    guard.start(("letters",), slot.position)
    sql(INSERT.format("after"))
    assert b"after" in b"".join(committed(guard, 1))


def test_a_message_of_many_megabytes_comes_whole(sql, opened):
    slot = opened()
    slot.start(("letters",))
    sql(
        "insert into letters (body) select string_agg(n::text, '') from generate_series(1, 2000000) n"
    )
    sizes = [len(message) for message in committed(slot, 1)]
    assert max(sizes) > 12_000_000


def test_an_acknowledged_position_reaches_the_server(sql, opened):
    slot = opened()
    slot.start(("letters",))
    sql(INSERT.format("done"))
    committed(slot, 1)
    slot.acknowledge()
    deadline = time.monotonic() + 10
    while sql(SLOTS) != [(slot.position,)]:
        assert time.monotonic() < deadline
        slot.read()
        slot.wait(0.01)


def test_an_idle_slot_lets_the_log_go_up_to_a_position(sql, opened):
    guard, slot = opened(), opened()
    slot.start(("letters",))
    sql(INSERT.format("gone"))
    committed(slot, 1)
    for _ in range(7):  # more often than a driver takes to prepare a statement
        guard.advance(slot.position)
    assert guard.position == slot.position


def test_a_keepalive_that_asks_for_an_answer_is_given_one(sql, opened):
    slot = opened(options="-c wal_sender_timeout=6000")  # it asks after half of that
    slot.start(("letters",))
    answered = "select reply_time from pg_stat_replication where application_name = 'tests'"
    first = sql(answered)
    deadline = time.monotonic() + 10
    while sql(answered) == first:
        assert time.monotonic() < deadline
        assert slot.read() is None
        slot.wait(0.1)
    sql(INSERT.format("alive"))
    assert b"alive" in b"".join(committed(slot, 1))


def test_what_nobody_reads_is_held_back_by_the_server(sql, opened):
    slot = opened()
    slot.start(("letters",))
    sql("insert into letters (body) select repeat('x', 1000000) from generate_series(1, 100)")
    committed(slot, 0)
    before = resident()
    for _ in range(20):
        slot.acknowledge()
        slot.wait(0.01)
    assert resident() - before < 20_000_000  # of 100,000,000 bytes
    assert len(committed(slot, 1)) >= 100


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("publications", [("missing",), ("letters", "missing")])
def test_missing_publications_are_known_before_the_stream_starts(opened, publications):
    assert opened().existing(publications) == tuple(set(publications) - {"missing"})


def test_a_server_that_ends_the_stream_is_heard(sql, opened):
    slot = opened()
    slot.start(("letters",))
    sql(f"select pg_terminate_backend({walsender(sql)})")
    with pytest.raises(StreamError, match="terminating connection"):
        committed(slot, 1)


def test_a_server_that_freezes_is_waited_for(sql, opened):
    slot = opened()
    slot.start(("letters",))
    pid = walsender(sql)
    os.kill(pid, signal.SIGSTOP)
    try:
        sql(INSERT.format("thawed"))
        for _ in range(5):
            assert slot.read() is None
            slot.acknowledge()
            slot.wait(0.05)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert b"thawed" in b"".join(committed(slot, 1))


def test_a_connection_whose_other_end_is_gone_is_an_error(sql, opened):
    slot = opened()
    slot.start(("letters",))
    with socket.socket(fileno=os.dup(slot._libpq.socket)) as connection:
        connection.shutdown(socket.SHUT_RDWR)
    with pytest.raises(StreamError, match=LOST):
        committed(slot, 1)


def test_a_connection_that_is_closed_is_an_error(opened):
    slot = opened()
    slot.start(("letters",))
    slot.close()
    for act in (slot.read, slot.acknowledge, lambda: slot.wait(0), lambda: slot.advance(1)):
        with pytest.raises(StreamError):
            act()


def test_no_server_is_an_error_in_one_line(opened):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(StreamError) as refused:
            opened(f"postgresql://postgres@127.0.0.1:{port}/postgres")
    assert "onnection refused" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_name_that_is_taken_is_an_error(server, database, opened):
    slot = opened()
    with pytest.raises(StreamError, match="already exists"):
        open_slot(server.url(database), slot._name, "tests", "")


def test_the_values_of_a_session_s_options_hold_for_the_stream(sql, opened):
    slot = opened(options="-c datestyle=German")
    slot.start(("letters",))
    sql("alter table letters add column if not exists sent date")
    sql("insert into letters (sent) values ('2026-11-22')")
    assert b"22.11.2026" in b"".join(committed(slot, 1))

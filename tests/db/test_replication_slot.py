"""A temporary slot and its stream, against PostgreSQL."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Semaphore

import psycopg
import pytest

from compat_base.postgres.replication import ReplicationSlot, StreamError, connect_slot
from realtime_compat.replication.standby_slot import StandbySlot
from tests.conftest import Server

NUMBERS = count(1)
ODD_NAME = """odd, "name" o'\\f"""
INSERT = "insert into letters (body) values ('{}')"
SLOTS = (
    "select confirmed_flush_lsn - '0/0' from pg_replication_slots where slot_name like 'tests_%'"
)
NAMES = "select slot_name from pg_replication_slots where slot_name like 'tests_%'"
TIMEOUT = 60.0  # seconds
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
            slot = connect_slot(
                dsn or server.url(database), f"tests_{next(NUMBERS)}", "tests", options
            )
            stack.enter_context(closing(slot)).create()
            return slot

        yield make


def committed(slot: ReplicationSlot, transactions: int) -> list[bytes]:
    """The messages up to so many commits."""
    found: list[bytes] = []
    deadline = time.monotonic() + TIMEOUT
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
    standby, slot = opened(), opened()
    slot.start(("letters",))
    sql(INSERT.format("heard"))
    committed(slot, 1)
    slot.close()
    standby.start(("letters",), slot.position)
    sql(INSERT.format("after"))
    assert b"after" in b"".join(committed(standby, 1))


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
    deadline = time.monotonic() + TIMEOUT
    while sql(SLOTS) != [(slot.position,)]:
        assert time.monotonic() < deadline
        slot.read()
        slot.wait(0.01)


def test_an_idle_slot_lets_the_log_go_up_to_a_position(sql, opened):
    standby, slot = opened(), opened()
    slot.start(("letters",))
    sql(INSERT.format("gone"))
    committed(slot, 1)
    for _ in range(7):  # more often than a driver takes to prepare a statement
        standby.advance(slot.position)
    assert standby.position == slot.position


@contextmanager
def open_transaction(server: Server) -> Iterator[None]:
    """A transaction with an id in another database: no slot that is created begins meanwhile."""
    with psycopg.connect(server.url()) as connection:
        connection.execute("select pg_current_xact_id()")
        yield


def test_a_copy_is_made_beside_an_open_transaction_and_takes_over(server, database, sql, opened):
    slot = opened()
    slot.start(("letters",))
    with open_transaction(server), copied(server, database, slot.name) as standby:
        sql(INSERT.format("heard"))
        committed(slot, 1)
        slot.close()
        sql(INSERT.format("after"))
        standby.start(("letters",), slot.position)
        received = b"".join(committed(standby, 1))
        assert b"after" in received
        assert b"heard" not in received


@contextmanager
def copied(server: Server, database: str, source: str) -> Iterator[ReplicationSlot]:
    name = f"tests_{next(NUMBERS)}"
    with closing(connect_slot(server.url(database), name, "tests", "")) as slot:
        slot.copy(source)
        yield slot


@pytest.mark.parametrize("are_all_taken", [False, True])
def test_a_renewed_copy_lets_the_log_go_up_to_its_source(
    server, database, sql, opened, are_all_taken
):
    slot = opened()
    slot.start(("letters",))
    with copied(server, database, slot.name) as standby, ExitStack() as taken:
        if are_all_taken:
            taken.enter_context(all_slots_taken(server))
        for _ in range(7):  # more often than a driver takes to prepare a statement
            sql(INSERT.format("gone"))
            committed(slot, 1)
            deadline = time.monotonic() + TIMEOUT
            while standby.position < slot.position:
                assert time.monotonic() < deadline
                slot.acknowledge()
                standby.renew(slot.name)
        assert {name for (name,) in sql(NAMES)} == {slot.name, standby.name}


def test_a_copy_stays_where_its_source_is_gone(server, database, sql, opened):
    slot = opened()
    slot.start(("letters",))
    with copied(server, database, slot.name) as standby:
        slot.close()
        deadline = time.monotonic() + TIMEOUT
        while len(sql(NAMES)) > 1:
            assert time.monotonic() < deadline
        standby.renew(slot.name)
        assert sql(NAMES) == [(standby.name,)]


def test_what_a_new_slot_waits_for_can_be_cancelled(server, database, sql):
    name = f"tests_{next(NUMBERS)}"
    with (
        open_transaction(server),
        closing(connect_slot(server.url(database), name, "tests", "")) as slot,
        ThreadPoolExecutor() as threads,
    ):
        creating = threads.submit(slot.create)
        deadline = time.monotonic() + TIMEOUT
        while not creating.done():
            assert time.monotonic() < deadline
            slot.cancel(1)
            wait([creating], 0.01)
        with pytest.raises(StreamError, match="canceling statement"):
            creating.result()


def test_a_table_published_while_the_slot_is_made_is_streamed(server, database, sql):
    """Also where a transaction that the slot did not wait for has written to it before."""
    sql("create table late (id int)")
    name = f"tests_{next(NUMBERS)}"
    with (
        closing(connect_slot(server.url(database), name, "tests", "")) as slot,
        ThreadPoolExecutor() as threads,
        ExitStack() as stack,
    ):
        first, publishing, last, writing = (
            stack.enter_context(psycopg.connect(server.url(database))) for _ in range(4)
        )
        first_id = own_id(first)
        creating = threads.submit(slot.create)
        wait_for_waiting(sql, first_id)
        publishing.execute("alter publication letters add table late")
        later_ids = own_id(publishing), own_id(last)
        first.commit()
        wait_for_waiting(sql, *later_ids)
        publishing.commit()
        sql("create table another ()")
        writing.execute("insert into late values (1)")
        last.commit()
        wait_for_row(sql, "pg_stat_activity where application_name = 'tests' and query ~ '^do'")
        writing.commit()
        creating.result(TIMEOUT)
        slot.start(("letters",))
        sql("insert into late values (2)")
        assert [message[:1] for message in committed(slot, 1)] == [b"B", b"R", b"I", b"C"]


def own_id(connection: psycopg.Connection) -> int:
    """The id of a connection's transaction."""
    row = connection.execute("select pg_current_xact_id()::text::int").fetchone()
    assert row is not None
    return row[0]


def wait_for_waiting(sql: Callable[[str], list[tuple[object, ...]]], *transactions: int) -> None:
    """Until somebody waits for the end of one of these transactions."""
    ids = ", ".join(map(str, transactions))
    wait_for_row(sql, f"pg_locks where not granted and transactionid::text::int in ({ids})")


def wait_for_row(sql: Callable[[str], list[tuple[object, ...]]], relation: str) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not sql(f"select 1 from {relation}"):
        assert time.monotonic() < deadline


def test_a_standby_is_made_once_there_is_a_slot_for_it(server, database, opened):
    slot = opened()
    slot.start(("letters",))
    refused, made = Semaphore(0), Event()

    def copy(source: str) -> ReplicationSlot:
        standby = connect_slot(server.url(database), f"tests_{next(NUMBERS)}", "tests", "")
        try:
            standby.copy(source)
        except StreamError:
            standby.close()
            refused.release()
            raise
        made.set()
        return standby

    with ExitStack() as taken:
        taken.enter_context(all_slots_taken(server))
        standby = StandbySlot(slot.name, copy)
        assert refused.acquire(timeout=TIMEOUT)
        assert refused.acquire(timeout=TIMEOUT)
        taken.close()
        assert made.wait(TIMEOUT)
        standby.take().close()


def test_a_stream_that_is_cut_without_a_standby_says_so(opened):
    slot = opened()
    slot.close()

    def copy(source: str) -> ReplicationSlot:
        raise StreamError(f"{source} is gone")

    with pytest.raises(StreamError, match="while it had no standby slot"):
        StandbySlot(slot.name, copy).take()


@contextmanager
def all_slots_taken(server: Server) -> Iterator[None]:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(
            "select pg_create_physical_replication_slot('taken_' || n, false, true) "
            "from generate_series(1, current_setting('max_replication_slots')::int "
            "- (select count(*) from pg_replication_slots)) as n"
        )
        yield


def test_a_keepalive_that_asks_for_an_answer_is_given_one(sql, opened):
    slot = opened(options="-c wal_sender_timeout=6000")  # it asks after half of that
    slot.start(("letters",))
    answered = "select reply_time from pg_stat_replication where application_name = 'tests'"
    first = sql(answered)
    deadline = time.monotonic() + TIMEOUT
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


def test_a_server_whose_machine_is_gone_is_given_up_after_thirty_seconds(opened):
    # By the kernel: a network that swallows everything is no part of this ring.
    given = opened()._connection.info.get_parameters()
    assert given["tcp_user_timeout"] == "30000"
    assert int(given["keepalives_idle"]) + int(given["keepalives_interval"]) <= 30


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
    with (
        closing(connect_slot(server.url(database), slot.name, "tests", "")) as other,
        pytest.raises(StreamError, match="already exists"),
    ):
        other.create()


def test_the_values_of_a_session_s_options_hold_for_the_stream(sql, opened):
    slot = opened(options="-c datestyle=German")
    slot.start(("letters",))
    sql("alter table letters add column if not exists sent date")
    sql("insert into letters (sent) values ('2026-11-22')")
    assert b"22.11.2026" in b"".join(committed(slot, 1))

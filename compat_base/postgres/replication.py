"""Logical replication over libpq: a temporary slot, and its stream of output plugin messages.

A connection in replication mode takes commands by the simple protocol; `START_REPLICATION` turns it
into COPY BOTH, in which PostgreSQL sends messages and keepalives, and is sent acknowledgements
(PostgreSQL's chapter "Streaming Replication Protocol"). The slot is temporary: it ends with its
connection, so that neither a stop nor a crash leaves anything behind that holds the log back.
"""

from __future__ import annotations

import select
import struct
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import pq

from compat_base.postgres.conninfo import failure
from compat_base.values.sqltext import quote_ident, quote_literal

_CONNECT_SECONDS = 10
# A server whose machine or network is gone without a word is given up for another of the addresses
# after these, and not after TCP's own limit of some 15 minutes. One that is busy still answers TCP.
_UNANSWERED_SECONDS = 30
_KEEPALIVE_SECONDS = 10

_MESSAGE, _KEEPALIVE = b"wk"
_MESSAGE_HEAD = struct.Struct("!xQQq")  # start and end in the log, time
_KEEPALIVE_BODY = struct.Struct("!xQqB")  # end of the log, time, whether an answer is wanted
_STATUS = struct.Struct("!cQQQqB")  # written, flushed, applied, time, whether an answer is wanted
# `create` writes, whatever the role's own defaults, and needs to wait for no disk.
_SLOT_OPTIONS = "-c default_transaction_read_only=off -c synchronous_commit=off"
_EPOCH_MICROSECONDS = 946_684_800_000_000  # 2000-01-01, where PostgreSQL's time begins
# Returns once all transactions that run as it begins have ended. A DO block can be cancelled, and
# its commits give each look a snapshot of its own, whatever the role's isolation.
_AWAIT_TRANSACTIONS = """do $$
declare
  next constant pg_catalog.xid8 := pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot());
begin
  loop
    commit;
    exit when pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) >= next;
    perform pg_catalog.pg_sleep(0.01);
  end loop;
end
$$"""
_QUEUE = "replication_slot_queue"  # the application of sessions that wait for a free slot
_QUEUED = (
    "(select count(*) from pg_catalog.pg_stat_activity"
    f" where application_name = '{_QUEUE}' and usename = current_user)"
)
# By default a server has ten of both, and each slot that is used takes one of both.
_FREE = (
    "least(pg_catalog.current_setting('max_replication_slots')::int"
    " - (select count(*) from pg_catalog.pg_replication_slots),"
    " pg_catalog.current_setting('max_wal_senders')::int"
    " - (select count(*) from pg_catalog.pg_stat_replication))"
)
_NEEDED = "the server has too few replication slots, and another node needs one for its stream"


class StreamError(Exception):
    """The stream cannot be opened or has broken; the message is PostgreSQL's, without secrets."""


class ReplicationSlot:
    """A temporary slot and its connection: idle at first, a stream of messages once started.

    An idle slot can be a standby: it keeps the log from `position` on, and can take over from a
    stream whose connection is cut.
    """

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], name: str) -> None:
        self._connection = connection
        self._libpq = connection.pgconn
        self.name = name
        self.position = 0
        self.done: Callable[[], int] = lambda: self.position

    def create(self) -> None:
        """Create the slot; it waits for all running transactions of the cluster with an id.

        PostgreSQL (18 at least) may overlook what those that run meanwhile change in catalogs, such
        as a table that joins a publication, until the next transaction that changes a catalog: a
        stream would skip that table's changes, or break at one. So this session makes and drops a
        large object, which any role may do and no event trigger sees. What was written before that
        would still be read by the old catalogs, and the table be skipped from then on. So the slot
        begins once all transactions of that time have ended.
        """
        self._execute(
            f"CREATE_REPLICATION_SLOT {quote_ident(self.name)} TEMPORARY LOGICAL pgoutput "
            "NOEXPORT_SNAPSHOT"
        )
        self._execute("select pg_catalog.lo_unlink(pg_catalog.lo_create(0))")
        self._execute(_AWAIT_TRANSACTIONS)
        self.position = _number(
            self._execute("select pg_catalog.pg_current_wal_insert_lsn()")[0][0]
        )

    def cancel(self, seconds: float) -> None:
        """End what `create` waits for in another thread."""
        with suppress(psycopg.Error):
            self._connection.cancel_safe(timeout=seconds)

    def copy(self, source: str) -> None:
        """Make the slot a copy of another one, streaming or idle: it waits for no transaction.

        StreamError where another session is in the queue for a slot, as this one can be spared.
        """
        copying = _copying(quote_literal(source), self.name)
        made = self._execute(f"select case when {_QUEUED} = 0 then (select lsn from {copying}) end")
        if made[0][0] is None:
            raise StreamError(_NEEDED)
        self.position = _number(made[0][0])

    def check_spare(self) -> None:
        """StreamError where this idle slot must be given up, to a session that is in the queue.

        As many are given up as are missing, by the order of their processes; those that can be
        spared have this session's application name.
        """
        needed = self._execute(
            f"select {_QUEUED} - {_FREE} > (select count(*) from pg_catalog.pg_replication_slots "
            "join pg_catalog.pg_stat_activity on pid = active_pid and pid < pg_backend_pid() "
            "where application_name = pg_catalog.current_setting('application_name'))"
        )
        if needed[0][0]:
            raise StreamError(_NEEDED)

    def renew(self, source: str) -> None:
        """Put a newer copy of a slot in an idle one's place, so that the log can be recycled.

        Where no slot is free for that, this one is advanced. Nothing happens where that slot is
        gone, or is where it was. An error ends this slot, as all temporary ones of its connection.
        """
        old, new = self.name, self.name[:-1] if self.name.endswith("_") else f"{self.name}_"
        advanced = f"pg_catalog.pg_replication_slot_advance({quote_literal(old)}, source.at)"
        made = self._execute(
            f"select is_free, case when is_free then ({_copying('source.name', new)}).lsn "
            f"else ({advanced}).end_lsn end "
            "from (select slot_name as name, confirmed_flush_lsn as at "
            "from pg_catalog.pg_replication_slots) as source, (select count(*) < "
            "pg_catalog.current_setting('max_replication_slots')::int as is_free "
            "from pg_catalog.pg_replication_slots) as room "
            f"where name = {quote_literal(source)} and at > {quote_literal(_text(self.position))}"
        )
        if made:
            is_free, position = made[0]
            self.position = _number(position)
            if is_free:
                self.name = new
                self._execute(f"select pg_catalog.pg_drop_replication_slot({quote_literal(old)})")

    def set_application_name(self, name: str) -> None:
        """Name an idle slot's session in the server's views and log."""
        self._execute(f"set application_name = {quote_literal(name)}")

    def start(self, publications: tuple[str, ...], position: int = 0) -> None:
        """Stream the publications' changes committed after a position, or after the slot's own."""
        # The replication grammar knows no escape strings: a backslash stands for itself.
        names = ",".join(map(quote_ident, publications)).replace("'", "''")
        self._execute(
            f"START_REPLICATION SLOT {quote_ident(self.name)} LOGICAL "
            f"{_text(max(position, self.position))} "
            f"(proto_version '1', publication_names '{names}')"
        )

    def read(self) -> bytes | None:
        """The next message that has arrived, if any; StreamError where the connection is lost."""
        has_consumed = False
        try:
            while True:
                size, data = self._libpq.get_copy_data(1)
                if size > 0:
                    if data[0] == _MESSAGE:
                        self._received(_MESSAGE_HEAD.unpack_from(data)[0])
                        return data[_MESSAGE_HEAD.size :].tobytes()
                    self._on_keepalive(data)
                elif size < 0:
                    raise StreamError(self._ending())
                elif has_consumed:
                    return None
                else:
                    self._libpq.consume_input()
                    has_consumed = True
        except psycopg.Error as error:
            raise StreamError(_words(error)) from error

    def wait(self, seconds: float, other: int | None = None) -> bool:
        """Wait for messages or for another file descriptor; whether that one is readable.

        StreamError where the connection is closed. By `poll`: `select` fails for descriptors from
        1,024 on, which a server of sockets has.
        """
        with _stream_errors():
            poll = select.poll()
            poll.register(self._libpq.socket, select.POLLIN)
            if other is not None:
                poll.register(other, select.POLLIN)
            return any(descriptor == other for descriptor, _ in poll.poll(seconds * 1000))

    def acknowledge(self, *, asks: bool = False) -> None:
        """Report everything received as flushed, so that the server can recycle its log.

        Everything committed before `position` has been received: keepalives move it too. Where
        `done` gives an earlier one, the log is kept from there on. Nothing is sent while the last
        report is still buffered. One that `asks` requests a keepalive at once, which moves
        `position` where there is nothing to be sent.
        """
        with _stream_errors():
            if not self._libpq.flush():
                at, now = self.position, int(time.time() * 1_000_000) - _EPOCH_MICROSECONDS
                done = min(at, self.done())
                self._libpq.put_copy_data(_STATUS.pack(b"r", at, done, done, now, asks))
                self._libpq.flush()

    def advance(self, position: int) -> None:
        """Advance an idle slot: the log before a position can be recycled."""
        self._execute(
            "select pg_catalog.pg_replication_slot_advance(slot_name, "
            f"{quote_literal(_text(position))}) from pg_catalog.pg_replication_slots "
            f"where slot_name = {quote_literal(self.name)} "
            f"and confirmed_flush_lsn < {quote_literal(_text(position))}"
        )
        self._received(position)

    def existing(self, publications: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the publications there are; by an idle slot's connection.

        The stream would break at the first change for a missing one. A replication connection
        takes no parameters, hence the quoted constants.
        """
        names = ", ".join(quote_literal(publication) for publication in publications)
        rows = self._execute(
            f"select pubname from pg_catalog.pg_publication where pubname in ({names}) order by 1"
        )
        return tuple(row[0] for row in rows)

    def check(self) -> None:
        """Read what an idle slot's connection received; StreamError where it is lost."""
        with _stream_errors():
            self._libpq.consume_input()

    def close(self) -> None:
        """End the connection, and the slot with it."""
        with suppress(psycopg.Error):
            self._connection.close()

    def _execute(self, command: str) -> list[tuple[Any, ...]]:
        with _stream_errors():
            cursor = self._connection.execute(command.encode())
            return cursor.fetchall() if cursor.description else []

    def _received(self, position: int) -> None:
        self.position = max(self.position, position)

    def _on_keepalive(self, data: memoryview) -> None:
        if data[0] == _KEEPALIVE:
            end, _, wants_answer = _KEEPALIVE_BODY.unpack(data)
            self._received(end)
            if wants_answer:
                self.acknowledge()

    def _ending(self) -> str:
        """The server's reason for ending the stream, if it sent one."""
        result = None if self._libpq.is_busy() else self._libpq.get_result()
        words = b"" if result is None else result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY)
        return (words or b"the server has ended the stream").decode(errors="replace")


def connect_slot(dsn: str, name: str, application_name: str, options: str) -> ReplicationSlot:
    """Connect with a session's options (`-c name=value …`), for a slot that is to be made.

    Raises StreamError.
    """
    return ReplicationSlot(
        _connect(dsn, application_name, "database", f"{_SLOT_OPTIONS} {options}"), name
    )


class SlotQueue:
    """A session that waits for a free slot; who has one to spare sees it and gives that one up."""

    def __init__(self, dsn: str) -> None:
        """Join the queue. Raises StreamError."""
        self._connection = _connect(dsn, _QUEUE)

    def has_free(self) -> bool:
        """Whether the server has a slot free, and a process to stream it. Raises StreamError."""
        with _stream_errors():
            row = self._connection.execute(f"select {_FREE} > 0".encode()).fetchone()
        return row is not None and bool(row[0])

    def close(self) -> None:
        """Leave the queue."""
        with suppress(psycopg.Error):
            self._connection.close()


def _connect(
    dsn: str, application_name: str, replication: str | None = None, options: str | None = None
) -> psycopg.Connection[tuple[Any, ...]]:
    with _stream_errors():
        return psycopg.connect(
            dsn,
            autocommit=True,
            prepare_threshold=None,  # a walsender knows no prepared statements
            application_name=application_name,
            replication=replication,
            options=options,
            client_encoding="utf8",
            connect_timeout=_CONNECT_SECONDS,
            keepalives_idle=_KEEPALIVE_SECONDS,
            keepalives_interval=_KEEPALIVE_SECONDS,
            tcp_user_timeout=1000 * _UNANSWERED_SECONDS,
        )


@contextmanager
def _stream_errors() -> Generator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise StreamError(_words(error)) from error


def _copying(source: str, name: str) -> str:
    """The call that makes a temporary copy of a slot, given as an expression."""
    return f"pg_catalog.pg_copy_logical_replication_slot({source}, {quote_literal(name)}, true)"


def _number(position: str) -> int:
    """A log position such as `16/B374D848` as a number."""
    high, _, low = position.partition("/")
    return (int(high, 16) << 32) + int(low, 16)


def _text(position: int) -> str:
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def _words(error: psycopg.Error) -> str:
    """The first line of libpq's message; the others are hints."""
    return failure(error).partition("\n")[0]

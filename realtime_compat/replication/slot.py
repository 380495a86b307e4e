"""A replication connection with a temporary slot that streams publications as pgoutput.

psycopg2, because asyncpg has no replication protocol. The slot is temporary: it ends with its
connection, so that neither a stop nor a crash leaves anything behind that holds the log back.
"""

from __future__ import annotations

import select
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, cast

import psycopg2
from psycopg2.extras import REPLICATION_LOGICAL, LogicalReplicationConnection

from compat_base.values.sqltext import quote_ident, quote_literal

# Values must come in the one form that changes.values reads, whatever the database's own defaults.
_SESSION = (
    "-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex "
    "-c extra_float_digits=1 -c statement_timeout=0 -c idle_session_timeout=0"
)
_CONNECT_SECONDS = 10


class StreamError(Exception):
    """The stream cannot be opened or has broken; the message is PostgreSQL's, without secrets."""


class Slot:
    """A temporary slot and its connection: idle at first, a stream of messages once started.

    An idle slot is a guard: it keeps the log from `position` on, and can take over from a stream
    whose connection is cut.
    """

    def __init__(self, connection: Any, name: str) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._name = name
        with _stream_errors():
            self._cursor.execute(
                f"CREATE_REPLICATION_SLOT {quote_ident(name)} TEMPORARY LOGICAL pgoutput "
                "NOEXPORT_SNAPSHOT"
            )
            self.position = _lsn(self._cursor.fetchone()[1])

    def start(self, publications: tuple[str, ...], position: int = 0) -> None:
        """Stream the publications' changes that were committed from a position on."""
        names = ",".join(quote_ident(publication) for publication in publications)
        with _stream_errors():
            self._cursor.start_replication(
                slot_name=self._name,
                slot_type=REPLICATION_LOGICAL,
                start_lsn=position,
                decode=False,
                options={"proto_version": "1", "publication_names": names},
            )

    def read(self) -> bytes | None:
        """The next message that has arrived, if any; StreamError where the connection is lost."""
        with _stream_errors():
            message = self._cursor.read_message()
        if message is None:
            return None
        self.position = max(self.position, message.data_start)
        return cast("bytes", message.payload)

    def wait(self, seconds: float, *others: int) -> None:
        """Wait for messages or for another file descriptor; StreamError where it is closed.

        By `poll`: `select` knows no descriptor from 1,024 on, which a server of sockets has.
        """
        with _stream_errors():
            poll = select.poll()
            for descriptor in (self._connection.fileno(), *others):
                poll.register(descriptor, select.POLLIN)
            poll.poll(seconds * 1000)

    def acknowledge(self) -> None:
        """Tell PostgreSQL that everything received is done with, so that the log can go.

        Whatever was committed before `position` has been received: keepalives move it too.
        """
        self.position = max(self.position, self._cursor.wal_end or 0)
        with _stream_errors():
            self._cursor.send_feedback(flush_lsn=self.position, apply_lsn=self.position, force=True)

    def advance(self, position: int) -> None:
        """Let an idle slot's log go up to a position."""
        with _stream_errors():
            self._cursor.execute(
                "select pg_catalog.pg_replication_slot_advance(slot_name, "
                f"{quote_literal(_lsn_text(position))}) from pg_catalog.pg_replication_slots "
                f"where slot_name = {quote_literal(self._name)} "
                f"and confirmed_flush_lsn < {quote_literal(_lsn_text(position))}"
            )
        self.position = max(self.position, position)

    def existing(self, publications: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the publications there are; asked of an idle slot's connection.

        The stream would break at the first change for a missing one. A replication connection
        takes no parameters, hence the quoted constants.
        """
        names = ", ".join(quote_literal(publication) for publication in publications)
        with _stream_errors():
            self._cursor.execute(
                "select pubname from pg_catalog.pg_publication "
                f"where pubname in ({names}) order by 1"
            )
            return tuple(row[0] for row in self._cursor.fetchall())

    def close(self) -> None:
        """End the connection, and the slot with it."""
        with suppress(psycopg2.Error):
            self._connection.close()


def open_slot(dsn: str, name: str, purpose: str) -> Slot:
    """Connect and make a slot from now on; StreamError where that cannot be."""
    with _stream_errors():
        connection = psycopg2.connect(
            dsn,
            connection_factory=LogicalReplicationConnection,
            options=_SESSION,
            application_name=f"realtime_{purpose}",
            client_encoding="UTF8",
            connect_timeout=_CONNECT_SECONDS,
            keepalives_idle=30,
        )
    try:
        return Slot(connection, name)
    except StreamError:
        connection.close()
        raise


@contextmanager
def _stream_errors() -> Generator[None]:
    try:
        yield
    except psycopg2.Error as error:
        raise StreamError(_first_line(error)) from error


def _lsn(text: str) -> int:
    """A position such as `16/B374D848` as a number."""
    high, _, low = text.partition("/")
    return (int(high, 16) << 32) + int(low, 16)


def _lsn_text(position: int) -> str:
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def _first_line(error: psycopg2.Error) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__

"""A replication connection with a temporary slot that streams publications as pgoutput.

psycopg2, because asyncpg has no replication protocol. The slot is temporary: it ends with its
connection, so that neither a stop nor a crash leaves anything behind that holds the log back.
"""

from __future__ import annotations

import select
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, cast

import psycopg2
from psycopg2.extras import REPLICATION_LOGICAL, LogicalReplicationConnection

from compat_base.sqltext import quote_ident, quote_literal

# Values must come in the one form that changes.values reads, whatever the database's own defaults.
_SESSION = (
    "-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex "
    "-c extra_float_digits=1 -c statement_timeout=0 -c idle_session_timeout=0"
)
_CONNECT_SECONDS = 10


class StreamError(Exception):
    """The stream cannot be opened or has broken; the message is PostgreSQL's, without secrets."""


@dataclass(slots=True)
class Slot:
    """An open stream: messages come out one by one, positions are acknowledged."""

    publications: tuple[str, ...]
    _cursor: Any
    _connection: Any
    _received: int = field(default=0)

    def read(self) -> bytes | None:
        """The next message that has arrived, if any; StreamError where the connection is lost."""
        try:
            message = self._cursor.read_message()
        except psycopg2.Error as error:
            raise StreamError(_first_line(error)) from error
        if message is None:
            return None
        self._received = max(self._received, message.data_start)
        return cast("bytes", message.payload)

    def wait(self, seconds: float, *others: int) -> bool:
        """Wait for messages or for another file descriptor; True where messages may be there."""
        ready, _, _ = select.select([self._connection, *others], [], [], seconds)
        return self._connection in ready

    def acknowledge(self) -> None:
        """Tell PostgreSQL that everything received is done with, so that the log can go."""
        position = max(self._received, self._cursor.wal_end or 0)
        try:
            self._cursor.send_feedback(flush_lsn=position, apply_lsn=position, force=True)
        except psycopg2.Error as error:
            raise StreamError(_first_line(error)) from error


@contextmanager
def open_slot(dsn: str, name: str, publications: Iterable[str]) -> Generator[Slot]:
    """Stream those of the publications that exist, from now on; StreamError where none can be."""
    try:
        connection = psycopg2.connect(
            dsn,
            connection_factory=LogicalReplicationConnection,
            options=_SESSION,
            application_name="realtime_replication",
            client_encoding="UTF8",
            connect_timeout=_CONNECT_SECONDS,
            keepalives_idle=30,
        )
    except psycopg2.Error as error:
        raise StreamError(_first_line(error)) from error
    try:
        yield _start(connection, name, tuple(publications))
    finally:
        with suppress(psycopg2.Error):
            connection.close()


def _start(connection: Any, name: str, publications: tuple[str, ...]) -> Slot:
    cursor = connection.cursor()
    try:
        found = _existing(cursor, publications)
        if not found:
            raise StreamError(f"no publication is there: {', '.join(publications)}")
        cursor.execute(
            f"CREATE_REPLICATION_SLOT {quote_ident(name)} TEMPORARY LOGICAL pgoutput "
            "NOEXPORT_SNAPSHOT"
        )
        names = ",".join(quote_ident(publication) for publication in found)
        cursor.start_replication(
            slot_name=name,
            slot_type=REPLICATION_LOGICAL,
            decode=False,
            options={"proto_version": "1", "publication_names": names},
        )
    except psycopg2.Error as error:
        raise StreamError(_first_line(error)) from error
    return Slot(found, cursor, connection)


def _existing(cursor: Any, publications: tuple[str, ...]) -> tuple[str, ...]:
    """Which publications there are: the stream would break at the first change for a missing one.

    A replication connection takes no parameters, hence the quoted constants.
    """
    names = ", ".join(quote_literal(publication) for publication in publications)
    cursor.execute(
        f"select pubname from pg_catalog.pg_publication where pubname in ({names}) order by 1"
    )
    return tuple(row[0] for row in cursor.fetchall())


def _first_line(error: psycopg2.Error) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__

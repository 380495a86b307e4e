"""PostgreSQL in libpq's pipeline mode: several statements, one round trip.

A request's BEGIN, settings, statement and COMMIT are sent in one write and answered in one read.
Parameters are sent in text form, so that the server infers each one's type; results come back in
binary form, which for text, JSON and bytea is the value itself.
"""

from __future__ import annotations

import asyncio
import os
import select
import socket
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import psycopg
from psycopg import pq

from compat_base.postgres.arguments import checked_size
from compat_base.postgres.conninfo import failure, read_conninfo
from compat_base.postgres.faults import PgFault, Unavailable, refusal
from compat_base.postgres.prepared_names import PreparedNames
from compat_base.postgres.results import Result, fault_of
from compat_base.postgres.tcp_limits import DEFAULTS
from compat_base.values.sqltext import Statement

_LARGE = 1 << 20  # bytes of values: more are sent by a thread
_ALL_READ = 2  # Nones in a row: one ends a statement's results, two those of the pipeline
# Numbers, because each is compared several times a request.
_SYNC = pq.ExecStatus.PIPELINE_SYNC.value
_ABORTED = pq.ExecStatus.PIPELINE_ABORTED.value
_SERVED = (pq.ExecStatus.TUPLES_OK.value, pq.ExecStatus.COMMAND_OK.value)
_BINARY = pq.Format.BINARY.value


async def open_session(
    dsn: str, application_name: str, statement_cache: int, *, writable: bool = False
) -> PipelineSession:
    """A new connection by a libpq connection string; Unavailable where none can be had.

    `application_name` is the default of string and environment. `statement_cache`: how many
    prepared statements are kept; 0 prepares none. `writable`: of several hosts, one that accepts
    writes. A server that is gone without a word is given up after a minute, unless the string says
    otherwise.
    """
    options = read_conninfo(dsn)
    limits: dict[str, Any] = {
        name: value for name, value in DEFAULTS.items() if name not in options
    }
    try:
        connection = await psycopg.AsyncConnection[Any].connect(
            dsn,
            autocommit=True,
            fallback_application_name=application_name,
            client_encoding="utf8",
            target_session_attrs="read-write" if writable else None,
            **limits,
        )
    except psycopg.Error as error:
        raise Unavailable(failure(error, dsn)) from error
    return PipelineSession(connection, statement_cache)


class PipelineSession:
    """One connection. One pipeline runs at a time: its borrower awaits it."""

    def __init__(self, connection: psycopg.AsyncConnection[Any], statement_cache: int) -> None:
        self.is_lost = False
        self.has_answered = False
        """Whether the last pipeline's first statement was executed."""
        self._connection = connection  # keeps libpq's connection open
        self._libpq = connection.pgconn
        self._socket = self._libpq.socket
        self._readable = _Readable(self._socket)
        self._loop = asyncio.get_running_loop()
        self._prepared_names = PreparedNames(statement_cache)
        self._is_preparing = statement_cache > 0
        self._handlers: deque[Callable[[pq.abc.PGresult], None]] = deque()
        self._given: list[Result] = []
        self._fault: PgFault | Unavailable | None = None
        self._done: asyncio.Future[None] | None = None
        self._is_writing = False
        self._is_sending = False
        self._notified: Callable[[str], None] | None = None
        self._listening: asyncio.Future[None] | None = None
        self._libpq.nonblocking = 1
        self._libpq.enter_pipeline_mode()
        self._loop.add_reader(self._readable, self._on_readable)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, failed or not."""
        return not self.is_lost and self._libpq.transaction_status != pq.TransactionStatus.IDLE

    @property
    def address(self) -> str:
        """The host (or the socket's folder) and the port of the connection."""
        return b":".join((self._libpq.host, self._libpq.port)).decode()

    async def run(self, statements: Sequence[Statement]) -> list[Result]:
        """Each statement's result, in one round trip; arguments are bytes or None.

        The first failure ends the rest and is raised, as PgFault or Unavailable; the transaction
        that it left open is the caller's to roll back. When cancelled the connection is closed.
        """
        if self.is_lost:
            raise Unavailable("the connection was closed")
        size = checked_size(statements)
        done = self._done = self._loop.create_future()
        self._fault, self.has_answered = None, False
        try:
            if size > _LARGE:
                await self._send_in_thread(statements)
            else:
                self._send_each(statements)
            if not self.is_lost:
                self._libpq.pipeline_sync()
                self._flush()
        except psycopg.OperationalError as error:
            self._lose(str(error))
        except asyncio.CancelledError:
            self.close()
            raise
        try:
            await done
        except asyncio.CancelledError:
            self.close()
            raise
        finally:
            # An idle session would keep what its last pipeline gave.
            given, self._given = self._given, []
        return given

    async def listen(self, notified: Callable[[str], None]) -> NoReturn:
        """Pass on the payload of each notification until the connection is lost: Unavailable."""
        if self.is_lost:
            raise Unavailable("the connection was closed")
        self._notified, self._listening = notified, self._loop.create_future()
        self._pass_on(notified)
        await self._listening
        raise Unavailable("the connection was closed")

    def close(self) -> None:
        """End the connection; what runs on it is rolled back by the server."""
        self._lose("the connection was closed")

    # ── sending ────────────────────────────────────────────────────────────────────────────────

    def _send_each(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            self._send(statement)

    async def _send_in_thread(self, statements: Sequence[Statement]) -> None:
        """Send large values in a thread: the event loop and the interpreter go on."""
        self._loop.remove_reader(self._readable)
        self._is_sending = True
        sending = self._loop.run_in_executor(None, self._send_blocking, statements)
        sending.add_done_callback(self._on_sent)
        await asyncio.shield(sending)

    def _send_blocking(self, statements: Sequence[Statement]) -> None:
        """In a thread: send without the interpreter's lock."""
        self._libpq.nonblocking = 0
        self._send_each(statements)
        writable = select.poll()
        writable.register(self._socket, select.POLLOUT)
        writable.poll()
        # Sends the few KB that are left, with the lock: there is room for them now.
        self._libpq.nonblocking = 1

    def _on_sent(self, sending: asyncio.Future[None]) -> None:
        """The thread has ended: the loop reads again, or a lost connection is closed."""
        self._is_sending = False
        if self.is_lost:
            sending.exception()
            self._libpq.finish()
        else:
            self._loop.add_reader(self._readable, self._on_readable)

    def _send(self, statement: Statement) -> None:
        text, values = statement.text, statement.args or None
        if self._is_preparing:
            name = self._prepared_names.known(text) or self._prepared(text)
            self._libpq.send_query_prepared(name, values, None, _BINARY)
        else:
            self._libpq.send_query_params(text.encode(), values, None, None, _BINARY)
        self._handlers.append(self._on_result)

    def _prepared(self, text: str) -> bytes:
        name, closes = self._prepared_names.add(text)
        if closes is not None:
            self._libpq.send_close_prepared(closes)
            self._handlers.append(_on_nothing)
        self._libpq.send_prepare(name, text.encode())
        self._handlers.append(partial(self._on_prepared, text))
        return name

    def _flush(self) -> None:
        """Send the buffer; the rest when the socket is writable."""
        try:
            is_pending = bool(self._libpq.flush())
        except psycopg.OperationalError as error:
            self._lose(str(error))
            return
        if is_pending != self._is_writing:
            self._is_writing = is_pending
            if is_pending:
                self._loop.add_writer(self._socket, self._flush)
            else:
                self._loop.remove_writer(self._socket)

    # ── receiving ────────────────────────────────────────────────────────────────────────────────

    def _on_readable(self) -> None:
        libpq = self._libpq
        try:
            libpq.consume_input()
            nones = 0
            while self._done is not None and nones < _ALL_READ and not libpq.is_busy():
                result = libpq.get_result()
                if result is not None:
                    nones = 0
                    self._on_pipeline_result(result)
                    continue
                nones += 1
                if libpq.status == pq.ConnStatus.BAD:
                    self._lose(libpq.get_error_message())
            if self._notified is not None:
                self._pass_on(self._notified)
        except psycopg.OperationalError as error:
            self._lose(failure(error))

    def _pass_on(self, notified: Callable[[str], None]) -> None:
        while not self.is_lost and (notification := self._libpq.notifies()) is not None:
            notified(notification.extra.decode())

    def _on_pipeline_result(self, result: pq.abc.PGresult) -> None:
        status = result.status
        if status == _SYNC:
            self._end()
            return
        handler = self._handlers.popleft() if self._handlers else _on_nothing
        if status in _SERVED:
            handler(result)
        elif status != _ABORTED and self._fault is None:
            self._fault = refusal(fault_of(result))

    def _on_result(self, result: pq.abc.PGresult) -> None:
        self.has_answered = True
        self._given.append(Result(result))

    def _on_prepared(self, text: str, _result: pq.abc.PGresult) -> None:
        self._prepared_names.confirm(text)

    def _end(self) -> None:
        """End the pipeline: drop statements that were not prepared, wake the waiter."""
        self._prepared_names.forget_unconfirmed()
        done, self._done = self._done, None
        if done is None or done.done():
            return
        if self._fault is None:
            done.set_result(None)
        else:
            done.set_exception(self._fault)

    def _lose(self, message: str) -> None:
        """The connection is lost: fail with the server's last error, if any."""
        if self.is_lost:
            return
        self.is_lost = True
        self._loop.remove_reader(self._readable)
        self._readable.close()
        self._loop.remove_writer(self._socket)
        if self._is_sending:
            _cut(self._socket)  # ends the sending thread's write; what it uses is freed later
        else:
            self._libpq.finish()
        if self._fault is None:
            self._fault = Unavailable(message.strip())
        if self._listening is not None and not self._listening.done():
            self._listening.set_exception(Unavailable(message.strip()))
        self._end()


class _Readable:
    """What an event loop waits for until a socket can be read, has ended or was reset.

    uvloop silently stops watching a socket that was reset (libuv's uv__poll_io); an
    epoll object that holds the socket is readable then as ever. kqueue has no such end.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._events = select.epoll() if sys.platform == "linux" else None
        if self._events is not None:
            self._events.register(number, select.EPOLLIN)

    def fileno(self) -> int:
        """The descriptor to wait for."""
        return self._number if self._events is None else self._events.fileno()

    def close(self) -> None:
        """End the watch; the socket stays."""
        if self._events is not None:
            self._events.close()


def _cut(number: int) -> None:
    """End a connection whose socket somebody else has and will close."""
    with socket.socket(fileno=os.dup(number)) as connection, suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _on_nothing(_result: pq.abc.PGresult) -> None:
    """Nobody waits for a closed statement's result."""

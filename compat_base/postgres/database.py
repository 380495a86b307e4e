"""PostgreSQL over asyncpg.

`Database` lends connections that are returned without a reset round trip: services set everything
locally to a transaction. Driver exceptions leave as `PgFault` (the server refused) or
`Unavailable` (there is no usable server).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from compat_base.postgres.asyncpg_connect import Connection, Connector, Record, arguments_of
from compat_base.postgres.faults import Fault, PgFault, Unavailable, refusal
from compat_base.postgres.pool import Driver, Pool, PoolSettings
from compat_base.values.sqltext import Sql, Statement, compile_sql

# Text, because asyncpg's classes are generic to the type checker only.
Prepared: TypeAlias = "PreparedStatement[Record]"
_CLOSING_SECONDS = 5


@dataclass(frozen=True, slots=True)
class DatabaseSettings(PoolSettings):
    """The connection URL, sizes of the pool, and settings of each connection."""

    server_settings: tuple[tuple[str, str], ...] = ()


Prepare: TypeAlias = Callable[[Connection], Awaitable[None]]
"""Runs on each new connection."""


class Database:
    """A pool of connections to one database."""

    def __init__(self, pool: Pool[Connection]) -> None:
        self._pool = pool

    @property
    def is_open(self) -> bool:
        """Whether it has a connection, or one is being opened."""
        return self._pool.size()[0] > 0

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[Connection]:
        """Borrow a connection; PoolTimeout or Unavailable where none can be had.

        Driver errors inside the block leave as PgFault or Unavailable.
        """
        connection = await self._pool.borrow()
        try:
            with faults():
                yield connection
        except asyncio.CancelledError:
            await _end(connection)
            raise
        finally:
            self._pool.give_back(connection)

    @asynccontextmanager
    async def transaction(
        self, *, readonly: bool = False, isolation: str | None = None
    ) -> AsyncGenerator[Connection]:
        """Borrow a connection inside one transaction, rolled back when the block raises."""
        async with self.acquire() as connection:
            level: Any = isolation
            async with connection.transaction(readonly=readonly, isolation=level):
                yield connection


@asynccontextmanager
async def open_database(
    settings: DatabaseSettings, *, prepare: Prepare | None = None
) -> AsyncGenerator[Database]:
    """A Database for the length of the block; its connections are opened on demand."""
    connector = Connector(
        settings.dsn, settings.application_name, settings.server_settings, settings.statement_cache
    )
    driver = Driver(partial(_open, connector, prepare), _is_unusable, asyncpg.Connection.terminate)
    pool = Pool(driver, settings)
    try:
        yield Database(pool)
    finally:
        await pool.close()


async def _open(connector: Connector, prepare: Prepare | None) -> Connection:
    with faults():
        connection = await connector.connect()
        if prepare is not None:
            try:
                await prepare(connection)
            except BaseException:
                connection.terminate()
                raise
        return connection


def _is_unusable(connection: Connection) -> bool:
    return connection.is_closed() or connection.is_in_transaction()


async def _end(connection: Connection) -> None:
    """Close a connection whose statement was cancelled, and cancel it on the server."""
    with suppress(TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        await connection.close(timeout=_CLOSING_SECONDS)


@asynccontextmanager
async def connect(dsn: str, **server_settings: str) -> AsyncGenerator[Connection]:
    """One connection outside any pool, for the length of the block (migrations, LISTEN)."""
    with faults():
        connection = await asyncpg.connect(**arguments_of(dsn, server_settings))
    try:
        with faults():
            yield connection
    finally:
        if not connection.is_closed():
            await connection.close(timeout=5)


@asynccontextmanager
async def notifications(
    connection: Connection, channel: str, notified: Callable[[str], None]
) -> AsyncGenerator[asyncio.Event]:
    """LISTEN on a channel for the length of the block: `notified` is called with each payload.

    The event is set when the connection has ended.
    """
    is_closed = asyncio.Event()

    def on_notification(*parts: Any) -> None:
        notified(str(parts[3]))

    def on_end(_connection: Any) -> None:
        is_closed.set()

    with faults():
        connection.add_termination_listener(on_end)
        await connection.add_listener(channel, on_notification)
    yield is_closed


async def fetch(connection: Connection, sql: Sql | Statement) -> Sequence[Record]:
    """Run a statement and give its rows."""
    statement = compile_sql(sql) if isinstance(sql, Sql) else sql
    with faults():
        return await connection.fetch(statement.text, *statement.args)


async def fetch_one(connection: Connection, sql: Sql | Statement) -> Record | None:
    """Run a statement and give its first row, if any."""
    statement = compile_sql(sql) if isinstance(sql, Sql) else sql
    with faults():
        return await connection.fetchrow(statement.text, *statement.args)


async def run_script(connection: Connection, text: str) -> None:
    """Run several statements in one simple-protocol message: one round trip, no parameters."""
    with faults():
        await connection.execute(text)


@contextmanager
def faults() -> Generator[None]:
    """Turn driver exceptions into PgFault and Unavailable."""
    try:
        yield
    except asyncpg.PostgresError as error:
        raise refusal(fault_of(error)) from error
    except asyncpg.TargetServerAttributeNotMatched as error:
        raise Unavailable(str(error)) from error
    except asyncpg.InternalClientError as error:
        if "another operation" in str(error):  # what a server that goes away leaves behind
            raise Unavailable(str(error)) from error
        raise
    except asyncpg.UnsupportedClientFeatureError:
        raise  # a statement of ours that the driver cannot serve: a defect, not an outage
    except (asyncpg.InterfaceError, OSError, EOFError) as error:
        if isinstance(error, ValueError):  # asyncpg's own refusal of an argument it cannot encode
            raise PgFault(Fault("22P02", str(error))) from error
        raise Unavailable(str(error)) from error


def fault_of(error: asyncpg.PostgresError) -> Fault:
    """Read the fields of a server error."""
    return Fault(
        sqlstate=str(error.sqlstate or "XX000"),
        message=error.message or str(error),
        detail=error.detail,
        hint=error.hint,
        constraint=error.constraint_name,
        table=error.table_name,
        column=error.column_name,
        position=int(error.position) if error.position else None,
    )

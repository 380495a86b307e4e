"""PostgreSQL over asyncpg: the only module that imports it.

`Database` owns a pool whose connections come back without a reset round trip: everything a
service sets is local to a transaction. Driver exceptions leave as `PgFault` (the server said no)
or `Unavailable` (there is no server to say anything).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from types import CoroutineType
from typing import Any, TypeAlias

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from compat_base.faults import Fault, PgFault, PoolTimeout, Unavailable, refusal
from compat_base.sqltext import Sql, Statement, compile_sql

Record = asyncpg.Record
# Text, because asyncpg's classes are generic to the type checker only.
PooledConnection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Record]"
Connection: TypeAlias = "asyncpg.Connection[Record] | asyncpg.pool.PoolConnectionProxy[Record]"
Prepared: TypeAlias = "PreparedStatement[Record]"


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Where to connect and how: sizes in connections, times in seconds."""

    dsn: str
    minimum: int = 0
    maximum: int = 10
    acquire_timeout: float = 10.0
    idle_lifetime: float = 30.0
    statement_cache: int = 1024
    application_name: str = "compat"
    server_settings: tuple[tuple[str, str], ...] = ()


class Database:
    """A pool of connections to one database."""

    def __init__(self, pool: asyncpg.Pool[Record], settings: PoolSettings) -> None:
        self._pool = pool
        self.settings = settings
        self.waiting = 0

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[Connection]:
        """Borrow a connection; PoolTimeout or Unavailable where none can be had.

        Driver errors inside the block leave as PgFault or Unavailable.
        """
        connection = await self.borrow()
        try:
            with faults():
                yield connection
        finally:
            await self.give_back(connection)

    async def borrow(self) -> PooledConnection:
        """A connection to be given back; PoolTimeout or Unavailable where none can be had."""
        self.waiting += 1
        try:
            async with asyncio.timeout(self.settings.acquire_timeout):
                with faults():
                    return await self._pool.acquire()
        except TimeoutError as error:
            raise PoolTimeout from error
        finally:
            self.waiting -= 1

    async def give_back(self, connection: PooledConnection) -> None:
        """Return a borrowed connection, which must be outside any transaction; a lost one goes."""
        try:
            with faults():
                await self._pool.release(connection)
        except (PgFault, Unavailable, asyncpg.InternalClientError):
            with suppress(PgFault, Unavailable, asyncpg.InternalClientError), faults():
                connection.terminate()

    @asynccontextmanager
    async def transaction(
        self, *, readonly: bool = False, isolation: str | None = None
    ) -> AsyncGenerator[Connection]:
        """Borrow a connection inside one transaction, rolled back when the block raises."""
        async with self.acquire() as connection:
            level: Any = isolation
            async with connection.transaction(readonly=readonly, isolation=level):
                yield connection

    def size(self) -> tuple[int, int]:
        """Connections open, and of these idle."""
        return self._pool.get_size(), self._pool.get_idle_size()

    async def expire(self) -> None:
        """Let every connection be replaced at its next use (after a reload or a restart)."""
        await self._pool.expire_connections()

    async def close(self) -> None:
        """Wait for the connections in use, then close all; after five seconds cut them off."""
        try:
            async with asyncio.timeout(5):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()


@asynccontextmanager
async def open_database(
    settings: PoolSettings,
    *,
    prepare: Callable[[Any], CoroutineType[Any, Any, None]] | None = None,
) -> AsyncGenerator[Database]:
    """A Database for the length of the block; `prepare` runs on each new connection."""

    async def no_reset(_connection: Connection) -> None:
        """Everything set is transaction-local, so a returned connection is clean already."""

    with faults():
        pool = await asyncpg.create_pool(
            settings.dsn,
            min_size=settings.minimum,
            max_size=settings.maximum,
            max_inactive_connection_lifetime=settings.idle_lifetime,
            statement_cache_size=settings.statement_cache,
            server_settings={
                "application_name": settings.application_name,
                **dict(settings.server_settings),
            },
            reset=no_reset,
            init=prepare,
        )
    database = Database(pool, settings)
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def connect(dsn: str, **server_settings: str) -> AsyncGenerator[Connection]:
    """One connection outside any pool, for the length of the block (migrations, LISTEN)."""
    with faults():
        connection = await asyncpg.connect(dsn, server_settings=server_settings)
    try:
        with faults():
            yield connection
    finally:
        if not connection.is_closed():
            await connection.close(timeout=5)


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
    )

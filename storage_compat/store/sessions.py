"""Transactions in a caller's name, with what policies may read of the request.

Source: storage reference 2.7.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from compat_base.postgres.database import Connection, Database, run_script
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.values import jsontext
from compat_base.values.sqltext import quote_literal
from storage_compat.model.caller import Caller, Facts


class Sessions:
    """Lends connections: as the service itself, as a caller, or as a superuser."""

    def __init__(self, database: Database, *, service_role: str, timeout: int) -> None:
        self._database = database
        self._service = Caller(service_role, {"role": service_role})
        self._timeout = timeout

    @asynccontextmanager
    async def own(self) -> AsyncGenerator[Connection]:
        """A connection outside a transaction, as the tables' owner, without policies."""
        async with self._database.acquire() as connection:
            yield connection

    @asynccontextmanager
    async def acting(
        self, caller: Caller, facts: Facts, *, keeps: bool = True, locks: Sequence[str] = ()
    ) -> AsyncGenerator[Connection]:
        """A transaction as the caller, rolled back where the block raises or nothing is kept.

        `locks` are paths of objects: it waits until nobody else writes them.
        """
        async with self._database.acquire() as connection:
            await run_script(connection, opening(caller, facts, self._timeout, locks))
            try:
                yield connection
            except BaseException:
                with suppress(PgFault, Unavailable):
                    await run_script(connection, "rollback")
                raise
            await run_script(connection, "commit" if keeps else "rollback")

    def superuser(self, facts: Facts, *, locks: Sequence[str] = ()) -> Any:
        """A transaction with the service key's role, which bypasses row-level security."""
        return self.acting(self._service, facts, locks=locks)

    async def become_superuser(
        self, connection: Connection, facts: Facts, *, locks: Sequence[str] = ()
    ) -> None:
        """Act so from here on in a transaction that is open."""
        settings = settings_of(self._service, facts, self._timeout)
        await run_script(connection, f"{settings};{locking(locks)}")


def opening(caller: Caller, facts: Facts, timeout: int, locks: Sequence[str] = ()) -> str:
    """The statements that open the transaction, as one message: `timeout` is in milliseconds."""
    return f"begin;{settings_of(caller, facts, timeout)};{locking(locks)}"


def locking(paths: Sequence[str]) -> str:
    """The statements that lock the objects' paths.

    In sorted order, so that no two transactions wait for each other.
    """
    return "".join(
        f"select pg_advisory_xact_lock(hashtextextended({quote_literal(path)},0));"
        for path in sorted(set(paths))
    )


def settings_of(caller: Caller, facts: Facts, timeout: int) -> str:
    """The statement that makes the rest of a transaction the caller's: role, claims, request."""
    settings = {
        "role": caller.role,
        "request.jwt": caller.token,
        "request.jwt.claims": _json(caller.claims),
        "request.jwt.claim.role": caller.role,
        "request.jwt.claim.sub": caller.subject or "",
        "request.headers": facts.headers,
        "request.method": facts.method,
        "request.path": facts.path,
        "storage.operation": facts.operation,
        "storage.allow_delete_query": "true",
        "statement_timeout": str(timeout),
    }
    calls = (
        f"set_config('{name}',{quote_literal(value)},true)" for name, value in settings.items()
    )
    return f"select {','.join(calls)}"


async def prepare(connection: Connection) -> None:
    """Let a new connection read and write JSON columns as values."""
    for name in ("json", "jsonb"):
        await connection.set_type_codec(
            name, schema="pg_catalog", encoder=_json, decoder=jsontext.decode
        )


def _json(value: Any) -> str:
    """JSON in which a number beyond a double's range is null, as JavaScript writes it."""
    return jsontext.encode_texts(value).decode()

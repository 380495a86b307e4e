"""Running statements, and inserts and updates whose columns are chosen by the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection, Record, fetch, fetch_one
from compat_base.values.sqltext import Sql, Statement, compile_sql, ident, join, param, raw

NIL = UUID(int=0)


async def one(connection: Connection, text: str, *args: Any) -> Record | None:
    """The first row, if any."""
    return await fetch_one(connection, Statement(text, args))


async def many(connection: Connection, text: str, *args: Any) -> Sequence[Record]:
    """Every row."""
    return await fetch(connection, Statement(text, args))


async def run(connection: Connection, text: str, *args: Any) -> None:
    """Run for the effect alone."""
    await fetch(connection, Statement(text, args))


def insert(table: str, values: Mapping[str, Any]) -> Statement:
    """Insert one row and give it back."""
    return compile_sql(
        raw("insert into ") + ident(table) + raw(" (") + join(", ", map(ident, values))
        + raw(") values (") + join(", ", map(param, values.values())) + raw(") returning *")
    )  # fmt: skip


def update(table: str, row_id: Any, changes: Mapping[str, Any]) -> Statement:
    """Update the row with this id and give it back."""
    return compile_sql(update_sql(table, row_id, changes))


def update_sql(table: str, row_id: Any, changes: Mapping[str, Any]) -> Sql:
    """The UPDATE as text, to be part of a larger statement."""
    pairs = (ident(name) + raw(" = ") + param(value) for name, value in changes.items())
    return (
        raw("update ") + ident(table) + raw(" set ") + join(", ", pairs)
        + raw(" where id = ") + param(row_id) + raw(" returning *")
    )  # fmt: skip


async def inserted(connection: Connection, table: str, values: Mapping[str, Any]) -> Record:
    """Insert one row and give it back; a trigger that swallows the row is the database's error."""
    row = await fetch_one(connection, insert(table, values))
    if row is None:
        raise LookupError(f"the insert into {table} was swallowed")
    return row


async def updated(
    connection: Connection, table: str, row_id: Any, changes: Mapping[str, Any]
) -> Record | None:
    """Update one row and give it back, None where it is gone."""
    return await fetch_one(connection, update(table, row_id, changes))

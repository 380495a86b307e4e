"""Pages of objects and folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compat_base.postgres.database import Connection, Record, fetch
from compat_base.postgres.queries import load_queries
from compat_base.values.sqltext import Statement, compile_sql, ident, param, raw
from storage_compat.rules.cursors import Cursor
from storage_compat.rules.times import moment_of

_SQL = load_queries(__package__ or "", "lists.sql")


@dataclass(frozen=True, slots=True)
class FolderPage:
    """A page of version 1: what is in a folder."""

    prefix: str
    limit: int
    offset: int
    search: str
    column: str
    order: str


@dataclass(frozen=True, slots=True)
class Level:
    """What is below a prefix: with a delimiter one level of it, after a cursor."""

    bucket_id: str
    prefix: str
    delimiter: str
    most: int
    cursor: Cursor


async def search(connection: Connection, bucket_id: str, page: FolderPage) -> Sequence[Record]:
    """Files and folders of one level, compared without case."""
    args = (
        page.prefix, bucket_id, page.limit, page.offset, page.search, page.column, page.order,
    )  # fmt: skip
    return await fetch(connection, Statement(_SQL["search"], args))


async def level(connection: Connection, level: Level) -> Sequence[Record]:
    """Files, and folders with their delimiter, in byte order after a cursor."""
    cursor = level.cursor
    is_descending = cursor.order == "desc"
    args = (
        level.bucket_id, level.prefix, level.delimiter, level.most, cursor.name, is_descending,
    )  # fmt: skip
    return await fetch(connection, Statement(_SQL["level"], args))


async def level_by_time(connection: Connection, level: Level) -> Sequence[Record]:
    """Files and folders in the order of a time, after a cursor."""
    cursor = level.cursor
    args = (
        level.prefix, level.bucket_id, level.most, cursor.name, cursor.order, cursor.column,
        cursor.moment,
    )  # fmt: skip
    return await fetch(connection, Statement(_SQL["level_by_time"], args))


async def flat_by_time(connection: Connection, level: Level) -> Sequence[Record]:
    """Every file below a prefix in the order of a time, after a cursor."""
    cursor = level.cursor
    column = ident("o", cursor.column)
    after = raw(" < ") if cursor.order == "desc" else raw(" > ")
    direction = raw(" desc") if cursor.order == "desc" else raw(" asc")
    sql = (
        raw("select o.* from storage.objects o where o.bucket_id = ") + param(level.bucket_id)
        + raw(" and starts_with(o.name, ") + param(level.prefix, "text") + raw(")")
    )  # fmt: skip
    if cursor.moment:
        sql += (
            raw(" and (") + column + raw(', o.name collate "C")') + after + raw("(")
            + param(moment_of(cursor.moment), "timestamptz") + raw(", ")
            + param(cursor.name, "text") + raw(")")
        )  # fmt: skip
    sql += raw(" order by ") + column + direction + raw(', o.name collate "C"') + direction
    return await fetch(connection, compile_sql(sql + raw(" limit ") + param(level.most, "bigint")))

"""The statements of writes."""

from __future__ import annotations

from compat_base.values.sqltext import EMPTY, Sql, ident, raw, sql
from rest_compat.names import QualifiedName
from rest_compat.plan.statements import Delete, Insert, Mutation, Update
from rest_compat.query.bodies import BODY, body_rows
from rest_compat.query.fragments import (
    all_of,
    column_of,
    comma_list,
    condition_sql,
)

# Counts inserted rows through a setting: the row is proposed (+1), and taken back (-1) where the
# conflict turns it into an update. Both expressions are always true.
_COUNT_UP = raw(
    "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')"
    "::int, 0) + 1)::text, true) <> '0'"
)
_COUNT_DOWN = raw(
    "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')"
    "::int, 0) - 1)::text, true) <> '-1'"
)


def mutation_sql(mutation: Mutation) -> Sql:
    """INSERT, UPDATE or DELETE, without RETURNING (`returning_sql`)."""
    match mutation:
        case Insert():
            return _insert(mutation)
        case Update():
            return _update(mutation)
        case Delete(table, conditions, _):
            where = all_of(condition_sql(table, one) for one in conditions)
            return sql("DELETE FROM {table}{where}", table=table.sql(), where=where)


def returning_sql(mutation: Mutation) -> Sql:
    """What a write gives to a query around it."""
    if isinstance(mutation, Update) and not mutation.payload.columns:
        return EMPTY
    if not mutation.returning:
        return raw(" RETURNING 1")
    columns = (column_of(mutation.table, name) for name in mutation.returning)
    return sql(" RETURNING {columns}", columns=comma_list(columns))


def merges(insert: Insert) -> bool:
    """Whether duplicates become updates."""
    return insert.conflict is not None and not insert.conflict.ignore


def _insert(insert: Insert) -> Sql:
    names = [field.name for field in insert.payload.columns]
    listed = sql("({names}) ", names=comma_list(ident(name) for name in names))
    conditions = [condition_sql(BODY, condition) for condition in insert.required]
    counted = [_COUNT_UP] if merges(insert) else []
    return sql(
        "INSERT INTO {table}{columns}SELECT {values} {rows}{where}{on_conflict}",
        table=insert.table.sql(),
        columns=listed if names else raw(" "),
        values=comma_list(
            sql("{body}.{name}", body=BODY.sql(), name=ident(name)) for name in names
        ),
        rows=body_rows(insert.payload),
        where=all_of([*counted, *conditions]),
        on_conflict=_on_conflict(insert, names),
    )


def _on_conflict(insert: Insert, names: list[str]) -> Sql:
    conflict = insert.conflict
    if conflict is None or not conflict.columns:
        return EMPTY
    columns = comma_list(ident(name) for name in conflict.columns)
    if conflict.ignore or not names:
        return sql(" ON CONFLICT({columns}) DO NOTHING", columns=columns)
    changes = (sql("{name} = EXCLUDED.{name}", name=ident(name)) for name in names)
    return sql(
        " ON CONFLICT({columns}) DO UPDATE SET {changes} WHERE {counted}",
        columns=columns,
        changes=comma_list(changes),
        counted=_COUNT_DOWN,
    )


def _update(update: Update) -> Sql:
    if not update.payload.columns:
        # Nothing to set: no row, but with the columns the outer query names.
        bare = QualifiedName("", update.table.name)
        columns = comma_list(column_of(bare, name) for name in update.returning)
        return sql(
            "SELECT {columns} FROM {table} WHERE false",
            columns=columns or raw("NULL"),
            table=update.table.sql(),
        )
    changes = (
        sql("{name} = {value}", name=ident(field.name), value=column_of(BODY, field.name))
        for field in update.payload.columns
    )
    return sql(
        "UPDATE {table} SET {changes} {rows}{where}",
        table=update.table.sql(),
        changes=comma_list(changes),
        rows=body_rows(update.payload),
        where=all_of(condition_sql(update.table, one) for one in update.conditions),
    )

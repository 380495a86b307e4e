"""Numbered SQL files applied once and in order; an edited one is refused.

The ledger is a table like the Supabase CLI's `supabase_migrations.schema_migrations`: version,
statements, name.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from compat_base.postgres.database import Connection, faults
from compat_base.postgres.migration_files import Migration, MigrationError
from compat_base.postgres.scripts import run_file
from compat_base.postgres.statements import split_statements
from compat_base.values.sqltext import compile_sql, ident, param, raw

_LOCK = 7_266_203_511  # any constant: two processes that migrate one database take turns


@dataclass(frozen=True, slots=True)
class Ledger:
    """The table that records applied migrations."""

    schema: str
    table: str


@dataclass(frozen=True, slots=True)
class Applied:
    """A migration's record; `text` is None where it was not recorded."""

    name: str
    text: str | None


@asynccontextmanager
async def one_at_a_time(
    connection: Connection, waiting: Callable[[], None] = lambda: None
) -> AsyncGenerator[None]:
    """Hold the database's migration lock; `waiting` is called if another process has it."""
    with faults():
        if not await connection.fetchval(f"select pg_try_advisory_lock({_LOCK})"):
            waiting()
            await connection.execute(f"select pg_advisory_lock({_LOCK})")
    try:
        yield
    finally:
        if not connection.is_closed():
            with faults():
                await connection.execute(f"select pg_advisory_unlock({_LOCK})")


async def unchanged(text: str) -> str:
    """The text as it is, of a file that needs no rewriting."""
    return text


async def apply(
    connection: Connection,
    migrations: Sequence[Migration],
    ledger: Ledger,
    *,
    progress: Callable[[Migration], None] = lambda _migration: None,
    rewritten: Callable[[str], Awaitable[str]] = unchanged,
) -> tuple[Migration, ...]:
    """Apply the migrations without a record, while no other process migrates the database.

    Gives those applied now. Raises MigrationError, as `apply_locked`.
    """
    with faults():
        async with one_at_a_time(connection):
            return await apply_locked(
                connection, migrations, ledger, progress=progress, rewritten=rewritten
            )


async def apply_locked(  # noqa: PLR0913 — each is a decision of its own
    connection: Connection,
    migrations: Sequence[Migration],
    ledger: Ledger,
    *,
    progress: Callable[[Migration], None] = lambda _migration: None,
    edited: Callable[[Migration], None] | None = None,
    is_whole: bool = False,
    before: str = "",
    rewritten: Callable[[str], Awaitable[str]] = unchanged,
) -> tuple[Migration, ...]:
    """Apply the migrations without a record, each in a transaction with its record.

    The caller holds the lock (`one_at_a_time`). Gives those applied now. Raises MigrationError for
    a failing file, for an edited one (or calls `edited` with it), and, where the files are the
    whole history (`is_whole`), for a recorded one that is gone; earlier ones stay applied.

    `before` runs before each file, to reset the session; `rewritten` gives the text to run for this
    server, while the file's own is recorded.
    """
    with faults():
        applied = await _recorded(connection, ledger)
        if is_whole:
            _refuse_gone(migrations, applied)
        for migration in _edited(migrations, applied):
            if edited is None:
                raise MigrationError(_EDITED.format(migration=migration))
            edited(migration)
        pending = tuple(m for m in migrations if m.version not in applied)
        for migration in pending:
            progress(migration)
            if before:
                await connection.execute(before)
            await _apply_one(connection, migration, ledger, await rewritten(migration.text))
        return pending


async def _recorded(connection: Connection, ledger: Ledger) -> dict[str, Applied]:
    where = ident(ledger.schema, ledger.table)
    create = (
        raw("create schema if not exists ") + ident(ledger.schema)
        + raw("; create table if not exists ") + where
        + raw(" (version text primary key, statements text[], name text)")
    )  # fmt: skip
    await connection.execute(compile_sql(create).text)
    select = compile_sql(raw("select version, statements, name from ") + where)
    rows = await connection.fetch(select.text)
    return {
        row["version"]: Applied(row["name"] or "", "\n".join(row["statements"] or ()) or None)
        for row in rows
    }


def _refuse_gone(migrations: Sequence[Migration], applied: dict[str, Applied]) -> None:
    gone = sorted(applied.keys() - {migration.version for migration in migrations})
    if gone:
        more = f", and so are {len(gone) - 1} more" if len(gone) > 1 else ""
        file = f"{gone[0]}_{applied[gone[0]].name}.sql"
        message = (
            f"the migration {file} was applied to this database and is gone from the folder{more}:"
            " put it back, or set MIGRATIONS_DIR to the folder that has it"
        )
        raise MigrationError(message)


_EDITED = (
    "the migration {migration.version}_{migration.name} was applied with other text: "
    "migrations are forward only, so put the change into a new file"
)


def _edited(migrations: Sequence[Migration], applied: dict[str, Applied]) -> tuple[Migration, ...]:
    """The migrations whose recorded text differs."""
    return tuple(
        migration
        for migration in migrations
        if migration.version in applied
        and (recorded := applied[migration.version].text) is not None
        and _joined(recorded) != _joined(migration.text)
    )


def _joined(text: str) -> str:
    """Text without blanks and semicolons: the CLI records statements split at semicolons."""
    return "".join(text.replace(";", " ").split())


def recorded_statements(migration: Migration) -> list[str]:
    """The statements of a file as the ledger records them."""
    # A file of comments alone is recorded whole: what is put into it later is an edit
    return [each.text for each in split_statements(migration.text)] or [migration.text]


async def _apply_one(
    connection: Connection, migration: Migration, ledger: Ledger, text: str
) -> None:
    record = compile_sql(
        raw("insert into ") + ident(ledger.schema, ledger.table)
        + raw(" (version, statements, name) values (")
        + param(migration.version) + raw(", ") + param(recorded_statements(migration)) + raw(", ")
        + param(migration.name) + raw(")")
    )  # fmt: skip
    file = f"{migration.version}_{migration.name}.sql"
    await run_file(connection, text, f"the migration {file}", record)

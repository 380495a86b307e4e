"""Numbered SQL files applied in order, once each, and never again in another form.

The ledger is a table shaped as the Supabase CLI's `supabase_migrations.schema_migrations`:
version, statements, name. A file whose text no longer equals what was applied is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from compat_base.database import Connection, faults
from compat_base.errors import OperatorError
from compat_base.faults import Fault, PgFault
from compat_base.sqltext import compile_sql, ident, param, raw

_FILE_NAME = re.compile(r"^(\d+)_(.+)\.sql$")
_LAST = "\n;select"  # asyncpg trips over a text without statements, which a new file may be
_LOCK = 7_266_203_511  # any constant: two processes that migrate one database take turns


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: `0007_policies.sql` has version `0007` and name `policies`."""

    version: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where applied migrations are recorded."""

    schema: str
    table: str


class MigrationError(OperatorError):
    """A migration that cannot be applied: one sentence that names the file and the reason."""


def read_folder(folder: Path) -> tuple[Migration, ...]:
    """The migrations of a folder in the order of their versions; other files are ignored.

    Raises MigrationError where the folder is missing or two files share a version.
    """
    if not folder.is_dir():
        message = f"the migrations folder {folder} does not exist"
        raise MigrationError(message)
    found: dict[str, Migration] = {}
    for path in sorted(folder.iterdir()):
        match = _FILE_NAME.match(path.name)
        if match is None:
            continue
        version, name = match.groups()
        if version in found:
            message = f"two migrations in {folder} have the version {version}"
            raise MigrationError(message)
        found[version] = Migration(version, name, path.read_text(encoding="utf-8"))
    return tuple(sorted(found.values(), key=lambda migration: migration.version))


async def apply(
    connection: Connection,
    migrations: Sequence[Migration],
    ledger: Ledger,
    *,
    progress: Callable[[Migration], None] = lambda _migration: None,
) -> tuple[Migration, ...]:
    """Apply what is not yet recorded, each file in a transaction with its record.

    Gives the migrations applied now. Raises MigrationError for an edited file or a failing one;
    what went before it stays applied.
    """
    with faults():
        await connection.execute(f"select pg_advisory_lock({_LOCK})")
        try:
            applied = await _recorded(connection, ledger)
            _refuse_edited(migrations, applied)
            pending = tuple(m for m in migrations if m.version not in applied)
            for migration in pending:
                progress(migration)
                await _apply_one(connection, migration, ledger)
            return pending
        finally:
            await connection.execute(f"select pg_advisory_unlock({_LOCK})")


async def _recorded(connection: Connection, ledger: Ledger) -> dict[str, str | None]:
    where = ident(ledger.schema, ledger.table)
    create = (
        raw("create schema if not exists ") + ident(ledger.schema)
        + raw("; create table if not exists ") + where
        + raw(" (version text primary key, statements text[], name text)")
    )  # fmt: skip
    await connection.execute(compile_sql(create).text)
    select = compile_sql(raw("select version, statements from ") + where)
    rows = await connection.fetch(select.text)
    return {row["version"]: "\n".join(row["statements"] or ()) or None for row in rows}


def _refuse_edited(migrations: Sequence[Migration], applied: dict[str, str | None]) -> None:
    for migration in migrations:
        recorded = applied.get(migration.version)
        if recorded is not None and _joined(recorded) != _joined(migration.text):
            message = (
                f"the migration {migration.version}_{migration.name} was applied with other text: "
                "migrations are forward only, so put the change into a new file"
            )
            raise MigrationError(message)


def _joined(text: str) -> str:
    """Text without blanks and semicolons: the CLI records statements split at semicolons."""
    return re.sub(r"[\s;]+", "", text)


async def _apply_one(connection: Connection, migration: Migration, ledger: Ledger) -> None:
    record = compile_sql(
        raw("insert into ") + ident(ledger.schema, ledger.table)
        + raw(" (version, statements, name) values (")
        + param(migration.version) + raw(", ") + param([migration.text]) + raw(", ")
        + param(migration.name) + raw(")")
    )  # fmt: skip
    try:
        with faults():
            async with connection.transaction():
                await connection.execute(migration.text + _LAST)
                await connection.execute(record.text, *record.args)
    except PgFault as error:
        raise MigrationError(_failure(migration, error.fault)) from error


def _failure(migration: Migration, fault: Fault) -> str:
    detail = f" ({fault.detail})" if fault.detail else ""
    return f"the migration {migration.version}_{migration.name} failed: {fault.message}{detail}"

"""Numbered SQL files applied in order, once each, and never again in another form.

The ledger is a table shaped as the Supabase CLI's `supabase_migrations.schema_migrations`:
version, statements, name. A file whose text no longer equals what was applied is refused.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from compat_base.postgres.database import Connection, faults
from compat_base.postgres.faults import DISK_FULL, Fault, PgFault
from compat_base.values.errors import OperatorError
from compat_base.values.sqltext import Statement, compile_sql, ident, param, raw

_FILE_NAME = re.compile(r"^(\d+)_(.+)\.sql$")
_LAST = "\n;select"  # asyncpg trips over a text without statements, which a new file may be
_DISTURBED = "tuple concurrently updated"
_DELAYS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)  # seconds
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


@dataclass(frozen=True, slots=True)
class Applied:
    """What the ledger says of a migration; `text` is None where it was not recorded."""

    name: str
    text: str | None


class MigrationError(OperatorError):
    """A migration that cannot be applied: one sentence that names the file and the reason."""


def read_folder(folder: Path) -> tuple[Migration, ...]:
    """The migrations of a folder in the order of their versions; other files are ignored.

    Raises MigrationError where the folder is missing, a file cannot be read as UTF-8 or two files
    share a version.
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
        found[version] = Migration(version, name, _read(path))
    return tuple(sorted(found.values(), key=lambda migration: migration.version))


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"the migration {path} is not UTF-8 (at byte {error.start}): save it as UTF-8"
        raise MigrationError(message) from error
    except OSError as error:
        raise MigrationError(f"the migration {path} cannot be read ({error.strerror})") from error
    if "\0" in text:
        raise MigrationError(f"the migration {path} is damaged, it has a NUL byte: restore it")
    return text


@asynccontextmanager
async def one_at_a_time(
    connection: Connection, waiting: Callable[[], None] = lambda: None
) -> AsyncGenerator[None]:
    """Hold the database's lock for migrations; `waiting` hears that another process has it."""
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


async def apply(  # noqa: PLR0913 — each is a decision of its own
    connection: Connection,
    migrations: Sequence[Migration],
    ledger: Ledger,
    *,
    progress: Callable[[Migration], None] = lambda _migration: None,
    is_whole: bool = False,
    before: str = "",
    rewritten: Callable[[str], str] = lambda text: text,
) -> tuple[Migration, ...]:
    """Apply what is not yet recorded, each file in a transaction with its record.

    `before` runs before each file, so that none finds what another set; `rewritten` gives the text
    that is run where the server wants another than the file's, which is recorded.

    Gives the migrations applied now. Raises MigrationError for an edited file or a failing one,
    and, where the files are the whole history (`is_whole`), for one that was applied and is gone;
    what went before it stays applied.
    """
    with faults():
        async with one_at_a_time(connection):
            applied = await _recorded(connection, ledger)
            if is_whole:
                _refuse_gone(migrations, applied)
            _refuse_edited(migrations, applied)
            pending = tuple(m for m in migrations if m.version not in applied)
            for migration in pending:
                progress(migration)
                if before:
                    await connection.execute(before)
                await _apply_one(connection, migration, ledger, rewritten(migration.text))
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
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        file = f"{gone[0]}_{applied[gone[0]].name}.sql{more}"
        message = (
            f"the migration {file} was applied to this database and is gone from the folder:"
            " put it back, or set MIGRATIONS_DIR to the folder that has it"
        )
        raise MigrationError(message)


def _refuse_edited(migrations: Sequence[Migration], applied: dict[str, Applied]) -> None:
    for migration in migrations:
        recorded = applied[migration.version].text if migration.version in applied else None
        if recorded is not None and _joined(recorded) != _joined(migration.text):
            message = (
                f"the migration {migration.version}_{migration.name} was applied with other text: "
                "migrations are forward only, so put the change into a new file"
            )
            raise MigrationError(message)


def _joined(text: str) -> str:
    """Text without blanks and semicolons: the CLI records statements split at semicolons."""
    return re.sub(r"[\s;]+", "", text)


async def _apply_one(
    connection: Connection, migration: Migration, ledger: Ledger, text: str
) -> None:
    record = compile_sql(
        raw("insert into ") + ident(ledger.schema, ledger.table)
        + raw(" (version, statements, name) values (")
        + param(migration.version) + raw(", ") + param([migration.text]) + raw(", ")
        + param(migration.name) + raw(")")
    )  # fmt: skip
    try:
        await undisturbed(partial(_run, connection, text, record))
    except PgFault as error:
        raise MigrationError(_failure(migration, error.fault)) from error


async def _run(connection: Connection, text: str, record: Statement) -> None:
    with faults():
        async with connection.transaction():
            await connection.execute(text + _LAST)
            await connection.execute(record.text, *record.args)


async def undisturbed(work: Callable[[], Awaitable[None]]) -> None:
    """Do again what another database's migration disturbed: roles belong to all databases.

    Raises PgFault where it was disturbed each time, or failed by itself.
    """
    for delay in _DELAYS:
        try:
            return await work()
        except PgFault as error:
            if _DISTURBED not in error.fault.message:
                raise
        await asyncio.sleep(delay)
    return await work()


def _failure(migration: Migration, fault: Fault) -> str:
    detail = f" ({fault.detail})" if fault.detail else ""
    remedy = ": make room and start again" if fault.sqlstate == DISK_FULL else ""
    name = f"{migration.version}_{migration.name}"
    return f"the migration {name} failed: {fault.message}{detail}{remedy}"

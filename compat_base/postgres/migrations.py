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
from compat_base.postgres.statements import split_statements
from compat_base.values.errors import OperatorError
from compat_base.values.sqltext import Statement, compile_sql, ident, param, raw

_FILE_NAME = re.compile(r"([0-9]+)_(.*)\.sql")
_FIRST_SCHEMA = re.compile(r"([0-9]{14})_init\.sql")
_FIRST_SCHEMAS_END = "20211209000000"  # before it, the CLI itself wrote the first file
_NOT_IN_TRANSACTION = "25001"
_TRANSACTION_CONTROL = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:begin|start\s+transaction|commit|end|rollback|abort)\b",
    re.IGNORECASE | re.DOTALL,
)
_COMMENTS = re.compile(r"\A(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
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


def read_folder(
    folder: Path, *, skipped: Callable[[str], None] = lambda _sentence: None
) -> tuple[Migration, ...]:
    """The migrations of a folder in the order of their file names, as the Supabase CLI takes them.

    `skipped` hears a sentence for each file that is none. Raises MigrationError where the folder is
    missing, a file cannot be read as UTF-8 or two files share a version.
    """
    if not folder.is_dir():
        message = f"the migrations folder {folder} does not exist"
        raise MigrationError(message)
    found: dict[str, Migration] = {}
    files = sorted(path for path in folder.iterdir() if not path.is_dir())
    for number, path in enumerate(files):
        match = _FILE_NAME.fullmatch(path.name)
        if match is None or (number == 0 and _is_first_schema(path.name)):
            if not path.name.startswith("."):
                why = (
                    "its name is not <timestamp>_name.sql" if match is None else "an old first one"
                )
                skipped(f"skipping {path.name}: {why}")
            continue
        version, name = match.groups()
        if version in found:
            other = f"{version}_{found[version].name}.sql"
            names = f"{other} and {path.name}"
            message = f"two migrations in {folder} have the version {version}: {names}"
            raise MigrationError(message)
        found[version] = Migration(version, name, read_sql(path))
    return tuple(found.values())


def _is_first_schema(name: str) -> bool:
    """Whether a file is one that earlier versions of the CLI wrote, and later ones pass over."""
    match = _FIRST_SCHEMA.fullmatch(name)
    return match is not None and match[1] < _FIRST_SCHEMAS_END


def read_sql(path: Path, what: str = "migration") -> str:
    """The text of a file of SQL. Raises MigrationError, which says what could not be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"the {what} {path} is not UTF-8 (at byte {error.start}): save it as UTF-8"
        raise MigrationError(message) from error
    except OSError as error:
        raise MigrationError(f"the {what} {path} cannot be read ({error.strerror})") from error
    if "\0" in text:
        raise MigrationError(f"the {what} {path} is damaged, it has a NUL byte: restore it")
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
    edited: Callable[[Migration], None] | None = None,
    is_whole: bool = False,
    before: str = "",
    rewritten: Callable[[str], str] = lambda text: text,
) -> tuple[Migration, ...]:
    """Apply what is not yet recorded, each file in a transaction with its record.

    Gives the migrations applied now. Raises MigrationError for an edited file (or tells `edited` of
    it) or a failing one, and, where the files are the whole history (`is_whole`), for one that was
    applied and is gone; what went before it stays applied.

    `before` runs before each file, so that none finds what another set; `rewritten` gives the text
    that is run where the server wants another than the file's, which is recorded.
    """
    with faults():
        async with one_at_a_time(connection):
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


_EDITED = (
    "the migration {migration.version}_{migration.name} was applied with other text: "
    "migrations are forward only, so put the change into a new file"
)


def _edited(migrations: Sequence[Migration], applied: dict[str, Applied]) -> tuple[Migration, ...]:
    """The migrations that were applied with other text."""
    return tuple(
        migration
        for migration in migrations
        if migration.version in applied
        and (recorded := applied[migration.version].text) is not None
        and _joined(recorded) != _joined(migration.text)
    )


def _joined(text: str) -> str:
    """Text without blanks and semicolons: the CLI records statements split at semicolons."""
    return re.sub(r"[\s;]+", "", text)


async def _apply_one(
    connection: Connection, migration: Migration, ledger: Ledger, text: str
) -> None:
    # A file of comments alone is recorded whole: what is put into it later is an edit
    statements = [each.text for each in split_statements(migration.text)] or [migration.text]
    record = compile_sql(
        raw("insert into ") + ident(ledger.schema, ledger.table)
        + raw(" (version, statements, name) values (")
        + param(migration.version) + raw(", ") + param(statements) + raw(", ")
        + param(migration.name) + raw(")")
    )  # fmt: skip
    file = f"{migration.version}_{migration.name}.sql"
    await run_file(connection, text, f"the migration {file}", record)


async def run_file(
    connection: Connection, text: str, name: str, record: Statement | None = None
) -> None:
    """Run a file in a transaction, with the record of it.

    What cannot run in one (`create index concurrently`) is run a statement at a time. Raises
    MigrationError, which names the line that failed.
    """
    try:
        await undisturbed(partial(_run, connection, text, record))
    except PgFault as error:
        if error.fault.sqlstate == _NOT_IN_TRANSACTION:
            await _run_apart(connection, text, name, record)
            return
        line = await _failing_line(connection, text, error.fault)
        raise MigrationError(_failure(name, line, error.fault)) from error


async def _run(connection: Connection, text: str, record: Statement | None) -> None:
    with faults():
        async with connection.transaction():
            await connection.execute(text + _LAST)
            if record is not None:
                await connection.execute(record.text, *record.args)


async def _run_apart(
    connection: Connection, text: str, name: str, record: Statement | None
) -> None:
    for statement in split_statements(text):
        try:
            with faults():
                await connection.execute(statement.text)
        except PgFault as error:
            raise MigrationError(_failure(name, statement.line, error.fault)) from error
    if record is not None:
        await connection.execute(record.text, *record.args)


async def _failing_line(connection: Connection, text: str, fault: Fault) -> int | None:
    """The line that the server found wrong, or the first one of the statement that fails again."""
    if fault.position is not None:
        return text.count("\n", 0, fault.position - 1) + 1
    statements = split_statements(text)
    if any(_TRANSACTION_CONTROL.match(statement.text) for statement in statements):
        return None
    transaction = connection.transaction()
    await transaction.start()
    try:
        for statement in statements:
            try:
                with faults():
                    await connection.execute(statement.text + _LAST)
            except PgFault:
                before = len(statement.text) - len(_COMMENTS.sub("", statement.text, count=1))
                return statement.line + statement.text.count("\n", 0, before)
    finally:
        if not connection.is_closed():
            await transaction.rollback()
    return None


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


def _failure(name: str, line: int | None, fault: Fault) -> str:
    detail = f" ({fault.detail})" if fault.detail else ""
    remedy = ": make room and start again" if fault.sqlstate == DISK_FULL else ""
    where = name if line is None else f"{name}:{line}"
    return f"{where} failed: {fault.message}{detail}{remedy}"

"""A file of SQL run in a transaction, with the line that failed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO

from compat_base.postgres.database import Connection, faults
from compat_base.postgres.faults import DISK_FULL, Fault, PgFault
from compat_base.postgres.migration_files import MigrationError
from compat_base.postgres.psql_input import PsqlError, Rows, Statements, parts
from compat_base.postgres.statements import ScriptStatement, pieces, split_statements
from compat_base.values.sqltext import Statement

# `create index concurrently` and `vacuum`; a procedure or block that commits
_NOT_IN_TRANSACTION = {"25001", "2D000"}
_TRANSACTION_CONTROL = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:begin|start\s+transaction|commit|end|rollback|abort)\b",
    re.IGNORECASE | re.DOTALL,
)
_COMMENTS = re.compile(r"\A(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
_LAST = "\n;select"  # asyncpg trips over a text without statements, which a new file may be
_PIECE = 4_000_000  # characters at once: the server takes seven times as much for their statements
_MOST_CHARACTERS = 400  # of the server's message, and of its detail and hint
_MAKE_ROOM = ": make room and start again"
_MEND = ": mend the file and start again, what went before it is kept"
_DISTURBED = "tuple concurrently updated"
_DELAYS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)  # seconds


async def run_file(
    connection: Connection, text: str, name: str, record: Statement | None = None
) -> None:
    """Run a file in a transaction, together with its record.

    Statements that cannot run in one (`create index concurrently`, a procedure that commits) are
    run one by one. Raises MigrationError, which names the line that failed.
    """
    try:
        await retry_concurrent_updates(partial(_run, connection, text, record))
    except PsqlError as error:
        line = text.count("\n", 0, error.position - 1) + 1
        raise MigrationError(f"{name}:{line}: {error}") from error
    except PgFault as error:
        if error.fault.sqlstate in _NOT_IN_TRANSACTION:
            await _run_apart(connection, text, name, record)
            return
        line = await _failing_line(connection, text, error.fault)
        raise MigrationError(_failure(name, line, error.fault)) from error


async def _run(connection: Connection, text: str, record: Statement | None) -> None:
    with faults():
        async with connection.transaction():
            for part in parts(text):
                if isinstance(part, Rows):
                    await _copy(connection, part)
                    continue
                for start, piece in pieces(part.text, _PIECE):
                    await _run_piece(connection, part.start + start, piece)
            if record is not None:
                await connection.execute(record.text, *record.args)


async def _run_piece(connection: Connection, start: int, piece: str) -> None:
    """Run a part of a file; a fault's position is that in the file."""
    try:
        with faults():
            await connection.execute(piece + _LAST)
    except PgFault as error:
        place = error.fault.position
        if place is None:
            raise
        raise PgFault(replace(error.fault, position=start + place)) from error


async def _copy(connection: Connection, rows: Rows) -> None:
    """Copy rows into their table; a fault's position is that of the statement."""
    try:
        with faults():
            await connection.copy_to_table(
                rows.table, source=BytesIO(rows.data.encode()), schema_name=rows.schema,
                columns=rows.columns,
            )  # fmt: skip
    except PgFault as error:
        raise PgFault(replace(error.fault, position=rows.start + 1)) from error


def _statements(text: str) -> Iterator[ScriptStatement]:
    """The statements of a file without psql's lines."""
    for part in parts(text):
        if isinstance(part, Statements):
            before = text.count("\n", 0, part.start)
            for each in split_statements(part.text):
                yield replace(each, line=each.line + before)


def _runs(
    connection: Connection, text: str
) -> Iterator[tuple[int, Callable[[], Awaitable[object]]]]:
    """Each statement of a file and each of its blocks of rows, with its line."""
    for part in parts(text):
        before = text.count("\n", 0, part.start)
        if isinstance(part, Rows):
            yield before + 1, partial(_copy, connection, part)
            continue
        for each in split_statements(part.text):
            yield before + each.line, partial(connection.execute, each.text)


async def _run_apart(
    connection: Connection, text: str, name: str, record: Statement | None
) -> None:
    for line, run in _runs(connection, text):
        try:
            with faults():
                await run()
        except PgFault as error:
            raise MigrationError(_failure(name, line, error.fault)) from error
    if record is not None:
        await connection.execute(record.text, *record.args)


async def _failing_line(connection: Connection, text: str, fault: Fault) -> int | None:
    """The line of the error's position, or of the first statement that fails again."""
    if fault.position is not None:
        return text.count("\n", 0, fault.position - 1) + 1
    statements = tuple(_statements(text))
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


async def retry_concurrent_updates(work: Callable[[], Awaitable[None]]) -> None:
    """Retry, with backoff, what fails because another migration changes the same role.

    Raises PgFault after the last try, and for any other error.
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
    more = " ".join(filter(None, (fault.detail, fault.hint)))
    detail = f" ({_in_one_line(more)})" if more else ""
    remedy = _MAKE_ROOM if fault.sqlstate == DISK_FULL else _MEND
    where = name if line is None else f"{name}:{line}"
    return f"{where} failed: {_in_one_line(fault.message)}{detail}{remedy}"


def _in_one_line(text: str) -> str:
    """The server's words without line breaks; it repeats an unterminated string up to its end."""
    line = " ".join(text[: 4 * _MOST_CHARACTERS].replace(_LAST, "").split())
    return line if len(line) <= _MOST_CHARACTERS else f"{line[:_MOST_CHARACTERS]}…"

"""Row-level security checks and filter conditions as queries.

One round trip checks many callers and many rows of a table. A slow query is cancelled by the pool's
statement_timeout; an error in a policy is a result of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from compat_base.postgres.database import Database, Record, fetch
from compat_base.postgres.faults import PgFault
from compat_base.values import jsontext
from compat_base.values.sqltext import Statement
from realtime_compat.access.catalog import QUERIES
from realtime_compat.auth import Caller
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.model import Table

QUERY_CANCELED = "57014"
FEW_CALLERS = 128  # up to which a kept statement is cheaper, though it takes 2 µs more for each


class TooSlowError(Exception):
    """The query hit the statement_timeout."""


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """Rows of one table, by their keys, or whole if deleted, and the transactions that wrote them.

    A commit is streamed a moment before it is visible.
    """

    table: Table
    rows: Sequence[Mapping[str, str | None]]
    xids: Sequence[int]
    are_deleted: bool


@dataclass(frozen=True, slots=True)
class VisibleRows:
    """The rows, numbered from 0, that some of the callers may see.

    `errors` has what policies raised, by row.
    """

    callers: Sequence[Caller]
    seen: Sequence[int]
    errors: Sequence[str | None] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A condition on a value of a type."""

    condition: Condition
    type_oid: int
    value: str


async def who_sees(
    database: Database, changed: ChangedRows, callers: Sequence[Caller]
) -> tuple[VisibleRows, ...]:
    """Which callers of one role see which rows, once the transactions that wrote them are visible.

    Raises TooSlowError, PgFault (the table is gone), or Unavailable.
    """
    statement = _visible_to(changed, callers)
    while (runs := await _runs(database, statement)) is None:
        await _await_commits(database, changed.xids)
    return tuple(
        VisibleRows(
            callers[run["first"] - 1 : run["last"]],
            [number - 1 for number in run["seen"]],
            run["errors"] or (),
        )
        for run in runs
    )


def _visible_to(changed: ChangedRows, callers: Sequence[Caller]) -> Statement:
    table, role, claims = changed.table, callers[0].role, [caller.claims for caller in callers]
    is_kept = not changed.are_deleted and len(changed.rows) == 1 and len(callers) <= FEW_CALLERS
    return Statement(
        QUERIES["visible_to"],
        (
            list(changed.xids), table.oid, jsontext.encode(list(changed.rows)), role, claims,
            changed.are_deleted, _statement_name(table, role) if is_kept else None,
            [_subject(caller) for caller in callers] if table.is_by_subject else None,
        ),
    )  # fmt: skip


def _subject(caller: Caller) -> str:
    """What spares `auth.uid()` to parse the claims; empty where that must refuse them."""
    return caller.subject if caller.subject and caller.subject.isprintable() else ""


async def _runs(database: Database, statement: Statement) -> Sequence[Record] | None:
    """The runs of callers; None where the transactions are not visible yet."""
    try:
        async with database.acquire() as connection:
            runs = await fetch(connection, statement)
    except PgFault as error:
        if error.fault.sqlstate == QUERY_CANCELED:
            raise TooSlowError from error
        raise
    return runs if runs[0]["are_visible"] else None


async def _await_commits(database: Database, xids: Sequence[int]) -> None:
    """Wait until these transactions are visible.

    A wait that the pool's statement_timeout cancels (a synchronous standby is away) goes on.
    """
    while True:
        try:
            async with database.acquire() as connection:
                await fetch(connection, Statement(QUERIES["await_commits"], (list(xids),)))
        except PgFault as error:
            if error.fault.sqlstate != QUERY_CANCELED:
                raise
        else:
            return


def _statement_name(table: Table, role: str) -> str:
    """The name of the statement for a table and a role; another one if the key changes."""
    key = repr((role, [(column.name, column.type.oid) for column in table.key]))
    return f"realtime_{table.oid}_{blake2b(key.encode(), digest_size=16).hexdigest()}"


async def compare(database: Database, questions: Sequence[Comparison]) -> tuple[bool, ...]:
    """Whether each condition holds; raises PgFault, Unavailable or TooSlowError."""
    columns = (
        [q.condition.op for q in questions],
        [q.type_oid for q in questions],
        [q.value for q in questions],
        [q.condition.value for q in questions],
        [q.condition.negate for q in questions],
    )
    try:
        async with database.acquire() as connection:
            rows = await fetch(connection, Statement(QUERIES["comparisons"], columns))
    except PgFault as error:
        if error.fault.sqlstate == QUERY_CANCELED:
            raise TooSlowError from error
        raise
    return tuple(row["holds"] for row in rows)

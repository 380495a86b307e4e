"""Row-level security checks and filter conditions as queries.

One round trip checks many callers and many rows of a table. A slow query is cancelled by the pool's
statement_timeout; an error in a policy is a result of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compat_base.postgres.database import Database, fetch
from compat_base.postgres.faults import PgFault
from compat_base.values import jsontext
from compat_base.values.sqltext import Statement
from realtime_compat.access.catalog import QUERIES
from realtime_compat.auth import Caller
from realtime_compat.changes.filters import Condition

QUERY_CANCELED = "57014"


class TooSlowError(Exception):
    """The query hit the statement_timeout."""


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


async def await_commits(database: Database, xids: Sequence[int]) -> None:
    """Wait until these transactions are visible: a commit is streamed a moment before.

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


async def who_sees(
    database: Database,
    table: int,
    rows: Sequence[Mapping[str, str | None]],
    callers: Sequence[Caller],
    *,
    deleted: bool = False,
) -> tuple[VisibleRows, ...]:
    """Which callers of one role see which rows, given by keys, or whole if deleted.

    Raises TooSlowError, PgFault (the table is gone), or Unavailable.
    """
    query = QUERIES["old_visible_to" if deleted else "visible_to"]
    claims = [caller.claims for caller in callers]
    arguments = (table, jsontext.encode(list(rows)), callers[0].role, claims)
    try:
        async with database.acquire() as connection:
            runs = await fetch(connection, Statement(query, arguments))
    except PgFault as error:
        if error.fault.sqlstate == QUERY_CANCELED:
            raise TooSlowError from error
        raise
    return tuple(
        VisibleRows(
            callers[run["first"] - 1 : run["last"]],
            [number - 1 for number in run["seen"]],
            run["errors"] or (),
        )
        for run in runs
    )


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

"""Who may see a changed row, and whether a row passes a filter that only PostgreSQL can judge.

One round trip answers for many callers and many rows of a table. A call that takes too long is cut
off by the pool's statement_timeout; a policy that raises is an answer of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compat_base import jsontext
from compat_base.database import Database, fetch
from compat_base.faults import PgFault
from compat_base.sqltext import Statement
from realtime_compat.access.catalog import QUERIES
from realtime_compat.changes.filters import Condition
from realtime_compat.tokens import Caller

QUERY_CANCELED = "57014"


class TooSlowError(Exception):
    """The question was cut off because it took too long."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Which rows a caller sees, in the order asked; `errors` is what policies raised, if any."""

    visible: Sequence[bool]
    errors: Sequence[str | None] | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A condition on a value of a type."""

    condition: Condition
    type_oid: int
    value: str


async def await_commits(database: Database, xids: Sequence[int]) -> None:
    """Wait until what these transactions wrote can be seen: a commit is streamed a moment before.

    A wait that the pool's statement_timeout cuts off (a synchronous standby is away) goes on.
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
) -> tuple[Sight, ...]:
    """For each caller: which rows may be seen? Rows are keys, or whole old rows if deleted.

    Raises TooSlowError, PgFault (the table is gone), or Unavailable.
    """
    query = QUERIES["old_visible_to" if deleted else "visible_to"]
    roles, claims = [c.role for c in callers], [c.claims for c in callers]
    statement = Statement(query, (table, jsontext.encode(list(rows)), roles, claims))
    try:
        async with database.acquire() as connection:
            answers = await fetch(connection, statement)
    except PgFault as error:
        if error.fault.sqlstate == QUERY_CANCELED:
            raise TooSlowError from error
        raise
    by_entry = {answer["entry"]: answer for answer in answers}
    return tuple(
        Sight(by_entry[number]["visible"], by_entry[number]["errors"])
        for number in range(1, len(callers) + 1)
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

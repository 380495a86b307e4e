"""The only stage that awaits: one transaction, the script's statements, the verdict obeyed.

All statements go out together. Only where a verdict may still turn the transaction around does
its end wait for the rows.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from compat_base import jsontext
from compat_base.errors import ApiError
from compat_base.faults import PgFault, PoolTimeout, Unavailable
from compat_base.pipeline import Row, Session
from compat_base.session_pool import SessionPool
from compat_base.sqltext import Statement
from rest_compat.errors import CONNECTION, CONNECTION_LOST, POOL_TIMEOUT, problem_of_fault
from rest_compat.outcome import Outcome, combined_total, judge
from rest_compat.plan.model import Counting, Promise
from rest_compat.query.build import Script, fill
from rest_compat.request.shape import Values

_COMMIT = (Statement("COMMIT"),)
_ROLLBACK = (Statement("ROLLBACK"),)
# Deferred constraints are checked before a rollback, so that their errors still show.
_CHECKED_ROLLBACK = (Statement("SET CONSTRAINTS ALL IMMEDIATE"), *_ROLLBACK)
_ANYTHING = Promise()
# libpq's words for the rollback that follows on a connection which ended within a transaction.
_NO_CONNECTION = "no connection to the server\n"


@dataclass(frozen=True, slots=True)
class Opening:
    """What begins and sets up the transaction; `authenticated`: not the anonymous role."""

    statements: tuple[Statement, ...]
    authenticated: bool


async def execute(
    pool: SessionPool, opening: Opening, script: Script, values: Values, counting: Counting
) -> Outcome:
    """Run a script; ApiError for whatever PostgreSQL or the verdict refuses."""
    statements = [*opening.statements, fill(script.main, values)]
    if script.estimate is not None:
        statements.append(fill(script.estimate, values))
    ending = ending_of(script)
    is_settled = script.facts.read_only or script.explains or script.promise == _ANYTHING
    async with transaction(pool, opening) as session:
        found = await session.run([*statements, *ending] if is_settled else statements)
        outcome = _outcome(script, found[len(opening.statements)].rows())
        problem = None if script.explains else judge(script.promise, outcome)
        if problem is not None:
            raise ApiError(problem)
        if not is_settled:
            await session.run(ending)
    if script.estimate is None:
        return outcome
    estimate = found[len(opening.statements) + 1].rows()
    return replace(outcome, total=_estimated(outcome, estimate, counting))


@contextlib.asynccontextmanager
async def transaction(pool: SessionPool, opening: Opening) -> AsyncGenerator[Session]:
    """A borrowed session, given back outside any transaction, whatever ended it.

    Refusals leave as the ApiError of their problem.
    """
    session = await _borrow(pool)
    failed = True
    try:
        yield session
        failed = False
    except PgFault as error:
        raise ApiError(
            problem_of_fault(error.fault, authenticated=opening.authenticated)
        ) from error
    except Unavailable as error:
        raise _lost(error, session) from error
    finally:
        if session.in_transaction:
            await asyncio.shield(_roll_back(session))
        pool.give_back(session, failed=failed)


async def answers(pool: SessionPool) -> bool:
    """Whether the database can be asked anything at all."""
    try:
        session = await pool.borrow()
    except (PoolTimeout, Unavailable):
        return False
    try:
        await session.run((Statement("SELECT 1"),))
    except (PgFault, Unavailable):
        return False
    finally:
        pool.give_back(session)
    return True


def ending_of(script: Script) -> tuple[Statement, ...]:
    """What ends the transaction where nothing went wrong."""
    return _CHECKED_ROLLBACK if script.facts.rolls_back else _COMMIT


async def _borrow(pool: SessionPool) -> Session:
    try:
        return await pool.borrow()
    except PoolTimeout as error:
        raise ApiError.of(POOL_TIMEOUT) from error
    except Unavailable as error:
        raise ApiError(CONNECTION.problem(details=f"{error}\n")) from error


async def _roll_back(session: Session) -> None:
    try:
        await session.run(_ROLLBACK)
    except (PgFault, Unavailable):
        session.close()


def _lost(error: Unavailable, session: Session) -> ApiError:
    """The end of a connection; what its server still said counts where nothing had begun yet."""
    if error.fault is None:
        return ApiError(CONNECTION_LOST.problem(details=f"{error}\n"))
    if session.is_lost and session.has_answered:
        return ApiError(CONNECTION_LOST.problem(details=_NO_CONNECTION))
    return ApiError(problem_of_fault(error.fault, authenticated=True))


def _outcome(script: Script, rows: list[Row]) -> Outcome:
    if script.explains:
        return Outcome(body=b"".join(b"%b\n" % line for row in rows for line in row.values()))
    if not rows:
        return Outcome()
    row = rows[0]
    header = row.get("header")
    pairs: list[list[str]] = jsontext.decode(header) if header else []
    return Outcome(
        total=_integer(row["total_result_set"]),
        page_total=_integer(row["page_total"]) or 0,
        location=tuple((pair[0], pair[1]) for pair in pairs),
        body=row["body"] or b"",
        response_headers=_text(row["response_headers"]),
        response_status=_text(row["response_status"]),
        inserted=_integer(row["response_inserted"]),
    )


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


def _integer(value: bytes | None) -> int | None:
    return int.from_bytes(value, signed=True) if value else None


def _estimated(outcome: Outcome, rows: list[Row], counting: Counting) -> int | None:
    """The total by the planner's estimate, which it explains as JSON."""
    explained = b"".join(line or b"" for row in rows for line in row.values())
    estimated = int(jsontext.decode(explained)[0]["Plan"]["Plan Rows"])
    return combined_total(outcome.total, estimated, counting.max_rows, exact=counting.exact)

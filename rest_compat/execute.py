"""The only stage that awaits: one transaction, the script's statements, the verdict obeyed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from compat_base import jsontext
from compat_base.database import Connection, Database, PooledConnection, faults, fetch, run_script
from compat_base.errors import ApiError
from compat_base.faults import Fault, PgFault, PoolTimeout, Unavailable
from compat_base.sqltext import Statement
from rest_compat.errors import CONNECTION, CONNECTION_LOST, POOL_TIMEOUT, problem_of_fault
from rest_compat.outcome import Outcome, combined_total, judge
from rest_compat.plan.model import Counting
from rest_compat.query.build import Script, fill
from rest_compat.request.shape import Values


@dataclass(frozen=True, slots=True)
class Opening:
    """The text that begins and sets up the transaction; `authenticated`: not the anonymous role."""

    text: str
    authenticated: bool


async def execute(
    database: Database, opening: Opening, script: Script, values: Values, counting: Counting
) -> Outcome:
    """Run a script; ApiError for whatever PostgreSQL or the verdict refuses."""
    async with transaction(database, opening, script) as connection:
        rows = await fetch(connection, Statement(script.main.text, fill(script.main, values)))
        if script.explains:
            return Outcome(body=b"".join(_bytes(row[0]) + b"\n" for row in rows))
        outcome = _outcome(dict(rows[0])) if rows else Outcome()
        problem = judge(script.promise, outcome)
        if problem is not None:
            raise ApiError(problem)
        if script.estimate is None:
            return outcome
        explained = await fetch(
            connection, Statement(script.estimate.text, fill(script.estimate, values))
        )
        total = combined_total(
            outcome.total,
            _estimated_rows(_bytes(explained[0][0])),
            counting.max_rows,
            exact=counting.exact,
        )
        return replace(outcome, total=total)


@contextlib.asynccontextmanager
async def transaction(
    database: Database, opening: Opening, script: Script
) -> AsyncGenerator[Connection]:
    """One transaction on a borrowed connection, ended as the script says or rolled back.

    Driver exceptions leave as the ApiError of their problem.
    """
    connection = await _borrow(database)
    try:
        await run_script(connection, opening.text)
        yield connection
        await run_script(connection, _ending(script))
    except BaseException as error:
        # A connection goes back only outside any transaction, whatever ended this one.
        await asyncio.shield(_roll_back(connection))
        if isinstance(error, PgFault | Unavailable):
            raise _told(error, authenticated=opening.authenticated) from error
        raise
    finally:
        await database.give_back(connection)


async def _borrow(database: Database) -> PooledConnection:
    try:
        return await database.borrow()
    except PoolTimeout as error:
        raise ApiError.of(POOL_TIMEOUT) from error
    except PgFault as error:
        raise ApiError(CONNECTION.problem(details=error.fault.message)) from error
    except Unavailable as error:
        raise ApiError(CONNECTION.problem(details=str(error))) from error


async def _roll_back(connection: Connection) -> None:
    try:
        await run_script(connection, "ROLLBACK")
    except (PgFault, Unavailable):
        # A lost connection may have left the pool by itself already.
        with contextlib.suppress(PgFault, Unavailable), faults():
            connection.terminate()


def _ending(script: Script) -> str:
    # Deferred constraints are checked before a rollback, so that their errors still show.
    return "SET CONSTRAINTS ALL IMMEDIATE; ROLLBACK" if script.facts.rolls_back else "COMMIT"


def _told(error: PgFault | Unavailable, *, authenticated: bool) -> ApiError:
    fault: Fault | None = error.fault
    if fault is None:
        return ApiError(CONNECTION_LOST.problem(details=str(error)))
    return ApiError(problem_of_fault(fault, authenticated=authenticated))


def _outcome(row: Mapping[str, Any]) -> Outcome:
    header = row.get("header")
    pairs: list[list[str]] = jsontext.decode(_bytes(header)) if header else []
    return Outcome(
        total=_integer(row["total_result_set"]),
        page_total=int(_text(row["page_total"]) or 0),
        location=tuple((pair[0], pair[1]) for pair in pairs),
        body=_bytes(row["body"] or b""),
        response_headers=_text(row["response_headers"]),
        response_status=_text(row["response_status"]),
        inserted=_integer(row["response_inserted"]),
    )


def _bytes(value: str | bytes) -> bytes:
    """A result's bytes: bytea comes in its hex form, text as it is, others as text."""
    if isinstance(value, bytes):
        return value
    return bytes.fromhex(value[2:]) if value.startswith("\\x") else value.encode()


def _text(value: str | bytes | None) -> str | None:
    return value.decode() if isinstance(value, bytes) else value


def _integer(value: str | bytes | None) -> int | None:
    text = _text(value)
    return int(text) if text else None


def _estimated_rows(text: bytes) -> int | None:
    plan = jsontext.decode(text)
    rows = plan[0]["Plan"]["Plan Rows"]
    return int(rows)

"""The only access to the database: a transaction, its statements, commit or rollback (I/O).

All statements are sent together. COMMIT waits for the rows only where the verdict on them may still
roll the transaction back.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.postgres.pipeline import PipelineSession
from compat_base.postgres.results import BinaryRow, Result
from compat_base.postgres.session_pool import SessionPool
from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from compat_base.values.sqltext import Statement, quote_ident
from rest_compat.catalog.load import QUERIES
from rest_compat.errors import CONNECTION, CONNECTION_LOST, POOL_TIMEOUT
from rest_compat.execute.faults import problem_of_fault
from rest_compat.outcome import Inspected, Outcome, combined_total, judge
from rest_compat.plan.model import Counting, Promise
from rest_compat.query.build import Script, TransactionScript, fill
from rest_compat.query.session import Preamble
from rest_compat.request.shape import Values

_COMMIT = (Statement("COMMIT"),)
_ROLLBACK = (Statement("ROLLBACK"),)
# Deferred constraints are checked before a rollback, so that their errors still show.
_CHECKED_ROLLBACK = (Statement("SET CONSTRAINTS ALL IMMEDIATE"), *_ROLLBACK)
_ANYTHING = Promise()
_COMMENT = re.compile("^--.*\n", re.MULTILINE)
# Bytes of a row above which libpq's buffer has grown, which never shrinks
_WIDE = 4 * 1024 * 1024
_MANY_ARGUMENTS = 2_000  # filled in some 2 ms
_ISOLATION_IS_SET = "25001"
# libpq's words for the rollback that follows on a connection which ended within a transaction.
_NO_CONNECTION = "no connection to the server\n"


class Executor:
    """Runs scripts on a pool.

    A pipeline without BEGIN is one transaction until its end (PostgreSQL, 54.2.4), of the
    isolation that is the session's own: where that is another than the usual, the preamble is
    refused, and from then on every transaction starts with BEGIN.
    """

    def __init__(self, pool: SessionPool) -> None:
        self._pool = pool
        self._begins_always = False

    async def execute(
        self, preamble: Preamble, script: Script, values: Values, counting: Counting, caller: str
    ) -> Outcome:
        """Run a script for a caller; ApiError for an error of PostgreSQL's or of the verdict."""
        main = [await fill_in_turns(script.main, values)]
        if script.estimate is not None:
            main.append(await fill_in_turns(script.estimate, values))
        if script.response_gucs is not None:
            main.append(script.response_gucs)
        async with _Transaction(self._pool, preamble, caller) as session:
            results = await self._run(session, preamble, script, main)
            outcome = _outcome(script, results)
            if len(outcome.body) > _WIDE:
                self._pool.retire(session)
            problem = None if script.explains else judge(script.promise, outcome)
            if problem is not None:
                raise ApiError(problem)
            if session.in_transaction:
                await session.run(_ending(script))
        if script.estimate is None:
            return outcome
        return replace(outcome, total=_estimated(outcome, results[1].rows(), counting))

    async def _run(
        self, session: PipelineSession, preamble: Preamble, script: Script, main: list[Statement]
    ) -> list[Result]:
        """The main statements' results; COMMIT is sent with them where no verdict is needed."""
        if preamble.alone is not None and not self._begins_always:
            try:
                found = await session.run([*preamble.alone, *main])
                return found[-len(main) :]
            except PgFault as error:
                if error.fault.sqlstate != _ISOLATION_IS_SET or session.has_answered:
                    raise
                self._begins_always = True
        statements = [*preamble.statements, *main]
        place = len(statements) - len(main)
        is_settled = script.facts.read_only or script.explains or script.promise == _ANYTHING
        found = await session.run([*statements, *_ending(script)] if is_settled else statements)
        return found[place : place + len(main)]

    async def inspect(
        self,
        preamble: Preamble,
        script: TransactionScript,
        schema: str,
        caller: str,
        *,
        only_accessible: bool,
    ) -> Inspected:
        """The schema as the caller may see it, for the root document."""
        tables: frozenset[str] | None = None
        routines: Mapping[int, Sequence[str]] | None = None
        async with _Transaction(self._pool, preamble, caller) as session:
            await session.run(preamble.statements)
            if only_accessible:
                rows = await _rows(session, "accessible_tables", schema)
                tables = frozenset((row["table_name"] or b"").decode() for row in rows)
                rows = await _rows(session, "accessible_routines", schema)
                routines = {
                    int.from_bytes(row["oid"] or b""): jsontext.decode(row["types"] or b"[]")
                    for row in rows
                }
            comments = await _rows(session, "schema_comment", schema)
            await session.run(_ending(script))
        comment = next((value for row in comments for value in row.values()), None)
        return Inspected(tables, routines, None if comment is None else comment.decode())

    async def query(self, statement: Statement, caller: str) -> Result:
        """The result of a statement outside any transaction; ApiError without one."""
        session = await _borrow(self._pool, caller)
        try:
            return (await session.run((statement,)))[0]
        except PgFault as error:
            raise ApiError(problem_of_fault(error.fault, authenticated=True)) from error
        except Unavailable as error:
            raise _lost(error, session) from error
        finally:
            self._pool.give_back(session)

    async def is_reachable(self) -> bool:
        """Whether the database can be reached at all."""
        try:
            session = await self._pool.borrow()
        except (PoolTimeout, Unavailable):
            return False
        try:
            await session.run((Statement("SELECT 1"),))
        except (PgFault, Unavailable):
            return False
        finally:
            self._pool.give_back(session)
        return True


def inspection_texts(*, only_accessible: bool) -> tuple[str, ...]:
    """The statements of an inspection, for the log."""
    names = ("accessible_tables", "accessible_routines") if only_accessible else ()
    return tuple(_COMMENT.sub("", QUERIES[name]) for name in (*names, "schema_comment"))


class _Transaction:
    """Borrows a session for a block, and returns it outside any transaction.

    Errors leave as the ApiError of their problem.
    """

    def __init__(self, pool: SessionPool, preamble: Preamble, caller: str) -> None:
        self._pool = pool
        self._preamble = preamble
        self._caller = caller

    async def __aenter__(self) -> PipelineSession:
        """Borrow a session; ApiError where none can be had."""
        self._session = await _borrow(self._pool, self._caller)
        return self._session

    async def __aexit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: object
    ) -> None:
        """Roll back an open transaction, return the session, and map the error."""
        session = self._session
        refused = self._refusal(error)
        try:
            if session.in_transaction:
                await asyncio.shield(_roll_back(session))
        finally:
            self._pool.give_back(session, failed=error is not None)
        if refused is not None:
            raise refused from error

    def _refusal(self, error: BaseException | None) -> ApiError | None:
        match error:
            case PgFault():
                is_known = self._preamble.authenticated
                return ApiError(problem_of_fault(error.fault, authenticated=is_known))
            case Unavailable():
                return _lost(error, self._session)
            case _:
                return None


def _ending(script: TransactionScript) -> tuple[Statement, ...]:
    """The statement that ends the transaction after success."""
    return _CHECKED_ROLLBACK if script.facts.rolls_back else _COMMIT


async def fill_in_turns(statement: Statement, values: Values) -> Statement:
    """`fill`; where there are many arguments, the event loop does other work between some."""
    given = statement.args
    if len(given) <= _MANY_ARGUMENTS:
        return fill(statement, values)
    filled: list[Any] = []
    for start in range(0, len(given), _MANY_ARGUMENTS):
        part = Statement(statement.text, given[start : start + _MANY_ARGUMENTS])
        filled += fill(part, values).args
        await asyncio.sleep(0)
    return Statement(statement.text, tuple(filled))


async def _borrow(pool: SessionPool, caller: str) -> PipelineSession:
    try:
        return await pool.borrow(caller)
    except PoolTimeout as error:
        raise ApiError.of(POOL_TIMEOUT) from error
    except Unavailable as error:
        raise ApiError(CONNECTION.problem(details=f"{error}\n")) from error


async def _rows(session: PipelineSession, query: str, schema: str) -> list[BinaryRow]:
    results = await session.run([Statement(QUERIES[query], (quote_ident(schema).encode(),))])
    return results[0].rows()


async def _roll_back(session: PipelineSession) -> None:
    try:
        await session.run(_ROLLBACK)
    except (PgFault, Unavailable):
        session.close()


def _lost(error: Unavailable, session: PipelineSession) -> ApiError:
    """The end of a connection; what its server still said counts where nothing had begun yet."""
    if error.fault is None:
        return ApiError(CONNECTION_LOST.problem(details=f"{error}\n"))
    if session.is_lost and session.has_answered:
        return ApiError(CONNECTION_LOST.problem(details=_NO_CONNECTION))
    return ApiError(problem_of_fault(error.fault, authenticated=True))


def _outcome(script: Script, results: list[Result]) -> Outcome:
    result = results[0]
    if script.response_gucs is not None:
        headers, status = results[1].first()
        return Outcome(
            page_total=result.affected,
            response_headers=_text(headers),
            response_status=_text(status),
        )
    if script.explains:
        rows = result.rows()
        return Outcome(body=b"".join(b"%b\n" % line for row in rows for line in row.values()))
    row = result.first()
    if not row:  # beyond the one row of a function whose handler is no aggregate
        return Outcome(total=0)
    total, page_total, *header, body, headers, status, inserted = row
    return Outcome(
        total=_integer(total),
        page_total=_integer(page_total) or 0,
        location=_location(header[0]) if header else (),
        body=body or b"",
        response_headers=_text(headers),
        response_status=_text(status),
        inserted=_integer(inserted),
    )


def _location(header: bytes | None) -> tuple[tuple[str, str], ...]:
    pairs: list[list[str]] = jsontext.decode(header) if header else []
    return tuple((name, condition) for name, condition in pairs)


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


def _integer(value: bytes | None) -> int | None:
    return int.from_bytes(value, signed=True) if value else None


def _estimated(outcome: Outcome, rows: list[BinaryRow], counting: Counting) -> int | None:
    """The total by the planner's estimate, which it explains as JSON."""
    explained = b"".join(line or b"" for row in rows for line in row.values())
    estimated = int(jsontext.decode(explained)[0]["Plan"]["Plan Rows"])
    return combined_total(outcome.total, estimated, counting.max_rows, exact=counting.exact)

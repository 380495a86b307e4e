"""Row-level security checks: which callers may see which changed rows, in few round trips.

Rows with the same callers are checked together. A query that hits the statement_timeout is divided
until the callers with slow policies are found; those go to queues of their own, the others go on.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from compat_base.postgres.database import Database
from compat_base.postgres.faults import PgFault
from compat_base.values.events import Observation, Observer, Severity
from realtime_compat.access import rows
from realtime_compat.access.rows import ChangedRows, TooSlowError, VisibleRows
from realtime_compat.auth import Caller
from realtime_compat.changes.model import Action
from realtime_compat.changes.payload import Resolved, text_of

T = TypeVar("T")

CALLERS_AT_ONCE = 256  # in one round trip; more are split over several connections
ROWS_AT_ONCE = 200
PAIRS_AT_ONCE = 12_800  # rows times callers: some 100 ms of work, far from the pool's time-out
DIVISIONS = 8  # of a query that was cut off


@dataclass(frozen=True, slots=True)
class Question:
    """Rows of one table to be checked for callers of one role.

    Rows are numbered by the caller of this module.
    """

    numbers: tuple[int, ...]
    changes: tuple[Resolved, ...]
    callers: tuple[Caller, ...]


@dataclass(slots=True)
class Answers:
    """By row number the callers that see it and those whose policy raised; who timed out."""

    seen: defaultdict[int, list[Caller]] = field(default_factory=lambda: defaultdict(list[Caller]))
    failed: defaultdict[int, dict[Caller, str]] = field(
        default_factory=lambda: defaultdict(dict[Caller, str])
    )
    slow: set[Caller] = field(default_factory=set[Caller])

    def add(self, numbers: Sequence[int], found: Iterable[VisibleRows]) -> None:
        """Add the result of one query about these rows."""
        for visible in found:
            for row in visible.seen:
                self.seen[numbers[row]] += visible.callers
            for number, error in zip(numbers, visible.errors, strict=False):
                if error is not None:
                    self.failed[number] |= dict.fromkeys(visible.callers, error)


@dataclass(frozen=True, slots=True)
class VisibilityChecker:
    """Checks rows in the database; its pool has a statement_timeout."""

    database: Database
    observer: Observer

    async def check(self, wanted: Mapping[int, tuple[Resolved, frozenset[Caller]]]) -> Answers:
        """Check every numbered change for its callers.

        Raises Unavailable or PoolTimeout.
        """
        answers = Answers()
        await asyncio.gather(*(self._query(q, answers) for q in _questions(wanted)))
        return answers

    async def check_one(self, change: Resolved, caller: Caller) -> Answers:
        """Check one change, as number 0; TooSlowError where that times out."""
        answers = Answers()
        answers.add((0,), await self._visible_rows((change,), (caller,)))
        return answers

    async def _query(self, question: Question, answers: Answers) -> None:
        if not await self._is_answered(question, answers):
            await self._divide(question, answers)

    async def _divide(self, question: Question, answers: Answers) -> None:
        """Find the slow callers of a query that timed out."""
        callers = question.callers
        size = -(-len(callers) // DIVISIONS)
        parts = [
            Question(question.numbers, question.changes, callers[start : start + size])
            for start in range(0, len(callers), size)
        ]
        if len(parts) == 1:
            answers.slow.update(callers)
            return
        answered = await asyncio.gather(*(self._is_answered(part, answers) for part in parts))
        if not any(answered):
            # The table is locked or the server is busy: to look for single culprits would only
            # take longer.
            answers.slow.update(callers)
            return
        for part, is_answered in zip(parts, answered, strict=True):
            if not is_answered:
                await self._divide(part, answers)

    async def _is_answered(self, question: Question, answers: Answers) -> bool:
        try:
            found = await self._visible_rows(question.changes, question.callers)
        except TooSlowError:
            return False
        answers.add(question.numbers, found)
        return True

    async def _visible_rows(
        self, changes: Sequence[Resolved], callers: Sequence[Caller]
    ) -> Sequence[VisibleRows]:
        table, are_deleted = changes[0].table, changes[0].action is Action.DELETE
        keys = [_old_row(c) if are_deleted else c.key() for c in changes]
        changed = ChangedRows(table, keys, tuple({c.xid for c in changes}), are_deleted)
        try:
            return await rows.who_sees(self.database, changed, callers)
        except PgFault as error:
            # The table is gone or not what it was: nobody sees the row.
            facts = {"table": f"{table.schema}.{table.name}", "error": str(error)}
            self.observer(Observation("visibility_failed", Severity.WARNING, facts))
            return ()


def _old_row(change: Resolved) -> dict[str, str | None]:
    return {name: text_of(value) for name, value in change.old.items()}


def _questions(
    wanted: Mapping[int, tuple[Resolved, frozenset[Caller]]],
) -> Iterator[Question]:
    groups: defaultdict[tuple[int, bool, frozenset[Caller]], list[int]] = defaultdict(list)
    for number, (change, callers) in wanted.items():
        groups[change.table.oid, change.action is Action.DELETE, callers].append(number)
    for (_, _, callers), numbers in groups.items():
        rows_at_once = PAIRS_AT_ONCE // max(1, min(len(callers), CALLERS_AT_ONCE))
        for some in _parts(numbers, min(rows_at_once, ROWS_AT_ONCE)):
            changes = tuple(wanted[number][0] for number in some)
            for of_a_role in _by_role(callers):
                for members in _parts(of_a_role, CALLERS_AT_ONCE):
                    yield Question(tuple(some), changes, tuple(members))


def _by_role(callers: Iterable[Caller]) -> Iterable[list[Caller]]:
    roles: defaultdict[str, list[Caller]] = defaultdict(list)
    for caller in callers:
        roles[caller.role].append(caller)
    return roles.values()


def _parts(members: Sequence[T], size: int) -> Iterable[Sequence[T]]:
    return (members[start : start + size] for start in range(0, len(members), size))

"""Who sees which changed rows, asked in few round trips; who is too slow to be waited for.

Rows that the same callers wait for are asked about together. A question that is cut off for its
slowness is divided until the slow callers are found: they are set apart, everybody else goes on.
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
from realtime_compat.access.rows import Sight, TooSlowError
from realtime_compat.auth import Caller
from realtime_compat.changes.model import Action
from realtime_compat.changes.payload import Resolved, text_of

T = TypeVar("T")

CALLERS_AT_ONCE = 256  # in one round trip; more are asked over several connections
ROWS_AT_ONCE = 200
PAIRS_AT_ONCE = 12_800  # rows times callers: some 100 ms of work, far from the pool's time-out
DIVISIONS = 8  # of a question that was cut off


@dataclass(frozen=True, slots=True)
class Question:
    """Which of these rows of one table do these callers of one role see?

    Rows are numbered by the caller of this module.
    """

    numbers: tuple[int, ...]
    changes: tuple[Resolved, ...]
    callers: tuple[Caller, ...]


@dataclass(slots=True)
class Answers:
    """What was found, by row number: who sees it, and whose policy raised; and who was too slow."""

    seen: defaultdict[int, list[Caller]] = field(default_factory=lambda: defaultdict(list[Caller]))
    failed: defaultdict[int, dict[Caller, str]] = field(
        default_factory=lambda: defaultdict(dict[Caller, str])
    )
    slow: set[Caller] = field(default_factory=set[Caller])

    def add(self, numbers: Sequence[int], sights: Iterable[Sight]) -> None:
        """Take in what callers see of these rows."""
        for sight in sights:
            for row in sight.seen:
                self.seen[numbers[row]] += sight.callers
            for number, error in zip(numbers, sight.errors, strict=False):
                if error is not None:
                    self.failed[number] |= dict.fromkeys(sight.callers, error)


@dataclass(frozen=True, slots=True)
class Oracle:
    """Asks the database; its pool cuts off a statement that takes too long."""

    database: Database
    observer: Observer

    async def look(self, wanted: Mapping[int, tuple[Resolved, frozenset[Caller]]]) -> Answers:
        """Answer for every numbered change and all who wait for it.

        Raises Unavailable or PoolTimeout.
        """
        answers = Answers()
        await asyncio.gather(*(self._ask(q, answers) for q in _questions(wanted)))
        return answers

    async def look_alone(self, change: Resolved, caller: Caller) -> Answers:
        """Answer for one change, number 0; TooSlowError where even that takes too long."""
        answers = Answers()
        answers.add((0,), await self._sights((change,), (caller,)))
        return answers

    async def _ask(self, question: Question, answers: Answers) -> None:
        if not await self._is_answered(question, answers):
            await self._divide(question, answers)

    async def _divide(self, question: Question, answers: Answers) -> None:
        """Find the slow callers of a question that was cut off."""
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
            sights = await self._sights(question.changes, question.callers)
        except TooSlowError:
            return False
        answers.add(question.numbers, sights)
        return True

    async def _sights(
        self, changes: Sequence[Resolved], callers: Sequence[Caller]
    ) -> Sequence[Sight]:
        deleted = changes[0].action is Action.DELETE
        asked = [_old_row(c) if deleted else c.key() for c in changes]
        table = changes[0].table
        try:
            return await rows.who_sees(self.database, table.oid, asked, callers, deleted=deleted)
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

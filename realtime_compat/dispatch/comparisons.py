"""Filter conditions that PostgreSQL evaluates, in few queries and with a bound on slow ones.

A condition that makes its query fail is found by bisection. One whose query hits the
statement_timeout has no result (None); after `TIMEOUTS` of those in one batch, whatever else failed
together with them counts as slow too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compat_base.postgres.database import Database
from compat_base.postgres.faults import PgFault
from compat_base.values.events import Observation, Observer, Severity
from realtime_compat.access import rows
from realtime_compat.access.rows import Comparison, TooSlowError

AT_ONCE = 1000
TIMEOUTS = 12  # of one batch: enough to find one slow condition among `AT_ONCE`


@dataclass(slots=True)
class Comparisons:
    """The conditions of one batch of changes."""

    database: Database
    observer: Observer
    _timeouts: int = 0

    async def evaluate(self, questions: Sequence[Comparison]) -> list[bool | None]:
        """Evaluate each; None where that takes too long. Raises Unavailable, PoolTimeout."""
        answers: list[bool | None] = []
        for start in range(0, len(questions), AT_ONCE):
            answers += await self._some(questions[start : start + AT_ONCE])
        return answers

    async def _some(self, questions: Sequence[Comparison]) -> Sequence[bool | None]:
        if self._timeouts >= TIMEOUTS:
            return [None] * len(questions)
        try:
            return await rows.compare(self.database, questions)
        except (PgFault, TooSlowError) as error:
            facts = {"error": str(error), "conditions": len(questions)}
            self.observer(Observation("comparison_failed", Severity.WARNING, facts))
            is_slow = isinstance(error, TooSlowError)
            self._timeouts += is_slow
        if len(questions) == 1:
            return [None if is_slow else False]
        half = len(questions) // 2
        return [*await self._some(questions[:half]), *await self._some(questions[half:])]

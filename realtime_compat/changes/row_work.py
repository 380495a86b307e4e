"""The bound on testing one row, and the channels cut off beyond it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from realtime_compat.changes.audience import Audience
from realtime_compat.changes.column_index import Check, IndexEntry
from realtime_compat.changes.conditions import Verdict
from realtime_compat.changes.model import Value

ROW_WORK = 10_000  # units of testing that one row may cost; a unit is some 5 µs
TEXT_UNIT = 4096  # symbols of a value whose test is a unit of its own
DATABASE_UNITS = 10  # of a condition that PostgreSQL must evaluate
KEPT_SHARE = 0.75  # of the bound is kept, so that the next join does not exceed it again


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible recipient as of a row's arrival, and the checks left to be tested."""

    entry: IndexEntry
    audience: Audience
    checks: tuple[Check, ...]


def work_of(value: Value, verdict: Verdict) -> int:
    """The cost of one test, in units."""
    if verdict is None:
        return DATABASE_UNITS
    return 1 + (len(value) // TEXT_UNIT if isinstance(value, str) else 0)


def exceeding(candidates: Sequence[Candidate], affordable: int) -> frozenset[Hashable]:
    """The channels to cut off so that the candidates' cost is within the bound.

    Those with the most conditions of this kind first, of equals the newest.
    """
    tested = [candidate for candidate in candidates if candidate.checks]
    counts: Counter[Hashable] = Counter()
    newest: defaultdict[Hashable, int] = defaultdict(int)
    for candidate in tested:
        for channel in set(candidate.audience.channels()):
            counts[channel] += 1
            newest[channel] = max(newest[channel], candidate.entry.number)
    excess = len(tested) - affordable * KEPT_SHARE
    cut: set[Hashable] = set()
    for channel in sorted(counts, key=lambda c: (counts[c], newest[c]), reverse=True):
        if excess <= 0:
            break
        cut.add(channel)
        excess -= counts[channel]
    return frozenset(cut)

"""The subscriptions to one table, found by the values of a changed row.

Each subscription is indexed by one of its conditions: by the values that satisfy an equality, else
by a trigram of a LIKE pattern, else by the bound of a comparison, else it is in the rest. The other
conditions are tested on a hit; a pattern is tested too. A join or leave touches its own entry
alone.

Values are parsed as `conditions` does, so that equal means what it means to PostgreSQL; where a
row's value cannot be parsed, everything under its column is tested as if there were no index.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from realtime_compat.changes.audience import (
    Audience,
    Group,
    Subscription,
    Views,
    merge,
)
from realtime_compat.changes.column_index import Check, ColumnIndex, IndexEntry
from realtime_compat.changes.conditions import (
    Equality,
    Key,
    Trigram,
    Verdict,
    index_key,
)
from realtime_compat.changes.entries import ANY
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.model import Action, Column, Unchanged, Value
from realtime_compat.changes.readers import value_reader
from realtime_compat.changes.row_work import ROW_WORK, Candidate, exceeding, work_of

STEP = 200  # candidates or index entries between two pauses

NamedValues: TypeAlias = Mapping[str, Value]


@dataclass(slots=True)
class Found:
    """The subscriptions that match a row, and those for PostgreSQL to decide.

    Channels that are `exceeding` the bound on work were not tested: they are to be cut off.
    """

    audiences: list[Audience] = field(default_factory=list[Audience])
    unknown: list[tuple[Audience, tuple[Condition, ...]]] = field(
        default_factory=list[tuple[Audience, tuple[Condition, ...]]]
    )
    exceeding: frozenset[Hashable] = frozenset()


class TableIndex:
    """The subscriptions to one table.

    `settle` must have been called for a change's columns and position in the log before `search`.
    """

    def __init__(self, views: Views) -> None:
        self._views = views
        self._names: dict[str, Column] = {}
        self._columns: tuple[Column, ...] | None = None
        self._subscribed: dict[Subscription, IndexEntry | None] = {}
        self._waiting: list[tuple[int, int, Subscription]] = []  # a heap by `since`
        self._count = 0
        self._newest = 0  # `since` of those that have an entry
        self._roles: Counter[tuple[str, str]] = Counter()
        self._everyone: dict[str, Group] = {}  # by event, filled on demand
        self._entries: dict[tuple[str, tuple[Condition, ...]], IndexEntry] = {}
        self._checks: dict[Condition, Check] = {}
        self._by_column: dict[str, ColumnIndex] = {}
        self._rest: dict[IndexEntry, None] = {}

    def __bool__(self) -> bool:
        """Whether anybody is subscribed."""
        return bool(self._subscribed)

    def __len__(self) -> int:
        """How many subscriptions there are."""
        return len(self._subscribed)

    def channels(self) -> frozenset[Hashable]:
        """Every channel with a subscription."""
        return frozenset(one.channel for one in self._subscribed)

    def roles(self, action: Action) -> frozenset[str]:
        """The roles that are subscribed to an action."""
        return frozenset(role for event, role in self._roles if event in {ANY, action.value})

    def add(self, one: Subscription) -> None:
        """Add a subscription; it is indexed at the first change after its `since`."""
        self._subscribed[one] = None
        self._roles[one.event, one.viewer.role] += 1
        if one.event in self._everyone:
            self._everyone[one.event].add(one)
        self._wait(one)

    def remove(self, one: Subscription) -> None:
        """Remove a subscription, with the others of its channel."""
        entry = self._subscribed.pop(one)
        self._roles[one.event, one.viewer.role] -= 1
        if not self._roles[one.event, one.viewer.role]:
            del self._roles[one.event, one.viewer.role]
        if one.event in self._everyone:
            self._everyone[one.event].drop_channel(one)
        if entry is not None:
            self._leave(entry, one)
        elif len(self._waiting) > 2 * len(self._subscribed) + STEP:
            self._waiting = [w for w in self._waiting if self._is_waiting(w[2])]
            heapq.heapify(self._waiting)

    def settle(self, columns: tuple[Column, ...], lsn: int) -> Generator[None]:
        """Index the subscriptions that a change at this position is for."""
        if columns is not self._columns:
            if columns != self._columns:
                self._unsettle([one for one, entry in self._subscribed.items() if entry])
            self._columns, self._names = columns, {column.name: column for column in columns}
        if lsn < self._newest:
            self._unsettle([one for one, p in self._subscribed.items() if p and one.since > lsn])
        while self._waiting and self._waiting[0][0] <= lsn:
            for _ in range(STEP):
                if not self._waiting or self._waiting[0][0] > lsn:
                    break
                one = heapq.heappop(self._waiting)[2]
                if self._is_waiting(one):
                    self._settle_one(one)
            yield

    def search(self, action: Action, row: NamedValues) -> Generator[None, None, Found]:
        """Find the subscriptions for a row, as of the first step; it pauses by yielding."""
        candidates = self._candidates({ANY, action.value}, row)
        found, verdicts, work = Found(), dict[Check, Verdict](), 0
        for number, candidate in enumerate(candidates):
            if number % STEP == STEP - 1:
                yield
            if work > ROW_WORK and not found.exceeding:
                found.exceeding = exceeding(candidates, number)
            if found.exceeding and found.exceeding.issuperset(candidate.audience.channels()):
                continue
            unknown: list[Condition] = []
            for check in candidate.checks:
                if check in verdicts:
                    verdict = verdicts[check]
                else:
                    value = row.get(check.condition.column, Unchanged.TOAST)
                    verdict = verdicts[check] = check.test(value)
                    work += work_of(value, verdict)
                if verdict is False:
                    break
                if verdict is None:
                    unknown.append(check.condition)
            else:
                if unknown:
                    found.unknown.append((candidate.audience, tuple(unknown)))
                else:
                    found.audiences.append(candidate.audience)
        return found

    def audience(self, audiences: Sequence[Audience]) -> Audience:
        """All of these as one."""
        return merge(audiences, self._views)

    def everyone(self, action: Action) -> Audience:
        """All indexed subscriptions to an action, whatever their conditions."""
        audiences: list[Audience] = []
        for event in (ANY, action.value):
            if event not in self._everyone:
                group = self._everyone[event] = Group(self._views)
                for one in self._subscribed:
                    if one.event == event:
                        group.add(one)
            audiences.append(self._everyone[event].audience())
        young = {one.channel for _, _, one in self._waiting if self._is_waiting(one)}
        return self.audience(audiences).without(young)

    def _wait(self, one: Subscription) -> None:
        self._count += 1
        heapq.heappush(self._waiting, (one.since, self._count, one))

    def _is_waiting(self, one: Subscription) -> bool:
        return self._subscribed.get(one, one) is None

    def _unsettle(self, some: Sequence[Subscription]) -> None:
        """Take subscriptions out of the index until the next `settle`."""
        for one in some:
            entry = self._subscribed[one]
            if entry is not None:
                self._leave(entry, one)
            self._subscribed[one] = None
            self._wait(one)
        settled = (one.since for one, entry in self._subscribed.items() if entry)
        self._newest = max(settled, default=0)

    def _settle_one(self, one: Subscription) -> None:
        self._newest = max(self._newest, one.since)
        key = (one.event, one.conditions)
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = self._make(one)
        entry.group.add(one)
        self._subscribed[one] = entry

    def _leave(self, entry: IndexEntry, one: Subscription) -> None:
        entry.group.drop_channel(one)
        if entry.group or self._entries.get((one.event, one.conditions)) is not entry:
            return
        del self._entries[one.event, one.conditions]
        for check in entry.checks:
            check.users -= 1
            if not check.users:
                del self._checks[check.condition]
        if entry.under is None:
            del self._rest[entry]
        else:
            name, key = entry.under
            self._by_column[name].remove(entry, key)
            if not self._by_column[name].entries:
                del self._by_column[name]

    def _make(self, one: Subscription) -> IndexEntry:
        checks = tuple(map(self._check, one.conditions))
        under = self._best(one.conditions)
        self._count += 1
        rest = tuple(c for n, c in enumerate(checks) if under is None or n != under[0])
        where = None if under is None else (one.conditions[under[0]].column, under[1])
        entry = IndexEntry(Group(self._views), one.event, checks, rest, where, self._count)
        if where is None:
            self._rest[entry] = None
        else:
            name, key = where
            if name not in self._by_column:
                self._by_column[name] = ColumnIndex(value_reader(self._names[name]))
            self._by_column[name].put(entry, key)
        return entry

    def _check(self, condition: Condition) -> Check:
        check = self._checks.get(condition)
        if check is None:
            column = self._names.get(condition.column)
            check = self._checks[condition] = Check(condition, column)
        check.users += 1
        return check

    def _best(self, conditions: Sequence[Condition]) -> tuple[int, Key] | None:
        """The most selective condition, by its number, and its key."""
        keys = [
            (number, key, self._by_column.get(column.name))
            for number, condition in enumerate(conditions)
            if (column := self._names.get(condition.column)) is not None
            and (key := index_key(condition, column)) is not None
        ]
        if not keys:
            return None
        number, key, _ = min(keys, key=lambda one: _cost_of(one[1], one[2]))
        return number, key

    def _candidates(self, events: set[str], row: NamedValues) -> list[Candidate]:
        hits = [(entry, entry.rest) for entry in self._rest]
        for name, column in self._by_column.items():
            value = row.get(name, Unchanged.TOAST)
            if not isinstance(value, Unchanged):
                hits += column.hits(value)
        return [
            Candidate(entry, entry.group.audience(), checks)
            for entry, checks in hits
            if entry.event in events
        ]


def _cost_of(key: Key, column: ColumnIndex | None) -> tuple[int, int]:
    """What a key costs a row: its kind first (a bound most), then how many entries it meets."""
    if not isinstance(key, Equality):
        return 1 if isinstance(key, Trigram) else 2, 0
    return 0, 0 if column is None else column.largest_bucket(key)

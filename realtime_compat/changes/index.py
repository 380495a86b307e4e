"""The subscriptions to one table, found by the values of a changed row.

Each subscription stands under one of its conditions: under the values that an equality holds for,
else under the bound of a comparison, else among the rest. Only the conditions that are left are
tested, and only where that one holds. A join or leave touches its own place alone.

Values are read as `conditions` reads them, so that equal means what it means to PostgreSQL; where a
row's value cannot be read, everything under its column is tested as if there were no index.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from realtime_compat.changes.audience import (
    Audience,
    Group,
    Subscription,
    Views,
    merge,
)
from realtime_compat.changes.conditions import (
    Bound,
    Equality,
    Reader,
    Test,
    Verdict,
    compile_condition,
    index_key,
    value_reader,
)
from realtime_compat.changes.entries import ANY
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.model import Action, Column, Unchanged, Value

ROW_WORK = 10_000  # units of testing that one row may cost; a unit is some 5 µs
TEXT_UNIT = 4096  # symbols of a value whose test is a unit of its own
ASKED_UNITS = 10  # of a condition that PostgreSQL must be asked about
STEP = 200  # candidates or placements between two rests
KEPT_SHARE = 0.75  # of what was affordable, so that the next to join does not tip it over again

Row: TypeAlias = Mapping[str, Value]


@dataclass(slots=True, eq=False)
class Check:
    """A condition with its compiled test, shared by the subscriptions that have it."""

    condition: Condition
    test: Test
    users: int = 0


@dataclass(slots=True, eq=False)
class _Place:
    """A group, the condition it stands under, and those that are tested on a hit."""

    group: Group
    event: str
    checks: tuple[Check, ...]
    rest: tuple[Check, ...]
    under: tuple[str, Equality | Bound] | None
    number: int


@dataclass(slots=True)
class _ColumnIndex:
    """The places under one column."""

    read: Reader | None
    places: dict[_Place, None] = field(default_factory=dict[_Place, None])
    equal: defaultdict[Any, dict[_Place, None]] = field(
        default_factory=lambda: defaultdict(dict[_Place, None])
    )
    bounds: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    beyond: defaultdict[tuple[str, Any], dict[_Place, None]] = field(
        default_factory=lambda: defaultdict(dict[_Place, None])
    )

    def put(self, place: _Place, key: Equality | Bound) -> None:
        """Let a place be found."""
        self.places[place] = None
        if isinstance(key, Equality):
            for value in key.values:
                self.equal[value][place] = None
            return
        found = self.beyond[key.op, key.value]
        if not found:
            insort(self.bounds.setdefault(key.op, []), key.value)
        found[place] = None

    def remove(self, place: _Place, key: Equality | Bound) -> None:
        """Let a place be found no more."""
        del self.places[place]
        if isinstance(key, Equality):
            for value in key.values:
                del self.equal[value][place]
                if not self.equal[value]:
                    del self.equal[value]
            return
        found = self.beyond[key.op, key.value]
        del found[place]
        if not found:
            del self.beyond[key.op, key.value]
            bounds = self.bounds[key.op]
            del bounds[bisect_left(bounds, key.value)]

    def crowd(self, key: Equality) -> int:
        """How many places a row meets with this key."""
        return max(len(self.equal[v]) if v in self.equal else 0 for v in key.values)

    def hits(self, value: str | None) -> Iterator[tuple[_Place, tuple[Check, ...]]]:
        """The places under this value, each with the checks that are left."""
        read = self.read(value) if value is not None and self.read is not None else None
        if value is not None and read is None:
            if self.read is not None:
                yield from ((place, place.checks) for place in self.places)
            return
        if read in self.equal:
            yield from ((place, place.rest) for place in self.equal[read])
        if read is not None:
            for op, bounds in self.bounds.items():
                for bound in bounds[_within(op, bounds, read)]:
                    yield from ((place, place.rest) for place in self.beyond[op, bound])


def _within(op: str, bounds: list[Any], value: Any) -> slice:
    """Those of the sorted bounds that a value satisfies."""
    match op:
        case "gt":
            return slice(bisect_left(bounds, value))
        case "gte":
            return slice(bisect_right(bounds, value))
        case "lt":
            return slice(bisect_right(bounds, value), None)
        case _:
            return slice(bisect_left(bounds, value), None)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Who may want a row, as they were when it came, and what is left to be tested."""

    place: _Place
    audience: Audience
    checks: tuple[Check, ...]


@dataclass(slots=True)
class Found:
    """Who wants a row: those who do, and those of whom PostgreSQL must be asked.

    Channels that are `exceeding` what a row may cost were not looked at: they are to be cut off.
    """

    audiences: list[Audience] = field(default_factory=list[Audience])
    unknown: list[tuple[Audience, tuple[Condition, ...]]] = field(
        default_factory=list[tuple[Audience, tuple[Condition, ...]]]
    )
    exceeding: frozenset[Hashable] = frozenset()


class TableIndex:
    """The subscriptions to one table.

    `settle` must have been called for a change's columns and place in the log before `search`.
    """

    def __init__(self, views: Views) -> None:
        self._views = views
        self._names: dict[str, Column] = {}
        self._columns: tuple[Column, ...] | None = None
        self._subscribed: dict[Subscription, _Place | None] = {}
        self._waiting: list[tuple[int, int, Subscription]] = []  # a heap by `since`
        self._count = 0
        self._newest = 0  # `since` of those that have a place
        self._roles: Counter[tuple[str, str]] = Counter()
        self._everyone: dict[str, Group] = {}  # by event, where anybody has asked
        self._places: dict[tuple[str, tuple[Condition, ...]], _Place] = {}
        self._checks: dict[Condition, Check] = {}
        self._by_column: dict[str, _ColumnIndex] = {}
        self._rest: dict[_Place, None] = {}

    def __bool__(self) -> bool:
        """Whether anybody is subscribed."""
        return bool(self._subscribed)

    def __len__(self) -> int:
        """How many subscriptions there are."""
        return len(self._subscribed)

    def roles(self, action: Action) -> frozenset[str]:
        """The roles that are subscribed to an action."""
        return frozenset(role for event, role in self._roles if event in {ANY, action.value})

    def add(self, one: Subscription) -> None:
        """Take in a subscription; it has its place when a change comes that is its own."""
        self._subscribed[one] = None
        self._roles[one.event, one.viewer.role] += 1
        if one.event in self._everyone:
            self._everyone[one.event].add(one)
        self._wait(one)

    def remove(self, one: Subscription) -> None:
        """Let go of a subscription, together with the others of its channel."""
        place = self._subscribed.pop(one)
        self._roles[one.event, one.viewer.role] -= 1
        if not self._roles[one.event, one.viewer.role]:
            del self._roles[one.event, one.viewer.role]
        if one.event in self._everyone:
            self._everyone[one.event].drop_channel(one)
        if place is not None:
            self._leave(place, one)
        elif len(self._waiting) > 2 * len(self._subscribed) + STEP:
            self._waiting = [w for w in self._waiting if self._is_waiting(w[2])]
            heapq.heapify(self._waiting)

    def settle(self, columns: tuple[Column, ...], lsn: int) -> Generator[None]:
        """Give a place to all whose own a change is: columns as they are, its place in the log."""
        if columns is not self._columns:
            if columns != self._columns:
                self._unsettle([one for one, place in self._subscribed.items() if place])
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

    def search(self, action: Action, row: Row) -> Generator[None, None, Found]:
        """Find who wants a row, as of the first step; it rests, for others to have their turn."""
        candidates = self._candidates({ANY, action.value}, row)
        found, verdicts, work = Found(), dict[Check, Verdict](), 0
        for number, candidate in enumerate(candidates):
            if number % STEP == STEP - 1:
                yield
            if work > ROW_WORK and not found.exceeding:
                found.exceeding = _exceeding(candidates, number)
            if found.exceeding and found.exceeding.issuperset(candidate.audience.channels()):
                continue
            unknown: list[Condition] = []
            for check in candidate.checks:
                if check in verdicts:
                    verdict = verdicts[check]
                else:
                    value = row.get(check.condition.column, Unchanged.TOAST)
                    verdict = verdicts[check] = check.test(value)
                    work += _work(value, verdict)
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
        """All who are subscribed to an action and settled, whatever their conditions."""
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
        """Let subscriptions wait for a place again."""
        for one in some:
            place = self._subscribed[one]
            if place is not None:
                self._leave(place, one)
            self._subscribed[one] = None
            self._wait(one)
        placed = (one.since for one, place in self._subscribed.items() if place)
        self._newest = max(placed, default=0)

    def _settle_one(self, one: Subscription) -> None:
        self._newest = max(self._newest, one.since)
        key = (one.event, one.conditions)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = self._make(one)
        place.group.add(one)
        self._subscribed[one] = place

    def _leave(self, place: _Place, one: Subscription) -> None:
        place.group.drop_channel(one)
        if place.group or self._places.get((one.event, one.conditions)) is not place:
            return
        del self._places[one.event, one.conditions]
        for check in place.checks:
            check.users -= 1
            if not check.users:
                del self._checks[check.condition]
        if place.under is None:
            del self._rest[place]
        else:
            name, key = place.under
            self._by_column[name].remove(place, key)
            if not self._by_column[name].places:
                del self._by_column[name]

    def _make(self, one: Subscription) -> _Place:
        checks = tuple(map(self._check, one.conditions))
        under = self._best(one.conditions)
        self._count += 1
        rest = tuple(c for n, c in enumerate(checks) if under is None or n != under[0])
        where = None if under is None else (one.conditions[under[0]].column, under[1])
        place = _Place(Group(self._views), one.event, checks, rest, where, self._count)
        if where is None:
            self._rest[place] = None
        else:
            name, key = where
            if name not in self._by_column:
                self._by_column[name] = _ColumnIndex(value_reader(self._names[name]))
            self._by_column[name].put(place, key)
        return place

    def _check(self, condition: Condition) -> Check:
        check = self._checks.get(condition)
        if check is None:
            test = compile_condition(condition, self._names.get(condition.column))
            check = self._checks[condition] = Check(condition, test)
        check.users += 1
        return check

    def _best(self, conditions: Sequence[Condition]) -> tuple[int, Equality | Bound] | None:
        """The condition that the fewest others stand under, by its number, and its key."""
        keys = [
            (number, key, self._by_column.get(column.name))
            for number, condition in enumerate(conditions)
            if (column := self._names.get(condition.column)) is not None
            and (key := index_key(condition, column)) is not None
        ]
        if not keys:
            return None
        number, key, _ = min(keys, key=lambda one: _crowd(one[1], one[2]))
        return number, key

    def _candidates(self, events: set[str], row: Row) -> list[_Candidate]:
        hits = [(place, place.rest) for place in self._rest]
        for name, column in self._by_column.items():
            value = row.get(name, Unchanged.TOAST)
            if not isinstance(value, Unchanged):
                hits += column.hits(value)
        return [
            _Candidate(place, place.group.audience(), checks)
            for place, checks in hits
            if place.event in events
        ]


def _crowd(key: Equality | Bound, column: _ColumnIndex | None) -> tuple[int, int]:
    """How many places a row meets with a key; many more, it is taken, with a bound."""
    if isinstance(key, Bound):
        return 1, 0
    return 0, 0 if column is None else column.crowd(key)


def _work(value: Value, verdict: Verdict) -> int:
    if verdict is None:
        return ASKED_UNITS
    return 1 + (len(value) // TEXT_UNIT if isinstance(value, str) else 0)


def _exceeding(candidates: Sequence[_Candidate], affordable: int) -> frozenset[Hashable]:
    """The channels to cut off so that the candidates are few enough again.

    Those with the most conditions of this kind go first, of equal ones the newest.
    """
    tested = [candidate for candidate in candidates if candidate.checks]
    counts: Counter[Hashable] = Counter()
    newest: defaultdict[Hashable, int] = defaultdict(int)
    for candidate in tested:
        for channel in set(candidate.audience.channels()):
            counts[channel] += 1
            newest[channel] = max(newest[channel], candidate.place.number)
    excess = len(tested) - affordable * KEPT_SHARE
    cut: set[Hashable] = set()
    for channel in sorted(counts, key=lambda c: (counts[c], newest[c]), reverse=True):
        if excess <= 0:
            break
        cut.add(channel)
        excess -= counts[channel]
    return frozenset(cut)

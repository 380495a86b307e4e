"""Subscriptions found by the value of one column: hashed equalities and trigrams, sorted bounds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from realtime_compat.changes.audience import Group
from realtime_compat.changes.conditions import (
    Equality,
    Key,
    Test,
    Trigram,
    Verdict,
    compile_condition,
)
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.like import grams_of
from realtime_compat.changes.model import Column, Value
from realtime_compat.changes.readers import Reader

_LONG = 4_096  # symbols of a text; of a longer one not all that it holds is listed


@dataclass(slots=True, eq=False)
class Check:
    """A condition with its test, shared by the subscriptions that have it.

    It is compiled at its first use: the condition that indexes a subscription is seldom tested.
    """

    condition: Condition
    column: Column | None
    users: int = 0
    _test: Test | None = None

    def test(self, value: Value) -> Verdict:
        """Whether a row with this value of the column passes."""
        if self._test is None:
            self._test = compile_condition(self.condition, self.column)
        return self._test(value)


@dataclass(slots=True, eq=False)
class IndexEntry:
    """A group, the condition that indexes it, and the conditions tested on a hit."""

    group: Group
    event: str
    checks: tuple[Check, ...]
    rest: tuple[Check, ...]
    under: tuple[str, Key] | None
    number: int


@dataclass(slots=True)
class ColumnIndex:
    """The entries under one column."""

    read: Reader | None
    entries: dict[IndexEntry, None] = field(default_factory=dict[IndexEntry, None])
    equal: defaultdict[Any, dict[IndexEntry, None]] = field(
        default_factory=lambda: defaultdict(dict[IndexEntry, None])
    )
    like: defaultdict[str, dict[IndexEntry, None]] = field(
        default_factory=lambda: defaultdict(dict[IndexEntry, None])
    )
    bounds: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    beyond: defaultdict[tuple[str, Any], dict[IndexEntry, None]] = field(
        default_factory=lambda: defaultdict(dict[IndexEntry, None])
    )

    def put(self, entry: IndexEntry, key: Key) -> None:
        """Add an entry."""
        self.entries[entry] = None
        if isinstance(key, Equality):
            for value in key.values:
                self.equal[value][entry] = None
            return
        if isinstance(key, Trigram):
            self.like[key.text][entry] = None
            return
        found = self.beyond[key.op, key.value]
        if not found:
            insort(self.bounds.setdefault(key.op, []), key.value)
        found[entry] = None

    def remove(self, entry: IndexEntry, key: Key) -> None:
        """Remove an entry."""
        del self.entries[entry]
        if isinstance(key, Equality):
            for value in key.values:
                del self.equal[value][entry]
                if not self.equal[value]:
                    del self.equal[value]
            return
        if isinstance(key, Trigram):
            del self.like[key.text][entry]
            if not self.like[key.text]:
                del self.like[key.text]
            return
        found = self.beyond[key.op, key.value]
        del found[entry]
        if not found:
            del self.beyond[key.op, key.value]
            bounds = self.bounds[key.op]
            del bounds[bisect_left(bounds, key.value)]

    def largest_bucket(self, key: Equality) -> int:
        """How many entries a row hits under this key."""
        return max(len(self.equal[v]) if v in self.equal else 0 for v in key.values)

    def hits(self, value: str | None) -> Iterator[tuple[IndexEntry, tuple[Check, ...]]]:
        """The entries under this value, each with its remaining checks."""
        read = self.read(value) if value is not None and self.read is not None else None
        if value is not None and read is None:
            if self.read is not None:
                yield from ((entry, entry.checks) for entry in self.entries)
            return
        if read in self.equal:
            yield from ((entry, entry.rest) for entry in self.equal[read])
        if read is not None:
            for op, bounds in self.bounds.items():
                for bound in bounds[_within(op, bounds, read)]:
                    yield from ((entry, entry.rest) for entry in self.beyond[op, bound])
        if self.like and isinstance(read, str):
            yield from ((entry, entry.checks) for entry in self._likely(read))

    def _likely(self, text: str) -> Iterator[IndexEntry]:
        """The entries whose pattern may match a text; all of them for a long text."""
        is_long = len(text) > _LONG
        for gram in self.like if is_long else self.like.keys() & grams_of(text):
            yield from self.like[gram]


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

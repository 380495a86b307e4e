"""A condition against a value: true, false, or unknown where only PostgreSQL can say.

Decided here is only what text and digits determine, exactly as PostgreSQL does: equality of texts,
order of numbers, dates and times, patterns of LIKE. Whatever depends on a collation, a regular
expression or a type's own rules is unknown (None), and evaluated by the database in one query.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from realtime_compat.changes.filters import Condition
from realtime_compat.changes.like import Like, like_pieces, rarest_gram
from realtime_compat.changes.model import Column, Unchanged, Value
from realtime_compat.changes.readers import TEXTS, ordered_reader, value_reader
from realtime_compat.changes.values import array_members

Verdict = bool | None
Test = Callable[[Value], Verdict]
Compare = Callable[[str], Verdict]


def judge(condition: Condition, column: Column, value: Value) -> Verdict:
    """Whether a row with this value passes; a value that the row does not carry never does."""
    return compile_condition(condition, column)(value)


def compile_condition(condition: Condition, column: Column | None) -> Test:
    """The test of a condition on a column; without a column nothing passes."""
    if column is None:
        return _fails
    if condition.op == "is":
        return _nullness(condition)
    make = _TESTS.get(condition.op)
    compare = (make(condition.value, column) if make else None) or _unknown
    negate = condition.negate
    # A null operand makes every operator null, negated or not; IS DISTINCT FROM sees it.
    of_null = condition.op == "isdistinct" and not negate

    def test(value: Value) -> Verdict:
        if not isinstance(value, str):
            return of_null and value is None
        verdict = compare(value)
        return None if verdict is None else verdict != negate

    return test


@dataclass(frozen=True, slots=True)
class Equality:
    """A condition that holds exactly for these read values; None among them is NULL."""

    values: frozenset[Any]


@dataclass(frozen=True, slots=True)
class Bound:
    """A condition that compares by `op` (lt, lte, gt, gte) with a read value."""

    op: str
    value: Any


@dataclass(frozen=True, slots=True)
class Trigram:
    """A condition that holds only for texts with these three symbols in a row."""

    text: str


Key = Equality | Bound | Trigram


def index_key(condition: Condition, column: Column) -> Key | None:
    """The index key of a condition for a column's type; None where it must be tested.

    It agrees with `compile_condition` for every value that `value_reader` can parse; hits of a
    trigram are tested.
    """
    op, negate = condition.op, condition.negate
    if op == "is":
        is_null = condition.value in {"null", "unknown"} and not negate
        return Equality(frozenset({None})) if is_null else None
    if op in _RANGES:
        read = ordered_reader(column)
        operand = read(condition.value) if read else None
        return None if operand is None else Bound(_RANGES[op] if negate else op, operand)
    if op == "like" and not negate:
        gram = rarest_gram(condition.value) if _is_text(column) else None
        return None if gram is None else Trigram(gram)
    if op == "in" and not negate:
        operands = _members(condition.value, column)
        return None if operands is None else Equality(frozenset(operands))
    if (op, negate) in _EQUALITIES:
        read = value_reader(column)
        operand = read(condition.value) if read else None
        return None if operand is None else Equality(frozenset({operand}))
    return None


_RANGES = {"lt": "gte", "lte": "gt", "gt": "lte", "gte": "lt"}  # each with its negation
_EQUALITIES = frozenset({("eq", False), ("neq", True), ("isdistinct", True)})


def _nullness(condition: Condition) -> Test:
    wanted, negate = condition.value, condition.negate

    def test(value: Value) -> Verdict:
        if isinstance(value, Unchanged):
            return False
        holds = value is None if wanted in {"null", "unknown"} else value == wanted[:1]
        return holds != negate

    return test


def _fails(_value: Value) -> Verdict:
    return False


def _unknown(_value: str) -> Verdict:
    return None


def _comparison(compare: Callable[[Any, Any], bool], *, ordered: bool) -> Any:
    def make(wanted: str, column: Column) -> Compare | None:
        read = ordered_reader(column) if ordered else value_reader(column)
        operand = read(wanted) if read else None
        if read is None or operand is None:
            return None

        def test(value: str) -> Verdict:
            read_value = read(value)
            return None if read_value is None else compare(read_value, operand)

        return test

    return make


def _membership(wanted: str, column: Column) -> Compare | None:
    read, operands = value_reader(column), _members(wanted, column)
    if read is None or operands is None:
        return None

    def test(value: str) -> Verdict:
        read_value = read(value)
        return None if read_value is None else read_value in operands

    return test


def _members(wanted: str, column: Column) -> frozenset[Any] | None:
    """The read members of an array literal; None where one cannot be read."""
    read, members = value_reader(column), array_members(wanted)
    if read is None or members is None:
        return None
    operands = frozenset(None if member is None else read(member) for member in members)
    return None if None in operands else operands


def _likeness(pattern: str, column: Column) -> Compare | None:
    if not _is_text(column):
        return None
    pieces = like_pieces(pattern)
    if pieces is None:
        return None
    return Like(tuple(pieces)).test


def _is_text(column: Column) -> bool:
    return column.type.base in TEXTS and column.is_plain


def _equal(one: Any, other: Any) -> bool:
    return one == other


def _unequal(one: Any, other: Any) -> bool:
    return one != other


_TESTS: dict[str, Callable[[str, Column], Compare | None]] = {
    "eq": _comparison(_equal, ordered=False),
    "neq": _comparison(_unequal, ordered=False),
    "isdistinct": _comparison(_unequal, ordered=False),
    "lt": _comparison(lambda one, other: one < other, ordered=True),
    "lte": _comparison(lambda one, other: one <= other, ordered=True),
    "gt": _comparison(lambda one, other: one > other, ordered=True),
    "gte": _comparison(lambda one, other: one >= other, ordered=True),
    "in": _membership,
    "like": _likeness,
}

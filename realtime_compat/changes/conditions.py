"""A condition against a value: true, false, or unknown where only PostgreSQL can say.

Answered here is what text and digits alone decide, exactly as PostgreSQL would: equality of texts,
order of numbers, dates and times, patterns of LIKE. Everything that hangs on a collation, a regular
expression or a type's own rules is unknown (None), and asked of the database in one go.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from realtime_compat.changes.filters import Condition
from realtime_compat.changes.model import Column, Unchanged, Value
from realtime_compat.changes.values import array_members

Verdict = bool | None
Test = Callable[[Value], Verdict]
Compare = Callable[[str], Verdict]
Reader = Callable[[str], Any]

_WHOLE = frozenset({"int2", "int4", "int8", "numeric"})
_TEXTS = frozenset({"text", "varchar"})
_TRUE = frozenset({"t", "true", "y", "yes", "on", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "off", "0"})
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,6})?")
_TIMESTAMPTZ = re.compile(_TIMESTAMP.pattern + r"(Z|[+-]\d\d(:?\d\d)?)?")


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


def index_key(condition: Condition, column: Column) -> Equality | Bound | None:
    """What a condition can be found by, given a row's value; None where it must be tested.

    It agrees with `compile_condition` for every value that `value_reader` can read.
    """
    op, negate = condition.op, condition.negate
    if op == "is":
        is_null = condition.value in {"null", "unknown"} and not negate
        return Equality(frozenset({None})) if is_null else None
    if op in _RANGES:
        read = _reader(column, ordered=True)
        operand = read(condition.value) if read else None
        return None if operand is None else Bound(_RANGES[op] if negate else op, operand)
    if op == "in" and not negate:
        operands = _members(condition.value, column)
        return None if operands is None else Equality(frozenset(operands))
    if (op, negate) in _EQUALITIES:
        read = value_reader(column)
        operand = read(condition.value) if read else None
        return None if operand is None else Equality(frozenset({operand}))
    return None


def value_reader(column: Column) -> Reader | None:
    """How a value's text is read for `index_key`; what it reads as None, PostgreSQL compares."""
    return _reader(column, ordered=False)


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


def _reader(column: Column, *, ordered: bool) -> Reader | None:
    """How a value's text is read for comparing; None for a type that PostgreSQL must compare."""
    base = column.type.base
    if base in _WHOLE:
        return _read_number
    if base in _ORDERED:
        return _ORDERED[base]
    if ordered:
        return None
    if base in _TEXTS and column.is_plain:
        return _itself
    if base == "bool":
        return _read_boolean
    return _itself if column.type.is_enum else None


def _comparison(compare: Callable[[Any, Any], bool], *, ordered: bool) -> Any:
    def make(wanted: str, column: Column) -> Compare | None:
        read = _reader(column, ordered=ordered)
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
    if column.type.base not in _TEXTS or not column.is_plain:
        return None
    pieces = _like_pieces(pattern)
    if pieces is None:
        return None
    return _Like(tuple(pieces)).test


class _Like:
    """A LIKE pattern as the pieces between its `%`: each is looked for once, from left to right.

    The leftmost place of each piece is as good as any, so nothing is ever tried again and the work
    grows with the text alone.
    """

    __slots__ = ("_first", "_has_wildcard", "_last", "_least", "_middle")

    def __init__(self, pieces: tuple[tuple[str | None, ...], ...]) -> None:
        self._has_wildcard = any(None in piece for piece in pieces)
        self._first, *middle = (_Piece(piece) for piece in pieces)
        self._last = middle.pop() if middle else None
        self._middle = [piece for piece in middle if piece.length]
        self._least = sum(map(len, pieces))

    def test(self, value: str) -> Verdict:
        """Whether the text is like the pattern; unknown where that is long work."""
        if self._has_wildcard and len(value) > _LONG:
            return None
        first, last, end = self._first, self._last, len(value)
        if last is None:
            return end == first.length and first.is_at(value, 0)
        if end < self._least or not first.is_at(value, 0):
            return False
        end -= last.length
        position = first.length
        for piece in self._middle:
            found = piece.find(value, position, end)
            if found < 0:
                return False
            position = found + piece.length
        return last.is_at(value, end)


class _Piece:
    """Symbols of a LIKE pattern in a row; `_` (any symbol) is None among them."""

    __slots__ = ("_expression", "_text", "length")

    def __init__(self, symbols: tuple[str | None, ...]) -> None:
        self.length = len(symbols)
        self._text = "".join(symbol or "" for symbol in symbols)
        self._expression = (
            re.compile("".join("." if s is None else re.escape(s) for s in symbols), re.DOTALL)
            if None in symbols
            else None
        )

    def is_at(self, value: str, position: int) -> bool:
        """Whether these symbols stand there."""
        if self._expression is None:
            return value.startswith(self._text, position)
        return self._expression.match(value, position) is not None

    def find(self, value: str, start: int, end: int) -> int:
        """Where these symbols first stand between two places, or -1."""
        if self._expression is None:
            return value.find(self._text, start, end)
        found = self._expression.search(value, start, end)
        return found.start() if found else -1


def _like_pieces(pattern: str) -> list[tuple[str | None, ...]] | None:
    """The pieces between `%`; None for a pattern that ends in its escape character, or is long."""
    pieces: list[list[str | None]] = [[]]
    symbols = iter(pattern)
    for symbol in symbols:
        if symbol == "\\":
            following = next(symbols, None)
            if following is None:
                return None
            pieces[-1].append(following)
        elif symbol == "%":
            pieces.append([])
        else:
            pieces[-1].append(None if symbol == "_" else symbol)
    if any(None in piece and len(piece) > _MANY_SYMBOLS for piece in pieces):
        return None
    return [tuple(piece) for piece in pieces]


_LONG = 16_384  # symbols of a text; `_` may cost as many steps at each as its piece is long
_MANY_SYMBOLS = 64


def _itself(text: str) -> str:
    return text


def _read_number(text: str) -> Decimal | None:
    if not _NUMBER.fullmatch(text.strip()):
        return None
    try:
        return Decimal(text.strip())
    except InvalidOperation:
        return None


def _read_boolean(text: str) -> str | None:
    word = text.strip().lower()
    if word in _TRUE:
        return "t"
    return "f" if word in _FALSE else None


def _read_uuid(text: str) -> str | None:
    if _UUID.fullmatch(text):
        return text
    try:
        return str(UUID(text))
    except ValueError:
        return None


def _read_date(text: str) -> date | None:
    return _read_time(_DATE, text, date.fromisoformat)


def _read_timestamp(text: str) -> datetime | None:
    return _read_time(_TIMESTAMP, text, datetime.fromisoformat)


def _read_timestamptz(text: str) -> datetime | None:
    moment = _read_time(_TIMESTAMPTZ, text, datetime.fromisoformat)
    if moment is None:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_time(form: re.Pattern[str], text: str, read: Callable[[str], Any]) -> Any:
    if not form.fullmatch(text):
        return None
    try:
        return read(text)
    except ValueError:
        return None


_ORDERED: dict[str, Callable[[str], Any]] = {
    "uuid": _read_uuid,
    "date": _read_date,
    "timestamp": _read_timestamp,
    "timestamptz": _read_timestamptz,
}


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

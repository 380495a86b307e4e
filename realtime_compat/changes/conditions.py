"""A condition against a value: true, false, or unknown where only PostgreSQL can say.

Answered here is what text and digits alone decide, exactly as PostgreSQL would: equality of texts,
order of numbers, dates and times, patterns of LIKE. Everything that hangs on a collation, a regular
expression or a type's own rules is unknown (None), and asked of the database in one go.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any
from uuid import UUID

from realtime_compat.changes.filters import Condition
from realtime_compat.changes.model import Column, Unchanged, Value
from realtime_compat.changes.values import array_members

Verdict = bool | None
Test = Callable[[str], Verdict]

_WHOLE = frozenset({"int2", "int4", "int8", "numeric"})
_TEXTS = frozenset({"text", "varchar"})
_TRUE = frozenset({"t", "true", "y", "yes", "on", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "off", "0"})
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,6})?")
_TIMESTAMPTZ = re.compile(_TIMESTAMP.pattern + r"(Z|[+-]\d\d(:?\d\d)?)?")


def judge(condition: Condition, column: Column, value: Value) -> Verdict:
    """Whether a row with this value passes; a value that the row does not carry never does."""
    if isinstance(value, Unchanged):
        return False
    if condition.op == "is":
        verdict = _is(condition.value, value)
    elif value is None:
        # A null operand makes every operator null, negated or not; IS DISTINCT FROM sees it.
        return condition.op == "isdistinct" and not condition.negate
    else:
        verdict = _test(condition, column)(value)
    return None if verdict is None else verdict != condition.negate


def _is(wanted: str, value: str | None) -> Verdict:
    if wanted in {"null", "unknown"}:
        return value is None
    return value == wanted[:1]


@lru_cache(maxsize=4096)
def _test(condition: Condition, column: Column) -> Test:
    """The test of a condition, made once: conditions and columns are values."""
    make = _TESTS.get(condition.op)
    test = make(condition.value, column) if make else None
    return test or _unknown


def _unknown(_value: str) -> Verdict:
    return None


def _reader(column: Column, *, ordered: bool) -> Callable[[str], Any] | None:
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
    def make(wanted: str, column: Column) -> Test | None:
        read = _reader(column, ordered=ordered)
        operand = read(wanted) if read else None
        if read is None or operand is None:
            return None

        def test(value: str) -> Verdict:
            read_value = read(value)
            return None if read_value is None else compare(read_value, operand)

        return test

    return make


def _membership(wanted: str, column: Column) -> Test | None:
    read = _reader(column, ordered=False)
    members = array_members(wanted)
    if read is None or members is None:
        return None
    operands = [None if member is None else read(member) for member in members]
    if any(operand is None for operand in operands):
        return None

    def test(value: str) -> Verdict:
        read_value = read(value)
        return None if read_value is None else read_value in operands

    return test


def _likeness(pattern: str, column: Column) -> Test | None:
    if column.type.base not in _TEXTS or not column.is_plain:
        return None
    expression = _like_expression(pattern)
    if expression is None:
        return None
    compiled = re.compile(expression, re.DOTALL)

    def test(value: str) -> Verdict:
        return compiled.fullmatch(value) is not None

    return test


def _like_expression(pattern: str) -> str | None:
    """A LIKE pattern as a regular expression; None where it ends in its escape character.

    Runs of `%` are one, because adjacent ones would make the search explode.
    """
    out: list[str] = []
    symbols = iter(re.sub("%+", "%", pattern))
    for symbol in symbols:
        if symbol == "\\":
            following = next(symbols, None)
            if following is None:
                return None
            out.append(re.escape(following))
        elif symbol == "%":
            out.append(".*")
        else:
            out.append("." if symbol == "_" else re.escape(symbol))
    return "".join(out) if out.count(".*") <= _MANY_WILDCARDS else None


_MANY_WILDCARDS = 4  # beyond it Python's search may backtrack for long; PostgreSQL's does not


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


_TESTS: dict[str, Callable[[str, Column], Test | None]] = {
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

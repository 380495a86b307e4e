"""PostgreSQL text parsed for comparisons, where equal and less agree with PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from realtime_compat.changes.model import Column

Reader = Callable[[str], Any]

_WHOLE = frozenset({"int2", "int4", "int8", "numeric"})
TEXTS = frozenset({"text", "varchar"})
_TRUE = frozenset({"t", "true", "y", "yes", "on", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "off", "0"})
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,6})?")
_TIMESTAMPTZ = re.compile(_TIMESTAMP.pattern + r"(Z|[+-]\d\d(:?\d\d)?)?")


def value_reader(column: Column) -> Reader | None:
    """The parser of a type for equality; values it gives None for, PostgreSQL compares."""
    return _reader(column, ordered=False)


def ordered_reader(column: Column) -> Reader | None:
    """The parser of a type for `<` and `>`; None where PostgreSQL must compare."""
    return _reader(column, ordered=True)


def _reader(column: Column, *, ordered: bool) -> Reader | None:
    base = column.type.base
    if base in _WHOLE:
        return _read_number
    if base in _ORDERED:
        return _ORDERED[base]
    if ordered:
        return None
    if base in TEXTS and column.is_plain:
        return _itself
    if base == "bool":
        return _read_boolean
    return _itself if column.type.is_enum else None


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

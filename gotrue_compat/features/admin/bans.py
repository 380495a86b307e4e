"""Durations of bans (auth reference 7)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal

from compat_base.values.errors import ApiError
from gotrue_compat.features.admin import errors as admin_errors

_TERM = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([^0-9.+-]+)")
_SIGNED = re.compile(rf"([+-]?)(0|(?:{_TERM.pattern})+)")  # Go wants a unit after any number but 0
_NUMBER, _UNIT = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"), re.compile(r"[^0-9.]*")
_NOT_PLAIN = re.compile(r"[^ -\x7f]+")
_UNITS = {
    "ns": 1, "us": 10**3, "\u00b5s": 10**3, "\u03bcs": 10**3, "ms": 10**6, "s": 10**9,
    "m": 60 * 10**9, "h": 3600 * 10**9,
}  # fmt: skip
_LONGEST = 2**63 - 1  # Go counts nanoseconds in 64 bits


def ban_end(text: str, now: datetime) -> datetime | None:
    """The end of a ban, None for `none` or no time; ApiError where it is no Go duration."""
    if text in {"", "none"}:
        return None
    try:
        nanoseconds = _nanoseconds(text)
    except ValueError as error:
        raise ApiError.of(admin_errors.BAN_DURATION, reason=_reason(text)) from error
    return now + timedelta(microseconds=nanoseconds / 1000) if nanoseconds else None


def _nanoseconds(text: str) -> int:
    match = _SIGNED.fullmatch(text)
    if match is None:
        raise ValueError(text)
    terms = _TERM.findall(match.group(2))
    if any(unit not in _UNITS for _, unit in terms):
        raise ValueError(text)
    total = sum(int(Decimal(number) * _UNITS[unit]) for number, unit in terms)
    if total > _LONGEST:
        raise ValueError(text)
    return -total if match.group(1) == "-" else total


def _reason(text: str) -> str:
    """Go's message for a malformed duration: it names the first part that it cannot read."""
    rest = text[1:] if text[:1] in {"+", "-"} else text
    while number := _NUMBER.match(rest):
        rest = rest[number.end() :]
        unit = _UNIT.match(rest)
        name = unit.group() if unit else ""
        if not name:
            return f"time: missing unit in duration {_quoted(text)}"
        if name not in _UNITS:
            return f"time: unknown unit {_quoted(name)} in duration {_quoted(text)}"
        rest = rest[len(name) :]
    return f"time: invalid duration {_quoted(text)}"


def _quoted(text: str) -> str:
    """A text as Go's package of times quotes it: what is not plain ASCII by its bytes."""
    plain = "".join(f"\\{char}" if char in '"\\' else char for char in text)
    return f'"{_NOT_PLAIN.sub(_escaped_bytes, plain)}"'


def _escaped_bytes(match: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in match.group().encode())

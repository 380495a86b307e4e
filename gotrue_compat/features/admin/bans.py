"""Durations of bans (auth reference 7)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from compat_base.values.errors import ApiError
from compat_base.values.settings import duration_seconds
from gotrue_compat.features.admin import errors as admin_errors

_SIGNED = re.compile(r"([+-]?)(0|(?:[0-9.]+[^0-9.+-]+)+)")  # Go wants a unit after any number but 0
_NUMBER, _UNIT = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"), re.compile(r"[^0-9.]*")
_NOT_PLAIN = re.compile(r"[^ -\x7f]+")
_UNITS = frozenset({"ns", "us", "\u00b5s", "\u03bcs", "ms", "s", "m", "h"})
_LONGEST_SECONDS = 2**63 / 1e9  # Go counts nanoseconds in 64 bits


def ban_end(text: str, now: datetime) -> datetime | None:
    """The end of a ban, None for `none` or no time; ApiError where it is no Go duration."""
    if text in {"", "none"}:
        return None
    try:
        seconds = _seconds(text)
    except ValueError as error:
        raise ApiError.of(admin_errors.BAN_DURATION, reason=_reason(text)) from error
    return now + timedelta(seconds=seconds) if seconds else None


def _seconds(text: str) -> float:
    match = _SIGNED.fullmatch(text)
    if match is None:
        raise ValueError(text)
    seconds = duration_seconds(match.group(2))
    if seconds >= _LONGEST_SECONDS:
        raise ValueError(text)
    return -seconds if match.group(1) == "-" else seconds


def _reason(text: str) -> str:
    """What Go says of a text that is no duration: the first thing that it cannot read."""
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

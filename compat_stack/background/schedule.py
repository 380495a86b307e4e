"""Schedules of pg_cron, in UTC: five fields, names such as @daily, or a number of seconds."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_NAMED = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS = 5
_LONGEST_SECONDS = 59
_YEARS = 8  # between two leap days at most


class ScheduleError(ValueError):
    """Text that is no schedule."""


@dataclass(frozen=True, slots=True)
class Every:
    """An interval in seconds, counted from the epoch so that every node agrees."""

    seconds: int

    def next_after(self, moment: datetime) -> datetime | None:
        """The next moment after one."""
        passed = int(moment.timestamp()) // self.seconds
        return datetime.fromtimestamp((passed + 1) * self.seconds, UTC)


@dataclass(frozen=True, slots=True)
class Fields:
    """The minutes, hours, days, months and weekdays (0 is Sunday) of a cron expression."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    is_last_day: bool = False
    is_any_day: bool = True
    """Whether days of the month are unrestricted."""
    is_any_weekday: bool = True

    def next_after(self, moment: datetime) -> datetime | None:
        """The next moment after one; None for a date that never comes, as 30 February."""
        found = moment.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
        last = found.year + _YEARS
        while found.year <= last:
            if not self._has_day(found):
                found = found.replace(hour=0, minute=0) + timedelta(days=1)
            elif found.hour not in self.hours:
                found = found.replace(minute=0) + timedelta(hours=1)
            elif found.minute not in self.minutes:
                found += timedelta(minutes=1)
            else:
                return found
        return None

    def _has_day(self, day: datetime) -> bool:
        if day.month not in self.months:
            return False
        last = calendar.monthrange(day.year, day.month)[1]
        by_day = day.day == last if self.is_last_day else day.day in self.days
        by_weekday = day.isoweekday() % 7 in self.weekdays
        if self.is_any_day or self.is_any_weekday:
            return by_day and by_weekday
        return by_day or by_weekday  # where both are restricted, either is enough


Schedule = Every | Fields


@lru_cache(maxsize=1024)
def parse_schedule(text: str) -> Schedule:
    """Parse a schedule; ScheduleError for other text, and for `@reboot`, which has no moment."""
    words = _NAMED.get(text.strip().lower(), text).lower().split()
    if len(words) == 2 and words[1] in {"second", "seconds"}:  # noqa: PLR2004 — a number and a unit
        seconds = _number(words[0], 1, _LONGEST_SECONDS, ())
        return Every(seconds)
    if len(words) != _FIELDS:
        raise ScheduleError(f"invalid schedule: {text}")
    is_last_day = words[2] == "$"
    weekdays = _field(words[4], 0, 7, _DAYS)
    return Fields(
        _field(words[0], 0, 59),
        _field(words[1], 0, 23),
        frozenset() if is_last_day else _field(words[2], 1, 31),
        _field(words[3], 1, 12, _MONTHS),
        frozenset(day % 7 for day in weekdays),
        is_last_day,
        words[2].startswith("*"),
        words[4].startswith("*"),
    )


def _field(text: str, low: int, high: int, names: tuple[str, ...] = ()) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        bounds, _, step = part.partition("/")
        width = _number(step, 1, 9999, ()) if "/" in part else 1
        if bounds == "*":
            first, last = low, min(high, 6) if names == _DAYS else high
        else:
            start, dash, end = bounds.partition("-")
            first = _number(start, low, high, names)
            last = _number(end, low, high, names) if dash else (high if "/" in part else first)
        if first > last:
            raise ScheduleError(f"invalid schedule: {text}")
        found.update(range(first, last + 1, width))
    return frozenset(found)


def _number(text: str, low: int, high: int, names: tuple[str, ...]) -> int:
    if text[:3] in names:
        return names.index(text[:3]) + low
    if not text.isascii() or not text.isdigit() or len(text) > 4 or not low <= int(text) <= high:  # noqa: PLR2004 — digits
        raise ScheduleError(f"invalid schedule: {text}")
    return int(text)

"""Schedules of pg_cron, in UTC: five fields, names such as @daily, or a number of seconds.

They are read as the original reads them, so that the same jobs run at the same moments: words after
the fifth field count for nothing.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
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
_SECONDS = re.compile(r"\s*([0-9]+)\s*seconds?\s*")
# A step is for `*` and ranges alone.
_RANGE = re.compile(
    r"(?:(?:\*|(?P<first>[a-z0-9]+)-(?P<last>[a-z0-9]+))(?:/(?P<step>[a-z0-9]+))?"
    r"|(?P<only>[a-z0-9]+))"
)
_FIELDS = 5
_LONGEST_SECONDS = 59
_LONGEST_STEP = 999_999_999  # one that is longer than its range leaves the first alone
_YEARS = 8  # between two leap days at most


class ScheduleError(ValueError):
    """Text that is no schedule."""


@dataclass(frozen=True, slots=True)
class Every:
    """An interval in seconds, counted from the epoch so that every node agrees."""

    seconds: int
    is_frequent: bool = True

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
    is_frequent: bool = False
    """Whether it names no time of day: any minute, or any hour."""

    def next_after(self, moment: datetime) -> datetime | None:
        """The next moment after one; None for one that never comes, as 30 February."""
        if not self.minutes or not self.hours:  # else every minute of the years would be tried
            return None
        found = moment.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
        last = found.year + _YEARS
        while found.year <= last:
            if found.month not in self.months:
                later = found.replace(day=1, hour=0, minute=0) + timedelta(days=31)
                found = later.replace(day=1)
            elif not self._has_day(found):
                found = found.replace(hour=0, minute=0) + timedelta(days=1)
            elif found.hour not in self.hours:
                found = found.replace(minute=0) + timedelta(hours=1)
            elif found.minute not in self.minutes:
                found += timedelta(minutes=1)
            else:
                return found
        return None

    def _has_day(self, day: datetime) -> bool:
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
    lowered = text.lower()
    if found := _SECONDS.fullmatch(lowered):
        return Every(_number(found[1], 1, _LONGEST_SECONDS, ()))
    words = lowered.split()
    if words and words[0].startswith("@"):
        words = _NAMED.get(words[0], "").split()
    if len(words) < _FIELDS:
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
        words[0].startswith("*") or words[1].startswith("*"),
    )


def _field(text: str, low: int, high: int, names: tuple[str, ...] = ()) -> frozenset[int]:
    """The values of a list of ranges; characters after it are ignored, as in the original."""
    found: set[int] = set()
    place, after = 0, ","
    while after == ",":
        part = _RANGE.match(text, place)
        after = text[part.end() : part.end() + 1] if part else ""
        if part is None or after == "/" or (part["only"] and after == "-"):
            raise ScheduleError(f"invalid schedule: {text}")
        first = _number(part["only"] or part["first"] or str(low), low, high, names)
        last = _number(part["only"] or part["last"] or str(high), low, high, names)
        found.update(_moments(first, last, _number(part["step"] or "1", 1, _LONGEST_STEP, ()), low))
        place = part.end() + 1
    return frozenset(found)


def _moments(first: int, last: int, step: int, low: int) -> Iterable[int]:
    """The numbers of a range.

    The original sets a bit for each, whole bytes at a time: of a range whose end is before its
    beginning, that leaves the bits up to the end of the first byte, and those of the last one.
    """
    if first <= last:
        return range(first, last + 1, step)
    begin, end = first - low, last - low
    if step > 1 or begin // 8 == end // 8:
        return ()
    bits = [*range(begin, (begin | 7) + 1), *range(end & ~7, end + 1)]
    return (low + bit for bit in bits)


def _number(text: str, low: int, high: int, names: tuple[str, ...]) -> int:
    if text in names:
        return names.index(text) + low
    if not text.isdigit() or len(text) > 9 or not low <= int(text) <= high:  # noqa: PLR2004 — digits
        raise ScheduleError(f"invalid schedule: {text}")
    return int(text)

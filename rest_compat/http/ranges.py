"""Windows of rows: limit and offset, the Range header, and Content-Range (rest reference 4)."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_DIGITS = 1_000  # of a number; PostgreSQL refuses more than 19
BLANKS = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""Haskell's: Python's also have separators, as U+001C and U+2028."""
_BLANK = re.escape(BLANKS)
_NUMBER = re.compile(
    rf"([{_BLANK}(]*+)(-?)[{_BLANK}]*+(0[xX][0-9a-fA-F]+|0[oO][0-7]+|[0-9]+)([{_BLANK})]*)"
)
_BASES = {"0x": 16, "0o": 8}
_HEADER = re.compile(r"([0-9]+)-([0-9]*)")


@dataclass(frozen=True, slots=True)
class Window:
    """Rows `first` to `last`, both counted from 0 and included; `last` None: to the end.

    A window whose last is one before its first is empty (`limit=0`).
    """

    first: int = 0
    last: int | None = None

    def limit(self) -> int | None:
        """How many rows at most."""
        return None if self.last is None else self.last - self.first + 1

    def is_empty(self) -> bool:
        """Whether it can hold no row."""
        return self.last is not None and self.last < self.first

    def intersect(self, other: Window) -> Window:
        """The rows of both."""
        ends = [end for end in (self.last, other.last) if end is not None]
        return Window(max(self.first, other.first), min(ends) if ends else None)

    def capped(self, rows: int | None) -> Window:
        """At most so many rows, counted from the window's own start."""
        return self if rows is None else self.intersect(Window(0, self.first + rows - 1))


ALL = Window()
ZERO = Window(0, -1)  # limit=0


def integer_of(text: str) -> int | None:
    """A number as Haskell's `read` takes it: `5`, ` -5`, `0x1f`, `0o17`, `(5)`; None for others.

    Of more than `MOST_DIGITS` the first count.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    before, sign, digits, after = found.groups()
    if before.count("(") != after.count(")"):
        return None
    number = int(digits[:MOST_DIGITS], _BASES.get(digits[:2].lower(), 10))
    return -number if sign else number


def window_of_header(text: str) -> Window:
    """Read `0-9` or `5-`; anything else is ignored."""
    found = _HEADER.fullmatch(text)
    if found is None:
        return ALL
    first, last = found.groups()
    return Window(int(first[:MOST_DIGITS]), int(last[:MOST_DIGITS]) if last else None)


def content_range(first: int, last: int, total: int | None) -> str:
    """The Content-Range of the rows sent: `0-24/573`, `*/0`, `0-1/*`."""
    rows = f"{first}-{last}" if total != 0 and first <= last else "*"
    return f"{rows}/{'*' if total is None else total}"


def range_status(first: int, last: int, total: int | None) -> int:
    """200, 206 for a part of a known total, 416 for a start beyond it."""
    if total is None:
        return 200
    if first > total:
        return 416
    return 206 if last - first + 1 < total else 200

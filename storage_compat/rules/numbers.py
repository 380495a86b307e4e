"""Whole numbers as clients write them, of whatever length."""

from __future__ import annotations

LARGEST = 2**63 - 1  # what PostgreSQL's bigint holds
_CERTAIN = 18  # digits that always fit a bigint


def whole_number(text: str) -> int | None:
    """The number of some ASCII digits, `LARGEST` for what is beyond; None for any other text."""
    if not (text.isascii() and text.isdecimal()):
        return None
    digits = text.lstrip("0")
    return int(digits or "0") if len(digits) <= _CERTAIN else LARGEST

"""Exponential backoff (rest reference 13.8)."""

from __future__ import annotations

_FIRST = 1.0  # seconds
_LONGEST = 32.0


class Backoff:
    """The delay before a retry: one second, doubled after each failure up to a limit."""

    def __init__(self) -> None:
        self.seconds = _FIRST

    @property
    def is_first(self) -> bool:
        """Whether nothing has failed since the last success."""
        return self.seconds == _FIRST

    def grow(self) -> None:
        """After a failure: wait twice as long."""
        self.seconds = min(self.seconds * 2, _LONGEST)

    def reset(self) -> None:
        """After a success: begin with a second again."""
        self.seconds = _FIRST

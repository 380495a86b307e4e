"""Debounce: a failure that comes in bursts, reported once in a while (rest reference 16.11)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from compat_base.values.errors import Problem


class Debounce:
    """Reports the first of a burst at once, and one more at the end where more came."""

    def __init__(self, seconds: float, report: Callable[[Problem], None]) -> None:
        self._seconds = seconds
        self._report = report
        self._cooling = False
        self._last: Problem | None = None

    def __call__(self, problem: Problem) -> None:
        """Report a problem, now or when the cooldown is over."""
        if self._cooling:
            self._last = problem
            return
        self._cooling = True
        self._report(problem)
        asyncio.get_running_loop().call_later(self._seconds, self._cooled)

    def _cooled(self) -> None:
        problem, self._last, self._cooling = self._last, None, False
        if problem is not None:
            self(problem)

"""Rates and windows on passed-in time (realtime reference 14)."""

from __future__ import annotations

from collections import deque

BUCKET = 5.0  # seconds
WINDOW = 60.0  # seconds


class Rate:
    """An average per second over up to a minute, in buckets of five seconds.

    It is reached at `>=` the limit and lifted below.
    """

    __slots__ = ("_buckets", "_limit", "_total")

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._buckets: deque[tuple[int, int]] = deque()
        self._total = 0

    def add(self, count: int, now: float) -> None:
        """Count events at a moment; moments do not go back by more than a bucket."""
        number = int(now // BUCKET)
        if self._buckets and self._buckets[-1][0] >= number:
            last, held = self._buckets[-1]
            self._buckets[-1] = (last, held + count)
        else:
            self._buckets.append((number, count))
        self._total += count

    def average(self, now: float) -> float:
        """Events per second over the minute that ends now, or over the life of a younger rate."""
        number = int(now // BUCKET)
        oldest = number - int(WINDOW // BUCKET) + 1
        while self._buckets and self._buckets[0][0] < oldest:
            self._total -= self._buckets.popleft()[1]
        if not self._buckets:
            return 0.0
        return self._total / (BUCKET * (number - self._buckets[0][0] + 1))

    def is_reached(self, now: float) -> bool:
        """Whether the average has come up to the limit."""
        return self._total > 0 and self.average(now) >= self._limit

    def headroom(self, now: float) -> int:
        """How many more events a second the limit allows."""
        return max(0, int(self._limit - self.average(now)))


class CallWindow:
    """At most so many calls in a sliding window of seconds."""

    __slots__ = ("_calls", "_limit", "_seconds")

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._calls: deque[float] = deque()

    def admits(self, now: float) -> bool:
        """Count a call; False where the window is full already."""
        while self._calls and self._calls[0] <= now - self._seconds:
            self._calls.popleft()
        if len(self._calls) >= self._limit:
            return False
        self._calls.append(now)
        return True

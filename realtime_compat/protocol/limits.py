"""Limits, and the rates and windows that count towards them (realtime reference 14)."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

BUCKET = 5.0  # seconds
WINDOW = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits beyond which a client is refused or cut off (realtime reference 14).

    Rates are per second over the whole project; sizes are bytes, times seconds.
    """

    connections: int = 10_000
    joins_per_second: int = 1_000
    frames_per_second: int = 500  # of one socket
    bytes_per_second: int = 2_000_000  # of one socket
    authorizations_per_second: int = 50  # of one socket: joins, and new tokens
    sockets_per_address: int = 1_000
    new_sockets_per_address: int = 100  # a second
    channels_per_connection: int = 100
    events_per_second: int = 50_000
    presence_per_second: int = 1_000
    presence_calls: int = 5
    presence_window: float = 30.0
    presence_bytes: int = 4_000_000  # of one room's state
    join_bytes: int = 65_536  # of a join's payload, and of a new token's
    payload_bytes: int = 3_000_500
    batch_bytes: int = 10_000_000
    idle_seconds: float = 60.0
    empty_seconds: float = 600.0
    token_check_seconds: float = 300.0
    replication_wait: float = 60.0
    queue_bytes: int = 8_000_000
    queue_seconds: float = 10.0


class Rate:
    """An average per second over up to a minute, in buckets of five seconds.

    It is reached at `>=` the limit and lifted below. `elsewhere` is what other workers count.
    """

    __slots__ = (
        "_buckets",
        "_current",
        "_current_ends",
        "_earliest",
        "_forgotten",
        "_limit",
        "_span",
        "_total",
        "elsewhere",
    )

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self.elsewhere = 0.0
        self._buckets: deque[tuple[int, int]] = deque()  # number and count of those before
        self._total = 0  # of the buckets before
        self._forgotten = 0
        self._current = 0
        self._current_ends = 0.0
        self._earliest = -math.inf  # moments before are of a clock that was set back
        self._span = BUCKET  # seconds that are counted

    def add(self, count: int, now: float) -> None:
        """Count events at a moment; a clock that goes back a little adds to the present bucket."""
        if not self._earliest <= now < self._current_ends:
            self._begin_bucket(now)
        self._current += count

    def average(self, now: float) -> float:
        """Events per second over the minute that ends now, or over the life of a younger rate."""
        if not self._earliest <= now < self._current_ends:
            self._begin_bucket(now)
        return (self._total + self._current) / self._span

    @property
    def counted(self) -> int:
        """How many events were counted since the start."""
        return self._forgotten + self._total + self._current

    def is_reached(self, now: float) -> bool:
        """Whether the average, with the other workers', has reached the limit."""
        return self.average(now) + self.elsewhere >= self._limit

    def headroom(self, now: float) -> int:
        """How many more events a second the limit allows."""
        return max(0, int(self._limit - self.average(now) - self.elsewhere))

    def _number(self) -> int:
        return int(self._current_ends // BUCKET) - 1

    def _begin_bucket(self, now: float) -> None:
        """Begin the bucket of a moment, and forget those that are a minute old.

        Where the clock was set back, all are: their minute is still to come.
        """
        if now < self._earliest:
            self._forgotten += self._total + self._current
            self._total = self._current = 0
            self._buckets.clear()
        if self._current:
            self._buckets.append((self._number(), self._current))
            self._total += self._current
        self._current = 0
        self._current_ends = (now // BUCKET + 1) * BUCKET
        self._earliest = self._current_ends - 2 * BUCKET
        oldest = self._number() - int(WINDOW // BUCKET) + 1
        while self._buckets and self._buckets[0][0] < oldest:
            old = self._buckets.popleft()[1]
            self._total -= old
            self._forgotten += old
        first = self._buckets[0][0] if self._buckets else self._number()
        self._span = BUCKET * (self._number() - first + 1)


class CallWindows:
    """At most so many calls under each key in a sliding window of seconds.

    At most `most` keys have calls in their window at the same time: those of further keys are
    refused, so that neither new keys nor keys that come again escape the limit.
    """

    __slots__ = ("_calls", "_limit", "_most", "_seconds")

    def __init__(self, limit: int, seconds: float, most: int) -> None:
        self._limit = limit
        self._seconds = seconds
        self._most = most
        self._calls: dict[str, deque[float]] = {}

    def admits(self, key: str, now: float) -> bool:
        """Count a call; False where its window is full already."""
        if key not in self._calls:
            if len(self._calls) >= self._most:
                self._forget(now)
            if len(self._calls) >= self._most:
                return False
        calls = self._calls.setdefault(key, deque())
        while calls and not self._is_within(calls[0], now):
            calls.popleft()
        if len(calls) >= self._limit:
            return False
        calls.append(now)
        return True

    def _forget(self, now: float) -> None:
        self._calls = {
            key: calls for key, calls in self._calls.items() if self._is_within(calls[-1], now)
        }

    def _is_within(self, moment: float, now: float) -> bool:
        """Whether a moment is in the window; one of the far future is of a clock set back since."""
        return abs(now - moment) < self._seconds

"""Rate limits by the generic cell rate algorithm: a bucket is the time at which it is full again.

One number a bucket is enough for what a token bucket does: `rate.burst` events at once, and one
more every `rate.step` seconds. The same rule is SQL in
`store.rate_limits`, where nodes share one database.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice

from compat_base.values.world import Clock
from gotrue_compat.ports import Rate

_ROUNDING = 1e-6  # seconds
_LOOKED_AT = 16  # oldest buckets; the one with the fewest events is evicted


def after_event(full_at: float, now: float, rate: Rate) -> float:
    """The time at which a bucket is full again after one more event."""
    return max(full_at, now) + rate.step


def excess(full_at: float, now: float, rate: Rate) -> float:
    """Seconds until a bucket with this time may take the event; 0 at once."""
    wait = full_at - now - rate.burst * rate.step
    return wait if wait > _ROUNDING else 0.0


class MemoryBuckets:
    """Buckets of one process, at most so many; full ones are forgotten.

    Where there are too many, the least used of the oldest few is forgotten: a flood of new callers
    evicts its own buckets rather than those it has emptied.
    """

    def __init__(self, clock: Clock, most: int) -> None:
        self._clock = clock
        self._most = most
        self._full_at: OrderedDict[bytes, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full_at)

    async def take(self, key: bytes, rate: Rate) -> float:
        """Take one event and give 0, or take none and give the seconds to wait."""
        now = self._clock.monotonic()
        full_at = after_event(self._full_at.get(key, now), now, rate)
        wait = excess(full_at, now, rate)
        if not wait:
            if key not in self._full_at:
                self._make_room(now)
            self._full_at[key] = full_at
        return wait

    async def give_back(self, key: bytes, rate: Rate) -> None:
        """Give one event back."""
        if key in self._full_at:
            self._full_at[key] -= rate.step

    async def sweep(self) -> None:
        """Nothing: each new bucket evicts for itself."""

    def _make_room(self, now: float) -> None:
        """Forget full buckets among the oldest, and one that is not where there are too many.

        The oldest that stay become the youngest, so that every bucket is visited in turn.
        """
        oldest = list(islice(self._full_at, _LOOKED_AT))
        for key in oldest:
            if self._full_at[key] <= now:
                del self._full_at[key]
        if len(self._full_at) < self._most:
            return
        del self._full_at[min(oldest, key=self._full_at.__getitem__)]
        for key in oldest:
            if key in self._full_at:
                self._full_at.move_to_end(key)

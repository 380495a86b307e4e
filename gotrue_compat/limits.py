"""Token buckets on passed-in time (auth reference 10): pure but for the counts they hold."""

from __future__ import annotations

from gotrue_compat.settings.access import Rate

_SWEEP = 10_000  # buckets kept before those that are full again are forgotten


class Limiter:
    """Buckets by key: each holds `rate.burst` events and fills at the rate."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: dict[str, tuple[float, float]] = {}

    def allows(self, key: str, now: float) -> bool:
        """Take one event from the key's bucket, `now` in monotonic seconds; False if empty."""
        if self._rate.events <= 0:
            return False
        level = self._level(key, now)
        if level < 1:
            self._buckets[key] = (level, now)
            return False
        self._buckets[key] = (level - 1, now)
        if len(self._buckets) > _SWEEP:
            self._sweep(now)
        return True

    def _level(self, key: str, now: float) -> float:
        level, at = self._buckets.get(key, (self._rate.burst, now))
        filled = (now - at) * self._rate.events / self._rate.seconds
        return min(self._rate.burst, level + filled)

    def _sweep(self, now: float) -> None:
        kept = {k: v for k, v in self._buckets.items() if self._level(k, now) < self._rate.burst}
        self._buckets = kept

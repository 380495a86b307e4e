"""Limits of a client address: what is open at once, and new connections a second (token bucket).

Pure: time is an argument. IPv6 addresses of one /64 count as one, because a client has all of them.
"""

from __future__ import annotations

from collections import OrderedDict

from compat_base.values.networks import caller_network

BURST_SECONDS = 10  # so many seconds' new connections may come at once: a page's after a restart
KEPT = 10_000  # addresses whose rate is remembered; the ones seen last


class AddressShares:
    """Counts what each address has open, up to its share."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[str, int] = {}

    def take(self, host: str) -> bool:
        """Count an opened connection; False, uncounted, where the address has its share."""
        address = caller_network(host)
        count = self._open.get(address, 0)
        if count >= self._most:
            return False
        self._open[address] = count + 1
        return True

    def give_back(self, host: str) -> None:
        """Count a closed connection."""
        address = caller_network(host)
        count = self._open[address] - 1
        if count:
            self._open[address] = count
        else:
            del self._open[address]


class AddressRates:
    """A token bucket for each address: `rate` a second, bursts of ten times that."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._burst = float(per_second * BURST_SECONDS)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, host: str, now: float) -> bool:
        """Take a token; False where the address has none."""
        address = caller_network(host)
        left, since = self._buckets.get(address, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_second)
        if left < 1:
            return False
        self._buckets[address] = (left - 1, now)
        self._buckets.move_to_end(address)
        if len(self._buckets) > KEPT:
            self._buckets.popitem(last=False)
        return True

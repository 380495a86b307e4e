"""Limits of sockets by client address: open ones, and new ones a second.

The address is the one that a gateway reports (`X-Forwarded-For`, the last hop): without it all
clients would share the gateway's, and are not limited here. An IPv6 client counts by its /64.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from compat_base.values.errors import ApiError
from compat_base.values.networks import caller_network
from realtime_compat import errors
from realtime_compat.protocol.limits import Rate

MAX_ADDRESSES = 10_000  # whose new sockets are counted; the one seen longest ago is forgotten
_LONGEST = 64  # characters of what may be an address


@dataclass(slots=True)
class AddressLimits:
    """The open sockets and recent handshakes of each address."""

    most_open: int
    new_per_second: int
    _open: Counter[str] = field(default_factory=Counter[str])
    _new: dict[str, Rate] = field(default_factory=dict[str, Rate])

    def admit(self, address: str | None, now: float) -> None:
        """Count a handshake; ApiError where its address is over a limit."""
        if address is None:
            return
        rate = self._new.pop(address, None) or Rate(self.new_per_second)
        self._new[address] = rate
        if len(self._new) > MAX_ADDRESSES:
            del self._new[next(iter(self._new))]
        if rate.is_reached(now) or self._open[address] >= self.most_open:
            raise ApiError.of(errors.TOO_MANY_SOCKETS_OF_ADDRESS)
        rate.add(1, now)

    def opened(self, address: str | None) -> None:
        """Count an open socket."""
        if address is not None:
            self._open[address] += 1

    def closed(self, address: str | None) -> None:
        """Count a closed socket."""
        if address is not None:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


def address_of(forwarded_for: str | None) -> str | None:
    """The caller's address by a gateway's header; None without it."""
    if not forwarded_for:
        return None
    return caller_network(forwarded_for.rpartition(",")[2].strip()[:_LONGEST])

"""The open connections of a server: phases, timeouts, and the order of eviction.

Connections in the same phase are kept in the order in which they entered it, so that checking
timeouts costs nothing while none has expired.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Protocol

from uvicorn.server import ServerState

from compat_base.server import heads
from compat_base.server.addresses import AddressRates, AddressShares
from compat_base.server.heads import Refusal
from compat_base.server.round_robin import RoundRobin
from compat_base.server_limits import ServerLimits, address_limit, connection_limit
from compat_base.sockets import open_descriptors

_SHORT_SHARE = 0.25  # of its timeout, after which a stalled connection may be evicted
_LOOKED_AT = 64  # of those that wait for one thing
_SPARE_DESCRIPTORS = 16  # descriptors for files and the database


class Phase:
    """What a connection waits for: numbers, as members of an enumeration cost each request time.

    Those below `SILENT` have no timeout.
    """

    CLOSED = -1
    ACTIVE = 0
    SILENT = 1
    HEAD = 2
    BODY = 3
    SENDING = 4
    IDLE = 5
    LINGERING = 6
    HANDSHAKE = 7


_FIRST_TO_GO = (Phase.LINGERING, Phase.IDLE, Phase.SILENT, Phase.HEAD)


class Waiting(Protocol):
    """A connection, as its timeouts and eviction need it."""

    phase: int

    def on_timeout(self) -> None:
        """Handle its timeout: close, or enter a phase anew."""
        ...

    def evict(self) -> None:
        """Close now: its descriptor is needed."""
        ...

    def has_moved(self) -> bool:
        """Whether there was progress since it began to wait."""
        ...


class Connections(ServerState):
    """uvicorn's shared state, with who waits for what."""

    def __init__(
        self,
        limits: ServerLimits,
        now: Callable[[], float],
        is_shared: Callable[[str], bool] = lambda _host: False,
    ) -> None:
        """`is_shared`: whether many clients share an address, which then has no limit."""
        super().__init__()
        self.limits = limits
        self.round_robin = RoundRobin()
        self.pending_bytes = 0  # of unfinished WebSocket messages
        self.unsent_bytes = 0  # of answers whose clients take no more for now
        self._now = now
        self._is_shared = is_shared
        self._descriptors = open_descriptors()
        self._limit = connection_limit(limits, self._descriptors)
        self._shares = AddressShares(address_limit(limits, self._descriptors))
        self._rates = AddressRates(limits.address_connections_per_second)
        self._unsent: dict[Waiting, int] = {}
        self._waiting: list[dict[Waiting, float]] = [{} for _ in range(Phase.HANDSHAKE + 1)]

    def enter(self, connection: Waiting, phase: int) -> None:
        """Put a connection into a phase."""
        waiting = self._waiting
        if connection.phase > 0:
            waiting[connection.phase].pop(connection, None)
        connection.phase = phase
        if phase > 0:
            waiting[phase][connection] = self._now()

    def hold_unsent(self, connection: Waiting, size: int) -> None:
        """Note how many bytes of the connection's response its client has not read yet.

        If all connections together hold too many, the one that has held some for longest is closed:
        it is the most likely to be an attacker, who does not mean to read the response.
        """
        self.unsent_bytes += size - self._unsent.pop(connection, 0)
        if not size:
            return
        self._unsent[connection] = size
        while self.unsent_bytes > self.limits.unsent_bytes and len(self._unsent) > 1:
            oldest = next(iter(self._unsent))
            self.unsent_bytes -= self._unsent.pop(oldest)
            oldest.evict()

    def sweep(self) -> None:
        """Time out expired connections."""
        now = self._now()
        for phase, seconds in _seconds(self.limits):
            for connection in expired(self._waiting[phase], now - seconds):
                connection.on_timeout()

    def refusal(self, host: str, descriptor: int) -> Refusal | None:
        """The refusal of a new connection; None admits it, and counts it until `leave`."""
        has_share = not self._is_shared(host)
        if has_share and not self._rates.spend(host, self._now()):
            return heads.TOO_FAST
        if has_share and not self._shares.take(host):
            return heads.TOO_MANY_OF_ONE
        if self._has_room(descriptor):
            return None
        self.leave(host)
        return heads.BUSY

    def leave(self, host: str) -> None:
        """Count an admitted connection as closed."""
        if not self._is_shared(host):
            self._shares.give_back(host)

    def _has_room(self, descriptor: int) -> bool:
        """Whether a new connection fits; where there is none, an idle or a slow one is evicted."""
        is_over = len(self.connections) > self._limit
        if not is_over and descriptor < self._descriptors - _SPARE_DESCRIPTORS:
            return True
        for phase in _FIRST_TO_GO:
            for connection in self._waiting[phase]:
                connection.evict()
                return True
        slow = self._slowest()
        if slow is not None:
            slow.evict()
        return slow is not None or not is_over

    def _slowest(self) -> Waiting | None:
        """A connection whose body or answer has not moved for a part of the time it may take."""
        now, limits = self._now(), self.limits
        waits = ((Phase.BODY, limits.body_seconds), (Phase.SENDING, limits.send_seconds))
        for phase, seconds in waits:
            late = expired(self._waiting[phase], now - seconds * _SHORT_SHARE)
            slow = next((each for each in islice(late, _LOOKED_AT) if not each.has_moved()), None)
            if slow is not None:
                return slow
        return None


def _seconds(limits: ServerLimits) -> tuple[tuple[int, float], ...]:
    return (
        (Phase.SILENT, limits.head_seconds),
        (Phase.HEAD, limits.head_seconds),
        (Phase.BODY, limits.body_seconds),
        (Phase.SENDING, limits.send_seconds),
        (Phase.IDLE, limits.idle_seconds),
        (Phase.LINGERING, limits.linger_seconds),
        (Phase.HANDSHAKE, limits.handshake_seconds),
    )


def expired(waiting: dict[Waiting, float], before: float) -> list[Waiting]:
    """The connections that entered their phase before a moment; the mapping is in that order."""
    found: list[Waiting] = []
    for connection, since in waiting.items():
        if since > before:
            break
        found.append(connection)
    return found

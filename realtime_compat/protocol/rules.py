"""Keys, limits, and counters of the project and of a socket, for all channels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from realtime_compat import errors
from realtime_compat.auth import Keys, Revoked
from realtime_compat.protocol.limits import CallWindows, Limits, Rate
from realtime_compat.protocol.messages import RoomName


@dataclass(frozen=True, slots=True)
class Rates:
    """The project's counters, shared by every connection of the process."""

    events: Rate
    presence: Rate
    joins: Rate


class SocketRates:
    """The counters of one socket; they outlive its channels."""

    __slots__ = ("authorizations", "bytes", "frames", "presence")

    def __init__(self, limits: Limits) -> None:
        self.frames = Rate(limits.frames_per_second)
        self.bytes = Rate(limits.bytes_per_second)
        self.authorizations = Rate(limits.authorizations_per_second)
        self.presence = CallWindows(
            limits.presence_calls, limits.presence_window, limits.channels_per_connection
        )

    def flood(self, size: int, now: float) -> str | None:
        """Count a frame of so many bytes; the refusal where its socket sends too much."""
        self.frames.add(1, now)
        self.bytes.add(size, now)
        if self.frames.is_reached(now):
            return errors.TOO_MANY_MESSAGES
        return errors.TOO_MANY_BYTES if self.bytes.is_reached(now) else None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of every channel of the process."""

    keys: Keys
    limits: Limits
    rates: Rates
    presence_size: Callable[[RoomName], int] = lambda _room: 0
    private_only: bool = False
    revoked: Revoked = field(default_factory=Revoked)
    has_siblings: bool = False  # other workers or nodes have members of the same rooms

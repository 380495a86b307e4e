"""The effects that a connection requests of its shell, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from compat_base.values.events import Observation, Severity
from realtime_compat.auth import Caller
from realtime_compat.protocol.join_config import Entry
from realtime_compat.protocol.messages import RoomName, ServerFrame
from realtime_compat.protocol.questions import Question


@dataclass(frozen=True, slots=True)
class Send:
    """Put a frame on the socket."""

    frame: str | bytes


@dataclass(frozen=True, slots=True)
class SendAll:
    """Put several frames on the socket at once; recipients of the same frames share one object."""

    frames: tuple[str | bytes, ...]


@dataclass(frozen=True, slots=True)
class Close:
    """Close the socket once everything before it was sent."""

    code: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Enter:
    """Add a channel to its room."""

    channel: int
    room: RoomName


@dataclass(frozen=True, slots=True)
class Leave:
    """Remove a channel: its membership, presence and subscriptions end."""

    channel: int
    room: RoomName


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Replace a channel's subscription to changes."""

    channel: int
    entries: tuple[Entry, ...]
    caller: Caller


@dataclass(frozen=True, slots=True)
class Watch:
    """A channel's caller changed: end the channel when that caller's session is revoked."""

    caller: Caller


@dataclass(frozen=True, slots=True)
class AwaitReplication:
    """Notify a channel when the stream of database messages is up."""

    channel: int


@dataclass(frozen=True, slots=True)
class Publish:
    """Deliver a frame to every member of a room, the sender only where `to_sender`."""

    room: RoomName
    frame: ServerFrame
    sender: int
    to_sender: bool


@dataclass(frozen=True, slots=True)
class Track:
    """Set a channel's presence; `value` is the JSON text of an object."""

    channel: int
    room: RoomName
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Untrack:
    """End a channel's presence."""

    channel: int
    room: RoomName


@dataclass(frozen=True, slots=True)
class ShowPresence:
    """Send a channel the presence state of its room."""

    channel: int
    room: RoomName


@dataclass(frozen=True, slots=True)
class Observe:
    """Log an observation."""

    observation: Observation


def warning(name: str, **facts: Any) -> Observe:
    """An Observe of a warning."""
    return Observe(Observation(name, Severity.WARNING, facts))


@dataclass(frozen=True, slots=True)
class Ask:
    """A question; the shell calls `Connection.complete` with its id and the answer."""

    id: int
    question: Question


Command: TypeAlias = (
    Close
    | Enter
    | Leave
    | Subscribe
    | Watch
    | AwaitReplication
    | Publish
    | Track
    | Untrack
    | ShowPresence
    | Observe
    | Ask
)
Effect: TypeAlias = Send | SendAll | Command

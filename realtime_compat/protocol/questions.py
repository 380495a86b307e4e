"""Questions of a connection to the database, and the answers, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from compat_base.values.errors import Problem
from realtime_compat.auth import Caller
from realtime_compat.protocol.join_config import Entry, Replay
from realtime_compat.protocol.messages import RoomName


@dataclass(frozen=True, slots=True)
class AskRead:
    """May the caller read broadcasts, and where `presence` also presence, of a private topic?"""

    topic: str
    caller: Caller
    presence: bool
    broadcast: bool = True


@dataclass(frozen=True, slots=True)
class AskWrite:
    """May the caller write to a private topic?"""

    topic: str
    caller: Caller
    extension: str


@dataclass(frozen=True, slots=True)
class AskReplay:
    """Which messages are stored for a private topic?"""

    topic: str
    replay: Replay


@dataclass(frozen=True, slots=True)
class AskSubscribe:
    """Subscribe a channel that is joining to these changes; is that accepted, and live?"""

    channel: int
    entries: tuple[Entry, ...]
    caller: Caller


@dataclass(frozen=True, slots=True)
class AskRouted:
    """Do messages of other workers for a room arrive here? Answered once they do."""

    room: RoomName


TopicQuestion: TypeAlias = AskRead | AskWrite | AskReplay
Question: TypeAlias = TopicQuestion | AskSubscribe | AskRouted


@dataclass(frozen=True, slots=True)
class Notice:
    """A `system` message; `closes` ends the channel after it."""

    extension: str
    message: str
    is_error: bool = False
    closes: bool = False


@dataclass(frozen=True, slots=True)
class ReadAccess:
    """The read access to a private topic."""

    broadcast: bool
    presence: bool = False


@dataclass(frozen=True, slots=True)
class WriteAccess:
    """Whether a private topic may be written to."""

    allowed: bool


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A broadcast that the database keeps."""

    id: str
    event: str
    payload: bytes
    is_binary: bool


@dataclass(frozen=True, slots=True)
class Stored:
    """Stored messages, oldest first."""

    messages: tuple[StoredMessage, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """The question could not be answered."""

    problem: Problem


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The notice about the subscription after the join; None: it follows later."""

    notice: Notice | None


@dataclass(frozen=True, slots=True)
class Routed:
    """Messages of other workers for the room arrive here."""


Answer: TypeAlias = ReadAccess | WriteAccess | Stored | Failed | Subscribed | Routed

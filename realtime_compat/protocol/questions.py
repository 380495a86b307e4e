"""What a connection asks and is answered, as data; a test reads a story as lists."""

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
    """Let a channel that has not joined yet be told of these changes; is that good, and live?"""

    channel: int
    entries: tuple[Entry, ...]
    caller: Caller


@dataclass(frozen=True, slots=True)
class AskRouted:
    """Does what members at other workers send to a room come here yet? Answered once it does."""

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
    """What of a private topic may be read."""

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
    """What a channel is told of its subscription when it has joined; None: it is told later."""

    notice: Notice | None


@dataclass(frozen=True, slots=True)
class Routed:
    """What other workers' members send to the room comes here."""


Answer: TypeAlias = ReadAccess | WriteAccess | Stored | Failed | Subscribed | Routed

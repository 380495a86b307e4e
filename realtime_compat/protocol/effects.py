"""What a connection wants done, what it asks, and what it is told, all of it as data.

Effects and questions go out, answers and deliveries come in: a test reads a story as lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from compat_base.values.errors import Problem
from compat_base.values.events import Observation
from realtime_compat.auth import Caller
from realtime_compat.protocol.codec import Codec
from realtime_compat.protocol.join_config import Entry, Replay
from realtime_compat.protocol.messages import Message, ServerFrame


class RoomName(NamedTuple):
    """Public and private channels of one name are two rooms."""

    topic: str
    is_private: bool


@dataclass(frozen=True, slots=True)
class Send:
    """Put a frame on the socket."""

    frame: str | bytes


@dataclass(frozen=True, slots=True)
class SendAll:
    """Put several frames on the socket at once; one object serves all who are told the same."""

    frames: tuple[str | bytes, ...]


@dataclass(frozen=True, slots=True)
class Close:
    """Close the socket once what was sent is out."""

    code: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Enter:
    """A channel is a member of its room from now on."""

    channel: int
    room: RoomName


@dataclass(frozen=True, slots=True)
class Leave:
    """A channel is gone: its membership, presence and subscriptions end."""

    channel: int
    room: RoomName


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Tell a channel of these changes, in place of what it was told of before."""

    channel: int
    entries: tuple[Entry, ...]
    caller: Caller


@dataclass(frozen=True, slots=True)
class Watch:
    """A channel speaks for this caller from now on: end it when the caller's session does."""

    caller: Caller


@dataclass(frozen=True, slots=True)
class AwaitReplication:
    """Tell a channel when the stream of database messages is up."""

    channel: int


@dataclass(frozen=True, slots=True)
class Publish:
    """Give a frame to every member of a room, the sender only where `to_sender`."""

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
    """Tell a channel who is in its room."""

    channel: int
    room: RoomName


@dataclass(frozen=True, slots=True)
class Observe:
    """Tell the log."""

    observation: Observation


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


TopicQuestion: TypeAlias = AskRead | AskWrite | AskReplay
Question: TypeAlias = TopicQuestion | AskSubscribe


@dataclass(frozen=True, slots=True)
class Ask:
    """A question; its answer comes back by `Connection.complete` with the same id."""

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
class Notice:
    """A `system` message; `closes` ends the channel after it."""

    extension: str
    message: str
    is_error: bool = False
    closes: bool = False


@dataclass(frozen=True, slots=True)
class Subscribed:
    """What a channel is told of its subscription when it has joined; None: it is told later."""

    notice: Notice | None


Answer: TypeAlias = ReadAccess | WriteAccess | Stored | Failed | Subscribed


class Envelope:
    """One frame for many sockets, encoded at most once for each serializer."""

    __slots__ = ("_sends", "frame")

    def __init__(self, frame: ServerFrame) -> None:
        self.frame = frame
        self._sends: dict[Codec, tuple[Send, ...]] = {}

    def sends(self, codec: Codec) -> tuple[Send, ...]:
        """The effect that sends the frame; none where the codec cannot express it."""
        sends = self._sends.get(codec)
        if sends is None:
            sends = self._sends[codec] = _sends(codec.encode(self.frame))
        return sends


class SharedPayloads:
    """Payloads of one event, in order, for channels of any topic.

    They are encoded once for each topic and serializer.
    """

    __slots__ = ("_sends", "event", "payloads")

    def __init__(self, event: str, payloads: tuple[str, ...]) -> None:
        self.event = event
        self.payloads = payloads
        self._sends: dict[tuple[Codec, str], tuple[SendAll]] = {}

    def sends(self, codec: Codec, topic: str) -> tuple[SendAll]:
        """The effect that sends the payloads to a topic."""
        sends = self._sends.get((codec, topic))
        if sends is None:
            frames = (codec.encode(Message(topic, self.event, text)) for text in self.payloads)
            sends = self._sends[codec, topic] = (SendAll(tuple(filter(None, frames))),)
        return sends


def _sends(frame: str | bytes | None) -> tuple[Send, ...]:
    return () if frame is None else (Send(frame),)


@dataclass(frozen=True, slots=True)
class BroadcastDelivery:
    """A broadcast of the room; `message_id` where the database sent it."""

    envelope: Envelope
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class PresenceDelivery:
    """A presence difference of the room."""

    envelope: Envelope


@dataclass(frozen=True, slots=True)
class StateDelivery:
    """The presence state of the room, as JSON text."""

    state: str


@dataclass(frozen=True, slots=True)
class ChangeDelivery:
    """Changes of tables for this channel, in the order of their commits."""

    payloads: SharedPayloads


@dataclass(frozen=True, slots=True)
class ChangesLost:
    """Changes may have been missed: the client is told by `phx_error`, so that it joins anew."""


Delivery: TypeAlias = (
    BroadcastDelivery | PresenceDelivery | StateDelivery | ChangeDelivery | Notice | ChangesLost
)

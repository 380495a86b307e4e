"""Deliveries to channels, encoded once for all recipients of the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from realtime_compat.protocol.codec import Codec
from realtime_compat.protocol.effects import Send, SendAll
from realtime_compat.protocol.messages import Message, ServerFrame
from realtime_compat.protocol.questions import Notice


class Envelope(dict[Codec, tuple[Send, ...]]):
    """One frame for many sockets: by serializer the effect that sends it, encoded on demand.

    None where a serializer cannot express it. `taken` is how many channels it was sent to.
    """

    __slots__ = ("frame", "taken")

    def __init__(self, frame: ServerFrame) -> None:
        super().__init__()
        self.frame = frame
        self.taken = 0

    def __missing__(self, codec: Codec) -> tuple[Send, ...]:
        """Encode the frame."""
        encoded = codec.encode(self.frame)
        sends = self[codec] = () if encoded is None else (Send(encoded),)
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


@dataclass(frozen=True, slots=True)
class BroadcastDelivery:
    """A broadcast to the room; `message_id` where the database sent it."""

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
    """Changes may have been missed: the client gets `phx_error`, so that it joins anew."""


Delivery: TypeAlias = (
    BroadcastDelivery | PresenceDelivery | StateDelivery | ChangeDelivery | Notice | ChangesLost
)

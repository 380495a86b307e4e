"""One membership of a topic: its state, its rights, its frames, and its deliveries.

The handlers of a client's pushes are modules of their own (`client_events`): generators of effects.
A `Question` among them pauses the handler until the answer is sent in, so that the rules read from
top to bottom; further frames for the channel are held back meanwhile (`topics`). Realtime reference
4 to 9 and 12.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from realtime_compat import auth
from realtime_compat.auth import Caller
from realtime_compat.protocol.codec import Codec
from realtime_compat.protocol.deliveries import (
    BroadcastDelivery,
    ChangeDelivery,
    ChangesLost,
    Delivery,
    PresenceDelivery,
    StateDelivery,
)
from realtime_compat.protocol.effects import (
    Effect,
    Leave,
    Send,
)
from realtime_compat.protocol.join_config import JoinConfig
from realtime_compat.protocol.messages import (
    Message,
    Push,
    Ref,
    RoomName,
    ServerFrame,
    UserPush,
)
from realtime_compat.protocol.questions import (
    Answer,
    AskWrite,
    Notice,
    Question,
    ReadAccess,
    WriteAccess,
)
from realtime_compat.protocol.rules import Rules, SocketRates
from realtime_compat.protocol.state import (
    KNOWN_TO_THE_SERVICE,
    TRANSITIONS,
    ChannelEvent,
    ChannelState,
)

Steps: TypeAlias = Generator[Effect | Question, Answer | None, None]


@dataclass(slots=True)
class Channel:
    """One membership of a topic on one socket; `now` is set at every entry of the connection."""

    id: int
    topic: str
    join_ref: Ref
    config: JoinConfig
    caller: Caller
    key: str
    codec: Codec
    rules: Rules
    socket: SocketRates
    now: float
    state: ChannelState = ChannelState.JOINING
    is_joined: bool = False  # by the state; a fan-out to thousands reads it for each message
    read: ReadAccess = field(default_factory=lambda: ReadAccess(broadcast=True, presence=True))
    checks_presence: bool = True
    write: dict[str, bool] = field(default_factory=dict[str, bool])
    replayed: frozenset[str] = frozenset()
    check_at: float = 0.0

    def __post_init__(self) -> None:
        self.set_timer()

    @property
    def name(self) -> str:
        """The topic without its prefix, as policies and messages know it."""
        return self.topic.partition(":")[2]

    @property
    def room(self) -> RoomName:
        """The room of this channel."""
        return RoomName(self.name, self.config.is_private)

    @property
    def is_over(self) -> bool:
        """Whether it has ended: nothing more is received or sent."""
        return self.state is ChannelState.CLOSED

    def move(self, event: ChannelEvent) -> None:
        """Go to the state that the event leads to; KeyError where it leads nowhere."""
        self.state = TRANSITIONS[self.state, event]
        self.is_joined = self.state is ChannelState.JOINED

    def end(self) -> Steps:
        """Leave the room and send `phx_close`."""
        is_known = self.state in KNOWN_TO_THE_SERVICE
        self.move(ChannelEvent.END)
        if is_known:
            yield Leave(self.id, self.room)
        yield self.frame("phx_close", "{}", ref=self.join_ref)

    def fail(self, message: str) -> Steps:
        """Send the reason, and end."""
        yield self.system("system", message, is_error=True)
        yield from self.end()

    # What it may do

    def may_write(self, extension: str) -> Generator[Question, Answer | None, bool]:
        """Whether the caller may write: asked once, cached until the token changes."""
        if not self.config.is_private:
            return True
        if extension not in self.write:
            answer = yield AskWrite(self.name, self.caller, extension)
            if not isinstance(answer, WriteAccess):
                return False
            self.write[extension] = answer.allowed
        return self.write[extension]

    def check_token(self) -> Steps:
        """End the channel when its token has expired; otherwise check again later."""
        try:
            auth.check_time(self.caller.expires, self.now)
        except ApiError as error:
            yield from self.fail(error.problem.message)
            return
        self.set_timer()

    def set_timer(self) -> None:
        """Set the next check of the token."""
        later = self.now + self.rules.limits.token_check_seconds
        self.check_at = min(later, self.caller.expires)

    # What the rest of the service gives it

    def receive(self, delivery: Delivery) -> Sequence[Effect]:
        """Pass a delivery on to the client; no generator, as fan-out calls this."""
        # Every member of a room takes this way; a pattern would make a list at each.
        if isinstance(delivery, BroadcastDelivery):
            if not self.read.broadcast or delivery.message_id in self.replayed:
                return ()
            envelope = delivery.envelope
            sends = envelope[self.codec]
            envelope.taken += len(sends)
            return sends
        match delivery:
            case PresenceDelivery(envelope):
                if self.read.presence:
                    sends = envelope[self.codec]
                    envelope.taken += len(sends)
                    return sends
            case ChangeDelivery():
                events = self.rules.rates.events
                if not events.is_reached(self.now):
                    events.add(len(delivery.payloads.payloads), self.now)
                    return delivery.payloads.sends(self.codec, self.topic)
            case StateDelivery(state):
                return [self.frame("presence_state", state)]
            case Notice(extension, message, is_error, closes):
                notice: list[Effect] = [self.system(extension, message, is_error=is_error)]
                return notice + (effects_of(self.end()) if closes else [])
            case ChangesLost():
                # The membership goes on: a client that does not join again still receives what
                # comes, and one that does replaces it.
                return [self.frame("phx_error", "{}", ref=self.join_ref)]
        return ()

    # Frames

    def reply(self, push: Push | UserPush, status: str, response: Any) -> Send:
        """A `phx_reply` with the refs of the push."""
        body = jsontext.encode({"status": status, "response": response})
        return self._text(Message(push.topic, "phx_reply", body, push.ref, push.join_ref))

    def frame(self, event: str, payload: str, ref: Ref = None) -> Send:
        """A frame to this channel alone, with its join_ref."""
        return self._text(Message(self.topic, event, payload, ref, self.join_ref))

    def system(self, extension: str, message: str, *, is_error: bool) -> Send:
        """A `system` message of an extension."""
        body = {
            "extension": extension,
            "status": "error" if is_error else "ok",
            "message": message,
            "channel": self.name,
        }
        return self.frame("system", jsontext.encode(body))

    def _text(self, message: Message) -> Send:
        return Send(cast("str", self.codec.encode(message)))

    def send(self, frame: ServerFrame) -> Steps:
        """A frame to this channel alone, where its codec can express it."""
        encoded = self.codec.encode(frame)
        if encoded is not None:
            yield Send(encoded)


def effects_of(steps: Steps) -> list[Effect]:
    """The effects of a handler that asks nothing."""
    return [cast("Effect", step) for step in steps]


def read_access(answer: Answer | None) -> ReadAccess:
    """What an answer allows to be read: nothing, where the question failed."""
    return answer if isinstance(answer, ReadAccess) else ReadAccess(broadcast=False)

"""The law of one membership: what a joined channel does with what it hears and is given.

Every handler is a generator of effects. A `Question` among them pauses it until the answer is
sent in, so that the rules read from top to bottom; the connection holds back whatever else comes
for the channel meanwhile. Realtime reference, sections 4 to 9 and 12.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Problem
from compat_base.values.events import Observation, Severity
from realtime_compat import auth, errors
from realtime_compat.auth import Caller
from realtime_compat.errors import join_reason
from realtime_compat.protocol.codec import Codec, read_json, read_presence_call
from realtime_compat.protocol.deliveries import (
    BroadcastDelivery,
    ChangeDelivery,
    ChangesLost,
    Delivery,
    PresenceDelivery,
    StateDelivery,
)
from realtime_compat.protocol.effects import (
    AwaitReplication,
    Effect,
    Enter,
    Leave,
    Observe,
    Publish,
    Send,
    ShowPresence,
    Subscribe,
    Track,
    Untrack,
    Watch,
)
from realtime_compat.protocol.join_config import InvalidReplay, JoinConfig, is_token
from realtime_compat.protocol.messages import (
    BROADCAST,
    CHANGES,
    PRESENCE,
    Message,
    Push,
    Ref,
    RoomName,
    ServerFrame,
    UserBroadcast,
    UserPush,
)
from realtime_compat.protocol.questions import (
    Answer,
    AskRead,
    AskReplay,
    AskSubscribe,
    AskWrite,
    Failed,
    Notice,
    Question,
    ReadAccess,
    Stored,
    StoredMessage,
    Subscribed,
    WriteAccess,
)
from realtime_compat.protocol.rules import Rules, SocketRates

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
    is_joined: bool = False
    is_subscribing: bool = False
    is_over: bool = False
    read: ReadAccess = field(default_factory=lambda: ReadAccess(broadcast=True, presence=True))
    asked_presence: bool = True
    write: dict[str, bool] = field(default_factory=dict[str, bool])
    replayed: frozenset[str] = frozenset()
    check_at: float = 0.0

    def __post_init__(self) -> None:
        self._set_timer()

    @property
    def name(self) -> str:
        """The topic without its prefix, as policies and messages know it."""
        return self.topic.partition(":")[2]

    @property
    def room(self) -> RoomName:
        """The room this channel is a member of."""
        return RoomName(self.name, self.config.is_private)

    # Joining and leaving

    def join(self, push: Push) -> Steps:
        """Ask what must be asked, then reply and enter, or refuse."""
        refusal = None
        stored: tuple[StoredMessage, ...] = ()
        if self.config.is_private:
            refusal = yield from self._authorize_join()
        if refusal is None and self.config.replay is not None:
            found = yield from self._replay()
            refusal, stored = (found, ()) if isinstance(found, Problem) else (None, found)
        if refusal is not None:
            self.is_over = True
            yield self.reply(push, "error", {"reason": join_reason(refusal)})
            return
        yield from self._enter(push, stored)

    def _authorize_join(self) -> Generator[Question, Answer | None, Problem | None]:
        self.asked_presence = self.config.has_presence
        answer = yield AskRead(self.name, self.caller, presence=self.config.has_presence)
        if isinstance(answer, Failed):
            return answer.problem
        self.read = _read_access(answer)
        if self.read.broadcast or self.read.presence:
            return None
        return errors.UNAUTHORIZED_TOPIC.problem(topic=self.name)

    def _replay(self) -> Generator[Question, Answer | None, Problem | tuple[StoredMessage, ...]]:
        if not self.config.is_private:
            return errors.REPLAY_OF_PUBLIC.problem()
        wanted = self.config.replay
        if wanted is None or isinstance(wanted, InvalidReplay):
            return errors.REPLAY_INVALID.problem()
        if not self.read.broadcast:
            return ()
        answer = yield AskReplay(self.name, wanted)
        if not isinstance(answer, Stored):
            return errors.REPLAY_FAILED.problem()
        self.replayed = frozenset(message.id for message in answer.messages)
        return answer.messages

    def _enter(self, push: Push, stored: tuple[StoredMessage, ...]) -> Steps:
        # Live before the reply: whoever changes a row on seeing the reply is heard.
        notice = yield from self._subscribe()
        self.is_joined = True
        shown = [entry.shown() for entry in self.config.changes]
        yield self.reply(push, "ok", {CHANGES: shown})
        for message in stored:
            yield from self._send(self._replayed_frame(message))
        yield Enter(self.id, self.room)
        if notice is not None:
            yield self._system(notice.extension, notice.message, is_error=notice.is_error)
        if self.config.wants_replication_notice:
            yield AwaitReplication(self.id)
        if self.config.has_presence and self.read.presence:
            yield ShowPresence(self.id, self.room)

    def _subscribe(self) -> Generator[Question, Answer | None, Notice | None]:
        """What the channel is to be told of its changes, if it is known already."""
        if not self.config.changes:
            return None
        self.is_subscribing = True
        answer = yield AskSubscribe(self.id, self.config.changes, self.caller)
        return answer.notice if isinstance(answer, Subscribed) else None

    def _replayed_frame(self, message: StoredMessage) -> ServerFrame:
        meta = jsontext.encode({"replayed": True, "id": message.id})
        if message.is_binary:
            return UserBroadcast(self.topic, message.event, message.payload, True, meta)
        body = (
            f'{{"type":"broadcast","event":{jsontext.encode(message.event)},'
            f'"payload":{message.payload.decode()},"meta":{meta}}}'
        )
        return Message(self.topic, BROADCAST, body, join_ref=self.join_ref)

    def end(self) -> Steps:
        """Leave the room and say `phx_close`."""
        self.is_over = True
        if self.is_joined or self.is_subscribing:
            yield Leave(self.id, self.room)
        yield self.frame("phx_close", "{}", ref=self.join_ref)

    # What the client says

    def hear(self, push: Push | UserPush) -> Steps:
        """Handle a push on the joined topic."""
        if isinstance(push, UserPush):
            frame = UserBroadcast(self.topic, push.event, push.payload, push.is_binary)
            yield from self._broadcast(push, frame, len(push.payload))
        elif push.event in EVENTS:
            yield from EVENTS[push.event].handle(self, push)
        else:
            yield _observed("unknown_event", event=push.event[:100], topic=self.name)

    def leave(self, push: Push) -> Steps:
        """Reply, and end."""
        yield self.reply(push, "ok", {})
        yield from self.end()

    # Broadcasts

    def broadcast(self, push: Push) -> Steps:
        """Publish a text frame's payload as it came."""
        frame = Message(self.topic, BROADCAST, push.payload)
        yield from self._broadcast(push, frame, len(push.payload))

    def _broadcast(self, push: Push | UserPush, frame: ServerFrame, size: int) -> Steps:
        rates, limits = self.rules.rates, self.rules.limits
        if rates.events.is_reached(self.now):
            yield from self.fail(errors.TOO_MANY_MESSAGES)
            return
        if not (yield from self._may_write(BROADCAST)):
            return
        if size > limits.payload_bytes:
            if self.config.acknowledges:
                yield self.reply(push, "error", "payload_size_exceeded")
            return
        rates.events.add(1, self.now)
        yield Publish(self.room, frame, self.id, self.config.hears_itself)
        if self.config.acknowledges:
            yield self.reply(push, "ok", {})

    def _may_write(self, extension: str) -> Generator[Question, Answer | None, bool]:
        """Asked at the first use, kept until the token changes."""
        if not self.config.is_private:
            return True
        if extension not in self.write:
            answer = yield AskWrite(self.name, self.caller, extension)
            if not isinstance(answer, WriteAccess):
                return False
            self.write[extension] = answer.allowed
        return self.write[extension]

    # Presence

    def presence(self, push: Push) -> Steps:
        """Track or untrack this member."""
        call = read_presence_call(push.payload)
        event = call.event
        rates = self.rules.rates
        if event is None:
            yield self.reply(push, "ok", {})
            return
        if rates.presence.is_reached(self.now):
            yield from self.fail(errors.TOO_MANY_PRESENCES)
            return
        if not self.socket.presence.admits(self.topic, self.now):
            yield from self.fail(errors.PRESENCE_WINDOW)
            return
        rates.presence.add(1, self.now)
        kind = event.lower() if isinstance(event, str) else ""
        if kind == "track":
            yield from self._track(push, call.tracked())
        elif kind == "untrack":
            yield Untrack(self.id, self.room)
            yield self.reply(push, "ok", {})
        else:
            yield self.reply(push, "error", {})

    def _track(self, push: Push, tracked: str) -> Steps:
        limits = self.rules.limits
        if not tracked.startswith("{"):
            reason = "Presence track payload must be a map"
            yield self.reply(push, "error", {"reason": reason})
            return
        if len(tracked) > limits.payload_bytes:
            yield from self.fail(errors.PRESENCE_TOO_LARGE)
            return
        if self.rules.presence_size(self.room) + len(tracked) > limits.presence_bytes:
            yield from self.fail(errors.PRESENCE_ROOM_FULL)
            return
        if not (yield from self._may_write(PRESENCE)):
            yield self.reply(push, "error", {})
            return
        yield from self._ask_presence()
        # The difference goes out before the reply: a client that looks at its list as soon as the
        # call resolves finds itself there.
        yield Track(self.id, self.room, self.key, tracked)
        yield self.reply(push, "ok", {})

    def _ask_presence(self) -> Generator[Question, Answer | None, None]:
        """A channel that did not ask for presence at its join learns now whether it may read it."""
        if self.asked_presence:
            return
        answer = yield AskRead(self.name, self.caller, presence=True, broadcast=False)
        if isinstance(answer, ReadAccess):
            self.asked_presence = True
            self.read = ReadAccess(self.read.broadcast, answer.presence)

    # Tokens

    def change_token(self, push: Push) -> Steps:
        """Speak for the caller of a new token from now on, where that may read as before."""
        payload = push.payload
        if len(payload) > self.rules.limits.join_bytes:
            yield _observed("access_token_ignored", size=len(payload), topic=self.name)
            return
        token = _object(read_json(payload)).get("access_token")
        if token is None or token == self.caller.token:
            return
        if isinstance(token, str) and not is_token(token):
            return
        if self.socket.authorizations.is_reached(self.now):
            yield from self.fail(errors.TOO_MANY_TOKENS)
            return
        self.socket.authorizations.add(1, self.now)
        try:
            if not isinstance(token, str):
                raise ApiError.of(errors.TOKEN_MALFORMED)
            caller = auth.verify(auth.clean_token(token), self.rules.keys, self.now)
            self.rules.revoked.check(caller)
        except ApiError as error:
            yield from self.fail(error.problem.message)
            return
        yield from self._become(caller)

    def _become(self, caller: Caller) -> Steps:
        if self.config.is_private:
            answer = yield AskRead(self.name, caller, presence=self.asked_presence)
            lost = self._lost_access(answer)
            if lost is not None:
                yield from self.fail(lost)
                return
        self.caller = caller
        if caller.session is not None:
            yield Watch(caller)
        self.write.clear()
        self._set_timer()
        if self.config.changes:
            yield Subscribe(self.id, self.config.changes, caller)

    def _lost_access(self, answer: Answer | None) -> str | None:
        """The text that ends the channel, where the new caller may not read what the old could."""
        if isinstance(answer, Failed):
            return answer.problem.message
        before, self.read = self.read, _read_access(answer)
        if not self.read.broadcast and not self.read.presence:
            return errors.UNAUTHORIZED_TOPIC.problem(topic=self.name).message
        if (before.broadcast and not self.read.broadcast) or (
            before.presence and not self.read.presence
        ):
            return errors.LOST_READ.format(topic=self.name)
        return None

    def check_token(self) -> Steps:
        """End the channel when its token has; otherwise look again later."""
        try:
            auth.check_time(self.caller.expires, self.now)
        except ApiError as error:
            yield from self.fail(error.problem.message)
            return
        self._set_timer()

    def _set_timer(self) -> None:
        later = self.now + self.rules.limits.token_check_seconds
        self.check_at = min(later, self.caller.expires)

    # What the rest of the service gives it

    def receive(self, delivery: Delivery) -> Sequence[Effect]:
        """Pass on what this channel may hear; no generator, because fan-out comes through here."""
        match delivery:
            case BroadcastDelivery():
                if self.read.broadcast and delivery.message_id not in self.replayed:
                    return self._count(delivery.envelope.sends(self.codec))
            case PresenceDelivery():
                if self.read.presence:
                    return self._count(delivery.envelope.sends(self.codec))
            case ChangeDelivery():
                events = self.rules.rates.events
                if not events.is_reached(self.now):
                    events.add(len(delivery.payloads.payloads), self.now)
                    return delivery.payloads.sends(self.codec, self.topic)
            case StateDelivery(state):
                return [self.frame("presence_state", state)]
            case Notice(extension, message, is_error, closes):
                told: list[Effect] = [self._system(extension, message, is_error=is_error)]
                return told + (effects_of(self.end()) if closes else [])
            case ChangesLost():
                # The membership goes on: a client that does not join anew still hears of what
                # comes, and one that does replaces it.
                return [self.frame("phx_error", "{}", ref=self.join_ref)]
        return ()

    def _count(self, sends: tuple[Send, ...]) -> tuple[Send, ...]:
        if sends:
            self.rules.rates.events.add(1, self.now)
        return sends

    # Frames

    def fail(self, message: str) -> Steps:
        """Say why, and end."""
        yield self._system("system", message, is_error=True)
        yield from self.end()

    def reply(self, push: Push | UserPush, status: str, response: Any) -> Send:
        """A `phx_reply` with the refs of what it answers."""
        body = jsontext.encode({"status": status, "response": response})
        return self._text(Message(push.topic, "phx_reply", body, push.ref, push.join_ref))

    def frame(self, event: str, payload: str, ref: Ref = None) -> Send:
        """A frame to this channel alone, with its join_ref."""
        return self._text(Message(self.topic, event, payload, ref, self.join_ref))

    def _system(self, extension: str, message: str, *, is_error: bool) -> Send:
        body = {
            "extension": extension,
            "status": "error" if is_error else "ok",
            "message": message,
            "channel": self.name,
        }
        return self.frame("system", jsontext.encode(body))

    def _text(self, message: Message) -> Send:
        return Send(cast("str", self.codec.encode(message)))

    def _send(self, frame: ServerFrame) -> Steps:
        encoded = self.codec.encode(frame)
        if encoded is not None:
            yield Send(encoded)


def effects_of(steps: Steps) -> list[Effect]:
    """The effects of a handler that asks nothing."""
    return [cast("Effect", step) for step in steps]


def _read_access(answer: Answer | None) -> ReadAccess:
    return answer if isinstance(answer, ReadAccess) else ReadAccess(broadcast=False)


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _observed(name: str, **facts: Any) -> Observe:
    return Observe(Observation(name, Severity.WARNING, facts))


@dataclass(frozen=True, slots=True)
class Event:
    """An event that clients push on a joined topic: what it means, and its handler."""

    meaning: str
    handle: Callable[[Channel, Push], Steps]


EVENTS: dict[str, Event] = {
    "phx_leave": Event("leave the topic", Channel.leave),
    "access_token": Event("replace the channel's token", Channel.change_token),
    BROADCAST: Event("send a message to the topic's members", Channel.broadcast),
    PRESENCE: Event("track or untrack this member", Channel.presence),
}

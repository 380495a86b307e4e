"""One socket without the socket: frames, answers, deliveries and times in, effects out.

Nothing here raises on what a client sends: a bad frame is observed and dropped. `now` is in
seconds since 1970 everywhere, because tokens end by that clock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import cast

from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Problem
from realtime_compat import errors
from realtime_compat.auth import Caller
from realtime_compat.errors import join_reason
from realtime_compat.protocol import client_events
from realtime_compat.protocol.admission import Joins, admit
from realtime_compat.protocol.channel import Channel, effects_of
from realtime_compat.protocol.codec import Codec, read_json
from realtime_compat.protocol.deliveries import Delivery
from realtime_compat.protocol.effects import Close, Effect, Send, Watch, warning
from realtime_compat.protocol.join_config import JoinConfig, read_join_config
from realtime_compat.protocol.joining import join
from realtime_compat.protocol.messages import (
    TOPIC_PREFIX,
    Malformed,
    Message,
    Push,
    Ref,
    UserPush,
)
from realtime_compat.protocol.questions import Answer
from realtime_compat.protocol.rules import Rules, SocketRates
from realtime_compat.protocol.topics import Topic, Topics

HEARTBEAT_TOPIC = "phoenix"


class Connection:
    """The protocol state of one socket.

    `number` gives channel ids unique in the process; `fresh_key` gives presence keys to members
    that bring none.
    """

    def __init__(  # noqa: PLR0913 — who, in what form, by which rules, and three of the world's
        self,
        caller: Caller,
        codec: Codec,
        rules: Rules,
        *,
        number: Callable[[], int],
        fresh_key: Callable[[], str],
        now: float,
    ) -> None:
        self.caller = caller
        self.codec = codec
        self.rules = rules
        self.is_closed = False
        self._number = number
        self._fresh_key = fresh_key
        self._now = now
        self._received_at = now
        self._empty_check_at = now + rules.limits.empty_seconds
        self._topics = Topics(self._handle)
        self._rates = SocketRates(rules.limits)

    @property
    def backlog(self) -> int:
        """The number of held-back frames."""
        return self._topics.backlog

    def receive(self, frame: str | bytes, now: float) -> list[Effect]:
        """Handle a frame."""
        if self.is_closed:
            return []
        self._now = self._received_at = now
        out: list[Effect] = []
        flood = self._rates.flood(len(frame), now)
        if flood is not None:
            self._cut_off(flood, out)
            return out
        push = self.codec.decode(frame)
        if isinstance(push, Malformed):
            out.append(warning("malformed_frame", reason=push.reason[:200], size=len(frame)))
        else:
            self._handle(push, out)
        return out

    def _cut_off(self, reason: str, out: list[Effect]) -> None:
        """Close a socket that sends too much; each channel is notified first."""
        out.append(warning("socket_rate_exceeded"))
        for topic in self._topics:
            topic.held.clear()
            self._fail(topic, reason, out)
        self._close(errors.FLOOD_CLOSE, reason, out)

    def touch(self, now: float) -> None:
        """Note that the client is alive, without a frame."""
        self._now = self._received_at = now

    def complete(self, ask_id: int, answer: Answer, now: float) -> list[Effect]:
        """Handle the answer to a question; one for an ended topic is ignored."""
        self._now = now
        out: list[Effect] = []
        if not self.is_closed:
            self._topics.answer(ask_id, answer, now, out)
        return out

    def deliver(self, channel: int, delivery: Delivery, now: float) -> Sequence[Effect]:
        """Handle a delivery for a channel."""
        topic = self._topics.by_channel.get(channel)
        if topic is None or not (member := topic.channel).is_joined:
            return ()
        self._now = member.now = now
        effects = member.receive(delivery)
        if not member.is_joined:
            out = list(effects)
            self._topics.forget(topic, out)
            return out
        return effects

    def clock_was_set(self, seconds: float) -> None:
        """Note that the clock was set ahead, or back where negative: silence is no longer by that.

        Tokens are checked at once where it was set ahead: whether they have expired is another
        matter.
        """
        self._received_at += seconds
        self._empty_check_at += seconds
        for topic in self._topics:
            topic.channel.check_at += min(0.0, seconds)

    def next_wakeup(self) -> float:
        """The time at which to call `wake`."""
        limits = self.rules.limits
        moments = [self._received_at + limits.idle_seconds, self._empty_check_at]
        moments += [topic.channel.check_at for topic in self._topics]
        return min(moments)

    def wake(self, now: float) -> list[Effect]:
        """Handle timers: expired tokens, missing heartbeats."""
        self._now = now
        out: list[Effect] = []
        limits = self.rules.limits
        if self._received_at + limits.idle_seconds <= now:
            self._close(*errors.IDLE_CLOSE, out)
            return out
        if self._empty_check_at <= now:
            self._empty_check_at = now + limits.empty_seconds
            if not self._topics:
                self._close(*errors.IDLE_CLOSE, out)
                return out
        for topic in self._topics:
            if topic.channel.check_at <= now:
                self._check_token(topic, out)
        return out

    def sessions(self) -> list[str]:
        """The sessions that this socket's tokens belong to."""
        callers = (self.caller, *(topic.channel.caller for topic in self._topics))
        return [caller.session for caller in callers if caller.session is not None]

    def revoke(self, gone: Collection[str], now: float) -> list[Effect]:
        """Close the channels of revoked sessions, and the socket where its own is revoked."""
        self._now = now
        out: list[Effect] = []
        for topic in self._topics:
            if topic.channel.caller.session in gone:
                self._fail(topic, errors.SESSION_REVOKED.message, out)
        if self.caller.session in gone and not self.is_closed:
            self._close(*errors.REVOKED_CLOSE, out)
        return out

    def end(self, now: float) -> list[Effect]:
        """The socket is closed: end every channel as if left."""
        self._now = now
        out: list[Effect] = []
        for topic in self._topics:
            out += [e for e in effects_of(topic.channel.end()) if not isinstance(e, Send)]
        self._topics.clear()
        self.is_closed = True
        return out

    # What the client says

    def _handle(self, push: Push | UserPush, out: list[Effect]) -> None:
        topic = self._topics.named(push.topic)
        if topic is not None and topic.steps is not None:
            topic.held.append(push)
        elif isinstance(push, Push) and push.event == "phx_join":
            self._join(push, topic, out)
        elif topic is not None:
            topic.channel.now = self._now
            self._topics.run(topic, client_events.handle(topic.channel, push), out)
        else:
            self._handle_unjoined(push, out)

    def _handle_unjoined(self, push: Push | UserPush, out: list[Effect]) -> None:
        """Handle a push on a topic that is not joined."""
        is_heartbeat = push.topic == HEARTBEAT_TOPIC and push.event == "heartbeat"
        is_leave = isinstance(push, Push) and push.event == "phx_leave"
        if is_heartbeat or is_leave:
            out.append(self._reply(push, '{"status":"ok","response":{}}'))
        else:
            response = '{"status":"error","response":{"reason":"unmatched topic"}}'
            out.append(self._reply(push, response))

    def _join(self, push: Push, old: Topic | None, out: list[Effect]) -> None:
        if not push.topic.startswith(TOPIC_PREFIX):
            self._handle_unjoined(push, out)
            return
        if old is not None:
            self._topics.run(old, old.channel.end(), out)
        if len(push.payload) > self.rules.limits.join_bytes:
            self._refuse(push, errors.JOIN_TOO_LARGE.problem(), out)
            return
        config = read_join_config(read_json(push.payload))
        if config.faults:
            faults = list(config.faults)
            out.append(warning("InvalidJoinPayload", faults=faults, topic=push.topic[:200]))
        try:
            caller = admit(push.topic, config, self.caller, self._limits_of_joins())
        except ApiError as error:
            self._refuse(push, error.problem, out)
            return
        topic = self._topics.add(self._make_channel(push, config, caller))
        if caller.session is not None:
            out.append(Watch(caller))
        self._topics.run(topic, join(topic.channel, push), out)

    def _limits_of_joins(self) -> Joins:
        return Joins(self.rules, self._rates, len(self._topics), self._now)

    def _refuse(self, push: Push, problem: Problem, out: list[Effect]) -> None:
        reason = join_reason(problem)
        response = {"status": "error", "response": {"reason": reason}}
        out.append(self._reply(push, jsontext.encode(response)))
        out.append(warning("join_refused", reason=reason, topic=push.topic[:200]))
        if problem.code == errors.TOO_MANY_JOINS.code:
            self._close(*errors.JOINS_CLOSE, out)

    def _make_channel(self, push: Push, config: JoinConfig, caller: Caller) -> Channel:
        return Channel(
            id=self._number(),
            topic=push.topic,
            join_ref=_join_ref(push),
            config=config,
            caller=caller,
            key=config.presence_key or self._fresh_key(),
            codec=self.codec,
            rules=self.rules,
            socket=self._rates,
            now=self._now,
        )

    def _check_token(self, topic: Topic, out: list[Effect]) -> None:
        topic.channel.now = self._now
        out.extend(effects_of(topic.channel.check_token()))
        if topic.channel.is_over:
            self._topics.forget(topic, out)

    def _fail(self, topic: Topic, reason: str, out: list[Effect]) -> None:
        topic.channel.now = self._now
        out.extend(effects_of(topic.channel.fail(reason)))
        self._topics.forget(topic, out)

    def _close(self, code: int, reason: str, out: list[Effect]) -> None:
        out += self.end(self._now)
        out.append(Close(code, reason))

    def _reply(self, push: Push | UserPush, payload: str) -> Send:
        message = Message(push.topic, "phx_reply", payload, push.ref, push.join_ref)
        return Send(cast("str", self.codec.encode(message)))


def _join_ref(push: Push) -> Ref:
    """A join without join_ref is named by its ref."""
    return push.ref if push.join_ref is None else push.join_ref

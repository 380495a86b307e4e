"""One socket without the socket: frames, answers, deliveries and times in, effects out.

Nothing here raises on what a client sends: a bad frame is observed and dropped. `now` is in
seconds since 1970 everywhere, because tokens end by that clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import cast

from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Problem
from compat_base.values.events import Observation, Severity
from realtime_compat import errors
from realtime_compat.auth import Caller
from realtime_compat.errors import join_reason
from realtime_compat.protocol.admission import Joins, admit
from realtime_compat.protocol.channel import Channel, Steps, effects_of
from realtime_compat.protocol.codec import Codec, read_json
from realtime_compat.protocol.deliveries import Delivery
from realtime_compat.protocol.effects import Ask, Close, Effect, Observe, Send, Watch
from realtime_compat.protocol.join_config import JoinConfig, read_join_config
from realtime_compat.protocol.messages import (
    TOPIC_PREFIX,
    Malformed,
    Message,
    Push,
    Ref,
    UserPush,
)
from realtime_compat.protocol.questions import Answer, AskRead, AskReplay, AskSubscribe, AskWrite
from realtime_compat.protocol.rules import Rules, SocketRates

HEARTBEAT_TOPIC = "phoenix"


@dataclass(slots=True)
class _Place:
    """A topic of this socket: its channel, the paused handler, and what came meanwhile."""

    channel: Channel
    steps: Steps | None = None
    held: deque[Push | UserPush] = field(default_factory=deque[Push | UserPush])


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
        self._heard_at = now
        self._empty_check_at = now + rules.limits.empty_seconds
        self._topics: dict[str, _Place] = {}
        self._places: dict[int, _Place] = {}
        self._asked: dict[int, _Place] = {}
        self._last_ask = 0
        self._rates = SocketRates(rules.limits)

    @property
    def backlog(self) -> int:
        """Frames held back until a question is answered."""
        return sum(len(place.held) for place in self._asked.values())

    def receive(self, frame: str | bytes, now: float) -> list[Effect]:
        """A frame came."""
        if self.is_closed:
            return []
        self._now = self._heard_at = now
        out: list[Effect] = []
        flood = self._rates.flood(len(frame), now)
        if flood is not None:
            self._cut_off(flood, out)
            return out
        push = self.codec.decode(frame)
        if isinstance(push, Malformed):
            facts = {"reason": push.reason[:200], "size": len(frame)}
            out.append(Observe(Observation("malformed_frame", Severity.WARNING, facts)))
        else:
            self._hear(push, out)
        return out

    def _cut_off(self, reason: str, out: list[Effect]) -> None:
        """End a socket that says too much: each channel is told, then it is closed."""
        out.append(Observe(Observation("socket_rate_exceeded", Severity.WARNING)))
        for place in list(self._places.values()):
            place.channel.now = self._now
            out.extend(effects_of(place.channel.fail(reason)))
            place.held.clear()
            self._forget(place, out)
        self._close(errors.FLOOD_CLOSE, reason, out)

    def touch(self, now: float) -> None:
        """The client has shown that it is there, without a frame."""
        self._now = self._heard_at = now

    def complete(self, ask: int, answer: Answer, now: float) -> list[Effect]:
        """A question was answered; an answer for a topic that is gone does nothing."""
        self._now = now
        place = self._asked.pop(ask, None)
        out: list[Effect] = []
        if place is not None and place.steps is not None and not self.is_closed:
            place.channel.now = now
            self._resume(place, place.steps, answer, out)
        return out

    def deliver(self, channel: int, delivery: Delivery, now: float) -> Sequence[Effect]:
        """The rest of the service has something for a channel."""
        place = self._places.get(channel)
        if place is None or not place.channel.is_joined:
            return ()
        self._now = place.channel.now = now
        effects = place.channel.receive(delivery)
        if place.channel.is_over:
            out = list(effects)
            self._forget(place, out)
            return out
        return effects

    def next_wakeup(self) -> float:
        """The moment at which `wake` wants to be called."""
        limits = self.rules.limits
        moments = [self._heard_at + limits.idle_seconds, self._empty_check_at]
        moments += [place.channel.check_at for place in self._places.values()]
        return min(moments)

    def wake(self, now: float) -> list[Effect]:
        """Time has passed: end what has become too old."""
        self._now = now
        out: list[Effect] = []
        limits = self.rules.limits
        if self._heard_at + limits.idle_seconds <= now:
            self._close(*errors.IDLE_CLOSE, out)
            return out
        if self._empty_check_at <= now:
            self._empty_check_at = now + limits.empty_seconds
            if not self._places:
                self._close(*errors.IDLE_CLOSE, out)
                return out
        for place in list(self._places.values()):
            if place.channel.check_at <= now:
                self._check_token(place, out)
        return out

    def sessions(self) -> list[str]:
        """The sessions that this socket's tokens belong to."""
        callers = (self.caller, *(place.channel.caller for place in self._places.values()))
        return [caller.session for caller in callers if caller.session is not None]

    def revoke(self, gone: Collection[str], now: float) -> list[Effect]:
        """These sessions are gone: their channels end, and the socket where its own is."""
        self._now = now
        out: list[Effect] = []
        for place in list(self._places.values()):
            if place.channel.caller.session in gone:
                place.channel.now = now
                out.extend(effects_of(place.channel.fail(errors.SESSION_REVOKED.message)))
                self._forget(place, out)
        if self.caller.session in gone and not self.is_closed:
            self._close(*errors.REVOKED_CLOSE, out)
        return out

    def end(self, now: float) -> list[Effect]:
        """The socket is gone: every channel ends as if left."""
        self._now = now
        out: list[Effect] = []
        for place in list(self._places.values()):
            out += [e for e in effects_of(place.channel.end()) if not isinstance(e, Send)]
        self._topics.clear()
        self._places.clear()
        self._asked.clear()
        self.is_closed = True
        return out

    # What the client says

    def _hear(self, push: Push | UserPush, out: list[Effect]) -> None:
        place = self._topics.get(push.topic)
        if place is not None and place.steps is not None:
            place.held.append(push)
        elif isinstance(push, Push) and push.event == "phx_join":
            self._join(push, place, out)
        elif place is not None:
            place.channel.now = self._now
            self._run(place, place.channel.hear(push), out)
        else:
            self._hear_outside(push, out)

    def _hear_outside(self, push: Push | UserPush, out: list[Effect]) -> None:
        """A push on a topic that is not joined."""
        is_heartbeat = push.topic == HEARTBEAT_TOPIC and push.event == "heartbeat"
        is_leave = isinstance(push, Push) and push.event == "phx_leave"
        if is_heartbeat or is_leave:
            out.append(self._reply(push, '{"status":"ok","response":{}}'))
        else:
            response = '{"status":"error","response":{"reason":"unmatched topic"}}'
            out.append(self._reply(push, response))

    def _join(self, push: Push, old: _Place | None, out: list[Effect]) -> None:
        if not push.topic.startswith(TOPIC_PREFIX):
            self._hear_outside(push, out)
            return
        if old is not None:
            self._run(old, old.channel.end(), out)
        if len(push.payload) > self.rules.limits.join_bytes:
            self._refuse(push, errors.JOIN_TOO_LARGE.problem(), out)
            return
        config = read_join_config(read_json(push.payload))
        if config.faults:
            facts = {"faults": list(config.faults), "topic": push.topic[:200]}
            out.append(Observe(Observation("InvalidJoinPayload", Severity.WARNING, facts)))
        try:
            caller = admit(push.topic, config, self.caller, self._limits_of_joins())
        except ApiError as error:
            self._refuse(push, error.problem, out)
            return
        place = _Place(self._make_channel(push, config, caller))
        self._topics[push.topic] = self._places[place.channel.id] = place
        if caller.session is not None:
            out.append(Watch(caller))
        self._run(place, place.channel.join(push), out)

    def _limits_of_joins(self) -> Joins:
        return Joins(self.rules, self._rates, len(self._topics), self._now)

    def _refuse(self, push: Push, problem: Problem, out: list[Effect]) -> None:
        response = {"status": "error", "response": {"reason": join_reason(problem)}}
        out.append(self._reply(push, jsontext.encode(response)))
        facts = {"reason": join_reason(problem), "topic": push.topic[:200]}
        out.append(Observe(Observation("join_refused", Severity.WARNING, facts)))
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

    def _check_token(self, place: _Place, out: list[Effect]) -> None:
        place.channel.now = self._now
        out.extend(effects_of(place.channel.check_token()))
        if place.channel.is_over:
            self._forget(place, out)

    # Running a channel's handlers

    def _run(self, place: _Place, steps: Steps, out: list[Effect]) -> None:
        self._resume(place, steps, None, out)

    def _resume(
        self, place: _Place, steps: Steps, answer: Answer | None, out: list[Effect]
    ) -> None:
        """Go on with a handler until it ends or asks; then take up what was held back."""
        place.steps = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration:
                break
            if isinstance(step, AskRead | AskWrite | AskReplay | AskSubscribe):
                self._last_ask += 1
                self._asked[self._last_ask] = place
                place.steps = steps
                out.append(Ask(self._last_ask, step))
                return
            answer = None
            out.append(step)
        if place.channel.is_over:
            self._forget(place, out)
        elif place.held:
            self._hear(place.held.popleft(), out)
            self._take_up(place, out)

    def _take_up(self, place: _Place, out: list[Effect]) -> None:
        while place.held and place.steps is None and not place.channel.is_over:
            self._hear(place.held.popleft(), out)

    def _forget(self, place: _Place, out: list[Effect]) -> None:
        """Take a channel that is over off the books; what was held back meets an unjoined topic."""
        channel = place.channel
        self._places.pop(channel.id, None)
        if self._topics.get(channel.topic) is place:
            del self._topics[channel.topic]
        place.steps = None
        held, place.held = place.held, deque()
        for push in held:
            self._hear(push, out)

    def _close(self, code: int, reason: str, out: list[Effect]) -> None:
        out += self.end(self._now)
        out.append(Close(code, reason))

    def _reply(self, push: Push | UserPush, payload: str) -> Send:
        message = Message(push.topic, "phx_reply", payload, push.ref, push.join_ref)
        return Send(cast("str", self.codec.encode(message)))


def _join_ref(push: Push) -> Ref:
    """A join without join_ref is named by its ref."""
    return push.ref if push.join_ref is None else push.join_ref

"""The topics of one socket: their channels, paused handlers, and held-back frames."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from realtime_compat.protocol.channel import Channel, Steps
from realtime_compat.protocol.effects import Ask, Effect
from realtime_compat.protocol.messages import Push, UserPush
from realtime_compat.protocol.questions import (
    Answer,
    AskRead,
    AskReplay,
    AskRouted,
    AskSubscribe,
    AskWrite,
)

PushHandler: TypeAlias = Callable[[Push | UserPush, list[Effect]], None]


@dataclass(slots=True)
class Topic:
    """A topic of a socket: its channel, the paused handler, and frames held back meanwhile."""

    channel: Channel
    steps: Steps | None = None
    held: deque[Push | UserPush] = field(default_factory=deque[Push | UserPush])
    is_taking_up: bool = False


class Topics:
    """Runs the handlers of channels; `handle` gets a push that was held back.

    `by_channel` finds a topic by the id of its channel, once for each delivery.
    """

    def __init__(self, handle: PushHandler) -> None:
        self._handle = handle
        self._by_name: dict[str, Topic] = {}
        self.by_channel: dict[int, Topic] = {}
        self._pending: dict[int, Topic] = {}
        self._last_ask = 0

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[Topic]:
        """The topics as they are now, whatever happens to them meanwhile."""
        return iter(list(self.by_channel.values()))

    @property
    def backlog(self) -> int:
        """The number of held-back frames."""
        return sum(len(topic.held) for topic in self._pending.values())

    def named(self, name: str) -> Topic | None:
        """The topic with this name."""
        return self._by_name.get(name)

    def add(self, channel: Channel) -> Topic:
        """Add a topic, in place of one that is being replaced."""
        topic = Topic(channel)
        self._by_name[channel.topic] = self.by_channel[channel.id] = topic
        return topic

    def clear(self) -> None:
        """Forget all topics: the socket is closed."""
        self._by_name.clear()
        self.by_channel.clear()
        self._pending.clear()

    def answer(self, ask_id: int, answer: Answer, now: float, out: list[Effect]) -> None:
        """Resume the handler that asked; an answer for an ended topic is ignored."""
        topic = self._pending.pop(ask_id, None)
        if topic is not None and topic.steps is not None:
            topic.channel.now = now
            self._go_on(topic, topic.steps, answer, out)

    def run(self, topic: Topic, steps: Steps, out: list[Effect]) -> None:
        """Run a handler of a topic until it asks or ends."""
        self._go_on(topic, steps, None, out)

    def _go_on(self, topic: Topic, steps: Steps, answer: Answer | None, out: list[Effect]) -> None:
        """Run a handler until it ends or asks; then handle held-back frames."""
        topic.steps = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration:
                break
            if isinstance(step, AskRead | AskWrite | AskReplay | AskSubscribe | AskRouted):
                self._last_ask += 1
                self._pending[self._last_ask] = topic
                topic.steps = steps
                out.append(Ask(self._last_ask, step))
                return
            answer = None
            out.append(step)
        if topic.channel.is_over:
            self.forget(topic, out)
        self._take_up(topic, out)

    def _take_up(self, topic: Topic, out: list[Effect]) -> None:
        # Not from within itself: each held push would take a level of the stack.
        if topic.is_taking_up:
            return
        topic.is_taking_up = True
        while topic.held and topic.steps is None:
            self._handle(topic.held.popleft(), out)
        topic.is_taking_up = False

    def forget(self, topic: Topic, out: list[Effect]) -> None:
        """Remove an ended channel; its held-back frames find no joined topic."""
        channel = topic.channel
        self.by_channel.pop(channel.id, None)
        if self._by_name.get(channel.topic) is topic:
            del self._by_name[channel.topic]
        topic.steps = None
        held, topic.held = topic.held, deque()
        for push in held:
            self._handle(push, out)

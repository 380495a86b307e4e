"""The broker's routing, without sockets: lines are numbers, time is an argument.

After its start a broker holds the messages of a group until its lines have reconnected, or for
`HOLD_SECONDS`: earlier delivery would miss those that are about to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compat_base.broker.frames import (
    EVERYBODY,
    EVERYTHING,
    NODE,
    NUMBER,
    TOPIC,
    BrokenFrameError,
    Kind,
    frame,
    number_bytes,
    split,
)

HOLD_SECONDS = 2.0

Outgoing = tuple[int, bytes]
"""A frame for a line."""


@dataclass(slots=True)
class _Line:
    group: bytes
    node: bytes
    topics: set[bytes]
    taken: int = 0  # the number of its last message
    acknowledged: int = 0


@dataclass(slots=True)
class _Held:
    line: int
    kind: Kind
    payload: bytes


@dataclass(frozen=True, slots=True)
class Expected:
    """So many lines of a group are waited for after a start, of those subscribed to a topic."""

    lines: int
    topic: bytes = EVERYBODY


@dataclass(slots=True)
class Switch:
    """The subscriptions and queues of lines; `expected` lines of a group are waited for.

    `groups` has those of which others are.
    """

    name: bytes
    expected: int
    since: float
    groups: Mapping[bytes, Expected] = field(default_factory=dict[bytes, Expected])
    _lines: dict[int, _Line] = field(default_factory=dict[int, _Line])
    _topics: dict[tuple[bytes, bytes], dict[int, None]] = field(
        default_factory=dict[tuple[bytes, bytes], dict[int, None]]
    )
    _open: set[bytes] = field(default_factory=set[bytes])  # groups that are not held any more
    _held: dict[bytes, list[_Held]] = field(default_factory=dict[bytes, list[_Held]])

    def take(self, line: int, kind: Kind, payload: bytes, now: float) -> list[Outgoing]:
        """Handle a frame of a line. Raises BrokenFrameError."""
        if kind is Kind.HELLO:
            return self._hello(line, payload, now)
        sender = self._lines.get(line)
        if sender is None:
            raise BrokenFrameError("a line that did not say who it is")
        match kind:
            case Kind.SUBSCRIBE:
                self._subscribe(line, sender, split(payload, TOPIC))
                return [(line, frame(Kind.SUBSCRIBED, payload))]
            case Kind.UNSUBSCRIBE:
                for topic in split(payload, TOPIC):
                    self._unsubscribe(line, sender, topic)
            case Kind.PUBLISH | Kind.SEND:
                if sender.group in self._open:
                    return self._route(line, sender, kind, payload)
                self._held.setdefault(sender.group, []).append(_Held(line, kind, payload))
            case _:
                raise BrokenFrameError(f"a line does not send {kind.name}")
        return []

    def gone(self, line: int) -> list[Outgoing]:
        """A line was closed."""
        closed = self._lines.pop(line, None)
        if closed is None:
            return []
        for topic in tuple(closed.topics):
            self._unsubscribe(line, closed, topic)
        return self._peers(closed.group) if closed.group in self._open else []

    @property
    def is_holding(self) -> bool:
        """Whether the messages of a group are held."""
        return bool(self._held_groups())

    def tick(self, now: float) -> list[Outgoing]:
        """Deliver the messages whose hold is over."""
        if now - self.since < HOLD_SECONDS:
            return []
        return [frame for group in self._held_groups() for frame in self._release(group)]

    def _held_groups(self) -> set[bytes]:
        return {each.group for each in self._lines.values()} - self._open

    def acknowledge(self) -> list[Outgoing]:
        """Acknowledge everything that was passed on to their senders."""
        found: list[Outgoing] = []
        for number, line in self._lines.items():
            if line.taken > line.acknowledged:
                line.acknowledged = line.taken
                found.append((number, frame(Kind.ACKNOWLEDGED, number_bytes(line.taken))))
        return found

    def _hello(self, line: int, payload: bytes, now: float) -> list[Outgoing]:
        if line in self._lines or len(payload) < 1 + NODE:
            raise BrokenFrameError("a second or short greeting")
        group, node = payload[:1], payload[1 : 1 + NODE]
        found = _Line(group, node, set())
        self._lines[line] = found
        topics = payload[1 + NODE :]
        self._subscribe(line, found, [EVERYBODY, *split(topics, TOPIC)])
        welcome = [(line, frame(Kind.WELCOME, self.name)), (line, frame(Kind.SUBSCRIBED, topics))]
        if group in self._open:
            return [*welcome, *self._peers(group)]
        is_due = self._is_whole(group) or now - self.since >= HOLD_SECONDS
        return [*welcome, *(self._release(group) if is_due else [])]

    def _is_whole(self, group: bytes) -> bool:
        expected = self.groups.get(group) or Expected(self.expected)
        return len(self._topics.get((group, expected.topic), ())) >= expected.lines

    def _release(self, group: bytes) -> list[Outgoing]:
        self._open.add(group)
        found = self._peers(group)
        for held in self._held.pop(group, []):
            sender = self._lines.get(held.line)
            if sender is not None:
                found += self._route(held.line, sender, held.kind, held.payload)
        return found

    def _peers(self, group: bytes) -> list[Outgoing]:
        """Send every line of a group the list of the others."""
        nodes = {number: each.node for number, each in self._lines.items() if each.group == group}
        return [
            (number, frame(Kind.PEERS, *(each for other, each in nodes.items() if other != number)))
            for number in nodes
        ]

    def _route(self, line: int, sender: _Line, kind: Kind, payload: bytes) -> list[Outgoing]:
        number = payload[:NUMBER]
        if len(number) < NUMBER:
            raise BrokenFrameError("a short message")
        sender.taken = int.from_bytes(number)
        if kind is Kind.SEND:
            to, body = payload[NUMBER : NUMBER + NODE], payload[NUMBER + NODE :]
            recipients = [
                other
                for other, each in self._lines.items()
                if each.node == to and each.group == sender.group
            ]
        else:
            topic, body = payload[NUMBER : NUMBER + TOPIC], payload[NUMBER + TOPIC :]
            subscribed = self._topics.get((sender.group, topic), {})
            to_all_topics = self._topics.get((sender.group, EVERYTHING), {})
            recipients = [other for other in {**subscribed, **to_all_topics} if other != line]
        if not recipients:
            return []
        message = frame(Kind.MESSAGE, sender.node, number, body)
        return [(each, message) for each in recipients]

    def _subscribe(self, line: int, subscriber: _Line, topics: list[bytes]) -> None:
        for topic in topics:
            subscriber.topics.add(topic)
            self._topics.setdefault((subscriber.group, topic), {})[line] = None

    def _unsubscribe(self, line: int, subscriber: _Line, topic: bytes) -> None:
        subscriber.topics.discard(topic)
        members = self._topics.get((subscriber.group, topic), {})
        members.pop(line, None)
        if not members:
            self._topics.pop((subscriber.group, topic), None)

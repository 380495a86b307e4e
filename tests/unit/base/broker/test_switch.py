"""Who hears what, what is held after a start, and what may be forgotten."""

from __future__ import annotations

import pytest

from compat_base.broker.frames import (
    EVERYBODY,
    EVERYTHING,
    BrokenFrameError,
    Kind,
    Splitter,
    frame,
    number_bytes,
)
from compat_base.broker.switch import HOLD_SECONDS, Expected, Outgoing, Switch

GROUP, OTHER = b"\1", b"\2"
TOPIC = b"t" * 16
BROKER = b"broker.."


def node(number: int) -> bytes:
    return number.to_bytes(8)


def sent(outgoing: list[Outgoing], kind: Kind) -> list[tuple[int, bytes]]:
    return [
        (line, payload)
        for line, data in outgoing
        for found, payload in Splitter().feed(data)
        if found is kind
    ]


def hello(switch: Switch, line: int, *topics: bytes, group: bytes = GROUP) -> list[Outgoing]:
    return switch.take(line, Kind.HELLO, group + node(line) + b"".join(topics), 0.0)


def send(switch: Switch, line: int, number: int, topic: bytes, body: bytes) -> list[Outgoing]:
    return switch.take(line, Kind.PUBLISH, number_bytes(number) + topic + body, 0.0)


def message(sender: int, number: int, body: bytes) -> bytes:
    return node(sender) + number_bytes(number) + body


@pytest.fixture
def switch() -> Switch:
    """Lines 1 and 2, both in the topic, 3 outside of it, and 4 of another group."""
    switch = Switch(BROKER, expected=1, since=0.0)
    hello(switch, 1, TOPIC)
    hello(switch, 2, TOPIC)
    hello(switch, 3)
    hello(switch, 4, TOPIC, group=OTHER)
    return switch


def test_a_message_reaches_the_others_of_its_topic_alone(switch: Switch):
    found = sent(send(switch, 1, 7, TOPIC, b"hello"), Kind.MESSAGE)
    assert found == [(2, message(1, 7, b"hello"))]


def test_a_message_for_everybody_stays_in_its_group(switch: Switch):
    found = sent(send(switch, 1, 1, EVERYBODY, b"x"), Kind.MESSAGE)
    assert [line for line, _ in found] == [2, 3]


def test_who_subscribed_to_everything_hears_each_message_once(switch: Switch):
    hello(switch, 5, EVERYTHING, TOPIC)
    found = sent(send(switch, 1, 1, TOPIC, b"x"), Kind.MESSAGE)
    assert sorted(line for line, _ in found) == [2, 5]
    assert [line for line, _ in sent(send(switch, 1, 2, b"u" * 16, b"x"), Kind.MESSAGE)] == [5]


def test_a_message_to_one_reaches_that_one(switch: Switch):
    outgoing = switch.take(1, Kind.SEND, number_bytes(1) + node(3) + b"x", 0.0)
    assert sent(outgoing, Kind.MESSAGE) == [(3, message(1, 1, b"x"))]


def test_who_unsubscribed_from_a_topic_hears_no_more_of_it(switch: Switch):
    switch.take(2, Kind.UNSUBSCRIBE, TOPIC, 0.0)
    assert send(switch, 1, 1, TOPIC, b"x") == []
    switch.take(3, Kind.SUBSCRIBE, TOPIC, 0.0)
    assert [line for line, _ in sent(send(switch, 1, 2, TOPIC, b"x"), Kind.MESSAGE)] == [3]


def test_everybody_is_told_who_is_there_when_that_changes(switch: Switch):
    found = sent(switch.gone(2), Kind.PEERS)
    assert found == [(1, node(3)), (3, node(1))]


def test_messages_are_held_until_every_line_is_back():
    switch = Switch(BROKER, expected=2, since=0.0)
    hello(switch, 1, TOPIC)
    assert send(switch, 1, 1, TOPIC, b"a") == []
    assert send(switch, 1, 2, TOPIC, b"b") == []
    assert switch.acknowledge() == []
    found = hello(switch, 2, TOPIC)
    assert sent(found, Kind.MESSAGE) == [(2, message(1, 1, b"a")), (2, message(1, 2, b"b"))]
    assert sent(switch.acknowledge(), Kind.ACKNOWLEDGED) == [(1, number_bytes(2))]
    assert switch.acknowledge() == []


def test_who_is_not_subscribed_to_a_groups_topic_is_not_waited_for():
    switch = Switch(BROKER, expected=9, since=0.0, groups={GROUP: Expected(1, TOPIC)})
    hello(switch, 1)
    assert send(switch, 1, 1, TOPIC, b"a") == []
    assert hello(switch, 2)
    assert send(switch, 1, 2, TOPIC, b"b") == []
    found = hello(switch, 3, TOPIC)
    assert sent(found, Kind.MESSAGE) == [(3, message(1, 1, b"a")), (3, message(1, 2, b"b"))]


def test_messages_are_not_held_for_ever():
    switch = Switch(BROKER, expected=3, since=0.0)
    hello(switch, 1, TOPIC)
    hello(switch, 2, TOPIC)
    send(switch, 1, 1, TOPIC, b"a")
    assert switch.tick(HOLD_SECONDS - 0.1) == []
    assert sent(switch.tick(HOLD_SECONDS), Kind.MESSAGE) == [(2, message(1, 1, b"a"))]


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (Kind.HELLO, GROUP + node(1)),
        (Kind.PUBLISH, b"short"),
        (Kind.SUBSCRIBE, b"odd"),
        (Kind.MESSAGE, b""),
    ],
)
def test_what_no_line_says_ends_it(switch: Switch, kind: Kind, payload: bytes):
    with pytest.raises(BrokenFrameError):
        switch.take(1, kind, payload, 0.0)


def test_who_did_not_greet_is_not_heard(switch: Switch):
    with pytest.raises(BrokenFrameError):
        send(switch, 9, 1, TOPIC, b"x")
    assert frame(Kind.PUBLISH)

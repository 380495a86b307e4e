"""Broadcasts of a client, as stories (realtime reference 6)."""

from __future__ import annotations

from realtime_compat.protocol.deliveries import (
    BroadcastDelivery,
    Envelope,
)
from realtime_compat.protocol.effects import (
    Enter,
    Publish,
    ShowPresence,
)
from realtime_compat.protocol.messages import Message, UserBroadcast
from realtime_compat.protocol.questions import (
    AskRead,
    AskWrite,
    ReadAccess,
    WriteAccess,
)
from tests.harness_realtime import caller, joined, make_rules
from tests.unit.realtime.protocol.stories import PRIVATE, ROOM, TOPIC, private, private_joined


def test_a_push_with_a_stale_join_ref_is_served():
    joined().hears(["99", None, TOPIC, "broadcast", {"event": "x"}]).wants(
        Publish(ROOM, Message(TOPIC, "broadcast", '{"event":"x"}'), 1, to_sender=False)
    ).silent()


def test_a_binary_push_is_passed_on_untouched():
    push = b"\x03\x01\x01\x0d\x04\x00\x01" + b"13" + TOPIC.encode() + b"ping" + b'{"n":1.10}'
    joined(broadcast={"ack": True}).hears(push).wants(
        Publish(ROOM, UserBroadcast(TOPIC, "ping", b'{"n":1.10}'), 1, to_sender=False)
    ).replies("ok", {}, ref="3").silent()


def test_a_payload_that_is_too_large_is_told_only_with_ack():
    rules = make_rules(payload_bytes=10)
    body = {"event": "x" * 20}
    joined(rules=rules).hears(["1", "2", TOPIC, "broadcast", body]).silent()
    joined(rules=rules, broadcast={"ack": True}).hears(
        ["1", "2", TOPIC, "broadcast", body]
    ).replies("error", "payload_size_exceeded", ref="2").silent()


def test_too_many_messages_close_the_channel():
    story = joined(rules=make_rules(events_per_second=1))
    for _ in range(5):
        story.hears(["1", None, TOPIC, "broadcast", {}]).wants(Publish)
    story.hears(["1", None, TOPIC, "broadcast", {}]).system("error", "Too many messages per second")
    story.closes_channel().silent()


def test_writing_is_asked_once_until_the_token_changes():
    story = private_joined()
    who = caller("authenticated")
    story.hears(["1", None, TOPIC, "broadcast", 1]).wants(
        AskWrite("room", who, "broadcast")
    ).silent()
    story.answered(WriteAccess(allowed=True)).wants(Publish).silent()
    story.hears(["1", None, TOPIC, "broadcast", 2]).wants(Publish).silent()
    other = caller("authenticated", sub="x")
    story.hears(["1", None, TOPIC, "access_token", {"access_token": other.token}])
    story.wants(AskRead("room", other, presence=False)).silent()
    story.answered(ReadAccess(broadcast=True)).silent()
    story.hears(["1", None, TOPIC, "broadcast", 3]).wants(
        AskWrite("room", other, "broadcast")
    ).silent()


def test_a_denied_write_is_silent():
    story = private_joined().hears(["1", "2", TOPIC, "broadcast", 1])
    story.wants(AskWrite("room", caller("authenticated"), "broadcast"))
    story.answered(WriteAccess(allowed=False)).silent()


def test_without_broadcast_read_nothing_is_heard():
    story = private(presence=True).wants(AskRead("room", caller("authenticated"), presence=True))
    story.answered(ReadAccess(broadcast=False, presence=True)).wants(Enter)
    story.replies("ok", {"postgres_changes": []}).wants(ShowPresence(1, PRIVATE))
    story.given(BroadcastDelivery(Envelope(Message(TOPIC, "broadcast", "1")))).silent()


def test_a_broadcast_keeps_the_digits_that_were_sent():
    body = '{"type":"broadcast","event":"e","payload":{"n":1.10,"big":1e999}}'
    joined().hears(f'["1",null,"{TOPIC}","broadcast",{body}]').wants(
        Publish(ROOM, Message(TOPIC, "broadcast", body), 1, to_sender=False)
    ).silent()

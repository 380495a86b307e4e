"""Broadcasts of a client, as scripts (realtime reference 6)."""

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
from tests.unit.realtime.protocol.scripts import PRIVATE, ROOM, TOPIC, private, private_joined


def test_a_push_with_a_stale_join_ref_is_served():
    joined().receives(["99", None, TOPIC, "broadcast", {"event": "x"}]).wants(
        Publish(ROOM, Message(TOPIC, "broadcast", '{"event":"x"}'), 1, to_sender=False)
    ).silent()


def test_a_binary_push_is_passed_on_untouched():
    push = b"\x03\x01\x01\x0d\x04\x00\x01" + b"13" + TOPIC.encode() + b"ping" + b'{"n":1.10}'
    joined(broadcast={"ack": True}).receives(push).wants(
        Publish(ROOM, UserBroadcast(TOPIC, "ping", b'{"n":1.10}'), 1, to_sender=False)
    ).replies("ok", {}, ref="3").silent()


def test_a_payload_that_is_too_large_is_told_only_with_ack():
    rules = make_rules(payload_bytes=10)
    body = {"event": "x" * 20}
    joined(rules=rules).receives(["1", "2", TOPIC, "broadcast", body]).silent()
    joined(rules=rules, broadcast={"ack": True}).receives(
        ["1", "2", TOPIC, "broadcast", body]
    ).replies("error", "payload_size_exceeded", ref="2").silent()


def test_too_many_messages_close_the_channel():
    script = joined(rules=make_rules(events_per_second=1))
    for _ in range(5):
        script.receives(["1", None, TOPIC, "broadcast", {}]).wants(Publish)
    script.receives(["1", None, TOPIC, "broadcast", {}]).system(
        "error", "Too many messages per second"
    )
    script.closes_channel().silent()


def test_writing_is_asked_once_until_the_token_changes():
    script = private_joined()
    who = caller("authenticated")
    script.receives(["1", None, TOPIC, "broadcast", 1]).wants(
        AskWrite("room", who, "broadcast")
    ).silent()
    script.answered(WriteAccess(allowed=True)).wants(Publish).silent()
    script.receives(["1", None, TOPIC, "broadcast", 2]).wants(Publish).silent()
    other = caller("authenticated", sub="x")
    script.receives(["1", None, TOPIC, "access_token", {"access_token": other.token}])
    script.wants(AskRead("room", other, presence=False)).silent()
    script.answered(ReadAccess(broadcast=True)).silent()
    script.receives(["1", None, TOPIC, "broadcast", 3]).wants(
        AskWrite("room", other, "broadcast")
    ).silent()


def test_a_denied_write_is_silent():
    script = private_joined().receives(["1", "2", TOPIC, "broadcast", 1])
    script.wants(AskWrite("room", caller("authenticated"), "broadcast"))
    script.answered(WriteAccess(allowed=False)).silent()


def test_without_broadcast_read_nothing_is_heard():
    script = private(presence=True).wants(AskRead("room", caller("authenticated"), presence=True))
    script.answered(ReadAccess(broadcast=False, presence=True)).wants(Enter)
    script.replies("ok", {"postgres_changes": []}).wants(ShowPresence(1, PRIVATE))
    script.given(BroadcastDelivery(Envelope(Message(TOPIC, "broadcast", "1")))).silent()


def test_a_broadcast_keeps_the_digits_that_were_sent():
    body = '{"type":"broadcast","event":"e","payload":{"n":1.10,"big":1e999}}'
    joined().receives(f'["1",null,"{TOPIC}","broadcast",{body}]').wants(
        Publish(ROOM, Message(TOPIC, "broadcast", body), 1, to_sender=False)
    ).silent()

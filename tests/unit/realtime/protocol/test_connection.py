"""One socket, as scripts: frames, floods, time, deliveries (realtime reference 3, 12, 14)."""

from __future__ import annotations

from typing import Any

import pytest

from realtime_compat.protocol.codec import V1, V2, Codec
from realtime_compat.protocol.deliveries import (
    ChangeDelivery,
    ChangesLost,
    Envelope,
    SharedPayloads,
)
from realtime_compat.protocol.effects import (
    Enter,
    Leave,
    Publish,
)
from realtime_compat.protocol.messages import Message
from realtime_compat.protocol.questions import (
    Notice,
)
from tests.harness_realtime import START, caller, joined, make_rules, new_script
from tests.unit.realtime.protocol.scripts import TOPIC


def test_a_heartbeat_is_answered_with_its_ref():
    new_script().receives([None, "5", "phoenix", "heartbeat", {}]).replies(
        "ok", {}, ref="5", topic="phoenix", join_ref=None
    ).silent()


def test_a_push_on_an_unjoined_topic_is_unmatched_but_a_leave_is_fine():
    script = new_script().receives(["1", "2", TOPIC, "broadcast", {}])
    script.replies("error", {"reason": "unmatched topic"}, ref="2")
    script.receives([None, "3", TOPIC, "phx_leave", {}]).replies("ok", {}, ref="3", join_ref=None)
    script.receives(["1", "4", "other", "phx_join", {}]).replies(
        "error", {"reason": "unmatched topic"}, ref="4", topic="other"
    ).silent()


@pytest.mark.parametrize(
    "frame", ["", "{", "[]", "5", '["1","1","t"]', b"\x03", b"\x07abc", "[1e999]"]
)
def test_garbage_is_observed_and_dropped(frame):
    new_script().receives(frame).observes("malformed_frame").silent()


def test_an_unknown_event_is_observed():
    joined().receives(["1", "2", TOPIC, "odd", {}]).observes("unknown_event").silent()


def test_a_silent_socket_is_closed_with_1000():
    joined().later(61).wants(Leave).closes(1000).silent()


def test_a_silent_socket_is_closed_though_the_clock_is_set_back():
    script = joined()
    script.later(20).clock_set(-86_400)
    script.later(39).silent()
    script.later(1).wants(Leave).closes(1000).silent()


def test_a_socket_is_kept_though_the_clock_is_set_ahead():
    script = joined(who=caller(exp=START + 200_000))
    script.later(20).clock_set(86_400)
    script.later(39).silent()
    script.later(1).wants(Leave).closes(1000).silent()


def test_a_socket_without_a_channel_is_kept_though_the_clock_is_set_ahead():
    script = new_script(idle_seconds=10_000)
    script.clock_set(86_400).later(599).silent()
    script.later(1).closes(1000).silent()


def test_a_token_is_checked_in_time_though_the_clock_is_set_back():
    script = joined(who=caller(exp=START + 10_000))
    script.clock_set(-86_400)
    assert script.connection.next_wakeup() <= script.now + 300


def test_a_socket_without_a_channel_goes_at_the_next_check():
    script = new_script(idle_seconds=10_000).later(601)
    script.closes(1000).silent()


def test_heartbeats_keep_a_socket():
    script = joined()
    for _ in range(5):
        script.later(50).receives([None, "1", "phoenix", "heartbeat", {}])
        script.pending.clear()
    assert not script.connection.is_closed


def test_a_change_goes_to_its_topic_without_refs():
    joined().given(ChangeDelivery(SharedPayloads("postgres_changes", ('{"ids":[1]}',)))).sends(
        [None, None, TOPIC, "postgres_changes", {"ids": [1]}]
    ).silent()


def test_changes_of_one_batch_are_one_effect_that_channels_of_a_topic_share():
    delivery = ChangeDelivery(SharedPayloads("postgres_changes", ('{"n":1}', '{"n":2}')))
    script = joined().given(delivery)
    script.sends([None, None, TOPIC, "postgres_changes", {"n": 1}])
    script.sends([None, None, TOPIC, "postgres_changes", {"n": 2}]).silent()
    (one,) = script.connection.deliver(1, delivery, START)
    (other,) = joined().connection.deliver(1, delivery, START)
    assert one is other


def test_lost_changes_are_an_error_of_the_channel_which_stays():
    joined().given(ChangesLost()).sends(["1", "1", TOPIC, "phx_error", {}]).given(
        Notice("postgres_changes", "Subscribed to PostgreSQL")
    ).system("ok", "Subscribed to PostgreSQL", extension="postgres_changes").silent()


def test_a_notice_may_close():
    joined().given(Notice("system", "late", is_error=True, closes=True)).system(
        "error", "late"
    ).closes_channel().silent()


def test_version_one_frames_have_no_join_ref_and_a_null_ref():
    script = new_script(V1).receives(
        {"topic": TOPIC, "event": "phx_join", "payload": {}, "ref": "1"}
    )
    script.wants(Enter).sends(
        {
            "topic": TOPIC,
            "event": "phx_reply",
            "payload": {"status": "ok", "response": {"postgres_changes": []}},
            "ref": "1",
        }
    )
    script.given(Notice("system", "x")).sends(
        {
            "topic": TOPIC,
            "event": "system",
            "ref": None,
            "payload": {"extension": "system", "status": "ok", "message": "x", "channel": "room"},
        }
    ).silent()


def test_a_frame_for_a_room_is_encoded_once_for_each_serializer():
    envelope = Envelope(Message(TOPIC, "broadcast", "1"))
    assert envelope[V2] is envelope[V2]
    assert envelope[V1] is not envelope[V2]


def test_a_socket_that_floods_is_told_and_closed():
    script = joined(rules=make_rules(frames_per_second=2))
    heartbeat = [None, "9", "phoenix", "heartbeat", {}]
    for _ in range(8):
        script.receives(heartbeat).pending.clear()
    script.receives(heartbeat).observes("socket_rate_exceeded")
    script.system("error", "Too many messages per second").closes_channel().closes(1008).silent()
    script.receives(heartbeat).silent()


def test_a_socket_that_sends_too_many_bytes_is_told_and_closed():
    script = joined(rules=make_rules(bytes_per_second=20_000))
    large = [None, "9", TOPIC, "broadcast", {"body": "x" * 30_000}]
    for _ in range(3):
        script.receives(large).pending.clear()
    script.receives(large).observes("socket_rate_exceeded")
    script.system("error", "Too many bytes per second").closes_channel().closes(1008).silent()


def test_large_frames_that_the_average_allows_are_served():
    script = joined(rules=make_rules(bytes_per_second=20_000))
    large = [None, "9", TOPIC, "broadcast", {"body": "x" * 70_000}]
    for _ in range(3):
        script.receives(large).wants(Publish).silent().later(10)


def test_a_burst_that_the_average_allows_is_served():
    script = new_script(frames_per_second=2)
    heartbeat = [None, "9", "phoenix", "heartbeat", {}]
    answer: dict[str, Any] = {"ref": "9", "topic": "phoenix", "join_ref": None}
    for _ in range(9):
        script.receives(heartbeat).replies("ok", {}, **answer)
    script.later(10).receives(heartbeat).replies("ok", {}, **answer)


@pytest.mark.parametrize("codec", [V1, V2])
def test_a_name_of_more_than_a_thousand_characters_is_a_bad_frame(codec: Codec):
    for names in (("t" * 1001, "e", "1"), ("t", "e" * 1001, "1"), ("t", "e", "1" * 1001)):
        topic, event, ref = names
        frame: object = [None, ref, topic, event, {}]
        if codec is V1:
            frame = {"topic": topic, "event": event, "payload": {}, "ref": ref}
        new_script(codec).receives(frame).observes("malformed_frame").silent()

"""Presence, as scripts (realtime reference 7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from realtime_compat.protocol.deliveries import (
    Envelope,
    PresenceDelivery,
    StateDelivery,
)
from realtime_compat.protocol.effects import (
    Enter,
    ShowPresence,
    Track,
    Untrack,
)
from realtime_compat.protocol.messages import Message
from realtime_compat.protocol.questions import (
    AskRead,
    AskWrite,
    ReadAccess,
    WriteAccess,
)
from tests.harness_realtime import caller, joined, make_rules, new_script
from tests.unit.realtime.protocol.scripts import PRIVATE, ROOM, TOPIC, private_joined


def test_presence_read_is_asked_at_the_first_track():
    script = private_joined().receives(
        ["1", "2", TOPIC, "presence", {"event": "track", "payload": {"a": 1}}]
    )
    who = caller("authenticated")
    script.wants(AskWrite("room", who, "presence")).answered(WriteAccess(allowed=True))
    script.wants(AskRead("room", who, presence=True, broadcast=False)).answered(
        ReadAccess(broadcast=False, presence=True)
    )
    script.wants(Track(1, PRIVATE, "a-fresh-key", '{"a":1}')).replies("ok", {}, ref="2").silent()
    script.given(PresenceDelivery(Envelope(Message(TOPIC, "presence_diff", "{}")))).sends(
        [None, None, TOPIC, "presence_diff", {}]
    )


def test_the_state_is_shown_after_a_join_with_presence():
    joined_script = new_script().joins(presence={"enabled": True, "key": "u"})
    joined_script.wants(Enter).replies("ok", {"postgres_changes": []}).wants(
        ShowPresence(1, ROOM)
    ).silent()
    joined_script.given(StateDelivery("{}")).sends(
        ["1", None, TOPIC, "presence_state", {}]
    ).silent()


def test_the_difference_goes_out_before_the_reply():
    joined(presence={"key": "u"}).receives(
        ["1", "2", TOPIC, "presence", {"event": "Track", "payload": {"n": 1}}]
    ).wants(Track(1, ROOM, "u", '{"n":1}')).replies("ok", {}, ref="2").silent()


@pytest.mark.parametrize(
    ("payload", "status", "response"),
    [
        (
            {"event": "track", "payload": 5},
            "error",
            {"reason": "Presence track payload must be a map"},
        ),
        ({"event": "dance"}, "error", {}),
        ({}, "ok", {}),
        ([], "ok", {}),
    ],
)
def test_odd_presence_calls_are_answered(payload, status, response):
    joined().receives(["1", "2", TOPIC, "presence", payload]).replies(
        status, response, ref="2"
    ).silent()


def test_untrack_is_answered():
    joined().receives(["1", "2", TOPIC, "presence", {"event": "untrack"}]).wants(
        Untrack(1, ROOM)
    ).replies("ok", {}, ref="2").silent()


def test_more_than_five_presence_calls_in_thirty_seconds_close_the_channel():
    script = joined()
    for number in range(5):
        script.receives(
            ["1", None, TOPIC, "presence", {"event": "track", "payload": {"n": number}}]
        )
        script.pending.clear()
    script.later(29.9).receives(["1", None, TOPIC, "presence", {"event": "untrack"}])
    script.system("error", "Client presence rate limit exceeded").closes_channel().silent()


def test_presence_calls_are_counted_on_when_the_topic_is_joined_again():
    script = joined()
    for number in range(2, 7):
        script.receives(
            ["1", None, TOPIC, "presence", {"event": "track", "payload": {"n": number}}]
        )
        script.pending.clear()
        script.receives(["1", "9", TOPIC, "phx_leave", {}]).pending.clear()
        script.joins()
        script.pending.clear()
    script.receives(["1", None, TOPIC, "presence", {"event": "untrack"}])
    script.system("error", "Client presence rate limit exceeded").closes_channel().silent()


def test_a_track_that_is_too_large_closes_the_channel():
    joined(rules=make_rules(payload_bytes=10)).receives(
        ["1", "2", TOPIC, "presence", {"event": "track", "payload": {"x": "y" * 20}}]
    ).system("error", "Track message size exceeded").closes_channel().silent()


def test_a_room_whose_presence_is_full_takes_no_more():
    rules = replace(make_rules(presence_bytes=1000), presence_size=lambda _room: 900)
    script = joined(rules=rules)
    event = {"event": "track", "payload": {"x": "y" * 50}}
    script.receives(["1", "2", TOPIC, "presence", event]).wants(Track)
    script.replies("ok", {}, ref="2").silent()
    event = {"event": "track", "payload": {"x": "y" * 100}}
    script.receives(["1", "3", TOPIC, "presence", event])
    script.system("error", "Presence of this Channel topic is full").closes_channel().silent()

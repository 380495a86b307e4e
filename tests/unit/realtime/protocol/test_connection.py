"""The channel protocol as stories (realtime reference 3 to 9, 12, 14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from realtime_compat import errors
from realtime_compat.protocol.codec import V1, V2, Codec
from realtime_compat.protocol.deliveries import (
    BroadcastDelivery,
    ChangeDelivery,
    ChangesLost,
    Envelope,
    PresenceDelivery,
    SharedPayloads,
    StateDelivery,
)
from realtime_compat.protocol.effects import (
    AwaitReplication,
    Close,
    Enter,
    Leave,
    Publish,
    ShowPresence,
    Subscribe,
    Track,
    Untrack,
)
from realtime_compat.protocol.join_config import Replay, make_entry
from realtime_compat.protocol.messages import Message, RoomName, UserBroadcast
from realtime_compat.protocol.questions import (
    AskRead,
    AskReplay,
    AskSubscribe,
    AskWrite,
    Failed,
    Notice,
    ReadAccess,
    Stored,
    StoredMessage,
    Subscribed,
    WriteAccess,
)
from tests.harness_realtime import FAR, START, caller, joined, make_rules, play, token

ROOM = RoomName("room", is_private=False)
PRIVATE = RoomName("room", is_private=True)
TOPIC = "realtime:room"
TODOS = {"event": "*", "schema": "public", "table": "todos"}
SHOWN = TODOS | {"id": make_entry(TODOS).id}
LIVE = Subscribed(Notice("postgres_changes", "Subscribed to PostgreSQL"))


def private(*, presence: bool = False, who=None, **config):
    story = play(who=who or caller("authenticated"))
    return story.joins(private=True, presence={"enabled": presence}, **config)


def private_joined(**access):
    story = private(presence=access.get("presence", False)).wants(
        AskRead("room", caller("authenticated"), presence=access.get("presence", False))
    )
    story.told(ReadAccess(access.get("broadcast", True), access.get("presence", False)))
    story.pending.clear()
    return story


# Joining and leaving


def test_a_join_is_answered_first_and_then_entered():
    play().joins().replies("ok", {"postgres_changes": []}).wants(Enter(1, ROOM)).silent()


def test_entries_come_back_untouched_with_their_ids():
    entry = {"event": "INSERT", "table": "todos", "x": None}
    number = make_entry(entry).id
    play().joins(postgres_changes=[entry, None]).wants(
        AskSubscribe(1, (make_entry(entry),), caller())
    ).told(LIVE).replies("ok", {"postgres_changes": [entry | {"id": number}]}).wants(Enter).system(
        "ok", "Subscribed to PostgreSQL", extension="postgres_changes"
    ).silent()


def test_a_join_is_not_answered_before_its_changes_are_live():
    story = play().joins(postgres_changes=[TODOS]).wants(AskSubscribe).silent()
    story.given(ChangeDelivery(SharedPayloads("postgres_changes", ("{}",)))).silent()
    story.told(Subscribed(None)).replies("ok", {"postgres_changes": [SHOWN]}).wants(Enter).silent()
    story.given(ChangeDelivery(SharedPayloads("postgres_changes", ("{}",)))).says(
        [None, None, TOPIC, "postgres_changes", {}]
    ).silent()


def test_a_socket_lost_while_its_changes_are_asked_for_leaves():
    story = play().joins(postgres_changes=[TODOS]).wants(AskSubscribe).silent()
    assert story.connection.end(START) == [Leave(1, ROOM)]
    story.told(LIVE).silent()


def test_a_leave_while_changes_are_asked_for_waits_for_the_reply():
    story = play().joins(postgres_changes=[TODOS]).wants(AskSubscribe).silent()
    story.hears(["1", "2", TOPIC, "phx_leave", {}]).silent()
    story.told(Subscribed(None)).replies("ok", {"postgres_changes": [SHOWN]}).wants(Enter)
    story.replies("ok", {}, ref="2").closes_channel().silent()


def test_equal_entries_have_equal_ids_that_are_not_zero():
    assert make_entry({"a": 1, "b": 2}).id == make_entry({"b": 2, "a": 1}).id > 0


def test_a_join_without_join_ref_is_named_by_its_ref():
    story = play().hears([None, "7", TOPIC, "phx_join", {}])
    story.replies("ok", {"postgres_changes": []}, ref="7", join_ref=None).wants(Enter).silent()
    story.hears([None, "8", TOPIC, "phx_leave", {}])
    story.replies("ok", {}, ref="8", join_ref=None).closes_channel(ref="7").silent()


def test_a_second_join_ends_the_first():
    joined().hears(["2", "2", TOPIC, "phx_join", {}]).wants(Leave(1, ROOM)).says(
        ["1", "1", TOPIC, "phx_close", {}]
    ).replies("ok", {"postgres_changes": []}, ref="2", join_ref="2").wants(Enter(2, ROOM)).silent()


def test_a_leave_is_answered_and_closed():
    joined().hears(["1", "2", TOPIC, "phx_leave", {}]).replies(
        "ok", {}, ref="2"
    ).closes_channel().silent()


def test_a_lost_socket_leaves_every_channel():
    story = joined()
    assert story.connection.end(START) == [Leave(1, ROOM)]
    assert story.connection.receive("[]", START) == []


@pytest.mark.parametrize(
    ("topic", "config", "rules", "reason"),
    [
        ("realtime:", {}, {}, "TopicNameRequired: You must provide a topic name"),
        (
            TOPIC,
            {},
            {"private_only": True},
            "PrivateOnly: This project only allows private channels",
        ),
        (
            TOPIC,
            {"broadcast": {"replay": {"since": 1}}},
            {},
            "UnableToReplayMessages: Replay is not allowed for public channels",
        ),
    ],
)
def test_a_join_is_refused_with_its_reason(topic, config, rules, reason):
    story = play(rules=make_rules(**rules)).joins(topic, **config)
    story.replies("error", {"reason": reason}, topic=topic)
    story.pending = [e for e in story.pending if not hasattr(e, "observation")]
    story.silent()


@pytest.mark.parametrize(
    ("access_token", "reason"),
    [
        ("nonsense", "MalformedJWT: The token provided is not a valid JWT"),
        ("", "MalformedJWT: The token provided is not a valid JWT"),
        (token(exp=START - 30), "InvalidJWTToken: Token has expired 30 seconds ago"),
        (token("", exp=START - 30), "InvalidJWTToken: Token has expired 30 seconds ago"),
        (token(exp=None), "InvalidJWTToken: Fields `role` and `exp` are required in JWT"),
        (token()[:-4] + "aaaa", "JwtSignatureError: Failed to validate JWT signature"),
    ],
)
def test_a_join_with_a_bad_token_says_what_is_wrong(access_token, reason):
    play().hears(["1", "1", TOPIC, "phx_join", {"access_token": access_token}]).replies(
        "error", {"reason": reason}
    ).observes("join_refused").silent()


def test_an_opaque_key_counts_as_no_token():
    play().hears(["1", "1", TOPIC, "phx_join", {"access_token": "sb_x"}]).replies(
        "ok", {"postgres_changes": []}
    ).wants(Enter).silent()


def test_too_many_channels_are_refused():
    play(channels_per_connection=1).joins("realtime:a").replies(
        "ok", {"postgres_changes": []}, topic="realtime:a"
    ).wants(Enter).joins("realtime:b").replies(
        "error", {"reason": "ChannelRateLimitReached: Too many channels"}, topic="realtime:b"
    ).observes("join_refused").silent()


def test_too_many_joins_close_the_socket():
    story = play(joins_per_second=1)
    for _ in range(5):
        story.joins()
        story.pending.clear()
    story.joins().wants(Leave)
    assert story.pending[-1] == Close(1001)


def test_a_part_that_does_not_fit_becomes_its_default():
    play().joins(private="maybe", broadcast=5, postgres_changes={}).observes(
        "InvalidJoinPayload"
    ).replies("ok", {"postgres_changes": []}).wants(Enter(1, ROOM)).silent()


def test_booleans_may_be_words():
    joined(broadcast={"self": "TRUE", "ack": "true"}).hears(
        ["1", "2", TOPIC, "broadcast", 1]
    ).wants(Publish(ROOM, Message(TOPIC, "broadcast", "1"), 1, to_sender=True)).replies(
        "ok", {}, ref="2"
    ).silent()


# Outside of channels


def test_a_heartbeat_is_answered_with_its_ref():
    play().hears([None, "5", "phoenix", "heartbeat", {}]).replies(
        "ok", {}, ref="5", topic="phoenix", join_ref=None
    ).silent()


def test_a_push_on_an_unjoined_topic_is_unmatched_but_a_leave_is_fine():
    story = play().hears(["1", "2", TOPIC, "broadcast", {}])
    story.replies("error", {"reason": "unmatched topic"}, ref="2")
    story.hears([None, "3", TOPIC, "phx_leave", {}]).replies("ok", {}, ref="3", join_ref=None)
    story.hears(["1", "4", "other", "phx_join", {}]).replies(
        "error", {"reason": "unmatched topic"}, ref="4", topic="other"
    ).silent()


@pytest.mark.parametrize(
    "frame", ["", "{", "[]", "5", '["1","1","t"]', b"\x03", b"\x07abc", "[1e999]"]
)
def test_garbage_is_observed_and_dropped(frame):
    play().hears(frame).observes("malformed_frame").silent()


def test_an_unknown_event_is_observed():
    joined().hears(["1", "2", TOPIC, "odd", {}]).observes("unknown_event").silent()


# Broadcast


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


# Private channels


def test_a_private_join_asks_before_it_answers():
    story = private().wants(AskRead("room", caller("authenticated"), presence=False)).silent()
    story.told(ReadAccess(broadcast=True)).replies("ok", {"postgres_changes": []}).wants(
        Enter(1, PRIVATE)
    ).silent()


def test_what_comes_while_a_question_is_open_waits_its_turn():
    story = private().wants(AskRead("room", caller("authenticated"), presence=False))
    story.hears(["1", "2", TOPIC, "phx_leave", {}]).silent()
    story.told(ReadAccess(broadcast=True)).replies("ok", {"postgres_changes": []}).wants(Enter)
    story.replies("ok", {}, ref="2").closes_channel().silent()


def test_a_refused_join_lets_what_waited_meet_an_unjoined_topic():
    story = private().wants(AskRead("room", caller("authenticated"), presence=False))
    story.hears(["1", "2", TOPIC, "broadcast", {}]).silent()
    reason = "Unauthorized: You do not have permissions to read from this Channel topic: room"
    story.told(ReadAccess(broadcast=False)).replies("error", {"reason": reason})
    story.replies("error", {"reason": "unmatched topic"}, ref="2").silent()


def test_a_question_that_cannot_be_answered_refuses_with_its_reason():
    private().wants(AskRead("room", caller("authenticated"), presence=False)).told(
        Failed(errors.MISSING_PARTITION.problem())
    ).replies(
        "error",
        {"reason": "MissingPartition: Realtime was unable to find the expected messages partition"},
    ).silent()


def test_writing_is_asked_once_until_the_token_changes():
    story = private_joined()
    who = caller("authenticated")
    story.hears(["1", None, TOPIC, "broadcast", 1]).wants(
        AskWrite("room", who, "broadcast")
    ).silent()
    story.told(WriteAccess(allowed=True)).wants(Publish).silent()
    story.hears(["1", None, TOPIC, "broadcast", 2]).wants(Publish).silent()
    other = caller("authenticated", sub="x")
    story.hears(["1", None, TOPIC, "access_token", {"access_token": other.token}])
    story.wants(AskRead("room", other, presence=False)).silent()
    story.told(ReadAccess(broadcast=True)).silent()
    story.hears(["1", None, TOPIC, "broadcast", 3]).wants(
        AskWrite("room", other, "broadcast")
    ).silent()


def test_a_denied_write_is_silent():
    story = private_joined().hears(["1", "2", TOPIC, "broadcast", 1])
    story.wants(AskWrite("room", caller("authenticated"), "broadcast"))
    story.told(WriteAccess(allowed=False)).silent()


def test_without_broadcast_read_nothing_is_heard():
    story = private(presence=True).wants(AskRead("room", caller("authenticated"), presence=True))
    story.told(ReadAccess(broadcast=False, presence=True)).replies("ok", {"postgres_changes": []})
    story.wants(Enter).wants(ShowPresence(1, PRIVATE))
    story.given(BroadcastDelivery(Envelope(Message(TOPIC, "broadcast", "1")))).silent()


def test_losing_one_right_and_losing_all_have_their_words():
    story = private(presence=True)
    story.pending.clear()
    story.connection.complete(1, ReadAccess(broadcast=True, presence=True), START)
    other = caller("authenticated", sub="x")
    story.hears(["1", None, TOPIC, "access_token", {"access_token": other.token}])
    story.wants(AskRead("room", other, presence=True)).told(
        ReadAccess(broadcast=True, presence=False)
    )
    story.system("error", "You no longer have permission to read from this Channel topic: room")
    story.closes_channel().silent()


def test_presence_read_is_asked_at_the_first_track():
    story = private_joined().hears(
        ["1", "2", TOPIC, "presence", {"event": "track", "payload": {"a": 1}}]
    )
    who = caller("authenticated")
    story.wants(AskWrite("room", who, "presence")).told(WriteAccess(allowed=True))
    story.wants(AskRead("room", who, presence=True, broadcast=False)).told(
        ReadAccess(broadcast=False, presence=True)
    )
    story.wants(Track(1, PRIVATE, "a-fresh-key", '{"a":1}')).replies("ok", {}, ref="2").silent()
    story.given(PresenceDelivery(Envelope(Message(TOPIC, "presence_diff", "{}")))).says(
        [None, None, TOPIC, "presence_diff", {}]
    )


def test_replayed_messages_follow_the_reply_and_do_not_come_twice():
    story = private(broadcast={"replay": {"since": 5, "limit": 99}})
    story.wants(AskRead("room", caller("authenticated"), presence=False)).told(
        ReadAccess(broadcast=True)
    )
    story.wants(AskReplay("room", Replay(5, 25)))
    story.told(
        Stored(
            (
                StoredMessage("m1", "ev", b'{"n":1}', is_binary=False),
                StoredMessage("m2", "ev", b"\x00", is_binary=True),
            )
        )
    )
    story.replies("ok", {"postgres_changes": []})
    meta = {"replayed": True, "id": "m1"}
    story.says(
        [
            "1",
            None,
            TOPIC,
            "broadcast",
            {"type": "broadcast", "event": "ev", "payload": {"n": 1}, "meta": meta},
        ]
    )
    story.says(b"\x04\x0d\x02\x1b\x00" + b'realtime:roomev{"replayed":true,"id":"m2"}' + b"\x00")
    story.wants(Enter)
    frame = UserBroadcast(TOPIC, "ev", b"1", meta='{"id":"m1"}')
    story.given(BroadcastDelivery(Envelope(frame), "m1")).silent()
    story.given(BroadcastDelivery(Envelope(frame), "m3"))
    assert len(story.pending) == 1


# Presence


def test_the_state_is_shown_after_a_join_with_presence():
    joined_story = play().joins(presence={"enabled": True, "key": "u"})
    joined_story.replies("ok", {"postgres_changes": []}).wants(Enter).wants(
        ShowPresence(1, ROOM)
    ).silent()
    joined_story.given(StateDelivery("{}")).says(["1", None, TOPIC, "presence_state", {}]).silent()


def test_the_difference_goes_out_before_the_reply():
    joined(presence={"key": "u"}).hears(
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
    joined().hears(["1", "2", TOPIC, "presence", payload]).replies(
        status, response, ref="2"
    ).silent()


def test_untrack_is_answered():
    joined().hears(["1", "2", TOPIC, "presence", {"event": "untrack"}]).wants(
        Untrack(1, ROOM)
    ).replies("ok", {}, ref="2").silent()


def test_more_than_five_presence_calls_in_thirty_seconds_close_the_channel():
    story = joined()
    for number in range(5):
        story.hears(["1", None, TOPIC, "presence", {"event": "track", "payload": {"n": number}}])
        story.pending.clear()
    story.later(29.9).hears(["1", None, TOPIC, "presence", {"event": "untrack"}])
    story.system("error", "Client presence rate limit exceeded").closes_channel().silent()


def test_presence_calls_are_counted_on_when_the_topic_is_joined_again():
    story = joined()
    for number in range(2, 7):
        story.hears(["1", None, TOPIC, "presence", {"event": "track", "payload": {"n": number}}])
        story.pending.clear()
        story.hears(["1", "9", TOPIC, "phx_leave", {}]).pending.clear()
        story.joins()
        story.pending.clear()
    story.hears(["1", None, TOPIC, "presence", {"event": "untrack"}])
    story.system("error", "Client presence rate limit exceeded").closes_channel().silent()


def test_a_socket_that_joins_without_end_is_refused_and_closed():
    story = play(authorizations_per_second=2)
    for number in range(10):
        story.joins(f"realtime:{number}").pending.clear()
    reason = "ClientJoinRateLimitReached: Too many joins per second"
    story.joins().replies("error", {"reason": reason}).observes("join_refused")
    assert isinstance(story.pending[-1], Close)
    story.pending.clear()


def test_a_join_with_many_entries_counts_as_several():
    story = play(authorizations_per_second=10)
    for number in range(5):
        story.joins(f"realtime:{number}", postgres_changes=[TODOS] * 200).pending.clear()
    reason = "ClientJoinRateLimitReached: Too many joins per second"
    story.joins().replies("error", {"reason": reason}).pending.clear()


def test_new_tokens_without_end_close_their_channel():
    story = joined(rules=make_rules(authorizations_per_second=1))
    for number in range(4):
        new = {"access_token": token(sub=f"{number}")}
        story.hears(["1", None, TOPIC, "access_token", new]).silent()
    story.hears(["1", None, TOPIC, "access_token", {"access_token": token(sub="more")}])
    story.system("error", "Too many access tokens per second").closes_channel().silent()


def test_a_track_that_is_too_large_closes_the_channel():
    joined(rules=make_rules(payload_bytes=10)).hears(
        ["1", "2", TOPIC, "presence", {"event": "track", "payload": {"x": "y" * 20}}]
    ).system("error", "Track message size exceeded").closes_channel().silent()


# Tokens


def test_a_token_ends_its_channel_and_not_the_socket():
    story = joined(who=caller(exp=START + 20)).later(20)
    story.system("error", "Token has expired 0 seconds ago").closes_channel().silent()
    assert not story.connection.is_closed


def test_a_new_token_subscribes_anew_without_a_reply():
    entry = {"event": "*", "schema": "public", "table": "t"}
    other = caller("authenticated")
    story = play().joins(postgres_changes=[entry]).wants(AskSubscribe).told(LIVE)
    story.pending.clear()
    story.hears(["1", "2", TOPIC, "access_token", {"access_token": other.token}]).wants(
        Subscribe(1, (make_entry(entry),), other)
    ).silent()


@pytest.mark.parametrize("value", [None, "sb_secret_x", token(exp=FAR)])
def test_no_token_an_opaque_one_and_the_same_one_are_ignored(value):
    joined(who=caller(exp=FAR)).hears(
        ["1", "2", TOPIC, "access_token", {"access_token": value}]
    ).silent()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "The token provided is not a valid JWT"),
        (7, "The token provided is not a valid JWT"),
        (token(exp=None), "Fields `role` and `exp` are required in JWT"),
        (token(exp=START - 9), "Token has expired 9 seconds ago"),
    ],
)
def test_a_bad_token_says_why_and_closes(value, message):
    joined().hears(["1", "2", TOPIC, "access_token", {"access_token": value}]).system(
        "error", message
    ).closes_channel().silent()


# Time


def test_a_silent_socket_is_closed_with_1000():
    joined().later(61).wants(Leave).closes(1000).silent()


def test_a_socket_without_a_channel_goes_at_the_next_check():
    story = play(idle_seconds=10_000).later(601)
    story.closes(1000).silent()


def test_heartbeats_keep_a_socket():
    story = joined()
    for _ in range(5):
        story.later(50).hears([None, "1", "phoenix", "heartbeat", {}])
        story.pending.clear()
    assert not story.connection.is_closed


# What the service gives


def test_a_change_goes_to_its_topic_without_refs():
    joined().given(ChangeDelivery(SharedPayloads("postgres_changes", ('{"ids":[1]}',)))).says(
        [None, None, TOPIC, "postgres_changes", {"ids": [1]}]
    ).silent()


def test_changes_of_one_batch_are_one_effect_that_channels_of_a_topic_share():
    delivery = ChangeDelivery(SharedPayloads("postgres_changes", ('{"n":1}', '{"n":2}')))
    story = joined().given(delivery)
    story.says([None, None, TOPIC, "postgres_changes", {"n": 1}])
    story.says([None, None, TOPIC, "postgres_changes", {"n": 2}]).silent()
    (one,) = story.connection.deliver(1, delivery, START)
    (other,) = joined().connection.deliver(1, delivery, START)
    assert one is other


def test_lost_changes_are_an_error_of_the_channel_which_stays():
    joined().given(ChangesLost()).says(["1", "1", TOPIC, "phx_error", {}]).given(
        Notice("postgres_changes", "Subscribed to PostgreSQL")
    ).system("ok", "Subscribed to PostgreSQL", extension="postgres_changes").silent()


def test_a_notice_may_close():
    joined().given(Notice("system", "late", is_error=True, closes=True)).system(
        "error", "late"
    ).closes_channel().silent()


def test_the_replication_notice_is_awaited():
    play().joins(broadcast={"replication_ready": True}).replies(
        "ok", {"postgres_changes": []}
    ).wants(Enter).wants(AwaitReplication(1)).silent()


def test_version_one_frames_have_no_join_ref_and_a_null_ref():
    story = play(V1).hears({"topic": TOPIC, "event": "phx_join", "payload": {}, "ref": "1"})
    story.says(
        {
            "topic": TOPIC,
            "event": "phx_reply",
            "payload": {"status": "ok", "response": {"postgres_changes": []}},
            "ref": "1",
        }
    )
    story.wants(Enter).given(Notice("system", "x")).says(
        {
            "topic": TOPIC,
            "event": "system",
            "ref": None,
            "payload": {"extension": "system", "status": "ok", "message": "x", "channel": "room"},
        }
    ).silent()


def test_a_frame_for_a_room_is_encoded_once_for_each_serializer():
    envelope = Envelope(Message(TOPIC, "broadcast", "1"))
    assert envelope.sends(V2) is envelope.sends(V2)
    assert envelope.sends(V1) is not envelope.sends(V2)


def test_a_socket_that_floods_is_told_and_closed():
    story = joined(rules=make_rules(frames_per_second=2))
    heartbeat = [None, "9", "phoenix", "heartbeat", {}]
    for _ in range(8):
        story.hears(heartbeat).pending.clear()
    story.hears(heartbeat).observes("socket_rate_exceeded")
    story.system("error", "Too many messages per second").closes_channel().closes(1008).silent()
    story.hears(heartbeat).silent()


def test_a_socket_that_sends_too_many_bytes_is_told_and_closed():
    story = joined(rules=make_rules(bytes_per_second=20_000))
    large = [None, "9", TOPIC, "broadcast", {"body": "x" * 30_000}]
    for _ in range(3):
        story.hears(large).pending.clear()
    story.hears(large).observes("socket_rate_exceeded")
    story.system("error", "Too many bytes per second").closes_channel().closes(1008).silent()


def test_large_frames_that_the_average_allows_are_served():
    story = joined(rules=make_rules(bytes_per_second=20_000))
    large = [None, "9", TOPIC, "broadcast", {"body": "x" * 70_000}]
    for _ in range(3):
        story.hears(large).wants(Publish).silent().later(10)


def test_a_burst_that_the_average_allows_is_served():
    story = play(frames_per_second=2)
    heartbeat = [None, "9", "phoenix", "heartbeat", {}]
    answer: dict[str, Any] = {"ref": "9", "topic": "phoenix", "join_ref": None}
    for _ in range(9):
        story.hears(heartbeat).replies("ok", {}, **answer)
    story.later(10).hears(heartbeat).replies("ok", {}, **answer)


# What one client may make the service keep


def test_a_join_with_more_than_its_limit_is_refused_and_keeps_nothing():
    story = play(join_bytes=500).hears(["1", "1", TOPIC, "phx_join", {"config": "x" * 500}])
    reason = "JoinPayloadTooLarge: Payload size of the join exceeds the limit"
    story.replies("error", {"reason": reason}).observes("join_refused").silent()
    story.joins().replies("ok", {"postgres_changes": []}).wants(Enter(1, ROOM)).silent()


def test_a_token_beyond_the_limit_of_joins_is_ignored():
    story = joined(rules=make_rules(join_bytes=500))
    story.hears(["1", "2", TOPIC, "access_token", {"access_token": "x" * 600}])
    story.observes("access_token_ignored").silent()


def test_a_room_whose_presence_is_full_takes_no_more():
    rules = replace(make_rules(presence_bytes=1000), presence_size=lambda _room: 900)
    story = joined(rules=rules)
    event = {"event": "track", "payload": {"x": "y" * 50}}
    story.hears(["1", "2", TOPIC, "presence", event]).wants(Track)
    story.replies("ok", {}, ref="2").silent()
    event = {"event": "track", "payload": {"x": "y" * 100}}
    story.hears(["1", "3", TOPIC, "presence", event])
    story.system("error", "Presence of this Channel topic is full").closes_channel().silent()


@pytest.mark.parametrize("codec", [V1, V2])
def test_a_name_of_more_than_a_thousand_characters_is_a_bad_frame(codec: Codec):
    for names in (("t" * 1001, "e", "1"), ("t", "e" * 1001, "1"), ("t", "e", "1" * 1001)):
        topic, event, ref = names
        frame: object = [None, ref, topic, event, {}]
        if codec is V1:
            frame = {"topic": topic, "event": event, "payload": {}, "ref": ref}
        play(codec).hears(frame).observes("malformed_frame").silent()


def test_a_broadcast_keeps_the_digits_that_were_sent():
    body = '{"type":"broadcast","event":"e","payload":{"n":1.10,"big":1e999}}'
    joined().hears(f'["1",null,"{TOPIC}","broadcast",{body}]').wants(
        Publish(ROOM, Message(TOPIC, "broadcast", body), 1, to_sender=False)
    ).silent()

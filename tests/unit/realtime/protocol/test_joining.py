"""Joining and leaving, as scripts (realtime reference 3, 4, 9)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from realtime_compat import errors
from realtime_compat.protocol.deliveries import (
    BroadcastDelivery,
    ChangeDelivery,
    Envelope,
    SharedPayloads,
)
from realtime_compat.protocol.effects import (
    AwaitReplication,
    Close,
    Enter,
    Leave,
    Publish,
)
from realtime_compat.protocol.join_config import Replay, make_entry
from realtime_compat.protocol.messages import Message, UserBroadcast
from realtime_compat.protocol.questions import (
    AskRead,
    AskReplay,
    AskRouted,
    AskSubscribe,
    Failed,
    Notice,
    ReadAccess,
    Routed,
    Stored,
    StoredMessage,
    Subscribed,
)
from tests.harness_realtime import START, caller, joined, make_rules, new_script, token
from tests.unit.realtime.protocol.scripts import PRIVATE, ROOM, TOPIC, private

TODOS = {"event": "*", "schema": "public", "table": "todos"}

SHOWN = TODOS | {"id": make_entry(TODOS).id}

LIVE = Subscribed(Notice("postgres_changes", "Subscribed to PostgreSQL"))


def test_a_room_is_entered_before_its_join_is_answered():
    new_script().joins().wants(Enter(1, ROOM)).replies("ok", {"postgres_changes": []}).silent()


def test_where_rooms_have_members_at_other_workers_a_join_waits_for_what_they_send():
    script = new_script(rules=replace(make_rules(), has_siblings=True))
    script.joins().wants(Enter(1, ROOM)).wants(AskRouted(ROOM)).silent()
    early = BroadcastDelivery(Envelope(Message(TOPIC, "broadcast", "1")))
    script.given(early).silent()
    script.answered(Routed()).replies("ok", {"postgres_changes": []}).silent()
    script.given(early).sends([None, None, TOPIC, "broadcast", 1]).silent()


def test_a_notice_that_comes_after_the_subscription_s_answer_is_sent():
    # What is asked after that would keep the channel from being joined meanwhile.
    script = new_script(rules=replace(make_rules(), has_siblings=True))
    script.joins(postgres_changes=[{"event": "*"}]).wants(Enter).wants(AskRouted).silent()
    script.answered(Routed()).wants(AskSubscribe).silent()
    script.answered(Subscribed(None))
    script.pending.clear()  # the reply
    script.given(Notice("postgres_changes", "late")).system(
        "ok", "late", extension="postgres_changes"
    ).silent()


def test_a_socket_lost_while_its_room_is_asked_for_leaves():
    script = new_script(rules=replace(make_rules(), has_siblings=True))
    script.joins().wants(Enter).wants(AskRouted)
    assert script.connection.end(START) == [Leave(1, ROOM)]
    script.answered(Routed()).silent()


def test_entries_come_back_untouched_with_their_ids():
    entry = {"event": "INSERT", "table": "todos", "x": None}
    number = make_entry(entry).id
    new_script().joins(postgres_changes=[entry, None]).wants(Enter).wants(
        AskSubscribe(1, (make_entry(entry),), caller())
    ).answered(LIVE).replies("ok", {"postgres_changes": [entry | {"id": number}]}).system(
        "ok", "Subscribed to PostgreSQL", extension="postgres_changes"
    ).silent()


def test_a_join_is_not_answered_before_its_changes_are_live():
    script = new_script().joins(postgres_changes=[TODOS]).wants(Enter).wants(AskSubscribe).silent()
    script.given(ChangeDelivery(SharedPayloads("postgres_changes", ("{}",)))).silent()
    script.answered(Subscribed(None)).replies("ok", {"postgres_changes": [SHOWN]}).silent()
    script.given(ChangeDelivery(SharedPayloads("postgres_changes", ("{}",)))).sends(
        [None, None, TOPIC, "postgres_changes", {}]
    ).silent()


def test_a_socket_lost_while_its_changes_are_asked_for_leaves():
    script = new_script().joins(postgres_changes=[TODOS]).wants(Enter).wants(AskSubscribe).silent()
    assert script.connection.end(START) == [Leave(1, ROOM)]
    script.answered(LIVE).silent()


def test_a_leave_while_changes_are_asked_for_waits_for_the_reply():
    script = new_script().joins(postgres_changes=[TODOS]).wants(Enter).wants(AskSubscribe).silent()
    script.receives(["1", "2", TOPIC, "phx_leave", {}]).silent()
    script.answered(Subscribed(None)).replies("ok", {"postgres_changes": [SHOWN]})
    script.replies("ok", {}, ref="2").closes_channel().silent()


def test_equal_entries_have_equal_ids_that_are_not_zero():
    assert make_entry({"a": 1, "b": 2}).id == make_entry({"b": 2, "a": 1}).id > 0


def test_a_join_without_join_ref_is_named_by_its_ref():
    script = new_script().receives([None, "7", TOPIC, "phx_join", {}])
    script.wants(Enter).replies("ok", {"postgres_changes": []}, ref="7", join_ref=None).silent()
    script.receives([None, "8", TOPIC, "phx_leave", {}])
    script.replies("ok", {}, ref="8", join_ref=None).closes_channel(ref="7").silent()


def test_a_second_join_ends_the_first():
    joined().receives(["2", "2", TOPIC, "phx_join", {}]).wants(Leave(1, ROOM)).sends(
        ["1", "1", TOPIC, "phx_close", {}]
    ).wants(Enter(2, ROOM)).replies("ok", {"postgres_changes": []}, ref="2", join_ref="2").silent()


def test_a_leave_is_answered_and_closed():
    joined().receives(["1", "2", TOPIC, "phx_leave", {}]).replies(
        "ok", {}, ref="2"
    ).closes_channel().silent()


def test_a_lost_socket_leaves_every_channel():
    script = joined()
    assert script.connection.end(START) == [Leave(1, ROOM)]
    assert script.connection.receive("[]", START) == []


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
    script = new_script(rules=make_rules(**rules)).joins(topic, **config)
    script.replies("error", {"reason": reason}, topic=topic)
    script.pending = [e for e in script.pending if not hasattr(e, "observation")]
    script.silent()


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
    new_script().receives(["1", "1", TOPIC, "phx_join", {"access_token": access_token}]).replies(
        "error", {"reason": reason}
    ).observes("join_refused").silent()


def test_an_opaque_key_counts_as_no_token():
    new_script().receives(["1", "1", TOPIC, "phx_join", {"access_token": "sb_x"}]).wants(
        Enter
    ).replies("ok", {"postgres_changes": []}).silent()


def test_too_many_channels_are_refused():
    new_script(channels_per_connection=1).joins("realtime:a").wants(Enter).replies(
        "ok", {"postgres_changes": []}, topic="realtime:a"
    ).joins("realtime:b").replies(
        "error", {"reason": "ChannelRateLimitReached: Too many channels"}, topic="realtime:b"
    ).observes("join_refused").silent()


def test_too_many_joins_close_the_socket():
    script = new_script(joins_per_second=1)
    for _ in range(5):
        script.joins()
        script.pending.clear()
    script.joins().wants(Leave)
    assert script.pending[-1] == Close(1001)


def test_a_part_that_does_not_fit_becomes_its_default():
    new_script().joins(private="maybe", broadcast=5, postgres_changes={}).observes(
        "InvalidJoinPayload"
    ).wants(Enter(1, ROOM)).replies("ok", {"postgres_changes": []}).silent()


def test_booleans_may_be_words():
    joined(broadcast={"self": "TRUE", "ack": "true"}).receives(
        ["1", "2", TOPIC, "broadcast", 1]
    ).wants(Publish(ROOM, Message(TOPIC, "broadcast", "1"), 1, to_sender=True)).replies(
        "ok", {}, ref="2"
    ).silent()


def test_a_private_join_asks_before_it_answers():
    script = private().wants(AskRead("room", caller("authenticated"), presence=False)).silent()
    script.answered(ReadAccess(broadcast=True)).wants(Enter(1, PRIVATE)).replies(
        "ok", {"postgres_changes": []}
    ).silent()


def test_what_comes_while_a_question_is_open_waits_its_turn():
    script = private().wants(AskRead("room", caller("authenticated"), presence=False))
    script.receives(["1", "2", TOPIC, "phx_leave", {}]).silent()
    script.answered(ReadAccess(broadcast=True)).wants(Enter).replies("ok", {"postgres_changes": []})
    script.replies("ok", {}, ref="2").closes_channel().silent()


def test_a_refused_join_lets_what_waited_meet_an_unjoined_topic():
    script = private().wants(AskRead("room", caller("authenticated"), presence=False))
    script.receives(["1", "2", TOPIC, "broadcast", {}]).silent()
    reason = "Unauthorized: You do not have permissions to read from this Channel topic: room"
    script.answered(ReadAccess(broadcast=False)).replies("error", {"reason": reason})
    script.replies("error", {"reason": "unmatched topic"}, ref="2").silent()


def test_a_question_that_cannot_be_answered_refuses_with_its_reason():
    private().wants(AskRead("room", caller("authenticated"), presence=False)).answered(
        Failed(errors.MISSING_PARTITION.problem())
    ).replies(
        "error",
        {"reason": "MissingPartition: Realtime was unable to find the expected messages partition"},
    ).silent()


def test_replayed_messages_follow_the_reply_and_do_not_come_twice():
    script = private(broadcast={"replay": {"since": 5, "limit": 99}})
    script.wants(AskRead("room", caller("authenticated"), presence=False)).answered(
        ReadAccess(broadcast=True)
    )
    script.wants(AskReplay("room", Replay(5, 25)))
    script.answered(
        Stored(
            (
                StoredMessage("m1", "ev", b'{"n":1}', is_binary=False),
                StoredMessage("m2", "ev", b"\x00", is_binary=True),
            )
        )
    )
    script.wants(Enter).replies("ok", {"postgres_changes": []})
    meta = {"replayed": True, "id": "m1"}
    script.sends(
        [
            "1",
            None,
            TOPIC,
            "broadcast",
            {"type": "broadcast", "event": "ev", "payload": {"n": 1}, "meta": meta},
        ]
    )
    script.sends(b"\x04\x0d\x02\x1b\x00" + b'realtime:roomev{"replayed":true,"id":"m2"}' + b"\x00")
    frame = UserBroadcast(TOPIC, "ev", b"1", meta='{"id":"m1"}')
    script.given(BroadcastDelivery(Envelope(frame), "m1")).silent()
    script.given(BroadcastDelivery(Envelope(frame), "m3"))
    assert len(script.pending) == 1


def test_a_socket_that_joins_without_end_is_refused_and_closed():
    script = new_script(authorizations_per_second=2)
    for number in range(10):
        script.joins(f"realtime:{number}").pending.clear()
    reason = "ClientJoinRateLimitReached: Too many joins per second"
    script.joins().replies("error", {"reason": reason}).observes("join_refused")
    assert isinstance(script.pending[-1], Close)
    script.pending.clear()


def test_a_join_with_many_entries_counts_as_several():
    script = new_script(authorizations_per_second=10)
    for number in range(5):
        script.joins(f"realtime:{number}", postgres_changes=[TODOS] * 200).pending.clear()
    reason = "ClientJoinRateLimitReached: Too many joins per second"
    script.joins().replies("error", {"reason": reason}).pending.clear()


def test_the_replication_notice_is_awaited():
    new_script().joins(broadcast={"replication_ready": True}).wants(Enter).replies(
        "ok", {"postgres_changes": []}
    ).wants(AwaitReplication(1)).silent()


def test_a_join_with_more_than_its_limit_is_refused_and_keeps_nothing():
    script = new_script(join_bytes=500).receives(
        ["1", "1", TOPIC, "phx_join", {"config": "x" * 500}]
    )
    reason = "JoinPayloadTooLarge: Payload size of the join exceeds the limit"
    script.replies("error", {"reason": reason}).observes("join_refused").silent()
    script.joins().wants(Enter(1, ROOM)).replies("ok", {"postgres_changes": []}).silent()

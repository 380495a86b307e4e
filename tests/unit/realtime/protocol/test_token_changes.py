"""Tokens that end and tokens that are replaced, as scripts (realtime reference 5)."""

from __future__ import annotations

import pytest

from realtime_compat.protocol.effects import (
    Enter,
    Subscribe,
)
from realtime_compat.protocol.join_config import make_entry
from realtime_compat.protocol.questions import (
    AskRead,
    AskSubscribe,
    Notice,
    ReadAccess,
    Subscribed,
)
from tests.harness_realtime import FAR, START, caller, joined, make_rules, new_script, token
from tests.unit.realtime.protocol.scripts import TOPIC, private

LIVE = Subscribed(Notice("postgres_changes", "Subscribed to PostgreSQL"))


def test_losing_one_right_and_losing_all_have_their_words():
    script = private(presence=True)
    script.pending.clear()
    script.connection.complete(1, ReadAccess(broadcast=True, presence=True), START)
    other = caller("authenticated", sub="x")
    script.receives(["1", None, TOPIC, "access_token", {"access_token": other.token}])
    script.wants(AskRead("room", other, presence=True)).answered(
        ReadAccess(broadcast=True, presence=False)
    )
    script.system("error", "You no longer have permission to read from this Channel topic: room")
    script.closes_channel().silent()


def test_new_tokens_without_end_close_their_channel():
    script = joined(rules=make_rules(authorizations_per_second=1))
    for number in range(4):
        new = {"access_token": token(sub=f"{number}")}
        script.receives(["1", None, TOPIC, "access_token", new]).silent()
    script.receives(["1", None, TOPIC, "access_token", {"access_token": token(sub="more")}])
    script.system("error", "Too many access tokens per second").closes_channel().silent()


def test_a_token_ends_its_channel_and_not_the_socket():
    script = joined(who=caller(exp=START + 20)).later(20)
    script.system("error", "Token has expired 0 seconds ago").closes_channel().silent()
    assert not script.connection.is_closed


def test_a_new_token_subscribes_anew_without_a_reply():
    entry = {"event": "*", "schema": "public", "table": "t"}
    other = caller("authenticated")
    script = (
        new_script().joins(postgres_changes=[entry]).wants(Enter).wants(AskSubscribe).answered(LIVE)
    )
    script.pending.clear()
    script.receives(["1", "2", TOPIC, "access_token", {"access_token": other.token}]).wants(
        Subscribe(1, (make_entry(entry),), other)
    ).silent()


@pytest.mark.parametrize("value", [None, "sb_secret_x", token(exp=FAR)])
def test_no_token_an_opaque_one_and_the_same_one_are_ignored(value):
    joined(who=caller(exp=FAR)).receives(
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
    joined().receives(["1", "2", TOPIC, "access_token", {"access_token": value}]).system(
        "error", message
    ).closes_channel().silent()


def test_a_token_beyond_the_limit_of_joins_is_ignored():
    script = joined(rules=make_rules(join_bytes=500))
    script.receives(["1", "2", TOPIC, "access_token", {"access_token": "x" * 600}])
    script.observes("access_token_ignored").silent()

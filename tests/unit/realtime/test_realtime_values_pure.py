"""Codecs, join payloads, limits, presence, tokens, settings and what nodes say, as values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values import jsontext, jwt
from compat_base.values.errors import ApiError
from compat_base.values.settings import SettingsError
from realtime_compat.auth import Keys, RetiredToken, verify
from realtime_compat.cluster.wire import Alive, Gone, Letter, Members, read, write
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.codec import V1, V2, codec_for
from realtime_compat.protocol.join_config import InvalidReplay, Replay, read_join_config
from realtime_compat.protocol.limits import CallWindows, Rate
from realtime_compat.protocol.messages import (
    Malformed,
    Message,
    Push,
    RoomName,
    UserBroadcast,
    UserPush,
)
from realtime_compat.protocol.presence import Diff, Meta, Room
from realtime_compat.settings import read_settings
from realtime_compat.transports.outbox import Outbox
from tests.harness_realtime import KEYS, SECRET, START, token

JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)
REFS = st.one_of(st.none(), st.text(max_size=5))


# Codecs


@given(REFS, st.text(), st.text(), JSON)
def test_what_a_server_writes_a_client_reads(ref: str | None, topic: str, event: str, payload: Any):
    message = Message(topic, event, json.dumps(payload), ref, "1")
    assert json.loads(str(V1.encode(message))) == {
        "topic": topic,
        "event": event,
        "payload": payload,
        "ref": ref,
    }
    assert json.loads(str(V2.encode(message))) == ["1", ref, topic, event, payload]


@given(REFS, REFS, st.text(), st.text(), JSON)
def test_what_a_client_writes_is_read(
    join_ref: str | None, ref: str | None, topic: str, event: str, payload: Any
):
    push = Push(join_ref, ref, topic, event, json.dumps(payload))
    assert V2.decode(json.dumps([join_ref, ref, topic, event, payload, "more"])) == push
    members = {"topic": topic, "event": event, "payload": payload, "ref": ref}
    assert V1.decode(json.dumps(members | {"join_ref": join_ref})) == push


@given(st.text(max_size=40), st.text(max_size=40), st.binary())
def test_a_binary_push_is_read(topic: str, event: str, payload: bytes):
    fields = [text.encode() for text in ("1", "", topic, event, "{}")]
    frame = bytes([3, *map(len, fields), 0]) + b"".join(fields) + payload
    assert V2.decode(frame) == UserPush("1", None, topic, event, payload, is_binary=True)


@given(st.one_of(st.text(), st.binary()))
def test_no_frame_breaks_a_codec(frame: str | bytes):
    for codec in (V1, V2):
        codec.decode(frame)


@pytest.mark.parametrize(
    "frame",
    [
        "[" * 5000 + "]" * 5000,
        '["","","t","e",' + "[" * 2000 + "]" * 2000 + "]",
        '["1","1","t","e",NaN]',
        "1" * 5000,
        '["1","1","t","e","\\ud800"]',
    ],
)
def test_json_that_could_not_be_written_again_is_malformed(frame: str):
    assert isinstance(V2.decode(frame), Malformed)


def test_a_user_broadcast_in_both_versions():
    frame = UserBroadcast("realtime:é", "ping", b'{"n":1.10}', meta='{"id":"x"}')
    assert (
        V2.encode(frame)
        == b"\x04\x0b\x04\x0a\x01" + "realtime:éping".encode() + b'{"id":"x"}{"n":1.10}'
    )
    assert V1.encode(frame) == (
        '{"topic":"realtime:é","event":"broadcast","payload":{"type":"broadcast","event":"ping",'
        '"payload":{"n":1.10},"meta":{"id":"x"}},"ref":null}'
    )


def test_what_no_size_byte_can_hold_goes_as_text_or_not_at_all():
    assert json.loads(str(V2.encode(UserBroadcast("t" * 300, "e", b"1"))))[3] == "broadcast"
    assert V2.encode(UserBroadcast("t" * 300, "e", b"1", is_binary=True)) is None


@pytest.mark.parametrize(
    ("version", "codec"),
    [(None, V1), ("1.0.0", V1), ("1.0.7", V1), ("2.0.0", V2), ("3.0.0", None), ("2.0", None)],
)
def test_versions(version: str | None, codec: object):
    assert codec_for(version) is codec


# Join payloads


@given(JSON)
def test_any_join_payload_is_read(payload: Any):
    read_join_config(payload)
    read_join_config({"config": payload})
    read_join_config(
        {"config": {"broadcast": payload, "presence": payload, "postgres_changes": payload}}
    )


def test_the_legacy_token_wins():
    assert read_join_config({"user_token": "a", "access_token": "b"}).access_token == "a"


@pytest.mark.parametrize(
    ("replay", "read_as"),
    [
        (None, None),
        ({}, InvalidReplay()),
        ({"since": 1}, Replay(1, 25)),
        ({"since": 1, "limit": 99}, Replay(1, 25)),
        ({"since": 1, "limit": 0}, Replay(1, 1)),
        ({"since": "1"}, InvalidReplay()),
        (5, InvalidReplay()),
    ],
)
def test_replay_parameters(replay: object, read_as: object):
    assert read_join_config({"config": {"broadcast": {"replay": replay}}}).replay == read_as


# Limits


def test_a_rate_is_an_average_and_lifts_again():
    rate = Rate(10)
    rate.add(50, 1000.0)
    assert rate.is_reached(1000.0)
    assert rate.average(1000.0) == 10
    assert not rate.is_reached(1005.0)
    assert rate.headroom(1005.0) == 5
    rate.add(1000, 1006.0)
    assert rate.is_reached(1006.0)
    assert rate.average(1200.0) == 0


def test_a_window_of_calls_slides():
    windows = CallWindows(2, 30, most=1)
    admitted = [windows.admits("key", now) for now in (0, 10, 29, 30, 31)]
    assert admitted == [True, True, False, True, False]


def test_further_keys_are_refused_while_as_many_as_may_be_have_calls():
    windows = CallWindows(2, 30, most=2)
    calls = [("a", 0), ("b", 10), ("c", 20), ("a", 20), ("c", 39), ("c", 51)]
    assert [windows.admits(*call) for call in calls] == [True, True, False, True, False, True]


# Presence


def test_tracking_updating_and_leaving():
    room = Room()
    first = room.track(("n", 1), "u", '{"a":1}', "r1")
    assert first.to_json() == '{"joins":{"u":{"metas":[{"a":1,"phx_ref":"r1"}]}},"leaves":{}}'
    assert not room.track(("n", 1), "u", '{"a":1}', "r2")
    update = json.loads(room.track(("n", 1), "u", '{"a":2}', "r3").to_json())
    assert update["joins"]["u"]["metas"] == [{"a": 2, "phx_ref": "r3", "phx_ref_prev": "r1"}]
    assert update["leaves"]["u"]["metas"] == [{"a": 1, "phx_ref": "r1"}]
    room.track(("n", 2), "u", '{"b":1}', "r4")
    assert [meta["phx_ref"] for meta in json.loads(room.state_json())["u"]["metas"]] == ["r3", "r4"]
    assert room.untrack(("n", 1)).leaves[0].ref == "r3"
    assert room.untrack(("n", 1)) == Diff()


def test_a_rooms_size_is_that_of_the_metas_it_has():
    room = Room()
    empty = room.size
    room.track(("n", 1), "u", '{"a":"' + "x" * 5000 + '"}', "r1")
    assert 5000 < room.size < 5500
    room.put(("m", 1), Meta("u", "r2", '{"a":"' + "y" * 700 + '"}'))
    room.track(("n", 1), "u", "{}", "r3")
    assert 700 < room.size < 1300
    room.untrack(("n", 1))
    room.untrack(("m", 1))
    assert room.size == empty == 0


@pytest.mark.parametrize("value", ["{}", " { } ", '{"phx_ref":"mine","a":{}}'])
def test_clients_see_the_reference_that_the_server_gave(value: str):
    meta = Meta("u", "r2", value, "r1")
    shown = json.loads(value) | {"phx_ref": "r2", "phx_ref_prev": "r1"}
    assert json.loads(meta.to_json()) == shown


def test_an_object_is_the_same_in_another_order_but_true_is_not_one():
    room = Room()
    room.track(("n", 1), "u", '{"a":1,"b":[true]}', "r1")
    assert not room.track(("n", 1), "u", '{"b":[true],"a":1}', "r2")
    assert room.track(("n", 1), "u", '{"a":1,"b":[1]}', "r3")


def test_a_rate_forgets_old_events_and_still_counts_them():
    rate = Rate(10)
    for second in range(0, 300, 3):
        rate.add(2, START + second)
    assert rate.counted == 200
    assert rate.average(START + 600) == 0


def test_differences_one_after_another_are_one():
    one, two = Meta("u", "r1", "{}"), Meta("u", "r2", "{}")
    assert Diff((one,)).then(Diff((two,), (one,))) == Diff((one, two), (one,))


# Tokens


def test_a_retired_key_counts_until_its_time_is_over():
    old = jwt.sign({"role": "anon", "exp": 4e9}, jwt.secret_key("the-secret-before-this-one-of-32"))
    keys = Keys(KEYS.secret, retired=(RetiredToken("another", START), RetiredToken(old, START)))
    caller = verify(old, keys, START - 1)
    assert (caller.role, caller.expires) == ("anon", START)
    for changed, now in ((old, START), (old[:-2] + "xx", START - 1)):
        with pytest.raises(ApiError, match="signature"):
            verify(changed, keys, now)


@pytest.mark.parametrize("text", ["{", "{}x", "[1]", '[{"key": "secret"}]', '[{"until": 1}]', "1"])
def test_retired_keys_that_cannot_be_read_are_a_problem_without_the_keys(text: str):
    with pytest.raises(SettingsError) as caught:
        read_settings({"API_JWT_SECRET": SECRET, "REALTIME_RETIRED_KEYS": text})
    assert "REALTIME_RETIRED_KEYS" in str(caught.value.problems)
    assert "secret" not in str(caught.value.problems)


def test_a_kid_names_an_oct_key_else_the_secret():
    named = jwt.key_from_jwk({"kty": "oct", "k": "b3RoZXItc2VjcmV0LW9mLXRoZS10ZXN0cw", "kid": "k1"})
    keys = Keys(KEYS.secret, (named,))
    assert verify(jwt.sign({"role": "anon", "exp": 4e9}, named), keys, START).role == "anon"
    other = jwt.secret_key(SECRET, kid="k2")
    assert verify(jwt.sign({"role": "anon", "exp": 4e9}, other), keys, START).role == "anon"


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"role": "anon", "exp": "4000000000"}, "The token provided is not a valid JWT"),
        ({"role": "anon", "exp": 4e9, "iat": "x"}, "The token provided is not a valid JWT"),
        ({"exp": 4e9}, "Fields `role` and `exp` are required in JWT"),
        ({"role": "anon"}, "Fields `role` and `exp` are required in JWT"),
        ({"role": "anon", "exp": START - 5.4}, "Token has expired 5 seconds ago"),
    ],
)
def test_claims_are_checked(claims: dict[str, object], message: str):
    with pytest.raises(ApiError) as caught:
        verify(jwt.sign(claims, KEYS.secret), KEYS, START)
    assert caught.value.problem.message == message


@pytest.mark.parametrize(
    ("claims", "is_good"),
    [({"iss": "here"}, True), ({}, True), ({"iss": "there"}, False), ({"iss": ["here"]}, False)],
)
def test_configured_claims_are_held_to_where_a_token_has_them(
    claims: dict[str, Any], is_good: bool
):
    settings = read_settings(
        {"API_JWT_SECRET": SECRET, "JWT_CLAIM_VALIDATORS": '{"iss": "here", "exp": 5}'}
    )
    if is_good:
        assert verify(token(**claims), settings.keys, START).role == "anon"
        return
    with pytest.raises(ApiError) as caught:
        verify(token(**claims), settings.keys, START)
    assert (caught.value.problem.code, caught.value.problem.message) == (
        "InvalidJWTToken",
        "Invalid token",
    )


def test_a_signer_that_is_not_known_is_named_with_its_kid():
    header = jsontext.base64url(b'{"alg":"ES256","kid":"k9"}')
    with pytest.raises(ApiError) as caught:
        verify(f"{header}.e30.c2ln", KEYS, START)
    assert caught.value.problem.code == "JwtSignerError"
    assert 'key ID (kid) "k9"' in caught.value.problem.message


def test_equal_claims_are_equal_callers():
    assert verify(token(sub="x"), KEYS, START) == verify(token(sub="x"), KEYS, START)
    assert verify(token(sub="x"), KEYS, START) != verify(token(sub="y"), KEYS, START)


# Settings


def test_settings_are_read_from_the_originals_variables():
    settings = read_settings(
        {
            "API_JWT_SECRET": SECRET,
            "DB_HOST": "db",
            "DB_USER": "me",
            "DB_PASSWORD": "p@ss",
            "DB_NAME": "x",
            "TENANT_MAX_CONCURRENT_USERS": "7",
        }
    )
    assert settings.database_url == "postgresql://me:p%40ss@db:5432/x"
    assert settings.limits.connections == 7
    assert SECRET not in repr(settings.api_secret)


def test_every_problem_of_the_settings_is_told():
    with pytest.raises(SettingsError) as caught:
        read_settings({"API_JWT_JWKS": "{", "PORT": "x", "JWT_CLAIM_VALIDATORS": "[]"})
    assert len(caught.value.problems) == 4


# What waits for a socket


def test_an_outbox_is_bounded_by_bytes_and_by_age():
    box = Outbox(10, 5)
    assert box.put("12345", 0)
    assert box.put(b"12345", 1)
    assert not box.put("1", 1)
    box.clear()
    assert box.put("1", 2)
    assert not box.put("1", 8)
    box.pop()
    assert (box.first(), len(box)) == ("1", 1)


# Nodes

META = Meta("u", "r", '{"a":[1]}', None, "n1")
TRACKED = Tracked(RoomName("t", is_private=True), 5, META)


@pytest.mark.parametrize(
    "word",
    [
        Published(
            RoomName("t", is_private=False), Message("realtime:t", "broadcast", '{"é":1.10}')
        ),
        Published(
            RoomName("t", is_private=True),
            UserBroadcast("realtime:t", "e", b"\x00\n\xff", is_binary=True),
        ),
        TRACKED,
        Untracked(RoomName("t", is_private=False), 5),
        Alive(asks=True),
        Gone(),
        Members((TRACKED,)),
    ],
)
def test_a_letter_comes_back_as_it_was(word: Any):
    letter = Letter("n1", 3, word)
    assert read("n1", write(letter)) == letter


@given(st.binary())
def test_a_strangers_bytes_are_no_letter(data: bytes):
    assert read("n1", data) is None

"""Frames of both protocol versions (realtime reference 2)."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.protocol.codec import V1, V2, codec_for, read_presence_call
from realtime_compat.protocol.messages import (
    Malformed,
    Message,
    Push,
    UserBroadcast,
    UserPush,
)
from tests.unit.realtime.json_values import JSON

REFS = st.one_of(st.none(), st.text(max_size=5))


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
def test_a_version_chooses_the_codec(version: str | None, codec: object):
    assert codec_for(version) is codec


@pytest.mark.parametrize(
    ("payload", "name"),
    [
        ('{"event": "Track"}', "Track"),
        ('{"event": null}', None),
        ("{}", None),
        ("[]", None),
        (r'{"event": "\ud800"}', None),
        ('{"event": 1}', ""),
        ('{"event": [[], {}]}', ""),
        ('{"event": "%s"}' % ("a" * 2_000), ""),
    ],
)
def test_a_presence_call_has_a_name_where_it_is_a_short_text(payload: str, name: str | None):
    assert read_presence_call(payload).name() == name


def test_what_is_no_name_of_a_presence_call_is_not_decoded():
    payload = '{"event": [%s[]]}' % ("[]," * 1_000)
    gc.collect()
    before = len(gc.get_objects())
    call = read_presence_call(payload)
    assert len(gc.get_objects()) < before + 100  # a thousand of the lists would be among them
    assert call.name() == ""

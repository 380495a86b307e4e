"""One message of a batch: what it needs, and what is wrong with one that lacks it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from realtime_compat.protocol.messages import RoomName
from realtime_compat.transports.batch_message import (
    BLANK,
    INVALID,
    TOO_LARGE,
    BatchMessage,
    UnprocessableError,
    read_message,
)

GOOD: dict[str, Any] = {"topic": "t", "event": "e", "payload": {"a": 1}}


def read(**changes: Any) -> object:
    return read_message(json.dumps(GOOD | changes, separators=(",", ":")), 20)


def test_a_message_keeps_its_payload_as_it_came():
    message = read_message('{"topic":"t","event":"é","payload":{"n":1.10},"id":"i"}', 20)
    assert message == BatchMessage(RoomName("t", is_private=False), "é", '{"n":1.10}', "i")
    assert message.body() == (
        '{"type":"broadcast","event":"é","payload":{"n":1.10},"meta":{"id":"i"}}'
    )


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({"topic": None}, {"topic": BLANK}),
        ({"topic": " "}, {"topic": BLANK}),
        ({"event": 5}, {"event": INVALID}),
        ({"payload": None}, {"payload": BLANK}),
        ({"payload": ""}, {"payload": BLANK}),
        ({"payload": "text"}, {"payload": INVALID}),
        ({"payload": {"a": "x" * 20}}, {"payload": TOO_LARGE}),
        ({"private": "maybe"}, {"private": INVALID}),
        ({"id": 5, "topic": None}, {"topic": BLANK, "id": INVALID}),
    ],
)
def test_every_fault_of_a_message_is_told(changes: dict[str, Any], faults: dict[str, Any]):
    assert read(**changes) == faults


@pytest.mark.parametrize(
    ("private", "is_private"), [(True, True), ("true", True), ("false", False), (None, False)]
)
def test_a_room_is_private_by_a_boolean_or_the_word_for_one(private: object, is_private: bool):
    message = read(private=private)
    assert isinstance(message, BatchMessage)
    assert message.room.is_private is is_private


def test_a_message_that_is_no_object_refuses_the_whole_batch():
    with pytest.raises(UnprocessableError):
        read_message("5", 20)

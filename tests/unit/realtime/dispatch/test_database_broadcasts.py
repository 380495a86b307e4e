"""Rows of realtime.messages become broadcasts of their rooms."""

from __future__ import annotations

from typing import Any

import pytest

from compat_base.values.events import Observation
from compat_base.values.world import real_world
from realtime_compat.changes.model import Action, Relation, RelationColumn, RowChange
from realtime_compat.dispatch.database_broadcasts import StoredMessages
from realtime_compat.hub import Hub
from realtime_compat.protocol.deliveries import BroadcastDelivery, Delivery
from realtime_compat.protocol.limits import Rate
from realtime_compat.protocol.messages import RoomName, UserBroadcast

NAMES = ("id", "topic", "event", "private", "payload", "binary_payload")
COLUMNS = tuple(RelationColumn(name, 25, is_key=False) for name in NAMES)
MESSAGES = Relation(1, "realtime", "messages_2026_11_22", "d", COLUMNS)


class Room:
    """A member that keeps what it is given, and the log."""

    def __init__(self) -> None:
        self.received: list[BroadcastDelivery] = []
        self.log: list[Observation] = []
        clock = real_world().clock
        self.hub = Hub("n", clock, lambda _seconds, _call: None, Rate(1000))
        self.hub.enter(1, RoomName("t", is_private=True), self)
        self.stored = StoredMessages(self.hub, 10, Rate(1000), clock, self.log.append)

    def deliver(self, channel: int, delivery: Delivery, now: float) -> None:
        assert isinstance(delivery, BroadcastDelivery)
        self.received.append(delivery)

    def insert(self, **row: str | None) -> None:
        given: dict[str, str | None] = {"id": "i", "topic": "t", "event": "e", "private": "t"}
        values = tuple((given | row).get(name) for name in NAMES)
        self.stored.deliver(RowChange(Action.INSERT, MESSAGES, new=values))


@pytest.mark.parametrize(
    ("row", "payload", "is_binary"),
    [
        ({"payload": '{"a":1}'}, b'{"a":1}', False),
        ({"binary_payload": r"\x00ff"}, b"\x00\xff", True),
    ],
)
def test_a_message_is_passed_on_untouched_with_its_id(
    row: dict[str, Any], payload: bytes, is_binary: bool
):
    room = Room()
    room.insert(**row)
    [received] = room.received
    assert received.message_id == "i"
    assert received.envelope.frame == UserBroadcast(
        "realtime:t", "e", payload, is_binary, '{"id":"i"}'
    )


@pytest.mark.parametrize(
    "row",
    [{"payload": "x" * 11}, {"payload": None}, {"payload": "{}", "topic": None},
     {"payload": "{}", "event": ""}],
)  # fmt: skip
def test_a_message_that_is_none_or_too_large_is_skipped_and_observed(row: dict[str, str | None]):
    room = Room()
    room.insert(**row)
    assert room.received == []
    assert [seen.name for seen in room.log] == ["message_skipped"]


def test_a_room_that_is_public_is_another():
    room = Room()
    room.insert(payload="{}", private="f")
    assert room.received == room.log == []


def test_only_inserts_into_the_table_and_its_partitions_are_messages():
    room = Room()
    room.stored.deliver(RowChange(Action.DELETE, MESSAGES, old=("i",)))
    assert room.received == []
    assert room.stored.is_one(MESSAGES)
    assert not room.stored.is_one(Relation(1, "public", "messages", "d", COLUMNS))
    assert not room.stored.is_one(Relation(1, "realtime", "subscription", "d", COLUMNS))

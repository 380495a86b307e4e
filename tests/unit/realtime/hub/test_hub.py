"""Rooms of one node: who is given what, who is present, and what other nodes are told."""

from __future__ import annotations

import json
from collections.abc import Callable

from compat_base.values.world import real_world
from realtime_compat.hub import GATHER_FROM, Announcement, Hub, Published, Tracked, Untracked
from realtime_compat.protocol.codec import V1
from realtime_compat.protocol.deliveries import (
    BroadcastDelivery,
    Delivery,
    PresenceDelivery,
    StateDelivery,
)
from realtime_compat.protocol.limits import Rate
from realtime_compat.protocol.messages import Message, RoomName
from realtime_compat.protocol.presence import Meta

ROOM = RoomName("t", is_private=False)
FRAME = Message("realtime:t", "broadcast", "{}")


class Node:
    """A hub whose members keep what they are given; `later` is what it puts off."""

    def __init__(self) -> None:
        self.given: list[tuple[int, Delivery]] = []
        self.announced: list[Announcement] = []
        self.later: list[Callable[[], None]] = []
        self.events = Rate(1000)
        self.hub = Hub(
            "n1", real_world().clock, lambda _seconds, call: self.later.append(call), self.events
        )
        self.hub.connect(self.announced.append)

    def deliver(self, channel: int, delivery: Delivery, now: float) -> None:
        self.given.append((channel, delivery))
        if isinstance(delivery, BroadcastDelivery) and channel != 3:  # it may not read them
            delivery.envelope.taken += 1

    def with_members(self, *channels: int) -> Node:
        for channel in channels:
            self.hub.enter(channel, ROOM, self)
        return self

    def differences(self) -> list[dict[str, object]]:
        """What the first member heard of presence."""
        sends = [
            delivery.envelope[V1][0].frame
            for channel, delivery in self.given
            if channel == 1 and isinstance(delivery, PresenceDelivery)
        ]
        return [json.loads(str(frame))["payload"] for frame in sends]


def test_a_frame_is_given_to_all_but_its_sender_and_encoded_once():
    node = Node().with_members(1, 2, 3)
    node.hub.publish(ROOM, FRAME, sender=2)
    assert [channel for channel, _ in node.given] == [1, 3]
    assert len({id(d.envelope) for _, d in node.given if isinstance(d, BroadcastDelivery)}) == 1
    assert node.announced == [Published(ROOM, FRAME)]


def test_a_frame_counts_for_each_channel_that_it_was_sent_to():
    node = Node().with_members(1, 2, 3, 4)
    node.hub.publish(ROOM, FRAME, sender=2)
    assert node.events.counted == 2
    node.hub.publish(ROOM, FRAME, message_id="i")
    assert node.events.counted == 5


def test_what_the_database_or_another_node_said_is_not_announced_again():
    node = Node().with_members(1)
    node.hub.publish(ROOM, FRAME, message_id="i")
    node.hub.publish(ROOM, FRAME, is_local=False)
    assert (len(node.given), node.announced) == (2, [])


def test_a_room_without_members_is_forgotten():
    node = Node().with_members(1)
    node.hub.leave(1, ROOM)
    assert (node.hub.rooms, node.hub.channels, node.hub.has_members(ROOM)) == (0, 0, False)
    node.hub.publish(ROOM, FRAME)
    assert node.given == []


def test_who_leaves_is_present_no_more():
    node = Node().with_members(1, 2)
    node.hub.track(2, ROOM, "u", "{}")
    assert node.hub.presence_size(ROOM) > 0
    node.hub.leave(2, ROOM)
    joined, left = node.differences()
    assert (list(joined["joins"]), list(left["leaves"])) == (["u"], ["u"])
    assert [type(one) for one in node.announced] == [Tracked, Untracked]
    assert node.hub.presence_size(ROOM) == 0


def test_a_crowd_hears_several_differences_at_once():
    node = Node().with_members(*range(1, GATHER_FROM + 1))
    for channel in (1, 2, 3):
        node.hub.track(channel, ROOM, f"u{channel}", "{}")
    assert node.differences() == []
    [deliver_gathered] = node.later
    deliver_gathered()
    [difference] = node.differences()
    assert sorted(difference["joins"]) == ["u1", "u2", "u3"]


def test_members_of_another_node_are_present_and_not_announced():
    node = Node().with_members(1)
    node.hub.put_remote("n2", Tracked(ROOM, 9, Meta("u", "r", "{}", None, "n2")))
    assert node.hub.remote_members("n2") == {(ROOM, 9)}
    assert node.hub.local_presence() == []
    node.hub.drop_remote("n2", ROOM, 9)
    assert node.hub.remote_members("n2") == set()
    assert (len(node.differences()), node.announced) == (2, [])


def test_a_channel_is_shown_who_is_there():
    node = Node().with_members(1)
    node.hub.show_presence(1, ROOM)
    node.hub.track(1, ROOM, "u", '{"a":1}')
    node.hub.show_presence(1, ROOM)
    states = [d.state for _, d in node.given if isinstance(d, StateDelivery)]
    assert states[0] == "{}"
    assert json.loads(states[1])["u"]["metas"][0]["a"] == 1

"""What a node says: in its order, held while Redis is away, lost only with a reason."""

from __future__ import annotations

import pytest

from compat_base.values.world import real_world
from realtime_compat.cluster import messages
from realtime_compat.cluster.messages import (
    Alive,
    BusMessage,
    Lost,
    Members,
    RoomCounts,
    member_parts,
)
from realtime_compat.cluster.outgoing import BACK_SECONDS, HOLD_SECONDS, Loss, Outgoing
from realtime_compat.cluster.peers import Peers
from realtime_compat.hub import Announcement, Hub, Published, Tracked
from realtime_compat.protocol.deliveries import BroadcastDelivery
from realtime_compat.protocol.limits import Rate
from realtime_compat.protocol.messages import Message, RoomName
from realtime_compat.protocol.presence import Meta
from realtime_compat.protocol.questions import Notice
from tests.harness_realtime import START

ROOM = RoomName("room", is_private=False)


def published(number: int) -> Published:
    return Published(ROOM, Message("realtime:room", "broadcast", str(number)))


def after_an_outage(*, seconds: float = 1, unconfirmed: int = 0, during: int = 0) -> Outgoing:
    """What is to be said by a node that was up, lost Redis, and has it again at 100."""
    outgoing = Outgoing(0)
    outgoing.came_up(0)
    for number in range(unconfirmed):
        outgoing.put(published(number), 1)
    outgoing.take()
    outgoing.went_down(100 - seconds)
    for number in range(unconfirmed, unconfirmed + during):
        assert outgoing.put(published(number), 100 - seconds) is None
    outgoing.came_up(100)
    return outgoing


def taken(outgoing: Outgoing) -> list[tuple[int, str]]:
    """The messages that go to Redis, each with its number."""
    found = outgoing.take()
    outgoing.confirm()
    return [(n, body.frame.payload) for n, _, body in found if isinstance(body, Published)]  # pyright: ignore[reportReturnType]


def test_what_was_said_while_redis_was_away_is_sent_in_its_order():
    assert taken(after_an_outage(during=3)) == [(1, "0"), (2, "1"), (3, "2")]


def test_what_redis_may_have_had_is_sent_again_under_its_number():
    outgoing = after_an_outage(unconfirmed=2, during=1)
    assert taken(outgoing) == [(1, "0"), (2, "1")]
    assert taken(outgoing) == [(3, "2")]


def test_messages_wait_for_the_other_nodes_and_signs_of_life_do_not():
    outgoing = after_an_outage(unconfirmed=2, during=1)
    outgoing.put(Alive(asks=True), 100)
    assert outgoing.is_held(100, are_back=False)
    assert outgoing.take_control() == [(0, 0, Alive(asks=True))]
    assert not outgoing.is_held(101, are_back=True)
    assert not outgoing.is_held(100 + BACK_SECONDS, are_back=False)


def test_what_waited_for_too_long_is_counted_and_its_room_told():
    outgoing = after_an_outage(seconds=HOLD_SECONDS + 1, unconfirmed=2, during=3)
    assert outgoing.losses[Loss.EXPIRED] == 5
    assert [body for *_, body in outgoing.take()] == [Lost(ROOM)]


def test_nothing_more_is_kept_once_the_time_is_over():
    outgoing = Outgoing(0)
    for second in range(100):
        outgoing.put(published(second), second)
    assert outgoing.bytes < 1000
    assert outgoing.losses[Loss.EXPIRED] == 100
    outgoing.came_up(100)
    outgoing.put(published(100), 101)
    assert [body for *_, body in outgoing.take()] == [Lost(ROOM), published(100)]


def test_who_is_present_does_not_wait_for_redis():
    outgoing = Outgoing(0)
    outgoing.put(Tracked(ROOM, 1, Meta("k", "r", "{}")), 1)
    outgoing.came_up(2)
    assert outgoing.take() == []


# At the other node


class Received:
    """A member of the room that writes down what it hears."""

    def __init__(self) -> None:
        self.payloads: list[str] = []
        self.notices = 0  # of a loss

    def deliver(self, channel: int, delivery: object, now: float) -> None:
        if isinstance(delivery, Notice):
            self.notices += 1
            return
        assert isinstance(delivery, BroadcastDelivery)
        frame = delivery.envelope.frame
        assert isinstance(frame, Message)
        self.payloads.append(frame.payload)


def other_node() -> tuple[Peers, Received]:
    hub = Hub("here", real_world().clock, lambda _seconds, _call: None, Rate(1000))
    received = Received()
    announced: list[Announcement] = []
    hub.connect(announced.append)
    hub.enter(1, ROOM, received)
    return Peers(hub), received


def test_a_message_that_comes_again_is_heard_once():
    peers, received = other_node()
    for number in (1, 2, 1, 2, 3):
        peers.receive(BusMessage("there", 0, published(number), number), START)
    assert (received.payloads, peers.missed) == (["1", "2", "3"], 0)


def test_messages_that_never_came_are_counted_once_by_their_room_which_is_told():
    peers, received = other_node()
    for number, in_room in ((4, 1), (6, 2), (9, 5), (10, 6)):  # others were for other rooms
        peers.receive(BusMessage("there", 0, published(number), number, in_room), START)
    assert (received.payloads, peers.missed) == (["4", "6", "9", "10"], 2)
    assert received.notices == 1


def test_what_was_said_while_a_room_had_no_member_is_no_loss():
    peers, _ = other_node()
    peers.receive(BusMessage("there", 0, published(1), 1, 1), START)
    peers.forget_room(ROOM)
    peers.receive(BusMessage("there", 0, published(9), 9, 9), START)
    assert peers.missed == 0


def test_what_was_missed_without_a_next_message_is_told_by_the_counts():
    peers, received = other_node()
    peers.receive(BusMessage("there", 0, published(1), 1, 1), START)
    elsewhere = RoomName("elsewhere", is_private=False)
    for _ in range(2):
        peers.receive(BusMessage("there", 0, RoomCounts(((ROOM, 3), (elsewhere, 9)))), START)
    assert (received.notices, peers.missed) == (1, 2)
    peers.receive(BusMessage("there", 0, published(4), 13, 4), START)
    assert (received.notices, peers.missed) == (1, 2)


def test_counts_follow_what_was_sent_before_and_are_not_sent_while_others_are_away():
    outgoing = after_an_outage(unconfirmed=2)
    outgoing.queue_counts()
    assert outgoing.take_control() == []
    assert taken(outgoing) == [(1, "0"), (2, "1")]
    outgoing.put(published(2), 100)
    *_, (_, _, last) = outgoing.take()
    assert last == RoomCounts(((ROOM, 3),))
    outgoing.confirm()
    assert not outgoing.is_waiting


def test_messages_of_a_room_are_counted_from_one_on_and_again_as_they_were():
    outgoing = Outgoing(0)
    outgoing.came_up(0)
    other = Published(RoomName("other", is_private=False), published(0).frame)
    for body in (published(0), other, published(1)):
        outgoing.put(body, 1)
    counts = [(count, in_room, body.room) for count, in_room, body in outgoing.take()]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    assert counts == [(1, 1, ROOM), (2, 1, other.room), (3, 2, ROOM)]
    assert outgoing.take() == outgoing.take()


def test_nodes_are_back_when_each_was_heard_again():
    peers, _ = other_node()
    for node in ("one", "two"):
        peers.receive(BusMessage(node, 0, Alive()), START)
    peers.wait_again(START)
    peers.receive(BusMessage("one", 0, Alive()), START + 1)
    assert not peers.are_back
    peers.receive(BusMessage("two", 0, Alive()), START + 1)
    assert peers.are_back


def test_a_list_of_members_is_cut_by_bytes_as_well(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(messages, "MEMBERS_AT_ONCE", 3)
    large, small = (Meta("k", "r", '{"x":"' + "x" * n + '"}') for n in (900_000, 1))
    tracked = [Tracked(ROOM, n, meta) for n, meta in enumerate([large, large, *[small] * 4])]
    parts = [each.tracked for each in member_parts(tracked)]
    assert [len(part) for part in parts] == [1, 3, 2]
    assert [one for part in parts for one in part] == tracked
    assert member_parts([]) == [Members(())]
    assert isinstance(Members(parts[0]), Members)

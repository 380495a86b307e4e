"""What waits for Redis: rooms in turns, each with a bound of its own, and presence at its newest."""

from __future__ import annotations

import pytest

from realtime_compat.cluster import waiting
from realtime_compat.cluster.messages import Alive, Body, Call, Lost, Members, Reply
from realtime_compat.cluster.waiting import Waiting
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.messages import Message, RoomName
from realtime_compat.protocol.presence import Meta

LOUD, CALM = RoomName("loud", is_private=False), RoomName("calm", is_private=True)
ALL = 1_000_000_000


def published(room: RoomName, text: str = "{}") -> Published:
    return Published(room, Message(f"realtime:{room.topic}", "broadcast", text))


def tracked(room: RoomName, channel: int, ref: str) -> Tracked:
    return Tracked(room, channel, Meta("key", ref, "{}"))


def waiting_for(*bodies: Body) -> Waiting:
    queue = Waiting()
    for body in bodies:
        assert queue.put(body) is None
    return queue


def test_rooms_have_turns_and_each_keeps_its_order():
    loud = [published(LOUD, str(n)) for n in range(4)]
    calm = [published(CALM, str(n)) for n in range(2)]
    queue = waiting_for(*loud, *calm)
    order = [loud[0], calm[0], loud[1], calm[1], loud[2], loud[3]]
    assert queue.take(6, ALL) == order
    assert not queue


@pytest.mark.parametrize(
    "text", ["{}", "x" * 100_000, "é" * 25_000], ids=["bodies", "bytes", "wide"]
)
def test_a_room_that_overflows_loses_its_own_words_alone(text: str):
    queue = waiting_for(published(CALM, "1"), tracked(LOUD, 1, "r"))
    lost = None
    for _ in range(waiting.MAX_ROOM_MESSAGES + 1):
        lost = lost or queue.put(published(LOUD, text))
        if lost:
            break
    assert lost == LOUD
    assert queue.put(published(LOUD, "after")) is None
    assert queue.take(10, ALL) == [
        tracked(LOUD, 1, "r"), published(CALM, "1"), Lost(LOUD), published(LOUD, "after"),
    ]  # fmt: skip


def test_all_rooms_together_are_bounded_and_the_largest_loses():
    large = "x" * 5_000_000
    queue, lost = waiting_for(published(CALM, "1")), None
    for number in range(100):
        lost = lost or queue.put(published(RoomName(f"{number % 10}", is_private=False), large))
        if lost:
            break
    assert lost not in {None, CALM}
    taken = queue.take(1000, ALL)
    assert published(CALM, "1") in taken
    assert [body for body in taken if isinstance(body, Lost)] == [Lost(lost)]
    assert sum(isinstance(body, Published) for body in taken) * 5_000_000 <= waiting.MAX_BYTES + 1e6


def test_rooms_beyond_the_most_are_dropped_and_named():
    queue = Waiting()
    for number in range(waiting.MAX_ROOMS):
        assert queue.put(published(RoomName(str(number), is_private=False))) is None
    assert queue.put(published(LOUD)) == LOUD
    assert len(queue.take(waiting.MAX_ROOMS + 1, ALL)) == waiting.MAX_ROOMS


def test_of_presence_the_newest_word_of_each_channel_waits():
    gone, later = Untracked(LOUD, 1), tracked(LOUD, 2, "later")
    queue = waiting_for(tracked(LOUD, 1, "a"), tracked(LOUD, 2, "b"), gone, later)
    assert queue.take(10, ALL) == [gone, later]


def test_a_list_of_all_members_says_what_waited_of_presence():
    first, last = Members((), last=False), Members((), first=False)
    queue = waiting_for(tracked(LOUD, 1, "a"), Members(()), first, last, tracked(LOUD, 1, "b"))
    assert queue.take(10, ALL) == [first, last, tracked(LOUD, 1, "b")]


def test_signs_of_life_become_one_that_asks_and_knows_what_each_did():
    queue = waiting_for(Alive(asks=True, knows=("a",)), Alive(knows=("b",)))
    [body] = queue.take(10, ALL)
    assert isinstance(body, Alive)
    assert body.asks
    assert set(body.knows) == {"a", "b"}


def test_few_large_words_are_taken_at_once():
    queue = waiting_for(*(published(LOUD, "x" * 1_000_000) for _ in range(10)))
    assert [len(queue.take(500, 3_500_000)) for _ in range(3)] == [4, 4, 2]


def test_requests_and_replies_are_bounded_by_bytes_and_forgotten_with_the_rest():
    large = b"x" * (waiting.MAX_CALL_BYTES // 2)
    calls = [Call("ab" * 8, 1, large), Reply("cd" * 8, 1, large)]
    queue = waiting_for(*calls, Call("ab" * 8, 2, b"x"))
    assert queue.take_control(10) == calls
    queue = waiting_for(*calls)
    queue.forget_control()
    assert not queue

"""Who is present in which room, of this node and of others."""

from __future__ import annotations

from realtime_compat.hub.announcements import Tracked
from realtime_compat.hub.presence import RoomsPresence
from realtime_compat.protocol.messages import RoomName
from realtime_compat.protocol.presence import Meta

ROOM = RoomName("lobby", is_private=False)


def test_a_room_that_nobody_is_in_has_an_empty_state_of_no_size():
    presence = RoomsPresence()
    assert (presence.size(ROOM), presence.state_json(ROOM)) == (0, "{}")


def test_who_was_put_is_told_as_that_node_s():
    presence, meta = RoomsPresence(), Meta("ana", "r1", "{}", node="there")
    assert presence.put(ROOM, ("there", 7), meta).joins
    assert presence.tracked_by("there") == [Tracked(ROOM, 7, meta)]
    assert presence.tracked_by("here") == []


def test_whoever_leaves_makes_a_difference_once():
    presence = RoomsPresence()
    presence.put(ROOM, ("there", 7), Meta("ana", "r1", "{}", node="there"))
    diff = presence.forget(ROOM, ("there", 7))
    assert diff is not None
    assert diff.leaves
    assert presence.forget(ROOM, ("there", 7)) is None
    assert presence.size(ROOM) == 0

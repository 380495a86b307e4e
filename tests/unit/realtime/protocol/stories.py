"""The beginnings of stories about a channel."""

from __future__ import annotations

from realtime_compat.protocol.messages import RoomName
from realtime_compat.protocol.questions import AskRead, ReadAccess
from tests.harness_realtime import caller, play

ROOM = RoomName("room", is_private=False)
PRIVATE = RoomName("room", is_private=True)
TOPIC = "realtime:room"


def private(*, presence: bool = False, who=None, **config):
    story = play(who=who or caller("authenticated"))
    return story.joins(private=True, presence={"enabled": presence}, **config)


def private_joined(**access):
    story = private(presence=access.get("presence", False)).wants(
        AskRead("room", caller("authenticated"), presence=access.get("presence", False))
    )
    story.answered(ReadAccess(access.get("broadcast", True), access.get("presence", False)))
    story.pending.clear()
    return story

"""Scripts that begin with a channel joined."""

from __future__ import annotations

from realtime_compat.protocol.messages import RoomName
from realtime_compat.protocol.questions import AskRead, ReadAccess
from tests.harness_realtime import caller, new_script

ROOM = RoomName("room", is_private=False)
PRIVATE = RoomName("room", is_private=True)
TOPIC = "realtime:room"


def private(*, presence: bool = False, who=None, **config):
    script = new_script(who=who or caller("authenticated"))
    return script.joins(private=True, presence={"enabled": presence}, **config)


def private_joined(**access):
    script = private(presence=access.get("presence", False)).wants(
        AskRead("room", caller("authenticated"), presence=access.get("presence", False))
    )
    script.answered(ReadAccess(access.get("broadcast", True), access.get("presence", False)))
    script.pending.clear()
    return script

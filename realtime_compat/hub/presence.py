"""The presence of rooms, of this node and of others; every change gives a difference."""

from __future__ import annotations

from realtime_compat.hub.announcements import Tracked
from realtime_compat.protocol.messages import RoomName
from realtime_compat.protocol.presence import Diff, Member, Meta, Room


class RoomsPresence:
    """The presence of all rooms; an empty room is not kept."""

    def __init__(self) -> None:
        self._rooms: dict[RoomName, Room] = {}

    def size(self, room: RoomName) -> int:
        """The approximate size of a room's presence state in characters."""
        present = self._rooms.get(room)
        return present.size if present else 0

    def state_json(self, room: RoomName) -> str:
        """The presence state of a room as clients get it."""
        present = self._rooms.get(room)
        return present.state_json() if present else "{}"

    def of(self, room: RoomName) -> Room:
        """A room's presence, to be changed."""
        return self._rooms.setdefault(room, Room())

    def put(self, room: RoomName, member: Member, meta: Meta) -> Diff:
        """Set a member of another node."""
        return self.of(room).put(member, meta)

    def forget(self, room: RoomName, member: Member) -> Diff | None:
        """Remove a member; None where it was not tracked."""
        present = self._rooms.get(room)
        if present is None:
            return None
        diff = present.untrack(member)
        if not present.metas:
            del self._rooms[room]
        return diff or None

    def tracked_by(self, node: str) -> list[Tracked]:
        """The members of a node."""
        return [
            Tracked(room, member[1], meta)
            for room, present in self._rooms.items()
            for member, meta in present.metas.items()
            if meta.node == node
        ]

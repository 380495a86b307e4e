"""Messages of the hub for other nodes, and the hub as a bus sees it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from realtime_compat.protocol.messages import RoomName, ServerFrame
from realtime_compat.protocol.presence import Meta


@dataclass(frozen=True, slots=True)
class Published:
    """A frame for every member of a room, on every node."""

    room: RoomName
    frame: ServerFrame


@dataclass(frozen=True, slots=True)
class Tracked:
    """A member was tracked."""

    room: RoomName
    channel: int
    meta: Meta


@dataclass(frozen=True, slots=True)
class Untracked:
    """A member was untracked."""

    room: RoomName
    channel: int


Announcement: TypeAlias = Published | Tracked | Untracked


class HubPort(Protocol):
    """The hub as a bus sees it: its own members, and those of other nodes."""

    node: str

    def connect(self, announce: Callable[[Announcement], None]) -> None:
        """Announce to other nodes from now on."""
        ...

    def watch_rooms(
        self,
        opened: Callable[[RoomName], None],
        closed: Callable[[RoomName], None],
        routed: Callable[[RoomName], Awaitable[object]],
    ) -> None:
        """Report which rooms get their first member here, and which lose their last one."""
        ...

    def publish(self, room: RoomName, frame: ServerFrame, *, is_local: bool = True) -> None:
        """Deliver a frame to every member of a room."""
        ...

    def notify_lost(self, room: RoomName) -> None:
        """Notify a room's members that messages of other nodes were lost."""
        ...

    def local_presence(self) -> list[Tracked]:
        """The tracked members of this node."""
        ...

    def put_remote(self, node: str, tracked: Tracked) -> None:
        """Add another node's member."""
        ...

    def drop_remote(self, node: str, room: RoomName, channel: int) -> None:
        """Remove another node's member."""
        ...

    def remote_members(self, node: str) -> set[tuple[RoomName, int]]:
        """The known members of another node."""
        ...

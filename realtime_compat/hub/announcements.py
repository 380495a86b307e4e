"""What nodes tell one another: frames for a room, and presence that was set or has ended."""

from __future__ import annotations

from collections.abc import Callable
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
    """A member's presence was set."""

    room: RoomName
    channel: int
    meta: Meta


@dataclass(frozen=True, slots=True)
class Untracked:
    """A member's presence has ended."""

    room: RoomName
    channel: int


Announcement: TypeAlias = Published | Tracked | Untracked


class HubPort(Protocol):
    """The hub as a bus sees it: this node's members, and where those of others are put."""

    node: str

    def connect(self, announce: Callable[[Announcement], None]) -> None:
        """Tell other nodes from now on."""
        ...

    def publish(self, room: RoomName, frame: ServerFrame, *, is_local: bool = True) -> None:
        """Give a frame to every member of a room."""
        ...

    def notify_lost(self, room: RoomName) -> None:
        """Tell a room's members that messages of other nodes were lost."""
        ...

    def local_presence(self) -> list[Tracked]:
        """What this node's own members track."""
        ...

    def put_remote(self, node: str, tracked: Tracked) -> None:
        """Another node's member is present."""
        ...

    def drop_remote(self, node: str, room: RoomName, channel: int) -> None:
        """Another node's member is gone."""
        ...

    def remote_members(self, node: str) -> set[tuple[RoomName, int]]:
        """What is known of another node's members."""
        ...

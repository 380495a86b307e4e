"""Rooms and their members in this process: local fan-out, and presence told of.

A frame for a room is encoded once for each serializer, however many members there are. What other
nodes must hear of is given to `announce`; what they say comes in by the same methods with
`is_local` off.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

from compat_base.values.world import Clock
from realtime_compat.errors import MESSAGES_LOST
from realtime_compat.hub.announcements import Announcement, Published, Tracked, Untracked
from realtime_compat.hub.presence import RoomsPresence
from realtime_compat.protocol.deliveries import (
    BroadcastDelivery,
    Delivery,
    Envelope,
    PresenceDelivery,
    StateDelivery,
)
from realtime_compat.protocol.messages import (
    BROADCAST,
    TOPIC_PREFIX,
    Message,
    RoomName,
    ServerFrame,
)
from realtime_compat.protocol.presence import Diff
from realtime_compat.protocol.questions import Notice

CROWD = 32  # members from which on presence differences are gathered
GATHER_SECONDS = 0.05


class Member(Protocol):
    """A socket, as the hub sees it."""

    def deliver(self, channel: int, delivery: Delivery, now: float) -> None:
        """Give a channel of this socket something."""
        ...


class Hub:
    """Rooms, members and presence of one node.

    `later` calls a function after so many seconds.
    """

    def __init__(
        self, node: str, clock: Clock, later: Callable[[float, Callable[[], None]], object]
    ) -> None:
        self.node = node
        self._clock = clock
        self._later = later
        self._announce: Callable[[Announcement], None] = _to_nobody
        self._opened: Callable[[RoomName], None] = _to_nobody
        self._closed: Callable[[RoomName], None] = _to_nobody
        self._routed: Callable[[RoomName], Awaitable[object]] = _at_once
        self._gathered: dict[RoomName, Diff] = {}
        self._rooms: dict[RoomName, dict[int, Member]] = {}
        self._members: dict[int, Member] = {}
        self._presence = RoomsPresence()
        self._refs = itertools.count(1)

    def connect(self, announce: Callable[[Announcement], None]) -> None:
        """Tell other nodes from now on."""
        self._announce = announce

    def watch_rooms(
        self,
        opened: Callable[[RoomName], None],
        closed: Callable[[RoomName], None],
        routed: Callable[[RoomName], Awaitable[object]],
    ) -> None:
        """Tell which rooms get their first member here, and which lose their last one.

        `routed` waits until what others send to an open room comes here.
        """
        self._opened, self._closed, self._routed = opened, closed, routed

    async def await_routed(self, room: RoomName) -> None:
        """Wait until what members elsewhere send to a room comes here."""
        await self._routed(room)

    def enter(self, channel: int, room: RoomName, member: Member) -> None:
        """A channel is a member of a room."""
        if room not in self._rooms:
            self._rooms[room] = {}
            self._opened(room)
        self._rooms[room][channel] = member
        self._members[channel] = member

    def leave(self, channel: int, room: RoomName) -> None:
        """A channel is gone; its presence ends at once."""
        members = self._rooms.get(room, {})
        members.pop(channel, None)
        if not members and self._rooms.pop(room, None) is not None:
            self._closed(room)
        self._members.pop(channel, None)
        self.untrack(channel, room)

    def publish(
        self,
        room: RoomName,
        frame: ServerFrame,
        *,
        sender: int | None = None,
        message_id: str | None = None,
        is_local: bool = True,
    ) -> None:
        """Give a frame to every member of a room but the sender.

        Database messages (`message_id`) reach every node by its own stream, others by the bus.
        """
        if is_local and message_id is None:
            self._announce(Published(room, frame))
        self._fan_out(room, BroadcastDelivery(Envelope(frame), message_id), sender)

    def notify_all_lost(self) -> None:
        """Tell every room that messages of others were lost."""
        for room in tuple(self._rooms):
            self.notify_lost(room)

    def notify_lost(self, room: RoomName) -> None:
        """Tell a room's members that messages of other nodes were lost."""
        self._fan_out(room, Notice(BROADCAST, MESSAGES_LOST, is_error=True), None)

    def deliver(self, channel: int, delivery: Delivery) -> None:
        """Give one channel something."""
        self.deliver_each([(channel, delivery)])

    def deliver_each(self, deliveries: Iterable[tuple[int, Delivery]]) -> None:
        """Give several channels something, each its own."""
        now = self._clock.now().timestamp()
        for channel, delivery in deliveries:
            member = self._members.get(channel)
            if member is not None:
                member.deliver(channel, delivery, now)

    @property
    def channels(self) -> int:
        """How many channels have joined on this node."""
        return len(self._members)

    @property
    def rooms(self) -> int:
        """How many rooms have a member on this node."""
        return len(self._rooms)

    def has_members(self, room: RoomName) -> bool:
        """Whether anybody on this node would hear of it."""
        return room in self._rooms

    # Presence

    def presence_size(self, room: RoomName) -> int:
        """About how many characters the presence state of a room has."""
        return self._presence.size(room)

    def track(self, channel: int, room: RoomName, key: str, value: str) -> None:
        """Set a channel's presence and tell the room of the difference."""
        ref = f"{self.node}-{next(self._refs):x}"
        diff = self._presence.of(room).track((self.node, channel), key, value, ref, self.node)
        for meta in diff.joins:
            self._announce(Tracked(room, channel, meta))
        self._tell(room, diff)

    def untrack(self, channel: int, room: RoomName) -> None:
        """End a channel's presence and tell the room."""
        if (diff := self._presence.forget(room, (self.node, channel))) is not None:
            self._announce(Untracked(room, channel))
            self._tell(room, diff)

    def show_presence(self, channel: int, room: RoomName) -> None:
        """Tell a channel who is in its room.

        A gathered difference may repeat what the state holds: clients tell metas by their refs.
        """
        self.deliver(channel, StateDelivery(self._presence.state_json(room)))

    def local_presence(self) -> list[Tracked]:
        """What this node's own members track, for nodes that have to catch up."""
        return self._presence.tracked_by(self.node)

    def put_remote(self, node: str, tracked: Tracked) -> None:
        """Another node's member is present."""
        diff = self._presence.put(tracked.room, (node, tracked.channel), tracked.meta)
        self._tell(tracked.room, diff)

    def drop_remote(self, node: str, room: RoomName, channel: int) -> None:
        """Another node's member is gone."""
        diff = self._presence.forget(room, (node, channel))
        if diff is not None:
            self._tell(room, diff)

    def remote_members(self, node: str) -> set[tuple[RoomName, int]]:
        """What is known of another node's members."""
        return {(each.room, each.channel) for each in self._presence.tracked_by(node)}

    def _tell(self, room: RoomName, diff: Diff) -> None:
        """Tell a room of a difference; a crowd hears several at once, or it would drown in them."""
        if not diff or room not in self._rooms:
            return
        if room in self._gathered:
            self._gathered[room] = self._gathered[room].then(diff)
        elif len(self._rooms[room]) < CROWD:
            self._tell_now(room, diff)
        else:
            self._gathered[room] = diff
            self._later(GATHER_SECONDS, lambda: self._tell_gathered(room))

    def _tell_gathered(self, room: RoomName) -> None:
        diff = self._gathered.pop(room, None)
        if diff is not None:
            self._tell_now(room, diff)

    def _tell_now(self, room: RoomName, diff: Diff) -> None:
        if room in self._rooms:
            frame = Message(TOPIC_PREFIX + room.topic, "presence_diff", diff.to_json())
            self._fan_out(room, PresenceDelivery(Envelope(frame)), None)

    def _fan_out(self, room: RoomName, delivery: Delivery, sender: int | None) -> None:
        members = self._rooms.get(room)
        if members is None:
            return
        now = self._clock.now().timestamp()
        # A copy, because a delivery may close a socket and so change the room.
        for channel, member in tuple(members.items()):
            if channel != sender:
                member.deliver(channel, delivery, now)


def _to_nobody(_said: object) -> None:
    """There is no other node."""


async def _at_once(_room: RoomName) -> None:
    """There is no other node."""

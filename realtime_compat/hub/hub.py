"""Rooms and their members in this process: local fan-out and presence.

A frame for a room is encoded once for each serializer, however many members there are. What
concerns other nodes is passed to `announce`; their messages come in by the same methods with
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
from realtime_compat.protocol.limits import Rate
from realtime_compat.protocol.messages import (
    BROADCAST,
    TOPIC_PREFIX,
    Message,
    RoomName,
    ServerFrame,
)
from realtime_compat.protocol.presence import Diff
from realtime_compat.protocol.questions import Notice

GATHER_FROM = 32  # members from which on presence differences are gathered
GATHER_SECONDS = 0.05


class Member(Protocol):
    """A socket, as the hub sees it."""

    def deliver(self, channel: int, delivery: Delivery, now: float) -> None:
        """Deliver something to a channel of this socket."""
        ...


class Hub:
    """Rooms, members and presence of one node.

    `later` calls a function after so many seconds; `events` counts what is sent to channels.
    """

    def __init__(
        self,
        node: str,
        clock: Clock,
        later: Callable[[float, Callable[[], None]], object],
        events: Rate,
    ) -> None:
        self.node = node
        self._clock = clock
        self._later = later
        self._events = events
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
        """Announce to other nodes from now on."""
        self._announce = announce

    def watch_rooms(
        self,
        opened: Callable[[RoomName], None],
        closed: Callable[[RoomName], None],
        routed: Callable[[RoomName], Awaitable[object]],
    ) -> None:
        """Report which rooms get their first member here, and which lose their last one.

        `routed` waits until others' messages for an open room arrive here.
        """
        self._opened, self._closed, self._routed = opened, closed, routed

    async def await_routed(self, room: RoomName) -> None:
        """Wait until messages of members elsewhere for a room arrive here."""
        await self._routed(room)

    def enter(self, channel: int, room: RoomName, member: Member) -> None:
        """Add a channel to a room."""
        if room not in self._rooms:
            self._rooms[room] = {}
            self._opened(room)
        self._rooms[room][channel] = member
        self._members[channel] = member

    def leave(self, channel: int, room: RoomName) -> None:
        """Remove a channel; its presence ends at once."""
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
        """Deliver a frame to every member of a room but the sender.

        Database messages (`message_id`) reach every node by its own stream, others by the bus.
        """
        if is_local and message_id is None:
            self._announce(Published(room, frame))
        envelope = Envelope(frame)
        self._fan_out(room, BroadcastDelivery(envelope, message_id), sender)
        self._count(envelope)

    def notify_all_lost(self) -> None:
        """Notify every room that messages of other nodes were lost."""
        for room in tuple(self._rooms):
            self.notify_lost(room)

    def notify_lost(self, room: RoomName) -> None:
        """Notify a room's members that messages of other nodes were lost."""
        self._fan_out(room, Notice(BROADCAST, MESSAGES_LOST, is_error=True), None)

    def deliver(self, channel: int, delivery: Delivery) -> None:
        """Deliver something to one channel."""
        self.deliver_each([(channel, delivery)])

    def deliver_each(self, deliveries: Iterable[tuple[int, Delivery]]) -> None:
        """Deliver to several channels, to each its own."""
        now = self._clock.now().timestamp()
        for channel, delivery in deliveries:
            member = self._members.get(channel)
            if member is not None:
                member.deliver(channel, delivery, now)

    @property
    def channels(self) -> int:
        """The number of joined channels on this node."""
        return len(self._members)

    def joined(self) -> tuple[int, ...]:
        """The joined channels of this node."""
        return tuple(self._members)

    @property
    def rooms(self) -> int:
        """The number of rooms with a member on this node."""
        return len(self._rooms)

    def has_members(self, room: RoomName) -> bool:
        """Whether a room has a member on this node."""
        return room in self._rooms

    # Presence

    def presence_size(self, room: RoomName) -> int:
        """The approximate size of a room's presence state in characters."""
        return self._presence.size(room)

    def track(self, channel: int, room: RoomName, key: str, value: str) -> None:
        """Track a channel's presence, and send the room the difference."""
        ref = f"{self.node}-{next(self._refs):x}"
        diff = self._presence.of(room).track((self.node, channel), key, value, ref, self.node)
        for meta in diff.joins:
            self._announce(Tracked(room, channel, meta))
        self._send_diff(room, diff)

    def untrack(self, channel: int, room: RoomName) -> None:
        """Untrack a channel's presence, and send the room the difference."""
        if (diff := self._presence.forget(room, (self.node, channel))) is not None:
            self._announce(Untracked(room, channel))
            self._send_diff(room, diff)

    def show_presence(self, channel: int, room: RoomName) -> None:
        """Send a channel the presence state of its room.

        A later difference may repeat what the state holds: clients merge metas by their refs.
        """
        self.deliver(channel, StateDelivery(self._presence.state_json(room)))

    def local_presence(self) -> list[Tracked]:
        """The tracked members of this node, for nodes that have to catch up."""
        return self._presence.tracked_by(self.node)

    def put_remote(self, node: str, tracked: Tracked) -> None:
        """Add another node's member."""
        diff = self._presence.put(tracked.room, (node, tracked.channel), tracked.meta)
        self._send_diff(tracked.room, diff)

    def drop_remote(self, node: str, room: RoomName, channel: int) -> None:
        """Remove another node's member."""
        diff = self._presence.forget(room, (node, channel))
        if diff is not None:
            self._send_diff(room, diff)

    def remote_members(self, node: str) -> set[tuple[RoomName, int]]:
        """The known members of another node."""
        return {(each.room, each.channel) for each in self._presence.tracked_by(node)}

    def _send_diff(self, room: RoomName, diff: Diff) -> None:
        """Send a room a difference; large rooms get several merged into one."""
        if not diff or room not in self._rooms:
            return
        if room in self._gathered:
            self._gathered[room] = self._gathered[room].then(diff)
        elif len(self._rooms[room]) < GATHER_FROM:
            self._deliver_diff(room, diff)
        else:
            self._gathered[room] = diff
            self._later(GATHER_SECONDS, lambda: self._deliver_gathered(room))

    def _deliver_gathered(self, room: RoomName) -> None:
        diff = self._gathered.pop(room, None)
        if diff is not None:
            self._deliver_diff(room, diff)

    def _deliver_diff(self, room: RoomName, diff: Diff) -> None:
        if room in self._rooms:
            frame = Message(TOPIC_PREFIX + room.topic, "presence_diff", diff.to_json())
            envelope = Envelope(frame)
            self._fan_out(room, PresenceDelivery(envelope), None)
            self._count(envelope)

    def _fan_out(self, room: RoomName, delivery: Delivery, sender: int | None) -> None:
        members = self._rooms.get(room)
        if members is None:
            return
        now = self._clock.now().timestamp()
        # A copy, because a delivery may close a socket and so change the room.
        for channel, member in tuple(members.items()):
            if channel != sender:
                member.deliver(channel, delivery, now)

    def _count(self, envelope: Envelope) -> None:
        """Count a frame as often as it was sent: once a room, not once a member."""
        self._events.add(envelope.taken, self._clock.now().timestamp())


def _to_nobody(_announcement: object) -> None:
    """There is no other node."""


async def _at_once(_room: RoomName) -> None:
    """There is no other node."""

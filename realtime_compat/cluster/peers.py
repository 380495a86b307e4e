"""The other nodes, on passed-in time: their counts of messages, members and heartbeats.

A node numbers its presence changes; at a gap its whole list of members is requested. A node that
times out is dead, and so are its members. Messages for rooms are counted too: a repeated one is
accepted once, and a gap within a room that has a member here is a loss: one that the next message
shows, or the counts that a node sends to a node that was cut off.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from realtime_compat.cluster.messages import (
    Alive,
    BusMessage,
    Gone,
    Load,
    Lost,
    Members,
    RoomCounts,
)
from realtime_compat.hub import HubPort, Published, Tracked, Untracked
from realtime_compat.protocol.messages import RoomName

MAX_COUNTED = 10_000  # rooms of a node whose messages are counted
SILENCE = 15.0  # seconds; clients see a dead node's members leave within twice that


@dataclass(slots=True)
class _Peer:
    presence_changes: int
    seen_at: float
    is_current: bool  # whether its members are known
    room_messages: int
    is_back: bool = True  # a message came since this node itself was cut off
    in_rooms: OrderedDict[RoomName, int] = field(default_factory=OrderedDict[RoomName, int])
    members: list[Tracked] = field(default_factory=list[Tracked])  # of a list that is not whole yet

    def has_missed(self, changes: int, *, step: int) -> bool:
        """Take its next count of presence changes; whether any was missed."""
        self.is_current = self.is_current and changes == self.presence_changes + step
        self.presence_changes = changes
        return not self.is_current


@dataclass(slots=True)
class Peers:
    """Applies the messages of other nodes to the hub."""

    hub: HubPort
    missed: int = 0  # messages of others that never came
    loads: dict[str, Load] = field(default_factory=dict[str, Load])
    _peers: dict[str, _Peer] = field(default_factory=dict[str, _Peer])

    def receive(self, message: BusMessage, now: float) -> bool:
        """Apply a message; True where the nodes must be asked for their members."""
        if message.node == self.hub.node:
            return False
        peer = self._peers.get(message.node)
        if peer is None:
            is_message = isinstance(message.body, Published)
            before = message.room_messages - is_message
            peer = _Peer(message.presence_changes, now, is_current=False, room_messages=before)
            self._peers[message.node] = peer
        peer.seen_at, peer.is_back = now, True
        is_repeated = self._count_room_messages(peer, message)
        changes = message.presence_changes
        match message.body:
            case Published(room, frame):
                if not is_repeated:
                    missed = _missed(peer.in_rooms, room, message.in_room)
                    self.missed += missed
                    if missed:
                        self.hub.notify_lost(room)
                    self.hub.publish(room, frame, is_local=False)
            case Lost(room):
                self.hub.notify_lost(room)
            case RoomCounts(counts):
                self._receive_counts(peer, counts)
            case Tracked() as tracked:
                self.hub.put_remote(message.node, tracked)
                return peer.has_missed(changes, step=1)
            case Untracked(room, channel):
                self.hub.drop_remote(message.node, room, channel)
                return peer.has_missed(changes, step=1)
            case Alive():
                return peer.has_missed(changes, step=0)
            case Members() as members:
                self._receive_members(message.node, peer, members, changes)
            case Load() as load:
                self.loads[message.node] = load
            case Gone():
                self._forget(message.node)
            case _:
                pass
        return False

    def _count_room_messages(self, peer: _Peer, message: BusMessage) -> bool:
        """Whether this message for a room came before."""
        is_message, count = isinstance(message.body, Published), message.room_messages
        is_repeated = is_message and count <= peer.room_messages
        peer.room_messages = max(peer.room_messages, count)
        return is_repeated

    def _receive_counts(self, peer: _Peer, counts: Sequence[tuple[RoomName, int]]) -> None:
        for room, count in counts:
            if room in peer.in_rooms and (missed := count - peer.in_rooms[room]) > 0:
                peer.in_rooms[room] = count
                self.missed += missed
                self.hub.notify_lost(room)

    def _receive_members(self, node: str, peer: _Peer, members: Members, changes: int) -> None:
        peer.members = [*([] if members.first else peer.members), *members.tracked]
        if members.last:
            self._replace(node, peer.members)
            peer.members = []
            peer.presence_changes, peer.is_current = changes, True

    def forget_room(self, room: RoomName) -> None:
        """A room is left: what is missed there from now on is no loss."""
        for peer in self._peers.values():
            peer.in_rooms.pop(room, None)

    def forget_silent(self, now: float) -> list[str]:
        """Drop the nodes that timed out, and their members; their names."""
        silent = [node for node, peer in self._peers.items() if now - peer.seen_at > SILENCE]
        for node in silent:
            self._forget(node)
        return silent

    def wait_again(self, now: float) -> None:
        """This node was cut off: time-outs begin anew."""
        for peer in self._peers.values():
            peer.seen_at = now
            peer.is_current = peer.is_back = False

    @property
    def are_back(self) -> bool:
        """Whether every known node has sent something since this one was cut off."""
        return all(peer.is_back for peer in self._peers.values())

    def __len__(self) -> int:
        return len(self._peers)

    def nodes(self) -> tuple[str, ...]:
        """The other nodes."""
        return tuple(self._peers)

    def _replace(self, node: str, tracked: Sequence[Tracked]) -> None:
        present = {(one.room, one.channel) for one in tracked}
        for room, channel in self.hub.remote_members(node) - present:
            self.hub.drop_remote(node, room, channel)
        for one in tracked:
            self.hub.put_remote(node, one)

    def _forget(self, node: str) -> None:
        self._peers.pop(node, None)
        self.loads.pop(node, None)
        self._replace(node, ())


def _missed(in_rooms: OrderedDict[RoomName, int], room: RoomName, count: int) -> int:
    """Take a room's next count; how many messages of it never came."""
    last = in_rooms.pop(room, None)
    in_rooms[room] = count
    if len(in_rooms) > MAX_COUNTED:
        in_rooms.popitem(last=False)
    return 0 if last is None or not count else max(0, count - last - 1)

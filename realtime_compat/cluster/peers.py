"""The other nodes, on passed-in time: their counts of messages, members and heartbeats.

A node numbers its presence changes; at a gap its whole list of members is requested. A node that
times out is dead, and so are its members. Messages for rooms are counted too: a repeated one is
accepted once, and a gap is a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from realtime_compat.cluster.wire import Alive, BusMessage, Gone, Load, Lost, Members
from realtime_compat.hub import HubPort, Published, Tracked, Untracked

SILENCE = 15.0  # seconds; clients see a dead node's members leave within twice that


@dataclass(slots=True)
class _Peer:
    presence_changes: int
    heard_at: float
    is_current: bool  # whether its members are known
    room_messages: int
    is_back: bool = True  # heard since this node itself was cut off
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
        peer.heard_at, peer.is_back = now, True
        is_repeated = self._count_room_messages(peer, message)
        changes = message.presence_changes
        match message.body:
            case Published(room, frame):
                if not is_repeated:
                    self.hub.publish(room, frame, is_local=False)
            case Lost(room):
                self.hub.notify_lost(room)
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
            case Load():
                pass
            case Gone():
                self._forget(message.node)
        return False

    def _count_room_messages(self, peer: _Peer, message: BusMessage) -> bool:
        """Count what never came; whether this message for a room came before."""
        is_message, count = isinstance(message.body, Published), message.room_messages
        is_repeated = is_message and count <= peer.room_messages
        self.missed += max(0, count - is_message - peer.room_messages)
        peer.room_messages = max(peer.room_messages, count)
        return is_repeated

    def _receive_members(self, node: str, peer: _Peer, members: Members, changes: int) -> None:
        peer.members = [*([] if members.first else peer.members), *members.tracked]
        if members.last:
            self._replace(node, peer.members)
            peer.members = []
            peer.presence_changes, peer.is_current = changes, True

    def forget_silent(self, now: float) -> list[str]:
        """Drop the nodes that timed out, and their members; their names."""
        silent = [node for node, peer in self._peers.items() if now - peer.heard_at > SILENCE]
        for node in silent:
            self._forget(node)
        return silent

    def wait_again(self, now: float) -> None:
        """This node was cut off: time-outs begin anew."""
        for peer in self._peers.values():
            peer.heard_at = now
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
        self._replace(node, ())

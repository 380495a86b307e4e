"""What is known of the other nodes, on passed-in time.

Presence changes of a node are numbered. A gap means that something was missed: the node's members
are then asked for as a whole. A node that stays silent has died, and its members with it.
Messages for rooms are counted too: one that was sent again is heard once, and a gap is a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from realtime_compat.cluster.wire import Alive, Gone, Letter, Load, Lost, Members
from realtime_compat.hub import HubPort, Published, Tracked, Untracked

SILENCE = 15.0  # seconds; clients see a dead node's members leave within twice that


@dataclass(slots=True)
class _Peer:
    number: int
    heard_at: float
    is_current: bool
    said: int
    is_back: bool = True  # heard since this node itself was cut off
    members: list[Tracked] = field(default_factory=list[Tracked])  # of a list that is not whole yet


@dataclass(slots=True)
class Peers:
    """Applies what the other nodes say to the hub."""

    hub: HubPort
    missed: int = 0  # messages of others that never came
    _peers: dict[str, _Peer] = field(default_factory=dict[str, _Peer])

    def receive(self, letter: Letter, now: float) -> bool:
        """Apply a letter; True where the nodes must be asked for their members."""
        if letter.node == self.hub.node:
            return False
        is_message = isinstance(letter.word, Published)
        peer = self._peers.get(letter.node)
        if peer is None:
            said = letter.said - is_message
            peer = self._peers[letter.node] = _Peer(letter.number, now, is_current=False, said=said)
        peer.heard_at, peer.is_back = now, True
        is_heard = is_message and letter.said <= peer.said
        self.missed += max(0, letter.said - is_message - peer.said)
        peer.said = max(peer.said, letter.said)
        match letter.word:
            case Published(room, frame):
                if not is_heard:
                    self.hub.publish(room, frame, is_local=False)
                return False
            case Lost(room):
                self.hub.tell_lost(room)
                return False
            case Tracked() as tracked:
                self.hub.put_remote(letter.node, tracked)
                return self._count(peer, letter.number, step=1)
            case Untracked(room, channel):
                self.hub.drop_remote(letter.node, room, channel)
                return self._count(peer, letter.number, step=1)
            case Alive():
                return self._count(peer, letter.number, step=0)
            case Members(tracked, first, last):
                peer.members = [*([] if first else peer.members), *tracked]
                if last:
                    self._replace(letter.node, peer.members)
                    peer.members = []
                    peer.number, peer.is_current = letter.number, True
                return False
            case Load():
                return False
            case Gone():
                self._forget(letter.node)
                return False

    def forget_silent(self, now: float) -> list[str]:
        """Drop the nodes that have died, and their members; their names."""
        silent = [node for node, peer in self._peers.items() if now - peer.heard_at > SILENCE]
        for node in silent:
            self._forget(node)
        return silent

    def wait_again(self, now: float) -> None:
        """This node itself was cut off: nobody's silence counts until now."""
        for peer in self._peers.values():
            peer.heard_at = now
            peer.is_current = peer.is_back = False

    @property
    def are_back(self) -> bool:
        """Whether every node that is known was heard since this one was cut off."""
        return all(peer.is_back for peer in self._peers.values())

    def __len__(self) -> int:
        return len(self._peers)

    def _count(self, peer: _Peer, number: int, *, step: int) -> bool:
        is_current = peer.is_current and number == peer.number + step
        peer.number = number
        peer.is_current = is_current
        return not is_current

    def nodes(self) -> tuple[str, ...]:
        """The nodes that are there, besides this one."""
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

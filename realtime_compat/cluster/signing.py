"""Messages signed with the project's secret, and verified: each is taken once.

Projects that share a Redis server have channels of their own, named after their secrets, and what
anybody else writes there is refused. A message is magic, MAC, node, counter, body; the MAC is keyed
BLAKE2b over the channel and all that follows. A node's name is made at its start, so

- a counter that does not grow is a message received before, and
- a message that names this node was written after this node's start. Before a node has sent that,
  it may be one that is long gone and whose messages somebody replays.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from realtime_compat.cluster.messages import Alive, BusMessage
from realtime_compat.cluster.wire import read, write

MAX_MESSAGE = 33_554_432  # bytes; a payload has at most a tenth of it by default
MAX_KNOWN = 10_000  # nodes whose counters are kept, dead ones too
MAX_UNKNOWN = 100  # that are announced to at once

_MAGIC = b"rt4"
_MAC = 32
_NODE = 8
_COUNTER = 8
_HEAD = len(_MAGIC) + _MAC + _NODE + _COUNTER


class Refusal(Enum):
    """Why a message is refused."""

    UNREADABLE = "unreadable"
    FOREIGN = "foreign"  # not signed by this project
    REPLAYED = "replayed"
    UNKNOWN_NODE = "stranger"  # of a node that has not yet shown that it is there now


@dataclass(frozen=True, slots=True)
class Project:
    """The channel and the key of a project's nodes."""

    channel: str
    key: bytes = field(repr=False)

    def room(self, topic: bytes) -> str:
        """The channel of a room, by its topic of 16 bytes."""
        return f"{self.channel}:{topic.hex()}"

    def topic_of(self, channel: str) -> bytes:
        """The topic of the room that a channel is of."""
        return bytes.fromhex(channel.removeprefix(f"{self.channel}:"))


def project_of(secret: str) -> Project:
    """The channel and the key that follow from a project's secret."""
    channel = hashlib.blake2b(secret.encode(), digest_size=16, person=b"rt bus channel").hexdigest()
    key = hashlib.blake2b(secret.encode(), digest_size=32, person=b"rt bus key").digest()
    return Project(f"realtime:{channel}", key)


@dataclass(slots=True)
class Signer:
    """Signs this node's messages and verifies the others'; `node` is 16 hexadecimal digits.

    `unknown_nodes` are those whose messages were dropped. They are accepted once they have named
    this node, which therefore announces itself to them.
    """

    project: Project
    node: str
    refused: Counter[Refusal] = field(default_factory=Counter[Refusal])
    unknown_nodes: dict[str, None] = field(default_factory=dict[str, None])
    _count: int = 0
    _last: dict[str, int] = field(default_factory=dict[str, int])

    def sign(self, message: BusMessage, channel: str | None = None) -> bytes:
        """Sign a message with the next count, for a channel, or for the nodes' own."""
        self._count += 1
        tail = bytes.fromhex(self.node) + self._count.to_bytes(_COUNTER) + write(message)
        return _MAGIC + self.mac(tail, channel) + tail

    def verify(self, data: bytes, channel: str | None = None) -> BusMessage | Refusal | None:
        """Verify bytes: a message, or why it is refused; None for an echo of this node's own."""
        found = self._verify(data, channel)
        if isinstance(found, Refusal):
            self.refused[found] += 1
        return found

    def knows(self, node: str) -> bool:
        """Whether a node has shown that it is there since this one is."""
        return node in self._last

    def _verify(self, data: bytes, channel: str | None) -> BusMessage | Refusal | None:
        if not _HEAD < len(data) <= MAX_MESSAGE or not data.startswith(_MAGIC):
            return Refusal.UNREADABLE
        tail = data[len(_MAGIC) + _MAC :]
        if not hmac.compare_digest(data[len(_MAGIC) : len(_MAGIC) + _MAC], self.mac(tail, channel)):
            return Refusal.FOREIGN
        node = tail[:_NODE].hex()
        count = int.from_bytes(tail[_NODE : _NODE + _COUNTER])
        if count <= self._last.get(node, 0):
            return Refusal.REPLAYED
        if node == self.node:
            self._record(node, count)
            return None
        message = read(node, tail[_NODE + _COUNTER :])
        if message is None:
            return Refusal.UNREADABLE
        if not self.knows(node) and not _is_written_to(self.node, message):
            if len(self.unknown_nodes) < MAX_UNKNOWN:
                self.unknown_nodes[node] = None
            return Refusal.UNKNOWN_NODE
        self._record(node, count)
        return message

    def _record(self, node: str, count: int) -> None:
        self._last.pop(node, None)
        self._last[node] = count
        if len(self._last) > MAX_KNOWN:
            del self._last[next(iter(self._last))]

    def mac(self, tail: bytes, channel: str | None = None) -> bytes:
        """The MAC of node, counter and body, in a channel."""
        mac = hashlib.blake2b(key=self.project.key, digest_size=_MAC, person=b"rt letter")
        mac.update((channel or self.project.channel).encode() + b"\0")
        mac.update(tail)
        return mac.digest()


def _is_written_to(node: str, message: BusMessage) -> bool:
    return isinstance(message.body, Alive) and node in message.body.knows

"""The one door that takes letters in: sealed by the project's secret, each heard once.

Projects that share a Redis server have channels of their own, named after their secrets, and what
a stranger says there does not pass. A letter is bytes: magic, MAC, node, counter, body; the MAC is
keyed BLAKE2b over the channel and all that follows. A node's name is made at its start, so

- a counter that does not grow is a letter heard before, and
- a letter that names this node was written after this node's start. Before a node has said that,
  it may be one that is long gone and whose letters somebody plays again.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from realtime_compat.cluster.wire import Alive, Letter, read, write

MAX_LETTER = 33_554_432  # bytes; a payload has at most a tenth of it by default
MAX_KNOWN = 10_000  # nodes whose counters are kept, dead ones too
MAX_STRANGERS = 100  # that are told of this node at once

_MAGIC = b"rt3"
_MAC = 32
_NODE = 8
_COUNTER = 8
_HEAD = len(_MAGIC) + _MAC + _NODE + _COUNTER


class Refusal(Enum):
    """Why a letter is dropped."""

    UNREADABLE = "unreadable"
    FOREIGN = "foreign"  # not signed by this project
    REPLAYED = "replayed"
    STRANGER = "stranger"  # of a node that has not yet shown that it is there now


@dataclass(frozen=True, slots=True)
class Project:
    """Where the nodes of a project meet, and what they sign with."""

    channel: str
    key: bytes = field(repr=False)


def project_of(secret: str) -> Project:
    """The channel and the key of the project that has this secret."""
    channel = hashlib.blake2b(secret.encode(), digest_size=16, person=b"rt bus channel").hexdigest()
    key = hashlib.blake2b(secret.encode(), digest_size=32, person=b"rt bus key").digest()
    return Project(f"realtime:{channel}", key)


@dataclass(slots=True)
class Door:
    """Seals this node's letters and opens the others'; `node` is 16 hexadecimal digits.

    `strangers` are nodes whose letters were dropped; they can be heard once they have written to
    this node, so they had better be told of it.
    """

    project: Project
    node: str
    refused: Counter[Refusal] = field(default_factory=Counter[Refusal])
    strangers: dict[str, None] = field(default_factory=dict[str, None])
    _count: int = 0
    _last: dict[str, int] = field(default_factory=dict[str, int])

    def seal(self, letter: Letter) -> bytes:
        """A letter of this node as bytes, the next in its order."""
        self._count += 1
        tail = bytes.fromhex(self.node) + self._count.to_bytes(_COUNTER) + write(letter)
        return _MAGIC + self.sign(tail) + tail

    def open(self, data: bytes) -> Letter | Refusal | None:
        """A letter out of bytes, or why it is dropped; None for an echo of this node's own."""
        found = self._open(data)
        if isinstance(found, Refusal):
            self.refused[found] += 1
        return found

    def knows(self, node: str) -> bool:
        """Whether a node has shown that it is there since this one is."""
        return node in self._last

    def _open(self, data: bytes) -> Letter | Refusal | None:
        if not _HEAD < len(data) <= MAX_LETTER or not data.startswith(_MAGIC):
            return Refusal.UNREADABLE
        tail = data[len(_MAGIC) + _MAC :]
        if not hmac.compare_digest(data[len(_MAGIC) : len(_MAGIC) + _MAC], self.sign(tail)):
            return Refusal.FOREIGN
        node = tail[:_NODE].hex()
        count = int.from_bytes(tail[_NODE : _NODE + _COUNTER])
        if count <= self._last.get(node, 0):
            return Refusal.REPLAYED
        if node == self.node:
            self._heard(node, count)
            return None
        letter = read(node, tail[_NODE + _COUNTER :])
        if letter is None:
            return Refusal.UNREADABLE
        if not self.knows(node) and not _is_written_to(self.node, letter):
            if len(self.strangers) < MAX_STRANGERS:
                self.strangers[node] = None
            return Refusal.STRANGER
        self._heard(node, count)
        return letter

    def _heard(self, node: str, count: int) -> None:
        self._last.pop(node, None)
        self._last[node] = count
        if len(self._last) > MAX_KNOWN:
            del self._last[next(iter(self._last))]

    def sign(self, tail: bytes) -> bytes:
        """The MAC of node, counter and body."""
        mac = hashlib.blake2b(key=self.project.key, digest_size=_MAC, person=b"rt letter")
        mac.update(self.project.channel.encode())
        mac.update(tail)
        return mac.digest()


def _is_written_to(node: str, letter: Letter) -> bool:
    return isinstance(letter.word, Alive) and node in letter.word.knows

"""Words that Redis has not taken yet: bounded for each room, and for all rooms together.

Rooms have turns, so that a busy one delays no other. One that overflows loses what waits for it
alone, and its members at the other nodes are told (`Lost`). Of presence the newest word of each
channel waits, and none that a list of all members says as well.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from realtime_compat.cluster.wire import Alive, Lost, Members, Word
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.messages import Message, RoomName

MAX_ROOM_WORDS = 10_000
MAX_ROOM_BYTES = 16_000_000
MAX_BYTES = 64_000_000  # of all rooms
MAX_ROOMS = 10_000  # words for further ones are dropped
WORD_BYTES = 300  # of a word's names and its place in a queue, at most


@dataclass(slots=True)
class _Queue:
    """What waits for one room."""

    words: deque[Published | Lost] = field(default_factory=deque[Published | Lost])
    bytes: int = 0


@dataclass(slots=True)
class Waiting:
    """What this node has to say to the others."""

    _alive: Alive | None = None
    _members: deque[Members] = field(default_factory=deque[Members])
    _presence: dict[tuple[RoomName, int], Tracked | Untracked] = field(
        default_factory=dict[tuple[RoomName, int], Tracked | Untracked]
    )
    _rooms: dict[RoomName, _Queue] = field(default_factory=dict[RoomName, _Queue])
    bytes: int = 0  # of the messages that wait
    lost: int = 0  # messages that were dropped

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return self.has_signs or bool(self._rooms)

    @property
    def has_signs(self) -> bool:
        """Whether anything waits that is no message for a room: signs of life, presence."""
        return bool(self._alive or self._members or self._presence)

    def put(self, word: Word) -> RoomName | None:
        """Add a word; the room whose words were dropped for it, if any."""
        match word:
            case Alive(asks, knows):
                old = self._alive or Alive()
                self._alive = Alive(asks or old.asks, tuple({*knows, *old.knows}))
            case Members():
                if word.first:
                    self._members.clear()
                    self._presence.clear()
                self._members.append(word)
            case Tracked(room, channel) | Untracked(room, channel):
                self._presence.pop((room, channel), None)
                self._presence[room, channel] = word
            case Published():
                return self._put(word)
            case _:
                raise TypeError(word)
        return None

    def forget_signs(self) -> None:
        """Forget all but the messages for rooms: who comes back says it anew."""
        self._alive = None
        self._members.clear()
        self._presence.clear()

    def give_up(self, room: RoomName | None = None) -> None:
        """What waits for a room, or for each, has waited for too long: that it was lost waits."""
        if room is None:
            for each in tuple(self._rooms):
                self._lose(each)
        elif room in self._rooms or len(self._rooms) < MAX_ROOMS:
            self._rooms.setdefault(room, _Queue())
            self._lose(room)

    def take_signs(self, words: int) -> list[Word]:
        """The next words that are no messages for rooms, at most so many."""
        taken: list[Word] = []
        while self.has_signs and len(taken) < words:
            taken.append(self._take())
        return taken

    def take(self, words: int, size: int) -> list[Word]:
        """The next words, at most so many, and of those for rooms about so many bytes."""
        taken: list[Word] = []
        least = self.bytes - size
        while self and len(taken) < words and (not self._rooms or self.bytes > least):
            taken.append(self._take())
        return taken

    def _take(self) -> Word:
        if self._alive is not None:
            alive, self._alive = self._alive, None
            return alive
        if self._members:
            return self._members.popleft()
        if self._presence:
            return self._presence.pop(next(iter(self._presence)))
        room = next(iter(self._rooms))
        queue = self._rooms.pop(room)
        word = queue.words.popleft()
        self._count(queue, -_size(word))
        if queue.words:
            self._rooms[room] = queue
        return word

    def _put(self, word: Published) -> RoomName | None:
        room = word.room
        if room not in self._rooms and len(self._rooms) >= MAX_ROOMS:
            self.lost += 1
            return room
        queue = self._rooms.setdefault(room, _Queue())
        queue.words.append(word)
        self._count(queue, _size(word))
        if len(queue.words) > MAX_ROOM_WORDS or queue.bytes > MAX_ROOM_BYTES:
            return self._lose(room)
        if self.bytes > MAX_BYTES:
            is_large = queue.bytes * len(self._rooms) >= self.bytes
            return self._lose(room if is_large else max(self._rooms, key=self._size_of))
        return None

    def _lose(self, room: RoomName) -> RoomName:
        queue = self._rooms[room]
        self.lost += sum(isinstance(word, Published) for word in queue.words)
        self._count(queue, -queue.bytes)
        queue.words.clear()
        queue.words.append(Lost(room))
        self._count(queue, WORD_BYTES)
        return room

    def _count(self, queue: _Queue, size: int) -> None:
        queue.bytes += size
        self.bytes += size

    def _size_of(self, room: RoomName) -> int:
        return self._rooms[room].bytes


def _size(word: Published | Lost) -> int:
    if isinstance(word, Lost):
        return WORD_BYTES
    frame = word.frame
    names = 4 * (len(frame.topic) + len(frame.event))
    width = 4 if isinstance(frame, Message) and not frame.payload.isascii() else 1
    return WORD_BYTES + names + width * len(frame.payload)

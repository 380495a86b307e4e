"""The queue of messages for Redis, bounded for each room and in total.

Rooms are served round robin, so that a busy one delays no other. One that overflows loses its own
queue alone, and its members at the other nodes are notified (`Lost`). Of presence the newest change
of each channel waits, and none that a list of all members includes.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from realtime_compat.cluster.messages import Alive, Body, Call, Load, Lost, Members, Reply
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.messages import Message, RoomName

MAX_ROOM_MESSAGES = 10_000
MAX_ROOM_BYTES = 16_000_000
MAX_BYTES = 64_000_000  # of all rooms
MAX_ROOMS = 10_000  # messages for further ones are dropped
MAX_CALLS = 1000
MAX_CALL_BYTES = (
    16_000_000  # of requests and replies; more are dropped, and their callers get no reply
)
OVERHEAD_BYTES = 300  # of a message's names and its place in the queue, at most


@dataclass(slots=True)
class _Queue:
    """What waits for one room."""

    messages: deque[Published | Lost] = field(default_factory=deque[Published | Lost])
    bytes: int = 0


@dataclass(slots=True)
class Waiting:
    """The queue: control messages (heartbeats, presence, calls) before those for rooms."""

    _alive: Alive | None = None
    _load: Load | None = None
    _members: deque[Members] = field(default_factory=deque[Members])
    _presence: dict[tuple[RoomName, int], Tracked | Untracked] = field(
        default_factory=dict[tuple[RoomName, int], Tracked | Untracked]
    )
    _rooms: dict[RoomName, _Queue] = field(default_factory=dict[RoomName, _Queue])
    _calls: deque[Call | Reply] = field(default_factory=deque[Call | Reply])
    _call_bytes: int = 0
    bytes: int = 0  # of the messages that wait
    lost: int = 0  # messages that were dropped

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return self.has_control or bool(self._rooms)

    @property
    def has_control(self) -> bool:
        """Whether any control message waits."""
        return bool(self._alive or self._load or self._members or self._presence or self._calls)

    def put(self, body: Body) -> RoomName | None:
        """Add a message; the room whose messages were dropped for it, if any."""
        match body:
            case Alive(asks, knows):
                old = self._alive or Alive()
                self._alive = Alive(asks or old.asks, tuple({*knows, *old.knows}))
            case Load():
                self._load = body
            case Members():
                if body.first:
                    self._members.clear()
                    self._presence.clear()
                self._members.append(body)
            case Tracked(room, channel) | Untracked(room, channel):
                self._presence.pop((room, channel), None)
                self._presence[room, channel] = body
            case Call() | Reply():
                size = _call_size(body)
                if len(self._calls) < MAX_CALLS and self._call_bytes + size <= MAX_CALL_BYTES:
                    self._calls.append(body)
                    self._call_bytes += size
            case Published():
                return self._put(body)
            case _:
                raise TypeError(body)
        return None

    def forget_control(self) -> None:
        """Drop the control messages: new ones are sent on reconnection."""
        self._alive = self._load = None
        self._members.clear()
        self._presence.clear()
        self._calls.clear()
        self._call_bytes = 0

    def give_up(self, room: RoomName | None = None) -> None:
        """Drop what waits for a room, or for all, and queue the notices of loss."""
        if room is None:
            for each in tuple(self._rooms):
                self._lose(each)
        elif room in self._rooms or len(self._rooms) < MAX_ROOMS:
            self._rooms.setdefault(room, _Queue())
            self._lose(room)

    def take_control(self, most: int) -> list[Body]:
        """Take control messages, at most so many."""
        taken: list[Body] = []
        while self.has_control and len(taken) < most:
            taken.append(self._take())
        return taken

    def take(self, most: int, size: int) -> list[Body]:
        """Take messages, at most so many, and about so many bytes of those for rooms."""
        taken: list[Body] = []
        least = self.bytes - size
        while self and len(taken) < most and (not self._rooms or self.bytes > least):
            taken.append(self._take())
        return taken

    def _take(self) -> Body:
        if self._alive is not None:
            alive, self._alive = self._alive, None
            return alive
        if self._load is not None:
            load, self._load = self._load, None
            return load
        if self._members:
            return self._members.popleft()
        if self._presence:
            return self._presence.pop(next(iter(self._presence)))
        if self._calls:
            call = self._calls.popleft()
            self._call_bytes -= _call_size(call)
            return call
        room = next(iter(self._rooms))
        queue = self._rooms.pop(room)
        body = queue.messages.popleft()
        self._count(queue, -_size(body))
        if queue.messages:
            self._rooms[room] = queue
        return body

    def _put(self, body: Published) -> RoomName | None:
        room = body.room
        if room not in self._rooms and len(self._rooms) >= MAX_ROOMS:
            self.lost += 1
            return room
        queue = self._rooms.setdefault(room, _Queue())
        queue.messages.append(body)
        self._count(queue, _size(body))
        if len(queue.messages) > MAX_ROOM_MESSAGES or queue.bytes > MAX_ROOM_BYTES:
            return self._lose(room)
        if self.bytes > MAX_BYTES:
            is_large = queue.bytes * len(self._rooms) >= self.bytes
            return self._lose(room if is_large else max(self._rooms, key=self._size_of))
        return None

    def _lose(self, room: RoomName) -> RoomName:
        queue = self._rooms[room]
        self.lost += sum(isinstance(body, Published) for body in queue.messages)
        self._count(queue, -queue.bytes)
        queue.messages.clear()
        queue.messages.append(Lost(room))
        self._count(queue, OVERHEAD_BYTES)
        return room

    def _count(self, queue: _Queue, size: int) -> None:
        queue.bytes += size
        self.bytes += size

    def _size_of(self, room: RoomName) -> int:
        return self._rooms[room].bytes


def _call_size(body: Call | Reply) -> int:
    return len((body.request if isinstance(body, Call) else body.reply) or b"")


def _size(body: Published | Lost) -> int:
    if isinstance(body, Lost):
        return OVERHEAD_BYTES
    frame = body.frame
    names = 4 * (len(frame.topic) + len(frame.event))
    width = 4 if isinstance(frame, Message) and not frame.payload.isascii() else 1
    return OVERHEAD_BYTES + names + width * len(frame.payload)

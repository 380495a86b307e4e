"""Outgoing messages of this node in order, held and sent again where Redis is away.

Messages for rooms wait for up to `HOLD_SECONDS`, and are sent once the other nodes are back as
well. What was written to Redis without confirmation is sent again under the same number, so that
others accept it once. Presence does not wait: on reconnection a node sends its whole list. What
another node missed while its own connection was cut is found by counts, sent after the messages.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from realtime_compat.cluster.messages import Body, count_parts
from realtime_compat.cluster.waiting import Waiting
from realtime_compat.hub import Published
from realtime_compat.protocol.messages import RoomName

HOLD_SECONDS = 30.0  # that messages wait while Redis is away
BACK_SECONDS = 6.0  # that they then wait for the other nodes, which reconnect every 5 s
MAX_AT_ONCE = 500  # messages taken at once
MAX_BYTES_AT_ONCE = 4_000_000
MAX_COUNTED = 10_000  # rooms whose messages are counted; one that was forgotten begins anew

Numbered: TypeAlias = tuple[int, int, Body]
"""The count of messages for rooms, that of the body's own room, and the body."""


class Loss(Enum):
    """Why messages for other nodes, or of them, were lost."""

    OVERFLOW = "overflow"  # more waited than may
    EXPIRED = "expired"  # Redis was away for too long
    TOO_LARGE = "too_large"
    MISSED = "missed"  # sent by another node, never received


@dataclass(slots=True)
class Outgoing:
    """The queue to Redis; each message carries the counts of messages for rooms so far."""

    since: float  # when Redis was reached, or lost
    is_up: bool = False
    losses: Counter[Loss] = field(default_factory=Counter[Loss])
    _waiting: Waiting = field(default_factory=Waiting)
    _room_messages: int = 0  # so far, those of `_sent` included
    _in_room: OrderedDict[RoomName, int] = field(default_factory=OrderedDict[RoomName, int])
    _sent: list[Numbered] = field(default_factory=list[Numbered])  # not confirmed yet
    _has_given_up: bool = False
    _unsent_counts: bool = False

    @property
    def bytes(self) -> int:
        """Bytes of the queued messages."""
        return self._waiting.bytes

    @property
    def is_waiting(self) -> bool:
        """Whether anything can be sent to Redis."""
        return bool(self._sent or self._waiting or self._unsent_counts)

    def queue_counts(self) -> None:
        """Send the counts of rooms after what waits now."""
        self._unsent_counts = True

    def put(self, body: Body, now: float) -> RoomName | None:
        """Queue a message; the room whose messages were dropped for it, if any."""
        if not self.is_up:
            if not isinstance(body, Published):
                return None
            self._give_up(now)
            if self._has_given_up:
                self._waiting.give_up(body.room)
                self.losses[Loss.EXPIRED] += 1
                return None
        lost = self._waiting.lost
        room = self._waiting.put(body)
        self.losses[Loss.OVERFLOW] += self._waiting.lost - lost
        return room

    def came_up(self, now: float) -> None:
        """Redis is connected again: the node announces itself and its members first."""
        self._give_up(now)
        self.is_up, self.since, self._has_given_up = True, now, False
        self._waiting.forget_control()
        self._sent = [each for each in self._sent if isinstance(each[-1], Published)]

    def went_down(self, now: float) -> None:
        """Note that the connection to Redis is lost."""
        if self.is_up:
            self.is_up, self.since = False, now

    def is_held(self, now: float, *, are_back: bool) -> bool:
        """Whether messages wait for other nodes; `are_back`: all known nodes are there."""
        return not are_back and now - self.since < BACK_SECONDS

    def take_control(self) -> list[Numbered]:
        """Control messages to send while others are held; they are not repeated."""
        count = self._sent[0][0] - 1 if self._sent else self._room_messages
        return [(count, 0, body) for body in self._waiting.take_control(MAX_AT_ONCE)]

    def take(self) -> list[Numbered]:
        """The next messages to send: the same ones until `confirm`."""
        if not self._sent:
            for body in self._waiting.take(MAX_AT_ONCE, MAX_BYTES_AT_ONCE):
                in_room = self._count(body.room) if isinstance(body, Published) else 0
                self._sent.append((self._room_messages, in_room, body))
            if self._unsent_counts:
                self._unsent_counts = False
                parts = count_parts(tuple(self._in_room.items()))
                self._sent += [(self._room_messages, 0, part) for part in parts]
        return self._sent

    def confirm(self) -> None:
        """Redis has confirmed what was taken last."""
        self._sent = []

    def _count(self, room: RoomName) -> int:
        self._room_messages += 1
        in_room = self._in_room.pop(room, 0) + 1
        self._in_room[room] = in_room
        if len(self._in_room) > MAX_COUNTED:
            self._in_room.popitem(last=False)
        return in_room

    def _give_up(self, now: float) -> None:
        """Drop what has waited for too long; its rooms are to be notified."""
        if self.is_up or self._has_given_up or now - self.since <= HOLD_SECONDS:
            return
        self._has_given_up = True
        lost = self._waiting.lost
        self._waiting.give_up()
        for *_, body in self._sent:
            if isinstance(body, Published):
                self._waiting.give_up(body.room)
                self.losses[Loss.EXPIRED] += 1
        self._sent = []
        self.losses[Loss.EXPIRED] += self._waiting.lost - lost

"""The broker's wire format: length, kind, then names of fixed sizes and a body."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

NODE = 8  # bytes of a process's name
TOPIC = 16
NUMBER = 8
EVERYBODY = bytes(TOPIC)
"""The topic that every line of a group is subscribed to."""
EVERYTHING = b"\xff" * TOPIC
"""A line that joins this gets the messages of every topic of its group."""
MAX_FRAME = 33_554_432  # bytes
_LENGTH = 4


class Kind(IntEnum):
    """The kinds of frames: those of a line first, then the broker's."""

    HELLO = 1  # group, node, topics
    SUBSCRIBE = 2  # topic
    UNSUBSCRIBE = 3  # topic
    PUBLISH = 4  # number, topic, body
    SEND = 5  # number, node, body
    WELCOME = 6  # the broker's node
    PEERS = 7  # the nodes of the group's other lines, all of them
    MESSAGE = 8  # node, number, body
    ACKNOWLEDGED = 9  # number: up to this one every recipient has it
    SUBSCRIBED = 10  # topics: what is sent to them from now on comes to this line


class BrokenFrameError(ValueError):
    """Bytes that are no frame: the connection is closed."""


def frame(kind: Kind, *parts: bytes) -> bytes:
    """Encode a frame."""
    size = 1 + sum(map(len, parts))
    return b"".join((size.to_bytes(_LENGTH), kind.to_bytes(), *parts))


def number_bytes(number: int) -> bytes:
    """A number as frames encode it."""
    return number.to_bytes(NUMBER)


def split(data: bytes, size: int) -> list[bytes]:
    """Cut bytes into names of a size. Raises BrokenFrameError."""
    if len(data) % size:
        raise BrokenFrameError("names of another size")
    return [data[at : at + size] for at in range(0, len(data), size)]


class Splitter:
    """Cuts received bytes into frames."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterable[tuple[Kind, bytes]]:
        """The frames that are complete now. Raises BrokenFrameError."""
        self._data += data
        at, found = 0, list[tuple[Kind, bytes]]()
        while len(self._data) - at >= _LENGTH:
            size = int.from_bytes(self._data[at : at + _LENGTH])
            if not 0 < size <= MAX_FRAME:
                raise BrokenFrameError("a frame of no size")
            end = at + _LENGTH + size
            if len(self._data) < end:
                break
            try:
                kind = Kind(self._data[at + _LENGTH])
            except ValueError as error:
                raise BrokenFrameError(str(error)) from error
            found.append((kind, bytes(self._data[at + _LENGTH + 1 : end])))
            at = end
        del self._data[:at]
        return found

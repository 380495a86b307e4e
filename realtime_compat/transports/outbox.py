"""What waits to be written to one socket: bounded by bytes and by age, on passed-in time."""

from __future__ import annotations

from collections import deque

Frame = str | bytes


class Outbox:
    """Frames in order; `put` returns False for a reader that is too slow."""

    __slots__ = ("_bytes", "_frames", "_max_bytes", "_max_seconds")

    def __init__(self, max_bytes: int, max_seconds: float) -> None:
        self._frames: deque[tuple[Frame, float]] = deque()
        self._bytes = 0
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds

    def __len__(self) -> int:
        return len(self._frames)

    def put(self, frame: Frame, now: float) -> bool:
        """Add a frame; False where too much waits, or waits for too long already."""
        self._frames.append((frame, now))
        self._bytes += len(frame)
        return self._bytes <= self._max_bytes and now - self._frames[0][1] <= self._max_seconds

    def first(self) -> Frame:
        """The next frame; its bytes count until `pop`."""
        return self._frames[0][0]

    def pop(self) -> None:
        """Drop the first frame, which was sent."""
        self._bytes -= len(self._frames.popleft()[0])

    def clear(self) -> None:
        """Drop all frames that wait."""
        self._frames.clear()
        self._bytes = 0

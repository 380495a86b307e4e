"""Writing to one socket: at once where it is writable, else by a task, out of a bounded outbox.

A client that stops reading neither slows others nor grows memory: it is cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from starlette.types import Message, Send

from compat_base.server import websocket_frame
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from realtime_compat import errors
from realtime_compat.protocol.effects import Close
from realtime_compat.protocol.limits import Limits
from realtime_compat.transports.outbox import Outbox

Frames: TypeAlias = str | bytes | tuple[str | bytes, ...]
WriteNow: TypeAlias = Callable[[Frames], bool]  # whether the socket took them, without waiting
WriteBytes: TypeAlias = Callable[[bytes], bool]

MAX_TOGETHER = 65_536  # characters; more would pass by what bounds a slow reader


class SharedFrames:
    """Frames encoded once as bytes of the wire: a room's members get the same in a row."""

    __slots__ = ("_bytes", "_frames")

    def __init__(self) -> None:
        self._frames: Frames = ""
        self._bytes = b""

    def writer(self, write: WriteBytes) -> WriteNow:
        """What writes frames to a socket that takes bytes.

        A closure: calling a `functools.partial` at each member costs as much as three functions.
        """

        def write_frames(frames: Frames) -> bool:
            if self._frames is not frames:
                parts = frames if isinstance(frames, tuple) else (frames,)
                self._frames, self._bytes = frames, b"".join(map(websocket_frame, parts))
            return write(self._bytes)

        return write_frames


class FrameWriter:
    """The outgoing frames of one socket; `closing`: its close frame, sent after all others."""

    __slots__ = (
        "_loop", "_observer", "_on_cut_off", "_outbox", "_seconds", "_send", "_supervisor",
        "_task", "_write_now", "closing",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 — two outputs, a limit, and callbacks
        self,
        send: Send,
        write_now: WriteNow,
        limits: Limits,
        *,
        supervisor: Supervisor,
        observer: Observer,
        on_cut_off: Callable[[], None],
    ) -> None:
        self.closing: Close | None = None
        self._send = send
        self._write_now = write_now
        self._seconds = limits.queue_seconds
        self._supervisor = supervisor
        self._observer = observer
        self._on_cut_off = on_cut_off
        self._loop = asyncio.get_running_loop()
        self._outbox = Outbox(limits.queue_bytes, limits.queue_seconds)
        self._task: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """Drop what waits: the socket is gone, unless it is being closed."""
        if self.closing is None and self._task is not None:
            self._task.cancel()

    def put_all(self, frames: tuple[str | bytes, ...]) -> None:
        """Write frames in one go where the socket takes them, else one by one."""
        is_free = self.closing is None and self._task is None
        is_small = len(frames) == 1 or sum(map(len, frames)) <= MAX_TOGETHER
        if not (is_free and is_small and self._write_now(frames)):
            for frame in frames:
                self.put(frame)

    def put(self, frame: str | bytes) -> None:
        """Write a frame at once where the socket is writable, else queue it.

        Almost every send ends without waiting, and a task for each of a room's members would cost
        as much as the sending itself.
        """
        if self.closing is not None or (self._task is None and self._write_now(frame)):
            return
        is_in_time = self._outbox.put(frame, self._loop.time())
        if self._task is None:
            self._start()
        elif not is_in_time:
            self._cut_off()

    def close(self, close: Close) -> None:
        """Close once the outbox is empty, or after a while if the client does not read."""
        if self.closing is not None:
            return
        self.closing = close
        if self._task is None:
            self._start()
        elif close.code == errors.FLOOD_CLOSE:
            self._give_up()
        else:
            self._loop.call_later(self._seconds, self._give_up)

    def _give_up(self) -> None:
        """Drop the outbox and send the close frame."""
        if self._task is not None and not self._task.done():
            self._outbox.clear()
            self._task.cancel()
            self._supervisor.start(self._send_close(), "socket-close")

    def _cut_off(self) -> None:
        """Close a client that reads too slowly, and drop its outbox."""
        self.closing = Close(*errors.SLOW_READER_CLOSE)
        self._outbox.clear()
        self._observer(Observation("slow_reader_cut_off", Severity.WARNING))
        if self._task is not None:
            self._task.cancel()
        self._supervisor.start(self._send_close(), "socket-close")
        # In a turn of its own: this may be the midst of a fan-out.
        self._loop.call_soon(self._on_cut_off)

    def _start(self) -> None:
        self._task = self._supervisor.start(self._write(), "socket-writer")

    async def _write(self) -> None:
        """Write until the outbox is empty, or the client is gone."""
        try:
            while self._outbox:
                await self._send(_message(self._outbox.first()))
                if self._outbox:
                    self._outbox.pop()
        except Exception:  # noqa: BLE001 — each server has its own word for a lost client
            self._outbox.clear()
        self._task = None
        if self.closing is not None:
            await self._send_close()

    async def _send_close(self) -> None:
        close = self.closing or Close(1000)
        message = {"type": "websocket.close", "code": close.code, "reason": close.reason}
        try:
            await self._send(message)
        except Exception:  # noqa: BLE001 — as above: it is gone already
            return


def _message(frame: str | bytes) -> Message:
    return {"type": "websocket.send", "text" if isinstance(frame, str) else "bytes": frame}

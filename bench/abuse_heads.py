"""Abuse of the server itself: heads, connections, chunks and pings."""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable

from bench.abuse import (
    CONNECTIONS,
    Attack,
    Target,
    attacked,
    print_honest,
    processor_seconds,
    run_in_threads,
)

_LONGEST = 20.0  # seconds that one attack goes on at most
_SLOW_HEADS = 200
_PINGS = 2_000  # a round
_MASK = b"\0\0\0\0"  # leaves a frame's data as it is
_FRAME = 0x80  # the last of its message
_PING, _TEXT = 9, 1
_CLOSE = 8
_START = b"GET /auth/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def measure_heads(target: Target) -> None:
    """Processor seconds for a MB of heads and chunks, and for a frame."""
    cases: tuple[tuple[str, bytes, int], ...] = (
        ("head of 60 KB, byte by byte", _START + b"X: " + b"a" * 60_000 + b"\r\n\r\n", 1),
        ("head without an end", _START + b"X: " + b"a" * 1_000_000, 4_096),
        ("header lines without an end", _START + b"a: b\r\n" * 200_000, 4_096),
        ("chunks of one byte", _chunks(200_000), 65_536),
    )
    for name, sent, piece in cases:
        before = processor_seconds(target.process)
        count, answer = 0, ""
        for _ in range(_rounds(piece)):
            taken, answer = _send(target, sent, piece)
            count += taken
        spent = (processor_seconds(target.process) - before) / count * 1e6
        print(f"{name:28} {spent:7.3f} s of processor a MB  {count / 1e6:6.2f} MB  {answer}")
    for name, kind, frames, pause in (
        ("pings at once", _PING, _PINGS, 0.0),
        ("heartbeats, 200 a second", _TEXT, 1_000, 0.005),
    ):
        before = processor_seconds(target.process)
        sent_frames, payload = _frames(target, kind, frames, pause)
        spent = (processor_seconds(target.process) - before) / max(1, sent_frames) * 1e6
        print(f"{name:28} {spent:7.1f} µs of processor a frame  {sent_frames} sent, {payload}")


def head_attacks() -> tuple[Attack, ...]:
    """Each goes on until it is told to end, and for twenty seconds at most."""
    return (
        Attack("8 callers send heads byte by byte", _in_threads(8, _drip)),
        Attack("8 callers send heads without an end", _in_threads(8, _endless)),
        Attack(f"{_SLOW_HEADS} connections with slow heads", _slow_heads),
        Attack(f"{CONNECTIONS} idle connections, opened anew as they end", _idle),
        Attack("8 callers send chunks of one byte", _in_threads(8, _chunk_flood)),
        Attack("8 sockets flood with pings, opened anew as they end", _in_threads(8, _ping_flood)),
    )


def _rounds(piece: int) -> int:
    return 3 if piece == 1 else 20


def _chunks(count: int) -> bytes:
    head = b"POST /rest/v1/abuse HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"1\r\na\r\n" * count


def _connect(target: Target) -> socket.socket:
    connection = socket.create_connection((target.host, target.port), timeout=10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _send(target: Target, sent: bytes, piece: int) -> tuple[int, str]:
    """Send in pieces until it is refused; how much was sent, and the status line."""
    count = 0
    with _connect(target) as connection:
        try:
            for start in range(0, len(sent), piece):
                count += connection.send(sent[start : start + piece])
        except OSError:
            pass
        try:
            answer = connection.recv(4096).partition(b"\r\n")[0].decode("latin-1")
        except OSError:
            answer = "cut"
    return max(1, count), answer


def _upgraded(target: Target) -> socket.socket:
    connection = _connect(target)
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall(
        f"GET /realtime/v1/websocket?vsn=1.0.0&apikey={target.key} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {key}\r\n\r\n".encode()
    )
    connection.recv(4096)
    return connection


def _frame(kind: int) -> bytes:
    payload = (
        b"x" if kind == _PING else b'{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"1"}'
    )
    return bytes([_FRAME | kind, 0x80 | len(payload)]) + _MASK + payload


def _frames(target: Target, kind: int, count: int, pause: float) -> tuple[int, str]:
    """Send frames; how many, and how the socket ended."""
    sent, frame = 0, _frame(kind)
    with _upgraded(target) as connection:
        reader = _Reader(connection)
        reader.start()
        with contextlib.suppress(OSError):
            for _ in range(count):
                connection.sendall(frame)
                sent += 1
                if pause:
                    time.sleep(pause)
            reader.join(0.5)
    reader.join(5)
    return sent, reader.end


class _Reader(threading.Thread):
    """Reads what a socket is sent, to a close frame or the end."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(daemon=True)
        self.end = "still open"
        self._connection = connection

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while data := self._connection.recv(65_536):
                at = data.rfind(bytes([_FRAME | _CLOSE]))
                if at >= 0 and len(data) >= at + 4:
                    self.end = f"close {int.from_bytes(data[at + 2 : at + 4], 'big')}"
                    return


def _in_threads(
    count: int, once: Callable[[Target], object]
) -> Callable[[Target, threading.Event], None]:
    def run(target: Target, ended: threading.Event) -> None:
        end = time.monotonic() + _LONGEST

        def again() -> None:
            while not ended.is_set() and time.monotonic() < end:
                with contextlib.suppress(OSError):
                    once(target)

        run_in_threads(again, count)

    return run


def _drip(target: Target) -> object:
    return _send(target, _START + b"X: " + b"a" * 8_000 + b"\r\n\r\n", 1)


def _endless(target: Target) -> object:
    return _send(target, _START + b"a: b\r\n" * 20_000, 4_096)


def _chunk_flood(target: Target) -> object:
    return _send(target, _chunks(100_000), 65_536)


def _ping_flood(target: Target) -> object:
    return _frames(target, _PING, _PINGS, 0)


def _slow_heads(target: Target, ended: threading.Event) -> None:
    _hold(target, ended, _SLOW_HEADS, _START, b"a: b\r\n")


def _idle(target: Target, ended: threading.Event) -> None:
    _hold(target, ended, CONNECTIONS, b"", b"")


def _hold(target: Target, ended: threading.Event, count: int, first: bytes, more: bytes) -> None:
    """Hold so many connections, say a little on each every second, open those anew that end."""
    held: list[socket.socket] = []
    end = time.monotonic() + _LONGEST
    try:
        while not ended.wait(1) and time.monotonic() < end:
            held = [each for each in held if _is_open(each, more)]
            for _ in range(count - len(held)):
                with contextlib.suppress(OSError):
                    held.append(_connect(target))
                    held[-1].sendall(first)
    finally:
        for each in held:
            each.close()


def _is_open(connection: socket.socket, more: bytes) -> bool:
    try:
        connection.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            if not connection.recv(4096):
                raise ConnectionResetError
        connection.send(more)
    except OSError:
        connection.close()
        return False
    return True


if __name__ == "__main__":
    with attacked() as stack:
        measure_heads(stack)
        print_honest(stack, head_attacks())

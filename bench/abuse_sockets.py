"""Abuse of the Realtime service: sockets that flood, messages that never end."""

from __future__ import annotations

import json
import socket
import statistics
import struct
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress

import websockets
from websockets.sync.client import ClientConnection, connect

from bench.abuse import Target, attacked, memory_after, processor_seconds, resident_memory
from bench.figures import Figure, keep

_FLOODERS = 10
_HEARTBEATS = 300
_UNFINISHED = 100  # sockets
_PART = 1_000_000  # bytes that each of them sends of a frame that stays unfinished
_SOCKETS = 200  # of which each joins 100 channels and sends 2 MB
_FRAMES: dict[str, int] = {"small frames": 20, "frames of 3 MB": 3_000_000}


def measure_sockets(target: Target) -> None:
    """Print what another socket sees while ten flood, and with unfinished frames."""
    _print_heartbeats(target, "heartbeat, nobody else")
    for name, size in _FRAMES.items():
        _measure_flood(target, name, size)
    _measure_unfinished(target)


def _measure_flood(target: Target, name: str, size: int) -> None:
    flood = _text_frame([None, "1", "realtime:flood", "broadcast", {"body": "x" * size}])
    flood *= max(1, 65_536 // len(flood))
    ended = threading.Event()
    sent = [0] * _FLOODERS
    closed: Counter[str] = Counter()

    def run(number: int) -> None:
        while not ended.is_set():
            with suppress(OSError, websockets.InvalidHandshake):
                sent[number] += _flood_once(target, flood, ended, closed)

    flooders = [threading.Thread(target=run, args=(number,)) for number in range(_FLOODERS)]
    for flooder in flooders:
        flooder.start()
    time.sleep(0.5)
    before, began = processor_seconds(target.process), time.monotonic()
    try:
        _print_heartbeats(target, f"heartbeat, {_FLOODERS} sockets flood with {name}")
        seconds = time.monotonic() - began
        used = (processor_seconds(target.process) - before) / seconds
    finally:
        ended.set()
        for flooder in flooders:
            flooder.join()
    print(f"  {sum(sent) / 1e6:.0f} MB in {seconds:.1f} s, {used:.0%} of a core")
    print(f"  sockets of the flooders that ended: {dict(closed)}")


def _flood_once(target: Target, flood: bytes, ended: threading.Event, closed: Counter[str]) -> int:
    """Send, and read nothing, until the server closes the socket or takes nothing for a second.

    Gives how many bytes it took.
    """
    sent = 0
    with _opened(target) as raw:
        raw.settimeout(1)
        raw.sendall(
            _text_frame(["1", "1", "realtime:flood", "phx_join", {"config": dict[str, str]()}])
        )
        try:
            while not ended.is_set():
                raw.sendall(flood)
                sent += len(flood)
        except TimeoutError:
            closed["held back for 1 s"] += 1
        except OSError as error:
            closed[type(error).__name__] += 1
    return sent


@contextmanager
def _opened(target: Target) -> Generator[socket.socket]:
    """A socket after its handshake, without the work of a library."""
    path = f"/realtime/v1/websocket?vsn=2.0.0&apikey={target.key}"
    with socket.create_connection((target.host, target.port), timeout=10) as raw:
        raw.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {target.host}:{target.port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        raw.recv(4096)
        yield raw


def _text_frame(value: object) -> bytes:
    """A client's frame; a mask of zeros leaves the payload as it is."""
    payload = json.dumps(value).encode()
    return b"\x81\xff" + struct.pack("!Q", len(payload)) + b"\0\0\0\0" + payload


def _print_heartbeats(target: Target, name: str) -> None:
    times: list[float] = []
    heartbeat = json.dumps([None, "1", "phoenix", "heartbeat", {}])
    with _connect(target) as client:
        for _ in range(_HEARTBEATS):
            began = time.perf_counter()
            client.send(heartbeat)
            client.recv(timeout=60)
            times.append((time.perf_counter() - began) * 1000)
            time.sleep(0.01)
    p99 = sorted(times)[int(len(times) * 0.99)]
    print(f"{name}: p50 {statistics.median(times):.1f} ms  p99 {p99:.1f} ms  (target 50)")
    keep(Figure(name, p99, "ms", 50))


def _connect(target: Target) -> ClientConnection:
    path = f"/realtime/v1/websocket?vsn=2.0.0&apikey={target.key}"
    address = f"ws://{target.host}:{target.port}{path}"
    honest = {"X-Forwarded-For": "192.0.2.7"}  # not the flooders' address
    return connect(
        address, additional_headers=honest, compression=None, max_size=None, close_timeout=1
    )


def _measure_unfinished(target: Target) -> None:
    """Memory of the process before and with the beginnings of large frames on many sockets."""
    before = resident_memory(target.process)
    head = b"\x81\xff" + struct.pack("!Q", 4_000_000) + b"\0\0\0\0"
    with ExitStack() as stack:
        for _ in range(_UNFINISHED):
            raw = stack.enter_context(_opened(target))
            with suppress(OSError):
                raw.sendall(head + b"x" * _PART)
        with suppress(OSError, TimeoutError):
            _print_heartbeats(target, f"heartbeat, {_UNFINISHED} sockets with unfinished frames")
        after = resident_memory(target.process)
    sent = _UNFINISHED * _PART / 1e6
    print(f"  memory {before:.0f} MB before, {after:.0f} MB with {sent:.0f} MB sent unfinished")


def measure_socket_memory(target: Target) -> None:
    """Memory of the process before, during and after two floods of sockets, joins and frames."""
    joins = [
        _text_frame(["1", "1", f"realtime:flood-{n}", "phx_join", {"config": {"x": "y" * 10_000}}])
        for n in range(100)
    ]
    body = {"body": "x" * 2_000_000}
    flood = b"".join([*joins, _text_frame([None, "1", "realtime:flood-1", "broadcast", body])])
    for number in (1, 2):
        before, highest = resident_memory(target.process), 0.0
        with ExitStack() as stack:
            opened = [stack.enter_context(_opened(target)) for _ in range(_SOCKETS)]
            for raw in opened:
                raw.settimeout(1)
                with suppress(OSError):
                    raw.sendall(flood)
                highest = max(highest, resident_memory(target.process))
        after = memory_after(target.process, before)
        print(
            f"memory, flood {number} of {_SOCKETS} sockets: {before:.0f} MB before,"
            f" {highest:.0f} MB at most, {after:.0f} MB after"
        )


if __name__ == "__main__":
    with attacked() as stack:
        measure_sockets(stack)

"""One address by several workers: the memory and the start of each, how evenly they are chosen.

A part of `make bench ARGS=scale`; alone by `python -m bench.scale_placing`.
"""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from bench.figures import Figure, keep
from bench.scale_messages import private_memory
from tests.harness_stack import ROOT, Stack, start_stack
from tests.harness_workers import Client, connect, get, is_ready, until, workers, workers_at

COUNTS = (1, 2, 4)
CONNECTIONS = 16
REQUESTS = 500  # on each connection
PLACED = 2000  # connections that are looked at: of 400 chance alone gives 1.2 at times
AT_ONCE = 100  # of them, open together
STARTS = 3  # of a worker in place of one that was killed; more in 10 s have a pause before them
PATH = "/rest/v1/actividades?select=id&limit=20"


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as folder:
        for count in COUNTS:
            stack = start_stack(Path(folder) / "data", WORKERS=str(count))
            try:
                _measure(stack, count)
            finally:
                stack.stop()


def _measure(stack: Stack, count: int) -> None:
    until(lambda: is_ready(stack), "ready")
    pids = sorted(workers(stack)) if count > 1 else [stack.process.pid]
    idle = max(map(private_memory, pids))
    _load(stack)
    loaded = max(map(private_memory, pids))
    print(
        f"WORKERS={count}: private memory of a worker {idle:.0f} MB idle (25),"
        f" {loaded:.0f} MB after the requests (40)"
    )
    if count > 1:
        spread = _spread(stack, count)
        print(f"  busiest : mean of {PLACED} connections: {spread:.2f} (target 1.15)")
        start = statistics.median(_seconds_of_start(stack) for _ in range(STARTS))
        print(f"  from the KILL of a worker until its successor is ready: {start:.2f} s (0.6)")
        keep(Figure(f"busiest of {count} workers beside the mean", spread, "times", 1.15))
        keep(Figure(f"private memory of an idle worker of {count}", idle, "MB", 25))
        keep(Figure(f"private memory of a worker of {count}", loaded, "MB", 40))
        keep(Figure(f"a worker of {count} killed, until the next is ready", start, "s", 0.6))


def _load(stack: Stack) -> None:
    def send_requests() -> None:
        client = Client(connect(stack), stack.keys["SUPABASE_SECRET_KEY"])
        for _ in range(REQUESTS):
            assert client.request("GET", PATH)[0] == 200
        client.connection.close()

    senders = [threading.Thread(target=send_requests) for _ in range(CONNECTIONS)]
    for thread in senders:
        thread.start()
    for thread in senders:
        thread.join()
    assert get(stack, PATH)[0] == 200


def _seconds_of_start(stack: Stack) -> float:
    before = workers(stack)
    os.kill(min(before), signal.SIGKILL)
    began = time.monotonic()
    until(lambda: len(workers(stack) - {min(before)}) == len(before), "its successor is there")
    until(lambda: is_ready(stack), "ready")
    return time.monotonic() - began


def _spread(stack: Stack, count: int) -> float:
    chosen = Counter[int]()
    for _ in range(PLACED // AT_ONCE):
        opened = [connect(stack) for _ in range(AT_ONCE)]
        for connection in opened:
            connection.request("GET", "/livez")
            connection.getresponse().read()
        ports = {connection.sock.getsockname()[1] for connection in opened}
        chosen.update(workers_at(stack, ports).values())
        for connection in opened:
            connection.close()
    # The kernel's table of connections, which is read in pieces, leaves some out on a busy machine.
    return max(chosen.values()) / (chosen.total() / count)


if __name__ == "__main__":
    main()

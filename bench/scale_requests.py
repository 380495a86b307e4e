"""One address by several workers: processor and memory of each, and how evenly they are chosen.

A part of `make bench ARGS=scale`; alone by `python -m bench.scale_requests`. Requests a second say
nothing on a machine that does other work: processor time does.
"""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
import time
from pathlib import Path

from bench.figures import Figure, keep
from bench.scale_messages import private_memory
from tests.harness_stack import ROOT, Stack, start_stack
from tests.harness_workers import Client, connect, get, is_ready, until, worker_at, workers

COUNTS = (1, 2, 4)
CONNECTIONS = 16
REQUESTS = 250  # on each connection
PLACED = 400  # connections that are looked at
PATH = "/rest/v1/actividades?select=id&limit=20"
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the figures."""
    costs: dict[int, float] = {}
    with tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as folder:
        for count in COUNTS:
            began = time.monotonic()
            stack = start_stack(Path(folder) / "data", WORKERS=str(count))
            print(f"\nWORKERS={count}: started in {time.monotonic() - began:.2f} s")
            try:
                costs[count] = _measure(stack, count)
            finally:
                stack.stop()
    ratio = costs[COUNTS[-1]] / costs[1]
    print(f"\nCPU a request, {COUNTS[-1]} workers against 1: {ratio:.2f} times (target 1.2)")
    keep(Figure("CPU a request, 4 workers against 1", ratio, "times", 1.2))


def _measure(stack: Stack, count: int) -> float:
    """Microseconds of the workers' processors a request."""
    until(lambda: is_ready(stack), "ready")
    pids = sorted(workers(stack)) if count > 1 else [stack.process.pid]
    idle = max(map(private_memory, pids))
    before = sum(map(_seconds, pids))
    _load(stack)
    cost = (sum(map(_seconds, pids)) - before) / (CONNECTIONS * REQUESTS) * 1e6
    loaded = max(map(private_memory, pids))
    print(f"  CPU a request of the workers: {cost:.0f} µs")
    print(f"  private memory of a worker: {idle:.0f} MB idle, {loaded:.0f} MB after the requests")
    if count > 1:
        spread = _spread(stack, count)
        print(f"  busiest : mean of {PLACED} connections: {spread:.2f} (target 1.15)")
        keep(Figure(f"busiest of {count} workers beside the mean", spread, "times", 1.15))
        keep(Figure(f"private memory of a worker of {count}", loaded, "MB", 40))
    return cost


def _load(stack: Stack) -> None:
    def ask() -> None:
        client = Client(connect(stack), stack.keys["SUPABASE_SECRET_KEY"])
        for _ in range(REQUESTS):
            assert client.ask("GET", PATH)[0] == 200
        client.connection.close()

    asking = [threading.Thread(target=ask) for _ in range(CONNECTIONS)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert get(stack, PATH)[0] == 200


def _spread(stack: Stack, count: int) -> float:
    chosen: dict[int | None, int] = {}
    for _ in itertools.repeat(None, PLACED):
        connection = connect(stack)
        connection.connect()
        connection.request("GET", "/livez")
        connection.getresponse().read()
        pid = worker_at(stack, connection.sock.getsockname()[1])
        chosen[pid] = chosen.get(pid, 0) + 1
        connection.close()
    return max(chosen.values()) / (PLACED / count)


def _seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


if __name__ == "__main__":
    main()

"""Requests by several workers: how they grow with each, and restarts that nobody notices.

A part of `make bench ARGS=scale`; alone by `python -m bench.scale_http [NAME …]`. Two processors
cannot show eight: every worker is held to 5 ms of each 100, by SIGSTOP and SIGCONT, until the
machine is no limit (design: within 7 % of a quota of the kernel's).
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import product
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import uvloop

from bench.figures import Figure, keep
from bench.scale_messages import spent
from tests.harness_stack import ROOT, Stack, start_stack
from tests.harness_workers import children, is_ready, until, workers

COUNTS = (1, 4, 8)
CONNECTIONS = 12  # of each worker, where their processors are slowed
ALL_CONNECTIONS = 8  # where they are not
ROUNDS = 5  # of each, by turns
SECONDS = 4.0
UNCOUNTED = 1.0  # until all is warm
SLICE, PERIOD = 0.005, 0.1
REQUESTS = 2000  # of each worker, to warm it
RATE = 250  # connections a second while workers are replaced
PATH = "/rest/v1/actividades?select=id&limit=20"

_TURNS = """
import os, signal, sys, time
slice, period, *pids = map(float, sys.argv[1:])
pids = [int(pid) for pid in pids]
while True:
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
        time.sleep(slice)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(period / len(pids) - slice)
"""


def main(wanted: list[str] | None = None) -> None:
    """Print the figures, of some benches or of all."""
    for name, bench in BENCHES.items():
        if not wanted or name in wanted:
            with tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as folder:
                bench(Path(folder))


def bench_growth(folder: Path) -> None:
    """Requests a second, and what each costs, of workers that have a twentieth of a processor.

    Each worker has as many connections, and its slice alone. Where other programs take some of
    the slices, workers have less of a processor: the growth is that for the share they really had.
    """
    found: dict[int, list[tuple[float, float]]] = {count: [] for count in COUNTS}
    with ExitStack() as opened:
        stacks = {count: opened.enter_context(_running(folder, count)) for count in COUNTS}
        for count, stack in stacks.items():
            uvloop.run(_warm(stack, count))
        for _, (count, stack) in product(range(ROUNDS), stacks.items()):
            pids = sorted(workers(stack)) if count > 1 else [stack.process.pid]
            with _slowed(pids):
                found[count].append(uvloop.run(_rate(stack, pids)))
    costs = {count: median(cost for _, cost in rounds) for count, rounds in found.items()}
    for count, rounds in found.items():
        rate = median(rate for rate, _ in rounds)
        share = rate * costs[count] / 1e6 / count
        print(
            f"WORKERS={count}: {rate:.0f} requests/s by {share:.1%} of a processor each,"
            f" {costs[count]:.0f} µs of CPU a request"
        )
    for count in COUNTS[1:]:
        dearer = costs[count] / costs[1]
        print(f"{count} workers against 1: each request {dearer:.2f} times (1.2)")
        keep(Figure(f"CPU a request, {count} workers against 1", dearer, "times", 1.2))
    many = COUNTS[-1]
    grown = many * costs[1] / costs[many]
    print(f"{many} workers against 1: {grown:.1f} times the requests (7.2)")
    keep(Figure(f"requests a second, {many} workers at 5 %", grown, "times", 7.2, at_least=True))


def bench_restarts(folder: Path) -> None:
    """KILL of a worker, then HUP, while connections come."""
    with _running(folder, 4) as stack:
        before = workers(stack)
        failed = uvloop.run(_connecting(stack, before))
    print(f"KILL and HUP under {RATE} connections/s: {len(failed)} failed {failed[:3]}")
    keep(Figure("connections that failed while workers were replaced", len(failed), "", 0))


async def _connecting(stack: Stack, before: frozenset[int]) -> list[str]:
    failed: list[str] = []
    is_over = asyncio.Event()

    async def come() -> None:
        try:
            async with asyncio.timeout(30):
                reader, writer = await asyncio.open_connection(*_address(stack))
                writer.write(b"GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
                if b" 200 " not in (await reader.read())[:20]:
                    failed.append("another answer")
                writer.close()
        except (OSError, TimeoutError) as error:
            failed.append(repr(error))

    async def keep_coming() -> None:
        began, number = time.monotonic(), 0
        async with asyncio.TaskGroup() as tasks:
            while not is_over.is_set():
                number += 1
                tasks.create_task(come())
                await asyncio.sleep(max(0.0, began + number / RATE - time.monotonic()))

    coming = asyncio.create_task(keep_coming())
    await asyncio.sleep(1)
    os.kill(min(before), signal.SIGKILL)
    await asyncio.to_thread(
        until, lambda: len(workers(stack) - {min(before)}) == len(before), "all"
    )
    await asyncio.to_thread(until, lambda: is_ready(stack), "ready")
    stack.process.send_signal(signal.SIGHUP)
    gone = lambda: not (before & children(stack.process.pid))  # noqa: E731 — a state
    await asyncio.to_thread(until, gone, "every worker is new")
    await asyncio.to_thread(until, lambda: is_ready(stack), "ready")
    await asyncio.sleep(1)
    is_over.set()
    await coming
    return failed


@contextmanager
def _running(folder: Path, count: int) -> Generator[Stack]:
    stack = start_stack(folder / str(count), WORKERS=str(count))
    try:
        until(lambda: is_ready(stack), "ready")
        yield stack
    finally:
        stack.stop()


@contextmanager
def _slowed(pids: Sequence[int]) -> Generator[None]:
    """Let each process run for a slice of each period alone, one after the other."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    turns = subprocess.Popen(  # a process: the client's interpreter would lengthen the slices
        [sys.executable, "-c", _TURNS, str(SLICE), str(PERIOD), *map(str, pids)]
    )
    try:
        yield
    finally:
        turns.kill()
        turns.wait()
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


async def _warm(stack: Stack, count: int) -> None:
    left = [REQUESTS * count]

    def is_over() -> bool:
        left[0] -= 1
        return left[0] < 0

    await _load(stack, ALL_CONNECTIONS, is_over, [])


async def _rate(stack: Stack, pids: Sequence[int]) -> tuple[float, float]:
    """Requests a second, and the microseconds of the workers' processors that each takes."""
    began, done = time.monotonic(), list[float]()
    end = began + UNCOUNTED + SECONDS
    load = asyncio.create_task(
        _load(stack, CONNECTIONS * len(pids), lambda: time.monotonic() > end, done)
    )
    await asyncio.sleep(UNCOUNTED)
    before = len(done)
    taken = await spent(pids, asyncio.sleep(SECONDS))
    counted = len(done) - before
    await load
    return counted / SECONDS, taken / counted * 1e6


async def _load(
    stack: Stack, connections: int, is_over: Callable[[], bool], done: list[float]
) -> None:
    """Send requests on so many connections; `done` gets the time of each answer."""
    key = stack.keys["SUPABASE_SECRET_KEY"]
    request = f"GET {PATH} HTTP/1.1\r\nhost: bench\r\napikey: {key}\r\n\r\n".encode()

    async def send_requests() -> None:
        reader, writer = await asyncio.open_connection(*_address(stack))
        while not is_over():
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            assert b" 200 " in head[:20], head
            await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n")[0]))
            done.append(time.monotonic())
        writer.close()

    await asyncio.gather(*(send_requests() for _ in range(connections)))


def _address(stack: Stack) -> tuple[str, int]:
    parts = urlsplit(stack.url)
    return parts.hostname or "", parts.port or 0


BENCHES = {"growth": bench_growth, "restarts": bench_restarts}

if __name__ == "__main__":
    main(sys.argv[1:])

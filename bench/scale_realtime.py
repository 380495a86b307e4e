"""Sockets of one address over several workers: row-level security, far broadcasts, a stopped one.

A part of `make bench ARGS=scale`; alone by `python -m bench.scale_realtime [NAME …]`. Times say
something on a machine without other work alone; the processor time of PostgreSQL says it anywhere.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import asyncpg
import uvloop

from bench.figures import Figure, keep
from bench.realtime_bench import rls_at
from bench.realtime_client import LightClient
from bench.realtime_place import (
    Place,
    Times,
    at_rate,
    changes,
    close,
    join,
    many,
    mark,
    running,
    seconds_of_children,
    until,
    user,
    user_token,
)

CALLERS = 256
ROWS = 200
MEMBERS = 1000
ROUNDS = 3
FIRST = -10  # of the scheduler's priorities
STOPPED_SECONDS = 5.0


async def bench_rls() -> None:
    """500 users over 2 workers, 150 changes a second."""
    async with running(WORKERS="2") as place:
        for table in ("own", "shared"):
            await rls_at(place, table, 150)


async def bench_callers() -> None:
    """What 256 callers of one table cost PostgreSQL, by 1 and by 4 workers."""
    costs = {count: await _cost_of_callers(count) for count in (1, 4)}
    ratio = costs[4] / costs[1]
    print(f"{CALLERS} callers, PostgreSQL's CPU a change, 4 workers against 1: {ratio:.2f} (1.4)")
    keep(Figure(f"RLS of {CALLERS} callers, PostgreSQL's CPU, 4 workers", ratio, "times", 1.4))


async def _cost_of_callers(count: int) -> float:
    async with running(WORKERS=str(count)) as place:
        times, wanted = Times(), changes("shared")
        clients = await many(
            CALLERS,
            lambda n: join(place, times.received, key=user_token(n), postgres_changes=wanted),
        )
        assert place.database is not None
        writer = await asyncpg.connect(place.url)
        before = seconds_of_children(place.database)

        async def write(number: int) -> None:
            await writer.execute(
                "insert into shared (owner, mark) values ($1, $2)", user(number % 500), mark()
            )

        await at_rate(20, ROWS / 20, write)
        await until(lambda: len(times.delays) >= ROWS * CALLERS)
        spent = seconds_of_children(place.database) - before
        close(clients)
        await writer.close()
    cost = spent / ROWS * 1000
    print(f"WORKERS={count}: {cost:.2f} ms of PostgreSQL's CPU a change seen by {CALLERS} callers")
    return cost


async def bench_broadcast() -> None:
    """1,000 members over four workers, a quarter at the sender's, and over one, by turns."""
    rounds = [{count: await _broadcast(count) for count in (1, 4)} for _ in range(ROUNDS)]
    late = {count: median(each[count] for each in rounds) for count in (1, 4)}
    more = late[4] - late[1]
    print(f"broadcast to {MEMBERS}: p95 {late[1]:.1f} ms by 1, {late[4]:.1f} ms by 4 (5 more)")
    keep(Figure(f"broadcast to {MEMBERS} of 4 workers, p95 beyond one's", max(0.0, more), "ms", 5))


async def _broadcast(count: int) -> float:
    async with running(WORKERS=str(count)) as place:
        times = Times()
        clients = await many(MEMBERS, lambda _: join(place, times.received))
        sender = await join(place, lambda _: None)

        async def send(_: int) -> None:
            sender.send([None, "9", "realtime:room", "broadcast", {"mark": mark()}])

        with first_in_line():
            await at_rate(10, 8, send)
            await until(lambda: len(times.delays) >= 80 * MEMBERS)
        print(f"WORKERS={count}: {MEMBERS} members x 10/s: {times.shown()}")
        close([*clients, sender])
        return times.percentile(95)


async def bench_stopped() -> None:
    """A worker is stopped for 5 s: how late the others' subscribers are, and what is lost."""
    async with running(WORKERS="4") as place:
        all_times = [Times() for _ in range(40)]
        clients = [
            await join(place, times.received, postgres_changes=changes("open"))
            for times in all_times
        ]
        stopped = _worker_of(place, clients[0])
        os.kill(stopped, signal.SIGSTOP)
        writer = await asyncpg.connect(place.url)
        try:
            await at_rate(50, STOPPED_SECONDS, lambda _: writer.execute(_INSERT, mark()))
        finally:
            os.kill(stopped, signal.SIGCONT)
        rows = int(50 * STOPPED_SECONDS)
        await until(lambda: all(len(each.delays) >= rows for each in all_times))
        lost = sum(max(0, rows - len(each.delays)) for each in all_times)
        others = Times(
            [
                delay
                for client, times in zip(clients, all_times, strict=True)
                if _worker_of(place, client) != stopped
                for delay in times.delays
            ]
        )
        print(f"a worker stopped for {STOPPED_SECONDS:.0f} s: others {others.shown()}; {lost} lost")
        keep(Figure("p95 of the others while a worker is stopped", others.percentile(95), "ms", 50))
        keep(Figure("changes lost by a stopped worker", lost, "rows", 0))
        close(clients)
        await writer.close()


@contextmanager
def first_in_line() -> Generator[None]:
    """Let clients have the processor before the workers, as on machines of their own.

    Only an administrator may, and without it the four workers' p95 is that of the clients' queue.
    """
    try:
        os.setpriority(os.PRIO_PROCESS, 0, FIRST)
    except PermissionError:
        yield
        return
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, 0)


_INSERT = "insert into open (mark) values ($1)"


def _worker_of(place: Place, client: LightClient) -> int:
    """The process that has the other end of a socket."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    [inode] = [
        row[9]
        for row in rows
        if int(row[1].rpartition(":")[2], 16) == place.port
        and int(row[2].rpartition(":")[2], 16) == client.port
    ]
    for pid in map(int, Path(f"/proc/{place.pid}/task/{place.pid}/children").read_text().split()):
        names = {path.readlink().name for path in Path(f"/proc/{pid}/fd").iterdir()}
        if f"socket:[{inode}]" in names:
            return pid
    raise LookupError(inode)


BENCHES = {
    "rls": bench_rls,
    "callers": bench_callers,
    "broadcast": bench_broadcast,
    "stopped": bench_stopped,
}


def main(wanted: list[str] | None = None) -> None:
    """Print the figures, of some benches or of all."""
    for name, bench in BENCHES.items():
        if not wanted or name in wanted:
            uvloop.run(bench())


if __name__ == "__main__":
    main(sys.argv[1:])

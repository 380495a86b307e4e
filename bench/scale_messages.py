"""What a message and a change cost the processes that share them; processor time alone.

A part of `make bench ARGS=scale`; alone by `python -m bench.scale_messages`. Rooms of two on one
worker and on four; a worker that has no subscriber of the table that changes; a machine that has no
member of the room that another one speaks in.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg

from bench.figures import Figure, keep
from tests.harness_live import Live, open_socket
from tests.harness_programs import free_port, require_program, running
from tests.harness_stack import ROOT, Stack, start_stack
from tests.harness_workers import broker_of, is_ready, sockets_of_each, until, workers

ROOMS = 20  # of two members each
RATE = 500  # messages a second, in all rooms together
FOREIGN_RATE = 2000  # in a room of another machine: many, as each is to cost next to nothing
SECONDS = 6
CHANGES = 10_000  # transactions of one row
COUNTS = (1, 4)
_MANY = "100000"
_PAYLOAD = "x" * 300
_TABLES = (
    "create table public.pasos (id serial primary key); grant select on public.pasos to anon;"
    "alter publication supabase_realtime add table public.pasos"
)


def main() -> None:
    """Print the figures."""
    costs: dict[int, float] = {}
    with tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as folder:
        for count in COUNTS:
            stack = start_stack(
                Path(folder) / f"data{count}", WORKERS=str(count),
                TENANT_MAX_EVENTS_PER_SECOND=_MANY, TENANT_MAX_JOINS_PER_SECOND=_MANY,
                TENANT_MAX_CONCURRENT_USERS=_MANY,
            )  # fmt: skip
            try:
                until(lambda served=stack: is_ready(served), "ready")
                costs[count] = asyncio.run(_rooms(stack, count))
                if count > 1:
                    asyncio.run(_changes(stack, count))
            finally:
                stack.stop()
        machines = Path(folder) / "machines"
        machines.mkdir()
        foreign = asyncio.run(_foreign(machines))
    ratio = costs[COUNTS[-1]] / costs[1]
    print(f"rooms of two, CPU a message, {COUNTS[-1]} workers against 1: {ratio:.2f} times (2.3)")
    keep(Figure("CPU a message in rooms of two, 4 workers against 1", ratio, "times", 2.3))
    print(f"a machine without a member of the room: {foreign:.2f} µs of CPU a message (1)")
    keep(Figure("CPU a message, a machine without a member", foreign, "µs", 1))


async def _rooms(stack: Stack, count: int) -> float:
    """Microseconds of processor a message, of the processes that have a part in it."""
    key = stack.keys["SUPABASE_ANON_KEY"]
    pids = [stack.process.pid] if count == 1 else [*workers(stack), broker_of(stack)]
    async with AsyncExitStack() as opened:
        members: list[tuple[str, Live, Live]] = []
        for number in range(ROOMS):
            pair = [await opened.enter_async_context(open_socket(stack.url, key)) for _ in "ab"]
            topic = f"realtime:room-{number}"
            for live in pair:
                answer = await live.reply(topic, "phx_join", {"config": {}})
                assert answer["status"] == "ok", answer
            members.append((topic, pair[0], pair[1]))
        listening = [asyncio.create_task(_drain(live)) for _, *pair in members for live in pair]
        idle = await spent(pids, asyncio.sleep(SECONDS))
        busy = await spent(pids, _broadcast(members))
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)
    cost = (busy - idle) / (RATE * SECONDS) * 1e6
    print(f"WORKERS={count}: rooms of two, {RATE} messages/s: {cost:.0f} µs of CPU a message")
    return cost


async def _broadcast(members: Sequence[tuple[str, Live, Live]], rate: float = RATE) -> None:
    message = {"type": "broadcast", "event": "e", "payload": {"text": _PAYLOAD}}
    began = time.monotonic()
    for number in range(int(rate * SECONDS)):
        topic, sender, _ = members[number % len(members)]
        await sender.push(topic, "broadcast", message)
        await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))


async def _drain(live: Live) -> None:
    async for _ in live.socket:
        pass


async def _changes(stack: Stack, count: int) -> None:
    database = await asyncpg.connect(stack.keys["DATABASE_URL"])
    await database.execute(_TABLES)
    async with sockets_of_each(stack, stack.keys["SUPABASE_ANON_KEY"], count) as found:
        subscribed, live = next(iter(found.items()))
        wanted = {"event": "INSERT", "schema": "public", "table": "pasos"}
        await live.subscribe("pasos", None, wanted)
        listening = asyncio.create_task(_drain(live))
        others = [pid for pid in found if pid != subscribed]
        idle = await spent(others, asyncio.sleep(SECONDS))
        began = time.monotonic()
        busy = await spent(others, _insert(database))
        taken = busy - idle * (time.monotonic() - began) / SECONDS
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    await database.close()
    cost = max(0.0, taken) / CHANGES / len(others) * 1e6
    print(f"a worker without subscribers: {cost:.2f} µs of CPU a change of one row (1)")
    keep(Figure("CPU a change, a worker without subscribers", cost, "µs", 1))


async def _insert(database: asyncpg.Connection) -> None:
    """Transactions of one row, committed one by one within the server, none of them awaited."""
    await database.execute("set synchronous_commit = off")
    await database.execute(
        f"do $$ begin for n in 1..{CHANGES} loop"
        " insert into public.pasos default values; commit; end loop; end $$"
    )
    await asyncio.sleep(1)  # what is still under way


async def _foreign(folder: Path) -> float:
    """Microseconds that a machine spends on a message of a room that has no member there."""
    port = free_port()
    redis = [require_program("redis-server"), "--port", str(port), "--save", ""]
    with running(redis, port, folder):
        redis_url = f"redis://127.0.0.1:{port}/0"
        first = start_stack(
            folder / "first", REDIS_URL=redis_url,
            TENANT_MAX_EVENTS_PER_SECOND=_MANY, REALTIME_FRAMES_PER_SECOND=_MANY,
        )  # fmt: skip
        url = first.keys["DATABASE_URL"]
        secret = first.keys["JWT_SECRET"]
        second = start_stack(
            folder / "second", DATABASE_URL=url, JWT_SECRET=secret, REDIS_URL=redis_url, WORKERS="2"
        )
        try:
            until(lambda: is_ready(second), "ready")
            return await _silent(first, [*workers(second), broker_of(second)])
        finally:
            second.stop()
            first.stop()


async def _silent(stack: Stack, pids: Sequence[int]) -> float:
    async with open_socket(stack.url, stack.keys["SUPABASE_ANON_KEY"]) as live:
        answer = await live.reply("realtime:elsewhere", "phx_join", {"config": {}})
        assert answer["status"] == "ok", answer
        idle = await spent(pids, asyncio.sleep(SECONDS))
        began, members = time.monotonic(), [("realtime:elsewhere", live, live)]
        busy = await spent(pids, _broadcast(members, FOREIGN_RATE))
        taken = busy - idle * (time.monotonic() - began) / SECONDS
    return max(0.0, taken) / (FOREIGN_RATE * SECONDS) * 1e6


async def spent(pids: Sequence[int], work: Awaitable[object]) -> float:
    """Seconds of processor that processes take while something is awaited."""
    before = sum(map(seconds_of, pids))
    await work
    return sum(map(seconds_of, pids)) - before


def seconds_of(pid: int) -> float:
    """Seconds of processor of a process, by the scheduler's count of nanoseconds."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(path.read_text().split()[0]) for path in tasks) / 1e9


def private_memory(pid: int) -> float:
    """MB (of 1,048,576 bytes) of memory that a process shares with no other."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private")) / 1024


if __name__ == "__main__":
    main()

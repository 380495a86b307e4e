"""Realtime figures: this process makes the load, the service runs in another.

Pages each figure stands the original's on a machine of this kind, where it was measured
(issue 6), or the target. `python -m bench.realtime_bench [idle bare …]` runs some of them.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import asyncpg
import uvloop

from bench import realtime_filters
from bench.figures import Figure, keep
from bench.realtime_client import LightClient, connect
from compat_base.values import jwt
from compat_stack.embedded import postgres
from compat_stack.migrations.apply import migrate

SECRET = "a-secret-of-the-bench-that-is-long-enough"
INSERT_OPEN = "insert into open (mark) values ($1)"
MARK = re.compile(rb"@(\d+)@")
TABLES = """
create table public.open (id bigint generated always as identity primary key, mark text);
create table public.shared (
  id bigint generated always as identity primary key, owner uuid, mark text
);
create table public.members (user_id uuid primary key);
insert into public.members
select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid
from generate_series(0, 999) as n;
create table public.own (like public.shared including all);
alter table public.shared enable row level security;
alter table public.own enable row level security;
create policy members on public.shared for select to authenticated
  using (exists (select from public.members m where m.user_id = (select auth.uid())));
create policy own on public.own for select to authenticated using (owner = auth.uid());
grant select on all tables in schema public to anon, authenticated;
alter publication supabase_realtime add table public.open, public.shared, public.own;
"""


def ticks(pid: int, *, waited_for: bool = False) -> int:
    """Processor time a process has used, in clock ticks; with that of its children that ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11 : 15 if waited_for else 13])


def seconds_of_children(pid: int) -> float:
    """Seconds of processor time that a process and its children, also those that ended, used."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    used = ticks(pid, waited_for=True) + sum(ticks(int(child)) for child in children)
    return used / os.sysconf("SC_CLK_TCK")


def seconds_of_machine() -> float:
    """Seconds of processor time that everything on this machine used."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return (sum(fields[:8]) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


@dataclass
class Usage:
    """Seconds of processor time used so far: by the service, PostgreSQL, this process, and all."""

    service: float
    database: float
    load: float
    machine: float = field(default_factory=seconds_of_machine)
    at: float = field(default_factory=time.monotonic)

    def until(self, later: Usage) -> str:
        """The share of a core that each has used meanwhile; `others` disturb the figures."""
        spent = later.at - self.at
        used = {
            name: getattr(later, name) - getattr(self, name)
            for name in ("service", "database", "load")
        }
        used["others"] = later.machine - self.machine - sum(used.values())
        shares = ", ".join(f"{name} {seconds / spent:.0%}" for name, seconds in used.items())
        return f"of a core: {shares}"


@dataclass
class Place:
    """Where the service runs, and PostgreSQL where there is one."""

    port: int
    pid: int
    url: str
    database: int | None = None

    def memory(self) -> float:
        """Resident memory of the service's process, in MB."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", text)[0]) / 1024

    def cpu(self) -> Usage:
        """What has been used so far."""
        return Usage(
            ticks(self.pid) / os.sysconf("SC_CLK_TCK"),
            seconds_of_children(self.database) if self.database else 0.0,
            time.process_time(),
        )

    def used(self, before: Usage) -> str:
        """How much of a core each process has used since."""
        return before.until(self.cpu())


@dataclass
class Times:
    """Delays in seconds, from marks that hold the moment they were made."""

    delays: list[float] = field(default_factory=list)

    def heard(self, frame: bytes) -> None:
        found = MARK.search(frame)
        if found:
            self.delays.append(time.time() - int(found[1]) / 1e6)

    def shown(self) -> str:
        return shown(self.delays)

    def percentile(self, percent: float) -> float:
        """Milliseconds that so many in a hundred do not exceed."""
        return sorted(self.delays)[int(len(self.delays) * percent / 100)] * 1000


def shown(seconds: list[float]) -> str:
    """The middle and the slow end of some times."""
    ordered = sorted(seconds)
    if not ordered:
        return "nothing heard"
    parts = (f"p{p} {ordered[int(len(ordered) * p / 100)] * 1000:.1f}" for p in (50, 95, 99))
    return f"{', '.join(parts)} ms of {len(ordered)}"


def mark() -> str:
    return f"@{int(time.time() * 1e6)}@"


def user_token(number: int) -> str:
    claims = {"role": "authenticated", "exp": 4_000_000_000, "sub": str(user(number))}
    return jwt.sign(claims, jwt.secret_key(SECRET))


def user(number: int) -> UUID:
    return UUID(f"00000000-0000-4000-8000-{number:012d}")


ANON = jwt.sign({"role": "anon", "exp": 4_000_000_000}, jwt.secret_key(SECRET))


@asynccontextmanager
async def running() -> AsyncIterator[Place]:
    """A PostgreSQL and a service of our own, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    cluster = postgres.embedded_cluster(folder)
    postgres.start(cluster)
    url = cluster.url()
    await migrate(url, Path(tempfile.mkdtemp(dir=folder)))
    connection = await asyncpg.connect(url)
    await connection.execute(TABLES)
    await connection.close()
    variables = os.environ | {
        "API_JWT_SECRET": SECRET, "DATABASE_URL": url, "PORT": "0",
        "TENANT_MAX_EVENTS_PER_SECOND": "10000000", "TENANT_MAX_JOINS_PER_SECOND": "100000",
        "REALTIME_BYTES_PER_SECOND": "1000000000",
    }  # fmt: skip
    try:
        async with served(["-m", "realtime_compat"], variables) as (port, pid):
            yield Place(port, pid, url, postgres.running_pid(cluster))
    finally:
        postgres.stop(cluster)
        shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def served(arguments: list[str], variables: dict[str, str]) -> AsyncIterator[tuple[int, int]]:
    """A Python process that prints its port: the port and the process's number."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, env=variables, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = await process.stdout.readline()
        yield int(line.decode().rpartition(":")[2]), process.pid
    finally:
        process.terminate()
        await process.wait()


async def until(holds: Callable[[], bool], seconds: float = 60) -> float:
    """Wait until something holds, or for so long; how long that took."""
    start = time.monotonic()
    while not holds() and time.monotonic() - start < seconds:  # noqa: ASYNC110 — frames set no event
        await asyncio.sleep(0.01)
    return time.monotonic() - start


async def join(
    place: Place,
    heard: Callable[[bytes], None],
    *,
    key: str = ANON,
    topic: str = "room",
    **config: object,
) -> LightClient:
    """A socket that has joined; with changes asked for, one whose subscription is live."""
    ready = asyncio.get_running_loop().create_future()
    wanted = b"Subscribed to PostgreSQL" if "postgres_changes" in config else b"phx_reply"

    def hear(frame: bytes) -> None:
        if not ready.done() and wanted in frame:
            ready.set_result(None)
        heard(frame)

    path = f"/socket/websocket?vsn=2.0.0&apikey={key}"
    client = await connect("127.0.0.1", place.port, path, hear)
    client.send(["1", "1", f"realtime:{topic}", "phx_join", {"config": config}])
    await ready
    return client


async def many(count: int, make: Callable[[int], Awaitable[LightClient]]) -> list[LightClient]:
    """Several clients, fifty at a time."""
    clients: list[LightClient] = []
    for start in range(0, count, 50):
        clients += await asyncio.gather(*(make(n) for n in range(start, min(start + 50, count))))
    return clients


def close(clients: list[LightClient]) -> None:
    for client in clients:
        client.close()


async def at_rate(rate: float, seconds: float, act: Callable[[int], Awaitable[object]]) -> None:
    """Act so many times a second."""
    start = time.monotonic()
    for number in range(int(rate * seconds)):
        await asyncio.sleep(max(0.0, start + number / rate - time.monotonic()))
        await act(number)


def changes(table: str) -> list[dict[str, str]]:
    return [{"event": "*", "schema": "public", "table": table}]


async def bench_one(place: Place) -> None:
    """One subscriber."""
    times = Times()
    client = await join(place, times.heard, postgres_changes=changes("open"))
    connection = await asyncpg.connect(place.url)
    await at_rate(50, 6, lambda _: connection.execute(INSERT_OPEN, mark()))
    await asyncio.sleep(0.5)
    print(f"one subscriber, 50 changes/s: {times.shown()}")
    print("   original p50 261, p95 489; target p50 <= 5")
    keep(Figure("commit to frame, one subscriber", times.percentile(50), "ms", 5))
    await connection.close()
    times.delays.clear()
    total = 6000

    async def write() -> None:
        own = await asyncpg.connect(place.url)
        for _ in range(total // 4):
            await own.execute(INSERT_OPEN, mark())
        await own.close()

    start, cpu = time.monotonic(), place.cpu()
    await asyncio.gather(*(write() for _ in range(4)))
    written = time.monotonic() - start
    heard = written + await until(lambda: len(times.delays) >= total)
    used = place.used(cpu)
    print(f"one subscriber, 4 writers as fast as they can: written {total / written:.0f}/s,")
    print(f"   delivered {len(times.delays) / heard:.0f}/s, {times.shown()}, {used}")
    print("   target 1000/s")
    client.close()


async def bench_join(place: Place) -> None:
    """How long a join with changes takes: one after the other, and 200 at once."""
    told: list[float] = []

    async def timed(number: int) -> LightClient:
        start = time.monotonic()
        wanted = changes("own")
        client = await join(place, lambda _: None, key=user_token(number), postgres_changes=wanted)
        told.append(time.monotonic() - start)
        return client

    clients = [await timed(number) for number in range(100)]
    print(f"socket and join with changes, one after the other: {shown(told)}")
    told.clear()
    clients += await asyncio.gather(*(timed(number) for number in range(200)))
    print(f"socket and join with changes, 200 at once: {shown(told)}")
    close(clients)


async def bench_rls(place: Place) -> None:
    """500 subscribers of distinct users under row-level security."""
    for table, rate in (("own", 80), ("shared", 10), ("shared", 40), ("shared", 80)):
        await rls_at(place, table, rate)
    print("   original at 40/s 295 / 737; target p95 <= 100 at 80/s")


async def rls_at(place: Place, table: str, rate: float) -> None:
    """Changes at a rate, seen by their owner or by all."""
    times = Times()
    wanted = changes(table)
    clients = await many(
        500, lambda n: join(place, times.heard, key=user_token(n), postgres_changes=wanted)
    )
    connection = await asyncpg.connect(place.url)
    cpu = place.cpu()

    async def write(number: int) -> None:
        await connection.execute(
            f"insert into {table} (owner, mark) values ($1, $2)", user(number % 500), mark()
        )

    await at_rate(rate, 8, write)
    used = place.used(cpu)
    await asyncio.sleep(2)
    seen = "their owner" if table == "own" else "all"
    name = f"500 users, RLS, {rate} changes/s seen by {seen}"
    print(f"{name}: {times.shown()}, {used}")
    keep(Figure(f"{name}, 95 %", times.percentile(95), "ms", 100))
    close(clients)
    await connection.close()


async def bench_broadcast(place: Place) -> None:
    """1,000 members, 10 messages a second; and as fast as it goes, against a bare loop."""
    times = Times()
    clients = await many(1000, lambda _: join(place, times.heard))
    sender = await join(place, lambda _: None)
    cpu = place.cpu()

    async def send(_: int) -> None:
        sender.send([None, "9", "realtime:room", "broadcast", {"mark": mark()}])

    await at_rate(10, 8, send)
    used = place.used(cpu)
    await asyncio.sleep(1)
    print(f"broadcast, 1,000 members x 10/s: {times.shown()}, {used}   (original 12, 31, 49)")
    times.delays.clear()
    for number in range(50):
        await send(number)
    spent = await until(lambda: len(times.delays) >= 50_000)
    print(f"broadcast, 50 at once to 1,000 members: {len(times.delays) / spent:.0f} deliveries/s")
    close([*clients, sender])


BARE = """
import asyncio, sys
sys.path.insert(0, {root!r})
from compat_base.server import Server, serve
from compat_base.sockets import listen
members = []
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive(); await send({{"type": "lifespan.startup.complete"}})
        await receive(); await send({{"type": "lifespan.shutdown.complete"}}); return
    await receive(); await send({{"type": "websocket.accept"}})
    members.append(send)
    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            members.remove(send); return
        if "phx_join" in message["text"]:
            await send({{"type": "websocket.send", "text": "phx_reply"}}); continue
        for member in list(members):
            await member({{"type": "websocket.send", "text": message["text"]}})
async def main():
    bound = listen("127.0.0.1", 0)
    print(bound.getsockname()[1], flush=True)
    await serve(Server(app), [bound])
import uvloop
uvloop.run(main())
"""


async def bench_bare(_place: Place) -> None:
    """The same fan-out by a bare loop over the sockets of the same server."""
    root = str(Path(__file__).resolve().parents[1])  # noqa: ASYNC240 — once, before anything runs
    print("bare loop, for comparison:")
    async with served(["-c", BARE.format(root=root)], dict(os.environ)) as (port, pid):
        await bench_broadcast(Place(port, pid, ""))


async def bench_idle(place: Place) -> None:
    """5,000 idle sockets, each in a channel."""
    before = place.memory()
    clients = await many(5000, lambda n: join(place, lambda _: None, topic=f"t{n % 100}"))
    after = place.memory()
    each = (after - before) * 1024 / 5000
    print(f"memory: {before:.0f} MB fresh, {after:.0f} MB with 5,000 sockets, {each:.1f} KB each")
    print("   original 238 MB and 100 KB each; target 250 MB")
    keep(Figure("memory with 5,000 sockets", after, "MB", 250))
    close(clients)
    await asyncio.sleep(1)


async def bench_presence(place: Place) -> None:
    """500 members join within 5 s and converge."""
    seen: list[set[str]] = [set() for _ in range(500)]

    def hear(number: int) -> Callable[[bytes], None]:
        def heard(frame: bytes) -> None:
            if b"presence_" in frame:
                event = json.loads(frame)
                keys = event[4] if event[3] == "presence_state" else event[4]["joins"]
                seen[number].update(keys)

        return heard

    async def member(number: int) -> LightClient:
        await asyncio.sleep(number * 0.01)
        presence = {"enabled": True, "key": f"u{number}"}
        client = await join(place, hear(number), presence=presence)
        track = {"event": "track", "payload": {"n": number}}
        client.send(["1", "2", "realtime:room", "presence", track])
        return client

    start = time.monotonic()
    clients = await asyncio.gather(*(member(number) for number in range(500)))
    joined = time.monotonic() - start
    await until(lambda: all(len(keys) == 500 for keys in seen))
    spent = time.monotonic() - start
    print(f"presence: 500 members joined after {joined:.1f} s, know each other after {spent:.1f} s")
    close(clients)


async def bench_slow(place: Place) -> None:
    """One member that does not read must cost the others nothing."""
    times = Times()
    stuck = await join(place, lambda _: None)
    stuck.stop_reading()
    reader = await join(place, times.heard)
    sender = await join(place, lambda _: None)
    before = place.memory()
    body = "x" * 50_000

    async def send(_: int) -> None:
        sender.send([None, "9", "realtime:room", "broadcast", {"mark": mark(), "body": body}])

    await at_rate(50, 8, send)
    await asyncio.sleep(0.5)
    print(f"a member that stopped reading: others {times.shown()},")
    print(f"   memory {before:.0f} -> {place.memory():.0f} MB")
    close([stuck, reader, sender])


async def bench_filters(_place: Place) -> None:
    """What 8,000 distinct filters on a table cost."""
    realtime_filters.figures()


BENCHES = {
    "filters": bench_filters,
    "one": bench_one,
    "join": bench_join,
    "rls": bench_rls,
    "broadcast": bench_broadcast,
    "bare": bench_bare,
    "presence": bench_presence,
    "slow": bench_slow,
    "idle": bench_idle,
}


async def main(wanted: list[str]) -> None:
    """Run the benches that were asked for, all by default."""
    async with running() as place:
        for name, bench in BENCHES.items():
            if not wanted or name in wanted:
                await bench(place)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1:]))

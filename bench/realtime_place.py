"""What the figures of Realtime are measured on: a database, a service, clients, times and usage."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import asyncpg

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
    fan_out: float = 0.0  # deliveries a second, once measured

    def memory(self) -> float:
        """Resident memory of the service's process, in MB."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", text)[0]) / 1024

    def cpu(self) -> Usage:
        """What has been used so far."""
        return Usage(
            seconds_of_children(self.pid),
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

    def received(self, frame: bytes) -> None:
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
async def running(**settings: str) -> AsyncGenerator[Place]:
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
        "REALTIME_BYTES_PER_SECOND": "1000000000", **settings,
    }  # fmt: skip
    try:
        async with served(["-m", "realtime_compat"], variables) as (port, pid):
            yield Place(port, pid, url, postgres.running_pid(cluster))
    finally:
        postgres.stop(cluster)
        shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def served(
    arguments: list[str], variables: dict[str, str]
) -> AsyncGenerator[tuple[int, int]]:
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
    received: Callable[[bytes], None],
    *,
    key: str = ANON,
    topic: str = "room",
    **config: object,
) -> LightClient:
    """A socket that has joined; with changes asked for, one whose subscription is live."""
    ready = asyncio.get_running_loop().create_future()
    wanted = b"Subscribed to PostgreSQL" if "postgres_changes" in config else b"phx_reply"

    def receive(frame: bytes) -> None:
        if not ready.done() and wanted in frame:
            ready.set_result(None)
        received(frame)

    path = f"/socket/websocket?vsn=2.0.0&apikey={key}"
    client = await connect("127.0.0.1", place.port, path, receive)
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

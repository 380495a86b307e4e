"""The REST service under load: requests a second and p99 beside the same work done barely.

    python -m bench.rest_bench [CASE …]

Beside it run PostgREST, where POSTGREST_BIN names its executable, and a bare loop of asyncpg
and ASGI that does the same three round trips for the list under row-level security. Load comes
from wrk, a process of its own; SECONDS (5) and CONNECTIONS (16) set how much.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import asyncpg

from compat_base import jwt
from compat_stack import postgres

SECRET = "a secret for the bench, long enough"
OWNER = "00000000-0000-0000-0000-000000000007"
DURATION = os.environ.get("SECONDS", "5")
CONNECTIONS = os.environ.get("CONNECTIONS", "16")

SCHEMA = """
create role bench_authenticator login noinherit;
create role bench_user;
grant bench_user to bench_authenticator;
create schema api;
create table api.dept (id int primary key, name text);
create table api.emp (id int primary key, dept_id int references api.dept, owner uuid, name text,
  pay numeric, born date);
create table api.skill (id int primary key, emp_id int references api.emp, label text);
create table api.entry (id bigint generated always as identity primary key, body text);
insert into api.dept select n, 'dept ' || n from generate_series(1, 50) n;
insert into api.emp select n, 1 + n % 50,
  ('00000000-0000-0000-0000-' || lpad((n % 100)::text, 12, '0'))::uuid, 'emp ' || n, n, '2000-01-01'
  from generate_series(1, 2000) n;
insert into api.skill select n, 1 + n % 2000, 'skill ' || n from generate_series(1, 6000) n;
create index on api.emp (owner);
create index on api.emp (dept_id);
create index on api.skill (emp_id);
alter table api.emp enable row level security;
create policy own on api.emp
  using (owner = (current_setting('request.jwt.claims')::json ->> 'sub')::uuid);
create function api.add(a int, b int) returns int immutable language sql as 'select a + b';
grant usage on schema api to bench_user;
grant all on all tables in schema api to bench_user;
analyze;
"""

BULK = "[" + ",".join(f'{{"body":"row {n}"}}' for n in range(1000)) + "]"


@dataclass(frozen=True)
class Case:
    """One kind of request."""

    name: str
    target: str
    body: str | None = None
    prefer: str = "return=minimal"


CASES = (
    Case("one row by key", "/dept?id=eq.7"),
    Case("20 rows under RLS", "/emp?order=id&limit=20"),
    Case("two levels embedded", "/dept?id=eq.8&select=name,emp(name,skill(label))"),
    Case("insert, representation", "/entry", '{"body":"x"}', "return=representation"),
    Case("bulk insert of 1,000", "/entry", BULK),
    Case("function", "/rpc/add?a=1&b=2"),
)

BARE = """
import sys, asyncpg, uvicorn
async def keep(connection): pass
async def app(scope, receive, send):
    global pool
    if scope["type"] == "lifespan":
        await receive()
        pool = await asyncpg.create_pool(sys.argv[1], min_size=10, max_size=10, reset=keep)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        return
    await receive()
    async with pool.acquire() as c:
        await c.execute(sys.argv[3])
        row = await c.fetchrow("select json_agg(t)::text from"
                               " (select * from api.emp order by id limit 20) t")
        await c.execute("COMMIT")
    body = row[0].encode()
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})
uvicorn.run(app, port=int(sys.argv[2]), loop="uvloop", http="httptools", access_log=False,
            log_level="error")
"""
BARE_OPENING = (
    "BEGIN READ ONLY; select set_config('search_path', '\"api\"', true),"
    " set_config('role', 'bench_user', true),"
    f" set_config('request.jwt.claims', '{{\"sub\":\"{OWNER}\"}}', true)"
)


def main() -> int:
    """Measure every case (or those named) on every server; 1 where wrk is missing."""
    wrk = shutil.which("wrk")
    if wrk is None:
        print("wrk is not installed: nothing measured")
        return 1
    wanted = sys.argv[1:]
    cases = [case for case in CASES if not wanted or any(word in case.name for word in wanted)]
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        database(Path(folder)) as url,
        servers(url) as ports,
    ):
        for case in cases:
            measure(wrk, ports, case)
    return 0


def measure(wrk: str, ports: dict[str, int], case: Case) -> None:
    """Print one case on every server, and how the others compare."""
    print(f"\n{case.name}")
    measured = {
        name: load(wrk, port, case)
        for name, port in ports.items()
        if name != "bare loop" or case.name == "20 rows under RLS"
    }
    for name, (rate, p99) in measured.items():
        ratio = rate / measured["rest_compat"][0]
        print(f"  {name:12} {rate:9.0f} requests/s   p99 {p99:>9}   x{ratio:.2f}")


@contextmanager
def database(folder: Path) -> Iterator[str]:
    """The URL of a fresh database with the schema."""
    cluster = postgres.embedded_cluster(folder, None, durable=False)
    postgres.start(cluster)
    try:
        asyncio.run(load_schema(cluster.url("postgres", "postgres")))
        yield cluster.url("postgres", "bench_authenticator")
    finally:
        postgres.stop(cluster)


async def load_schema(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(SCHEMA)
    await connection.close()


@contextmanager
def servers(url: str) -> Iterator[dict[str, int]]:
    """The ports of the servers under measurement, by name."""
    ports: dict[str, int] = {}
    processes: list[subprocess.Popen[bytes]] = []
    commands = {"rest_compat": [sys.executable, "-m", "rest_compat"]}
    if "POSTGREST_BIN" in os.environ:
        commands["PostgREST"] = [os.environ["POSTGREST_BIN"]]
    for name, command in commands.items():
        ports[name] = free_port()
        settings = {
            "PGRST_DB_URI": url, "PGRST_DB_SCHEMAS": "api", "PGRST_JWT_SECRET": SECRET,
            "PGRST_SERVER_PORT": str(ports[name]), "PGRST_SERVER_HOST": "127.0.0.1",
            "PGRST_LOG_LEVEL": "crit",
        }  # fmt: skip
        processes.append(subprocess.Popen(command, env=os.environ | settings))
    ports["bare loop"] = free_port()
    bare = [sys.executable, "-c", BARE, url, str(ports["bare loop"]), BARE_OPENING]
    processes.append(subprocess.Popen(bare))
    try:
        for port in ports.values():
            wait_for(port)
        yield ports
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def load(wrk: str, port: int, case: Case) -> tuple[float, str]:
    """Requests a second and p99 of one case, after a second of warming up."""
    token = jwt.sign({"role": "bench_user", "sub": OWNER}, jwt.secret_key(SECRET))
    script = [f'wrk.headers["Authorization"] = "Bearer {token}"']
    if case.body is not None:
        script += [
            'wrk.method = "POST"',
            f"wrk.body = [==[{case.body}]==]",
            'wrk.headers["Content-Type"] = "application/json"',
            f'wrk.headers["Prefer"] = "{case.prefer}"',
        ]
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write("\n".join(script))
        file.flush()
        command = [wrk, "-t1", f"-c{CONNECTIONS}", "--latency", "-s", file.name]
        url = f"http://127.0.0.1:{port}{case.target}"
        subprocess.run([*command, "-d1", url], capture_output=True, check=True)
        done = subprocess.run(
            [*command, f"-d{DURATION}", url], capture_output=True, check=True, text=True
        )
    if "Non-2xx" in done.stdout:
        raise RuntimeError(done.stdout)
    rate = re.search(r"Requests/sec: *([0-9.]+)", done.stdout)
    p99 = re.search(r"99% *(\S+)", done.stdout)
    if rate is None or p99 is None:
        raise RuntimeError(done.stdout)
    return float(rate.group(1)), p99.group(1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
        except ConnectionError:
            time.sleep(0.05)
        except OSError as error:
            if isinstance(getattr(error, "reason", None), ConnectionError):
                time.sleep(0.05)
                continue
            return
        else:
            return


if __name__ == "__main__":
    sys.exit(main())

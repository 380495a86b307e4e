"""The REST service under load: requests a second and p99 beside the same work done barely.

    python -m bench.rest_bench [CASE …]

Pages it, on the same database, run PostgREST where POSTGREST_BIN names its executable,
`@supabase/lite` where LITE_BIN names its command (`npm install @supabase/lite postgres` gives
`node_modules/.bin/lite`), and a bare loop of asyncpg and ASGI that does the same work in three
round trips for the list under row-level security. Load comes from wrk, a process of its own;
SECONDS of a turn (2) and CONNECTIONS (16) set how much.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import asyncpg

from bench.by_turns import compare, load
from compat_base.values import jwt
from compat_stack.embedded import postgres
from tests.harness_programs import free_port

SECRET = "a secret for the bench, long enough"
OWNER = "00000000-0000-0000-0000-000000000007"
DURATION = float(os.environ.get("SECONDS", "2"))
CONNECTIONS = int(os.environ.get("CONNECTIONS", "16"))
RATE_TARGETS = {"PostgREST": 1.3, "bare loop": 1.0}  # ours over theirs, at least
P99_TARGETS = {"PostgREST": 1.0}  # ours over theirs, at most

SCHEMA = """
create role bench_authenticator login noinherit;
create role anon;
create role authenticated;
create role service_role;
grant authenticated to bench_authenticator;
create table public.dept (id int primary key, name text);
create table public.emp (id int primary key, dept_id int references public.dept, owner uuid,
  name text, pay numeric, born date);
create table public.skill (id int primary key, emp_id int references public.emp, label text);
create table public.entry (id bigint generated always as identity primary key, body text);
insert into public.dept select n, 'dept ' || n from generate_series(1, 50) n;
insert into public.emp select n, 1 + n % 50,
  ('00000000-0000-0000-0000-' || lpad((n % 100)::text, 12, '0'))::uuid, 'emp ' || n, n, '2000-01-01'
  from generate_series(1, 2000) n;
insert into public.skill select n, 1 + n % 2000, 'skill ' || n from generate_series(1, 6000) n;
create index on public.emp (owner);
create index on public.emp (dept_id);
create index on public.skill (emp_id);
alter table public.emp enable row level security;
create policy own on public.emp
  using (owner = (current_setting('request.jwt.claims')::json ->> 'sub')::uuid);
create function public.add(a int, b int) returns int immutable language sql as 'select a + b';
grant all on all tables in schema public to authenticated;
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
                               " (select * from public.emp order by id limit 20) t")
        await c.execute("COMMIT")
    body = row[0].encode()
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})
uvicorn.run(app, port=int(sys.argv[2]), loop="uvloop", http="httptools", access_log=False,
            log_level="error")
"""
BARE_OPENING = (
    "BEGIN READ ONLY; select set_config('search_path', '\"public\"', true),"
    " set_config('role', 'authenticated', true),"
    f" set_config('request.jwt.claims', '{{\"sub\":\"{OWNER}\"}}', true)"
)


def main() -> int:
    """Measure every case (or those named) on every server; 1 where wrk is missing."""
    if shutil.which("wrk") is None:
        print("wrk is not installed: nothing measured")
        return 1
    wanted = sys.argv[1:]
    cases = [case for case in CASES if not wanted or any(word in case.name for word in wanted)]
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        database(Path(folder)) as url,
        servers(Path(folder), url) as addresses,
    ):
        for case in cases:
            measure(addresses, case)
    return 0


def measure(addresses: dict[str, str], case: Case) -> None:
    """Print one case on every server, after a second of warming up.

    By one connection: `@supabase/lite` makes its own tables at its first requests, and fails where
    two come at once.
    """
    requests = {
        name: partial(load, address + case.target, script_of(case))
        for name, address in addresses.items()
        if name != "bare loop" or case.name == "20 rows under RLS"
    }
    for measure in requests.values():
        measure(seconds=1, connections=1)
    turns = {
        name: partial(measure, seconds=DURATION, connections=CONNECTIONS)
        for name, measure in requests.items()
    }
    compare(case.name, turns, RATE_TARGETS, P99_TARGETS)


@contextmanager
def database(folder: Path) -> Generator[str]:
    """The superuser's URL of a fresh database with the schema."""
    cluster = postgres.embedded_cluster(folder, None, durable=False)
    postgres.start(cluster)
    try:
        url = cluster.url()
        asyncio.run(load_schema(url))
        yield url
    finally:
        postgres.stop(cluster)


async def load_schema(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(SCHEMA)
    await connection.close()


@contextmanager
def servers(folder: Path, superuser: str) -> Generator[dict[str, str]]:
    """The addresses of the servers under measurement, by name."""
    url = superuser.replace("//postgres@", "//bench_authenticator@")
    addresses: dict[str, str] = {}
    processes: list[subprocess.Popen[bytes]] = []
    commands = {"rest_compat": [sys.executable, "-m", "rest_compat"]}
    if "POSTGREST_BIN" in os.environ:
        commands["PostgREST"] = [os.environ["POSTGREST_BIN"]]
    for name, command in commands.items():
        port = free_port()
        settings = {
            "PGRST_DB_URI": url, "PGRST_DB_SCHEMAS": "public", "PGRST_JWT_SECRET": SECRET,
            "PGRST_SERVER_PORT": str(port), "PGRST_SERVER_HOST": "127.0.0.1",
            "PGRST_LOG_LEVEL": "crit",
        }  # fmt: skip
        processes.append(subprocess.Popen(command, env=os.environ | settings))
        addresses[name] = f"http://127.0.0.1:{port}"
    if "LITE_BIN" in os.environ:
        port = free_port()
        processes.append(lite(folder / "lite", superuser, port))
        addresses["@supabase/lite"] = f"http://127.0.0.1:{port}/rest/v1"
    port = free_port()
    processes.append(subprocess.Popen([sys.executable, "-c", BARE, url, str(port), BARE_OPENING]))
    addresses["bare loop"] = f"http://127.0.0.1:{port}"
    try:
        for address in addresses.values():
            wait_for(address)
        yield addresses
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that was told to end; one that stays on is killed."""
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def lite(folder: Path, url: str, port: int) -> subprocess.Popen[bytes]:
    """`@supabase/lite` in a project of its own; it makes a schema auth, and so is a superuser."""
    (folder / "supabase").mkdir(parents=True)
    (folder / "supabase" / "config.toml").write_text(
        f"""[api]\nport = {port}\n
        [db]\ndriver = "postgres"\nurl = "postgresql:///postgres"\n
        [auth]\nenabled = true\njwt_secret = "{SECRET}"\n"""
    )
    # Its driver reads no socket's folder out of a URL.
    sockets = parse_qs(urlsplit(url).query)["host"][0]
    own = os.environ | {"PGHOST": sockets, "PGUSER": "postgres"}
    command = [os.environ["LITE_BIN"], "start"]
    return subprocess.Popen(command, cwd=folder, env=own, stdout=subprocess.DEVNULL)


def script_of(case: Case) -> str:
    """What wrk sends."""
    token = jwt.sign({"role": "authenticated", "sub": OWNER}, jwt.secret_key(SECRET))
    script = [f'wrk.headers["Authorization"] = "Bearer {token}"']
    if case.body is not None:
        script += [
            'wrk.method = "POST"',
            f"wrk.body = [==[{case.body}]==]",
            'wrk.headers["Content-Type"] = "application/json"',
            f'wrk.headers["Prefer"] = "{case.prefer}"',
        ]
    return "\n".join(script)


def wait_for(address: str) -> None:
    for _ in range(200):
        try:
            urlopen(f"{address}/", timeout=5).close()
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

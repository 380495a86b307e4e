"""The auth service: sign-in throughput, latency beside it, refresh and GET /user.

Pages a GoTrue executable where GOTRUE_BIN names one, and beside a bare loop of uvicorn and asyncpg
that runs the statements of a refresh and of GET /user and nothing else (no check, no signature, no
shape), on the same database and by turns. Sign-ins are set against the cores divided by the time of
one bcrypt hash at cost 10; the other two are called by wrk.
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
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import bcrypt

from bench.auth_client import SECONDS, Client, latencies, p99, throughput, wait
from bench.by_turns import Load, compare, load
from bench.figures import Figure, keep
from compat_base.values import jwt
from compat_stack.embedded import postgres
from compat_stack.migrations.apply import migrate

SIGN_INS, READERS = 8, 8
PORT = 18_400
PASSWORD = "correct horse"
SECRET = "a-secret-of-more-than-thirty-two-bytes-for-hs256"


BARE = """
import json, secrets, sys, uuid
from datetime import datetime, timezone
import asyncpg, uvicorn
from compat_base.postgres.queries import load_queries
USER = load_queries("gotrue_compat.store", "users.sql")["find_current"]
ROTATE = load_queries("gotrue_compat.store", "sessions.sql")["rotate_if_active"]
async def keep(connection): pass
async def app(scope, receive, send):
    global pool
    if scope["type"] == "lifespan":
        await receive()
        pool = await asyncpg.create_pool(sys.argv[1], min_size=10, max_size=10, reset=keep,
                                         server_settings={"search_path": "auth"})
        await send({"type": "lifespan.startup.complete"})
        await receive()
        return
    body = (await receive()).get("body", b"")
    answer = b"{}"
    async with pool.acquire() as c:
        if scope["path"] == "/user":
            row = await c.fetchrow(USER, *([uuid.UUID(one)] for one in sys.argv[3:5]))
            answer = row["raw_user_meta_data"].encode()
        elif scope["path"] == "/token":
            token = json.loads(body)["refresh_token"]
            child, now = secrets.token_hex(6), datetime.now(timezone.utc)
            notes = [uuid.uuid4(), uuid.uuid4()], ["token_refreshed", "token_revoked"], [now, now]
            use = child, now, "wrk", "127.0.0.1", None, None, None
            await c.fetchrow(ROTATE, token, *use, *notes)
            answer = json.dumps({"refresh_token": child}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": answer})
uvicorn.run(app, port=int(sys.argv[2]), loop="uvloop", http="httptools", access_log=False,
            log_level="error")
"""
# Every request is of another user than the one before
READING = """
local tokens, turn = {%s}, 0
function request()
  turn = turn %% #tokens + 1
  return wrk.format("GET", "/user", {["Authorization"] = "Bearer " .. tokens[turn]})
end
"""
# Each thread of wrk is one client, whose next refresh sends the token of the last answer
REFRESHING = """
local number = 0
function setup(thread)
  number = number + 1
  thread:set("token", ({%s})[number])
end
function request()
  local body = '{"refresh_token":"' .. token .. '"}'
  return wrk.format("POST", "/token?grant_type=refresh_token", wrk.headers, body)
end
function response(status, headers, body)
  token = body:match('"refresh_token": *"([^"]+)"') or token
end
"""


@dataclass(frozen=True)
class Server:
    """One of those that are compared."""

    name: str
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def main() -> None:
    """Print the figures of every server."""
    if shutil.which("wrk") is None:
        print("wrk is not installed: nothing measured")
        return
    folder = Path(tempfile.mkdtemp(prefix="bench-auth-"))
    cluster = postgres.embedded_cluster(folder)
    postgres.start(cluster)
    try:
        empty = folder / "empty"
        empty.mkdir()
        asyncio.run(migrate(cluster.url(), empty))
        _measure(cluster.url("postgres", "supabase_auth_admin"))
    finally:
        postgres.stop(cluster)
        shutil.rmtree(folder, ignore_errors=True)


def _measure(url: str) -> None:
    hash_seconds = _bcrypt_seconds()
    ideal = (os.cpu_count() or 1) / hash_seconds
    print(f"one bcrypt at cost 10: {hash_seconds * 1000:.1f} ms")
    print(f"bcrypt alone in every core: {_bcrypt_rate() / ideal:.2f} x ideal")
    ours, bare, gotrue = Server("ours", PORT), Server("a bare loop", PORT + 1), None
    with ExitStack() as running:
        running.enter_context(_served([sys.executable, "-m", "gotrue_compat"], url, ours))
        first = asyncio.run(_clients(ours))[0]
        user = [first["user"]["id"], _session_of(first["access_token"])]
        bare_loop = [sys.executable, "-c", BARE, url, str(bare.port), *user]
        running.enter_context(_served(bare_loop, url, bare))
        if os.environ.get("GOTRUE_BIN"):
            gotrue = Server("GoTrue", PORT + 2)
            running.enter_context(_served([os.environ["GOTRUE_BIN"]], url, gotrue))
        full = [ours, gotrue] if gotrue else [ours]
        # A bare loop signs nobody in: its sessions are opened by ours
        sources = {server: server for server in full} | {bare: ours}
        for what, ask in (("GET /user", _read), ("refresh", _refresh)):
            asked = {
                server.name: partial(ask, server, source) for server, source in sources.items()
            }
            compare(what, asked, {"GoTrue": 1.0}, {})
        for server in full:
            asyncio.run(_sign_ins(server, ideal))


async def _clients(server: Server) -> list[dict[str, Any]]:
    """A session each for as many clients as refresh at once, each of a user of its own.

    A refresh writes its user's row: clients of one user would wait for one another.
    """
    client = await Client.open(server.port)
    addresses = (f"bench-{time.time_ns()}-{number}@example.com" for number in range(READERS))
    return [
        await client.call("POST", "/signup", {"email": address, "password": PASSWORD})
        for address in addresses
    ]


def _read(server: Server, source: Server) -> Load:
    tokens = ", ".join(f'"{client["access_token"]}"' for client in asyncio.run(_clients(source)))
    return load(server.url, READING % tokens, seconds=SECONDS, connections=READERS)


def _refresh(server: Server, source: Server) -> Load:
    tokens = [client["refresh_token"] for client in asyncio.run(_clients(source))]
    script = REFRESHING % ", ".join(f'"{token}"' for token in tokens)
    amount = {"connections": READERS, "threads": READERS}
    return load(server.url, script, seconds=SECONDS, **amount)


async def _sign_ins(server: Server, ideal: float) -> None:
    """Print the sign-ins a second, while somebody else asks for the user twenty times a second."""
    session = (await _clients(server))[0]
    body = {"email": session["user"]["email"], "password": PASSWORD}

    async def sign_in(own: Client) -> None:
        await own.call("POST", "/token?grant_type=password", body)

    async def get_user(own: Client) -> None:
        await own.call("GET", "/user", token=session["access_token"])

    (sign_ins, _), busy = await asyncio.gather(
        throughput(server.port, SIGN_INS, sign_in), latencies(server.port, get_user)
    )
    share = sign_ins / ideal
    print(f"{server.name}: sign-ins  {sign_ins:8.1f} /s   {share:.2f} x ideal (target 0.95)")
    if server.port == PORT:
        keep(Figure("sign-ins beside bcrypt alone", share, "x", 0.95, at_least=True))
        keep(Figure("GET /user during sign-ins, p99", p99(busy) * 1000, "ms", 50))
    print(f"{server.name}: GET /user p99 {p99(busy) * 1000:.1f} ms meanwhile   (target 50)")


def _session_of(token: str) -> str:
    return jwt.unpack(token).claims()["session_id"]


@contextmanager
def _served(command: list[str], url: str, server: Server) -> Generator[None]:
    variables = {
        **os.environ, "PORT": str(server.port), "GOTRUE_API_HOST": "127.0.0.1", "DATABASE_URL": url,
        "GOTRUE_DB_DRIVER": "postgres", "API_EXTERNAL_URL": server.url,
        "GOTRUE_SITE_URL": "http://localhost", "GOTRUE_JWT_SECRET": SECRET,
        "GOTRUE_JWT_AUD": "authenticated", "GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated",
        "GOTRUE_MAILER_AUTOCONFIRM": "true", "GOTRUE_LOG_LEVEL": "error",
        "GOTRUE_DB_MAX_POOL_SIZE": "10", "GOTRUE_DB_MAX_IDLE_POOL_SIZE": "10",
    }  # fmt: skip
    process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL)
    try:
        asyncio.run(wait(server.port))
        yield
    finally:
        process.terminate()
        process.wait(timeout=15)


def _bcrypt_seconds() -> float:
    stored = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(10))
    times: list[float] = []
    for _ in range(7):
        began = time.perf_counter()
        bcrypt.checkpw(PASSWORD.encode(), stored)
        times.append(time.perf_counter() - began)
    return min(times)


def _bcrypt_rate() -> float:
    """Hashes a second by as many threads as there are cores, with nothing beside them."""
    stored = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(10))
    end = time.perf_counter() + SECONDS / 2

    def run() -> int:
        done = 0
        while time.perf_counter() < end:
            bcrypt.checkpw(PASSWORD.encode(), stored)
            done += 1
        return done

    began = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        runs = [threads.submit(run) for _ in range(os.cpu_count() or 1)]
        return sum(future.result() for future in runs) / (time.perf_counter() - began)


if __name__ == "__main__":
    main()

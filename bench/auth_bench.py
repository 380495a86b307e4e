"""The auth service: sign-in throughput, latency beside it, refresh, exchange and GET /user.

Pages a GoTrue executable where GOTRUE_BIN names one, and beside a bare loop of uvicorn and asyncpg
that runs the statements of a refresh, of an exchange of a code and of GET /user and nothing else
(no check, no signature, no shape), on the same database and by turns. Sign-ins are set against the
cores divided by the time of one bcrypt hash at cost 10; the other three are called by wrk. The
codes that are exchanged stand in the database before: no mail is sent, no link followed.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import secrets
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
from uuid import UUID

import bcrypt

from bench.auth_client import SECONDS, Client, latencies, p99, throughput, wait
from bench.auth_scripts import BARE, EXCHANGING, READING, REFRESHING
from bench.by_turns import Load, compare, load
from bench.figures import Figure, keep
from compat_base.postgres.database import connect
from compat_base.values import jwt
from compat_stack.embedded import postgres
from compat_stack.migrations.apply import migrate

SIGN_INS, READERS = 8, 8
PORT = 18_400
PASSWORD = "correct horse"
SECRET = "a-secret-of-more-than-thirty-two-bytes-for-hs256"


VERIFIER = secrets.token_urlsafe(48)
CODES = 4000  # of each client: more than can be exchanged in the time of one load
FLOWS = """
insert into auth.flow_state (id, user_id, auth_code, code_challenge_method, code_challenge,
  provider_type, authentication_method, created_at, updated_at, auth_code_issued_at,
  provider_access_token, provider_refresh_token)
select gen_random_uuid(), $1, $2 || n, 's256', $3, 'magiclink', 'magiclink',
  now(), now(), now(), '', ''
from generate_series(1, $4::int) as n
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
        bare_loop = [sys.executable, "-c", BARE, url, str(bare.port), *user, _challenge(VERIFIER)]
        running.enter_context(_served(bare_loop, url, bare))
        if os.environ.get("GOTRUE_BIN"):
            gotrue = Server("GoTrue", PORT + 2)
            running.enter_context(_served([os.environ["GOTRUE_BIN"]], url, gotrue))
        full = [ours, gotrue] if gotrue else [ours]
        # A bare loop signs nobody in: its sessions are opened by ours
        sources = {server: server for server in full} | {bare: ours}
        exchange = partial(_exchange, url)
        for what, measure, target in (
            ("GET /user", _read, 1.8), ("refresh", _refresh, 2.5), ("code exchange", exchange, 2.0)
        ):  # fmt: skip
            requests = {
                server.name: partial(measure, server, source) for server, source in sources.items()
            }
            compare(what, requests, {"GoTrue": target}, {"GoTrue": 1.0})
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


def _exchange(url: str, server: Server, source: Server) -> Load:
    users = [client["user"]["id"] for client in asyncio.run(_clients(source))]
    prefixes = asyncio.run(_flows(url, users, _challenge(VERIFIER)))
    script = EXCHANGING % (", ".join(f'"{prefix}"' for prefix in prefixes), VERIFIER)
    amount = {"connections": READERS, "threads": READERS}
    return load(server.url, script, seconds=SECONDS, **amount)


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


async def _flows(url: str, users: list[str], challenge: str) -> list[str]:
    """Codes for each user that wait for their exchange; what each user's begin with."""
    prefixes = [f"{secrets.token_hex(8)}-" for _ in users]
    async with connect(url) as connection:
        await connection.execute("truncate auth.flow_state cascade")
        for user, prefix in zip(users, prefixes, strict=True):
            await connection.execute(FLOWS, UUID(user), prefix, challenge, CODES)
        await connection.execute("analyze auth.flow_state")
    return prefixes


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

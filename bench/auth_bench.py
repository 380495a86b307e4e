"""The auth service: sign-in throughput, latency beside it, refresh and GET /user.

Beside a GoTrue executable where GOTRUE_BIN names one, on the same database, one after the other.
Sign-ins are set against the cores divided by the time of one bcrypt hash at cost 10.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import bcrypt

from compat_stack import migrate, postgres

SECONDS = 6.0
SIGN_INS, READERS = 8, 8
PASSWORD = "correct horse"
SECRET = "a-secret-of-more-than-thirty-two-bytes-for-hs256"


@dataclass
class Client:
    """One keep-alive connection that sends whole requests and reads whole answers."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def open(cls, port: int) -> Client:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def call(self, method: str, path: str, body: object = None, token: str = "") -> dict:
        data = json.dumps(body).encode() if body is not None else b""
        head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\nContent-Length: {len(data)}\r\n"
        head += f"Authorization: Bearer {token}\r\n" if token else ""
        self.writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + data)
        head_text = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head_text.split("content-length:")[1].split("\r\n")[0])
        answer = json.loads(await self.reader.readexactly(length) or b"{}")
        if " 200 " not in head_text[:20]:
            raise RuntimeError(f"{path}: {answer}")
        return answer


def main() -> None:
    """Print the figures of every server."""
    folder = Path(tempfile.mkdtemp(prefix="bench-auth-"))
    cluster = postgres.embedded_cluster(folder)
    postgres.start(cluster)
    try:
        empty = folder / "empty"
        empty.mkdir()
        asyncio.run(migrate.migrate(cluster.url("postgres", "postgres"), empty))
        url = cluster.url("postgres", "supabase_auth_admin")
        commands = {"ours": [sys.executable, "-m", "gotrue_compat"]}
        if os.environ.get("GOTRUE_BIN"):
            commands["GoTrue"] = [os.environ["GOTRUE_BIN"], "serve"]
        hash_seconds = _bcrypt_seconds()
        ideal = (os.cpu_count() or 1) / hash_seconds
        print(f"one bcrypt at cost 10             {hash_seconds * 1000:8.1f} ms")
        figures = {
            name: _figures(name, command, url, 18_400 + number, ideal)
            for number, (name, command) in enumerate(commands.items())
        }
        if len(figures) > 1:
            for name, value in figures["ours"].items():
                ratio = value / figures["GoTrue"][name]
                print(f"{name:33} {ratio:8.2f} x GoTrue (target 1.00)")
    finally:
        postgres.stop(cluster)
        shutil.rmtree(folder, ignore_errors=True)


def _figures(name: str, command: list[str], url: str, port: int, ideal: float) -> dict[str, float]:
    with _served(command, url, port):
        return asyncio.run(_measure(name, port, ideal))


async def _measure(name: str, port: int, ideal: float) -> dict[str, float]:
    client = await Client.open(port)
    email = f"bench-{time.time_ns()}@example.com"
    body = {"email": email, "password": PASSWORD}
    session = await client.call("POST", "/signup", body)
    token = session["access_token"]

    async def sign_in(own: Client) -> None:
        await own.call("POST", "/token?grant_type=password", body)

    async def get_user(own: Client) -> None:
        await own.call("GET", "/user", token=token)

    alone, quiet = await _throughput(port, READERS, get_user)
    refreshed = await _refreshes(port, body)
    (sign_ins, _), busy = await asyncio.gather(
        _throughput(port, SIGN_INS, sign_in), _latencies(port, get_user)
    )
    share = sign_ins / ideal
    print(
        f"{name}: sign-ins                  {sign_ins:8.1f} /s   {share:.2f} x ideal (target 0.95)"
    )
    print(f"{name}: GET /user, p99, signing in {_p99(busy) * 1000:7.1f} ms   (target 50)")
    print(f"{name}: GET /user                 {alone:8.1f} /s   p99 {_p99(quiet) * 1000:.1f} ms")
    print(f"{name}: refresh                   {refreshed:8.1f} /s")
    return {"GET /user": alone, "refresh": refreshed, "sign-ins": sign_ins}


async def _throughput(
    port: int, workers: int, work: Callable[[Client], Awaitable[None]]
) -> tuple[float, list[float]]:
    """Calls a second by so many connections at once, and how long each took."""
    times: list[float] = []
    end = time.perf_counter() + SECONDS

    async def run() -> None:
        own = await Client.open(port)
        while time.perf_counter() < end:
            began = time.perf_counter()
            await work(own)
            times.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(run() for _ in range(workers)))
    return len(times) / (time.perf_counter() - began), times


async def _latencies(port: int, work: Callable[[Client], Awaitable[None]]) -> list[float]:
    """How long single calls take, twenty a second, while something else loads the server."""
    own = await Client.open(port)
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        began = time.perf_counter()
        await work(own)
        times.append(time.perf_counter() - began)
        await asyncio.sleep(0.05)
    return times


async def _refreshes(port: int, body: dict[str, str]) -> float:
    """Refreshes a second: every connection rotates a session of its own."""
    done = 0

    async def run() -> None:
        nonlocal done
        own = await Client.open(port)
        session = await own.call("POST", "/token?grant_type=password", body)
        await ready.wait()
        await started.wait()
        while time.perf_counter() < end:
            ask = {"refresh_token": session["refresh_token"]}
            session = await own.call("POST", "/token?grant_type=refresh_token", ask)
            done += 1

    started = asyncio.Event()
    ready = asyncio.Barrier(READERS + 1)
    end = float("inf")
    workers = [asyncio.ensure_future(run()) for _ in range(READERS)]
    await ready.wait()
    began = time.perf_counter()
    end = began + SECONDS
    started.set()
    await asyncio.gather(*workers)
    return done / (time.perf_counter() - began)


@contextmanager
def _served(command: list[str], url: str, port: int) -> Iterator[None]:
    variables = {
        **os.environ, "PORT": str(port), "GOTRUE_API_HOST": "127.0.0.1", "DATABASE_URL": url,
        "GOTRUE_DB_DRIVER": "postgres", "API_EXTERNAL_URL": f"http://127.0.0.1:{port}",
        "GOTRUE_SITE_URL": "http://localhost", "GOTRUE_JWT_SECRET": SECRET,
        "GOTRUE_JWT_AUD": "authenticated", "GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated",
        "GOTRUE_MAILER_AUTOCONFIRM": "true", "GOTRUE_LOG_LEVEL": "error",
        "GOTRUE_DB_MAX_POOL_SIZE": "10",
    }  # fmt: skip
    process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL)
    try:
        asyncio.run(_wait(port))
        yield
    finally:
        process.terminate()
        process.wait(timeout=15)


async def _wait(port: int) -> None:
    for _ in range(200):
        try:
            client = await Client.open(port)
            await client.call("GET", "/health")
        except (OSError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.1)
        else:
            return
    raise RuntimeError("the server did not start")


def _bcrypt_seconds() -> float:
    stored = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(10))
    times = []
    for _ in range(7):
        began = time.perf_counter()
        bcrypt.checkpw(PASSWORD.encode(), stored)
        times.append(time.perf_counter() - began)
    return min(times)


def _p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98] if len(times) > 1 else max(times)


if __name__ == "__main__":
    main()

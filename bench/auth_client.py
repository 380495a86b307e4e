"""A client of the auth service for load: calls on one connection, their number and their times."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

SECONDS = 3.0


@dataclass
class Client:
    """One keep-alive connection that sends whole requests and reads whole answers."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def open(cls, port: int) -> Client:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def call(
        self, method: str, path: str, body: object = None, token: str = ""
    ) -> dict[str, Any]:
        data = json.dumps(body).encode() if body is not None else b""
        head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\nContent-Length: {len(data)}\r\n"
        head += f"Authorization: Bearer {token}\r\n" if token else ""
        self.writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + data)
        head_text = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        answer = json.loads(await self._body(head_text) or b"{}")
        if " 200 " not in head_text[:20]:
            raise RuntimeError(f"{path}: {answer}")
        return answer

    async def _body(self, head: str) -> bytes:
        if "transfer-encoding: chunked" not in head:
            length = head.split("content-length:")[1].split("\r\n", maxsplit=1)[0]
            return await self.reader.readexactly(int(length))
        body = b""
        while size := int(await self.reader.readline(), 16):
            body += await self.reader.readexactly(size)
            await self.reader.readline()
        await self.reader.readline()
        return body


async def throughput(
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


async def latencies(port: int, work: Callable[[Client], Awaitable[None]]) -> list[float]:
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


async def wait(port: int) -> None:
    for _ in range(200):
        try:
            client = await Client.open(port)
            await client.call("GET", "/health")
        except (OSError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.1)
        else:
            return
    raise RuntimeError("the server did not start")


def p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98] if len(times) > 1 else max(times)

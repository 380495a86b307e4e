"""What is in memory of a transfer is a few pieces, however large it is and slow the client."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2

from tests.conftest import Server
from tests.harness_storage import SERVICE, storage_process

MEGABYTE = 1_048_576
SIZE = 24 * MEGABYTE
TRANSFERS = 16
GROWTH = 40 * MEGABYTE  # of 384 in flight; measured alone it is 16
BEARER = f"authorization: Bearer {SERVICE}\r\n"


def peak(process: int) -> int:
    """The most bytes that a process has had in memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


async def put(address: str, name: str, *, is_chunked: bool) -> bytes:
    """Upload as fast as it goes; the status line."""
    host, _, port = address.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    framing = "transfer-encoding: chunked" if is_chunked else f"content-length: {SIZE}"
    writer.write(f"PUT /object/b/{name} HTTP/1.1\r\nhost: x\r\n{BEARER}{framing}\r\n\r\n".encode())
    block = bytes(65_536)
    for _ in range(SIZE // len(block)):
        writer.write(b"10000\r\n" + block + b"\r\n" if is_chunked else block)
        await writer.drain()
    writer.write(b"0\r\n\r\n" if is_chunked else b"")
    line = await reader.readline()
    writer.close()
    return line


async def begin(address: str, name: str) -> asyncio.StreamWriter:
    """A download that is asked for and whose answer nobody reads."""
    host, _, port = address.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1024)
    writer.write(f"GET /object/b/{name} HTTP/1.1\r\nhost: x\r\n{BEARER}\r\n".encode())
    await reader.readexactly(1)
    return writer


async def test_sixteen_transfers_at_once_take_a_few_megabytes(
    server: Server, services_database: str, tmp_path: Path
):
    url = server.url(services_database, "supabase_storage_admin")
    fast = {"STORAGE_FILE_FSYNC": "false"}
    with storage_process(url, tmp_path, **fast) as (service, address):
        headers = {"authorization": f"Bearer {SERVICE}"}
        async with httpx2.AsyncClient(base_url=address, headers=headers) as client:
            await client.post("/bucket", json={"name": "b"})
            for _ in range(5):
                await client.put("/object/b/warm", content=bytes(100_000))
                await client.get("/object/b/warm")
        idle = peak(service.pid)
        ended = await asyncio.gather(
            *(put(address, f"o{n}", is_chunked=n % 2 == 0) for n in range(TRANSFERS))
        )
        assert set(ended) == {b"HTTP/1.1 200 OK\r\n"}
        assert peak(service.pid) - idle < GROWTH
        slow = await asyncio.gather(*(begin(address, f"o{n}") for n in range(TRANSFERS)))
        assert peak(service.pid) - idle < GROWTH
        for writer in slow:
            writer.close()

"""Memory of the storage service while large transfers of every kind are under way.

    python -m bench.storage_memory [MEGABYTES [KIND...]]

Sixteen transfers at once of MEGABYTES (1024) each, as many of each kind: raw bodies, forms, TUS
and S3 up (`raw form tus s3`; all of them unless some are named), then all of them down. What is
printed is the peak of the process over what it held before; the goal is 20 MB. It needs twenty
times MEGABYTES of disk.
"""

from __future__ import annotations

import asyncio
import base64
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import asyncpg
import boto3
import httpx2
from botocore.client import Config

from bench.figures import Figure, keep
from compat_stack.embedded import postgres
from compat_stack.migrations.apply import migrate
from tests.harness_storage import SERVICE, storage_process

TRANSFERS = 16
GOAL = 20  # MB over idle
_BLOCK = bytes(range(256)) * 256
_BEARER = f"authorization: Bearer {SERVICE}"
_KEY = ("bench", "a secret of the bench")
_KINDS = ("raw", "form", "tus", "s3")
_FORM = (
    b'--x\r\nContent-Disposition: form-data; name=""; filename="f"\r\n'
    b"Content-Type: text/plain\r\n\r\n"
)
_FORM_END = b"\r\n--x--\r\n"


def memory(pid: int, what: str) -> float:
    """MB of a process: `VmRSS` now, or `VmHWM` at most since it was last forgotten."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition(f"{what}:")[2].split()[0]) / 1024


def forget(pid: int) -> None:
    """Let the peak begin anew."""
    Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")


@asynccontextmanager
async def connected(
    address: str,
) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to the service."""
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=65_536)
    try:
        yield reader, writer
    finally:
        writer.close()


async def send(address: str, head: list[str], size: int, around: tuple[bytes, bytes]) -> int:
    """Send a body of blocks with something before and behind it; the status."""
    length = size + len(around[0]) + len(around[1])
    lines = [*head, "host: bench", f"content-length: {length}", "connection: close", "", ""]
    async with connected(address) as (reader, writer):
        writer.write("\r\n".join(lines).encode() + around[0])
        for _ in range(size // len(_BLOCK)):
            writer.write(_BLOCK)
            await writer.drain()
        writer.write(around[1])
        await writer.drain()
        return int((await reader.readline()).split()[1])


async def upload(address: str, kind: str, name: str, size: int) -> int:
    """One transfer up; its status."""
    none = (b"", b"")
    match kind:
        case "raw":
            return await send(address, [f"PUT /object/b/{name} HTTP/1.1", _BEARER], size, none)
        case "form":
            head = [f"PUT /object/b/{name} HTTP/1.1", _BEARER]
            head.append("content-type: multipart/form-data; boundary=x")
            return await send(address, head, size, (_FORM, _FORM_END))
        case "tus":
            path = await begin(address, name, size)
            head = [f"PATCH {path} HTTP/1.1", _BEARER, "tus-resumable: 1.0.0", "upload-offset: 0"]
            head.append("content-type: application/offset+octet-stream")
            return await send(address, head, size, none)
        case _:
            client = cast("Any", boto3).client(
                "s3", endpoint_url=f"{address}/s3", aws_access_key_id=_KEY[0],
                aws_secret_access_key=_KEY[1], region_name="local",
                config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
            )  # fmt: skip
            wanted = {"Bucket": "b", "Key": name}
            signed: str = client.generate_presigned_url("put_object", wanted)
            url = urlsplit(signed)
            lines = [f"PUT {url.path}?{url.query} HTTP/1.1"]
            async with connected(address) as (reader, writer):
                lines += [f"host: {url.netloc}", f"content-length: {size}", "connection: close"]
                writer.write("\r\n".join([*lines, "", ""]).encode())
                for _ in range(size // len(_BLOCK)):
                    writer.write(_BLOCK)
                    await writer.drain()
                return int((await reader.readline()).split()[1])


async def begin(address: str, name: str, size: int) -> str:
    """A resumable upload to be; its path."""
    described = {"bucketName": "b", "objectName": name}
    metadata = ",".join(
        f"{k} {base64.b64encode(v.encode()).decode()}" for k, v in described.items()
    )
    headers = {"authorization": f"Bearer {SERVICE}", "tus-resumable": "1.0.0"}
    headers |= {"upload-length": str(size), "upload-metadata": metadata}
    async with httpx2.AsyncClient(base_url=address) as client:
        answer = await client.post("/upload/resumable", headers=headers)
        return urlsplit(answer.headers["location"]).path


async def download(address: str, name: str) -> int:
    """One transfer down; its bytes, head and all."""
    lines = [f"GET /object/b/{name} HTTP/1.1", _BEARER, "host: bench", "connection: close", "", ""]
    size = 0
    async with connected(address) as (reader, writer):
        writer.write("\r\n".join(lines).encode())
        while data := await reader.read(65_536):
            size += len(data)
    return size


async def main(size: int, kinds: list[str]) -> None:
    """Print and keep the peaks."""
    with tempfile.TemporaryDirectory(prefix="memory-") as folder:
        root = Path(folder)
        cluster = postgres.embedded_cluster(root / "pg", None, durable=False)
        postgres.start(cluster)
        try:
            connection = await asyncpg.connect(cluster.url())
            await connection.execute("create database bench")
            await connection.close()
            await migrate(cluster.url("bench"), Path(tempfile.mkdtemp()))
            await measure(
                cluster.url("bench", "supabase_storage_admin"), root / "files", size, kinds
            )
        finally:
            postgres.stop(cluster)


async def measure(url: str, folder: Path, size: int, kinds: list[str]) -> None:
    """All transfers up, then all down."""
    variables = {
        "UPLOAD_FILE_SIZE_LIMIT": str(2 * size), "STORAGE_FILE_FSYNC": "false", "REGION": "local",
        "S3_PROTOCOL_ACCESS_KEY_ID": _KEY[0], "S3_PROTOCOL_ACCESS_KEY_SECRET": _KEY[1],
    }  # fmt: skip
    with storage_process(url, folder, file_bytes=None, **variables) as (process, address):
        bearer = {"authorization": f"Bearer {SERVICE}"}
        async with httpx2.AsyncClient(base_url=address, headers=bearer) as client:
            await client.post("/bucket", json={"name": "b"})
        for kind in kinds:  # what is loaded once is no transfer's
            await upload(address, kind, f"warm-{kind}", len(_BLOCK))
            await download(address, f"warm-{kind}")
        names = [(kinds[n % len(kinds)], f"o{n}") for n in range(TRANSFERS)]
        idle = memory(process.pid, "VmRSS")
        forget(process.pid)
        sent = await asyncio.gather(*(upload(address, k, name, size) for k, name in names))
        assert set(sent) <= {200, 204}, sent
        report("up", idle, memory(process.pid, "VmHWM"), size)
        forget(process.pid)
        got = await asyncio.gather(*(download(address, name) for _, name in names))
        assert min(got) > size, got
        report("down", idle, memory(process.pid, "VmHWM"), size)


def report(way: str, idle: float, peak: float, size: int) -> None:
    """Print and keep one figure."""
    what = f"memory over idle, {TRANSFERS} transfers {way} of {size // 1_048_576} MB"
    print(f"{what}: {peak - idle:.1f} MB over {idle:.1f}", flush=True)
    keep(Figure(what, peak - idle, "MB", GOAL))


if __name__ == "__main__":
    megabytes, *kinds = [*sys.argv[1:], "1024"][: max(1, len(sys.argv) - 1)]
    asyncio.run(main(int(megabytes) * 1_048_576, kinds or list(_KINDS)))

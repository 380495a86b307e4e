"""The storage service: transfers and small objects beside a plain loop, thumbnails, long lists.

    python -m bench.storage_bench

The plain loop is Starlette writing a body to a file with its MD5 and fsync, and sending it back;
beside both runs the original where STORAGE_BIN names its command (it reads the original's
variables, and is started in its own folder: `env -C …`). Load of small objects comes from wrk.
Lists and thumbnails are processor time.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import secrets
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import asyncpg
import pyvips

from bench.by_turns import Load, load
from bench.figures import Figure, keep
from compat_stack.embedded import postgres
from compat_stack.migrations.apply import migrate
from tests.harness_programs import free_port
from tests.harness_storage import SECRET, SERVICE, storage_process

ROUNDS = 5
LARGE = 100 * 1_048_576  # bytes
SMALL = 10_240
OBJECTS = 1_000_000
LISTED = 1_000
_BLOCK = 1_048_576
_BEARER = {"authorization": f"Bearer {SERVICE}"}

FILL = f"""
insert into storage.buckets (id, name) values ('flat', 'flat'), ('folders', 'folders'), ('b', 'b');
alter table storage.objects disable trigger user;
insert into storage.objects (bucket_id, name, metadata, version)
  select 'flat', 'd/' || lpad(n::text, 7, '0'),
    '{{"size": 1, "mimetype": "text/plain", "eTag": "x"}}', gen_random_uuid()
  from generate_series(1, {OBJECTS}) n;
insert into storage.objects (bucket_id, name, metadata, version)
  select 'folders', lpad((n % 1000)::text, 4, '0') || '/' || n, '{{"size": 1}}', gen_random_uuid()
  from generate_series(1, {OBJECTS}) n;
alter table storage.objects enable trigger user;
create policy own on storage.objects for select to authenticated using (
  bucket_id = 'folders' or (storage.foldername(name))[1] = 'd'
);
"""
LISTS = {
    "1,000 files among 1,000,000": "select * from storage.search('d/', 'flat', 1000, 1, 0)",
    "1,000 files, page 500": "select * from storage_compat.list_level("
    "'flat', 'd/', '/', 1000, 'd/0500000', false)",
    "1,000 folders of 1,000,000": "select * from storage.search('', 'folders', 1000, 1, 0)",
    "1,000 folders, version 2": "select * from storage_compat.list_level("
    "'folders', '', '/', 1000, '', false)",
}


@dataclass(frozen=True)
class Place:
    """Where a server keeps its objects: `{}` of the path is an object's name."""

    address: str
    path: str


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(prefix="storage-bench-") as folder, ExitStack() as stack:
        root = Path(folder)
        cluster = postgres.embedded_cluster(root / "pg", None, durable=False)
        postgres.start(cluster)
        stack.callback(postgres.stop, cluster)
        asyncio.run(_prepare(cluster, "bench", FILL))
        asyncio.run(_lists(cluster.url("bench")))
        _thumbnail(root)
        servers = _servers(stack, cluster, root)
        _transfers(servers)
        _small_objects(servers)


async def _prepare(cluster: postgres.Cluster, database: str, fill: str) -> None:
    connection = await asyncpg.connect(cluster.url())
    await connection.execute(f"create database {database}")
    await connection.close()
    url = cluster.url(database)
    await migrate(url, Path(tempfile.mkdtemp()))
    connection = await asyncpg.connect(url)
    await connection.execute(fill)
    await connection.execute("analyze storage.objects")
    await connection.close()


async def _lists(url: str) -> None:
    """Processor time of each list in its session, which a busy machine does not change."""
    print("\nlists, ms of the database's processor")
    connection = await asyncpg.connect(url)
    pid = await connection.fetchval("select pg_backend_pid()")
    await _time_lists(connection, pid, "")
    print("the same as a user, whom a policy lets see them")
    await connection.execute("set role authenticated")
    await _time_lists(connection, pid, " as a user")
    await connection.close()


async def _time_lists(connection: asyncpg.Connection[Any], pid: int, who: str) -> None:
    for name, statement in LISTS.items():
        times: list[float] = []
        for _ in range(3 * ROUNDS):
            before = _processor(pid)
            assert len(await connection.fetch(statement)) == LISTED
            times.append(1000 * (_processor(pid) - before))
        value = statistics.median(times)
        print(f"  {name:30} {value:7.1f}   ({min(times):.1f} to {max(times):.1f})")
        keep(Figure(f"list of {name}{who}", value, "ms", 30, low=min(times), high=max(times)))


def _thumbnail(folder: Path) -> None:
    """Processor time of the worker for a thumbnail of a photograph of 12 megapixels."""
    source = folder / "photo.jpg"
    noise = pyvips.Image.gaussnoise(400, 300, sigma=40, mean=128)
    grey: Any = noise.resize(10).cast("uchar")
    grey.bandjoin([grey, grey]).write_to_file(str(source))
    request = {
        "source": str(source), "target": str(folder / "small.webp"), "width": 300, "height": 300,
        "resize": "cover", "quality": None, "format": "webp", "gravity": None, "pixels": 50_000_000,
    }  # fmt: skip
    program = "from storage_compat.files.image_worker import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "VIPS_CONCURRENCY": "1"},
    ) as worker:  # fmt: skip
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stdout.readline()  # it is ready
        times: list[float] = []
        for _ in range(2 * ROUNDS):
            before = _processor(worker.pid)
            worker.stdin.write(str(request).replace("'", '"').replace("None", "null") + "\n")
            worker.stdin.flush()
            worker.stdout.readline()  # that the request was read
            assert "image/webp" in worker.stdout.readline()
            times.append(1000 * (_processor(worker.pid) - before))
        worker.stdin.close()
    value = statistics.median(times)
    print(
        f"\nthumbnail of {source.stat().st_size / 1e6:.1f} MB, 12 MP: {value:.0f} ms of processor"
    )
    keep(
        Figure(
            "thumbnail of a 12 MP JPEG, processor",
            value,
            "ms",
            160,
            low=min(times),
            high=max(times),
        )
    )


def _processor(pid: int) -> float:
    """Seconds of processor that the threads of a process have had."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def _servers(stack: ExitStack, cluster: postgres.Cluster, folder: Path) -> dict[str, Place]:
    """Ours first; the original has a database of its own, as it has a folder of its own."""
    url = cluster.url("bench", "supabase_storage_admin")
    limit = {"UPLOAD_FILE_SIZE_LIMIT": str(2 * LARGE)}
    _, ours = stack.enter_context(storage_process(url, folder / "ours", file_bytes=None, **limit))
    servers = {"ours": Place(ours, "/object/b/{}")}
    servers["plain loop"] = Place(stack.enter_context(_plain(folder / "plain")), "/{}")
    if "STORAGE_BIN" in os.environ:
        bucket = "insert into storage.buckets (id, name) values ('b', 'b')"
        asyncio.run(_prepare(cluster, "original", bucket))
        url = cluster.url("original", "supabase_storage_admin")
        original = stack.enter_context(_original(url, folder / "original", limit))
        servers["original"] = Place(original, "/object/b/{}")
    return servers


@contextmanager
def _plain(folder: Path) -> Generator[str]:
    folder.mkdir()
    with _running([sys.executable, "-m", "bench.storage_plain", str(folder)], {}, "/") as address:
        yield address


@contextmanager
def _original(url: str, folder: Path, limit: Mapping[str, str]) -> Generator[str]:
    values = {
        "AUTH_JWT_SECRET": SECRET, "DATABASE_URL": url, "STORAGE_BACKEND": "file",
        "STORAGE_FILE_BACKEND_PATH": str(folder), "TENANT_ID": "stub", "REGION": "local",
        "DB_INSTALL_ROLES": "false", "PG_QUEUE_ENABLE": "false", **limit,
    }  # fmt: skip
    with _running(shlex.split(os.environ["STORAGE_BIN"]), values, "/status") as address:
        yield address


@contextmanager
def _running(command: list[str], values: Mapping[str, str], probe: str) -> Generator[str]:
    """A server on a free port, which it reads as PORT and SERVER_PORT, once it answers."""
    port = str(free_port())
    own = {"PORT": port, "SERVER_PORT": port, "SERVER_HOST": "127.0.0.1"}
    with subprocess.Popen(command, env={**os.environ, **values, **own}) as process:
        try:
            for _ in range(600):
                try:
                    urlopen(f"http://127.0.0.1:{port}{probe}").close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _transfers(servers: Mapping[str, Place]) -> None:
    """One file of 100 MB up and down, by turns."""
    content = secrets.token_bytes(_BLOCK)
    for what, move in (("up", _up), ("down", _down)):
        found: dict[str, list[float]] = {name: [] for name in servers}
        for _ in range(ROUNDS):
            for name, place in servers.items():
                found[name].append(move(place, content))
        print(f"\n100 MB {what}, MB/s")
        for name, speeds in found.items():
            print(f"  {name:14} {statistics.median(speeds):8.0f}")
        for name in list(servers)[1:]:
            ratios = sorted(a / b for a, b in zip(found["ours"], found[name], strict=True))
            value = statistics.median(ratios)
            print(f"  ours x {name}: {value:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
            title = f"100 MB {what}, speed beside {name}"
            keep(Figure(title, value, "x", 0.9, at_least=True, low=ratios[0], high=ratios[-1]))


def _connected(place: Place) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(place.address).netloc, timeout=120)


def _up(place: Place, content: bytes) -> float:
    began = time.perf_counter()
    connection = _connected(place)
    connection.putrequest("PUT", place.path.format("large"))
    for name, value in {**_BEARER, "content-length": str(LARGE), "x-upsert": "true"}.items():
        connection.putheader(name, value)
    connection.endheaders()
    for _ in range(LARGE // _BLOCK):
        connection.send(content)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    answer.read()
    connection.close()
    return LARGE / _BLOCK / (time.perf_counter() - began)


def _down(place: Place, _content: bytes) -> float:
    began = time.perf_counter()
    connection = _connected(place)
    connection.request("GET", place.path.format("large"), headers=_BEARER)
    answer = connection.getresponse()
    buffer, size = bytearray(_BLOCK), 0
    while count := answer.readinto(buffer):
        size += count
    assert (answer.status, size) == (200, LARGE)
    connection.close()
    return LARGE / _BLOCK / (time.perf_counter() - began)


def _small_objects(servers: Mapping[str, Place]) -> None:
    """Objects of 10 KB up and down, requests a second; the original's share is the target."""
    up = (
        f'wrk.method = "PUT"; wrk.body = string.rep("x", {SMALL})\n'
        f'wrk.headers["authorization"] = "Bearer {SERVICE}"\n'
        'wrk.headers["content-type"] = "text/plain"\n'
        'wrk.headers["x-upsert"] = "true"\n'
    )
    up += (
        "local number = 0\n"
        "request = function() number = number + 1\n"
        'return wrk.format(nil, wrk.path .. "-" .. number % 500) end\n'
    )
    down = f'wrk.headers["authorization"] = "Bearer {SERVICE}"\n'

    def load_of(place: Place, script: str) -> Callable[[], Load]:
        return lambda: load(
            place.address + place.path.format("small" if script == up else "small-9"),
            script,
            seconds=2,
            connections=16,
        )

    for what, script in (("10 KB up", up), ("10 KB down", down)):
        for place in servers.values():
            load(place.address + place.path.format("small"), up, seconds=1, connections=4)
        requests = {name: load_of(place, script) for name, place in servers.items()}
        found = {name: [measure() for _ in range(ROUNDS)] for name, measure in requests.items()}
        print(f"\n{what}, requests a second")
        rates = {
            name: statistics.median(one.rate for one in loads) for name, loads in found.items()
        }
        for name, rate in rates.items():
            print(f"  {name:14} {rate:8.0f}")
        if "original" in rates:
            value = rates["ours"] / rates["original"]
            keep(Figure(f"{what} beside the original", value, "x", 1.5, at_least=True))


if __name__ == "__main__":
    main()

"""Uploads of every kind while the service is killed, and while its disk fills: nothing may be lost.

    python -m bench.storage_faults [ROUNDS]

Each of ROUNDS (200) kills the service with SIGKILL after some acknowledgements: first with its
bytes in a folder, then with them in an S3 store, which lives on. Where this runs as root, as many
rounds follow on a disk of 6 MB that fills again and again. Prints what is wrong, and ends with 1
where anything is.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import asyncpg
import httpx2

from compat_stack.embedded import postgres
from compat_stack.migrations.apply import migrate
from tests.harness_storage import SERVICE, storage_process
from tests.harness_storage_kinds import BUCKET, KINDS, S3_KEY, VARIABLES, NotAcknowledgedError
from tests.harness_storage_uploads import Ledger, find_wrong, make_bucket, until_killed

ROUNDS = 200
DISK = "6m"


async def killed(url: str, folder: Path, rounds: int, variables: dict[str, str]) -> list[str]:
    """Kill the service again and again, and see each time whether everything is there."""
    ledger, rng, wrong = Ledger(), random.Random(1), list[str]()
    for number in range(rounds):
        with storage_process(url, folder, file_bytes=None, **variables) as (service, address):
            await make_bucket(address)
            async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
                wrong += [f"round {number}: {each}" for each in await find_wrong(client, ledger)]
            await until_killed(address, ledger, service.kill, rng.randrange(1, 40))
            service.wait()
    young = variables | {"STORAGE_ORPHAN_AGE": "0s"}
    with storage_process(url, folder, file_bytes=None, **young) as (_, address):
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            wrong += await find_wrong(client, ledger)
    return wrong


@asynccontextmanager
async def s3_store(url: str, folder: Path) -> AsyncGenerator[dict[str, str]]:
    """A store that speaks S3 (a service of its own); the variables of one whose bytes are in it."""
    with storage_process(url, folder, file_bytes=None, **VARIABLES) as (_, address):
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            headers = {"authorization": f"Bearer {SERVICE}"}
            await client.post("/bucket", json={"name": "store"}, headers=headers)
        yield VARIABLES | {
            "STORAGE_BACKEND": "s3", "STORAGE_S3_BUCKET": "store", "STORAGE_S3_REGION": "local",
            "STORAGE_S3_ENDPOINT": f"{address}/s3", "AWS_ACCESS_KEY_ID": S3_KEY[0],
            "AWS_SECRET_ACCESS_KEY": S3_KEY[1],
        }  # fmt: skip


async def full(url: str, folder: Path, rounds: int) -> tuple[list[str], Counter[str]]:
    """Fill a small disk again and again; emptying the bucket gives its room back."""
    ledger, wrong, refused = Ledger(), list[str](), Counter[str]()
    headers = {"authorization": f"Bearer {SERVICE}"}
    with storage_process(url, folder, file_bytes=None, **VARIABLES) as (_, address):
        await make_bucket(address)
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            for number in range(rounds):
                works = [
                    ledger.upload_for_ever(client, f"{kind}-{number}-{copy}", KINDS[kind])
                    for kind in KINDS
                    for copy in range(2)
                ]
                fill = [filling(client, ledger, f"fill-{number}-{n}") for n in range(40)]
                for error in await asyncio.gather(*works, *fill, return_exceptions=True):
                    if isinstance(error, NotAcknowledgedError):
                        refused[str(error)[:3]] += 1
                    elif error is not None:
                        wrong.append(f"round {number}: {error!r}")
                wrong += [f"round {number}: {each}" for each in await find_wrong(client, ledger)]
                await client.post(f"/bucket/{BUCKET}/empty", headers=headers)
                refused["kept"] += len(ledger.acknowledged)
                ledger.acknowledged.clear()
    return wrong, refused


async def filling(client: httpx2.AsyncClient, ledger: Ledger, name: str) -> None:
    """One object that takes room and is not written again."""
    number, content = ledger.content()
    await KINDS["raw"](client, name, content)
    ledger.acknowledged[name] = number


@contextmanager
def small_disk() -> Generator[Path | None]:
    """A folder on a disk of its own; None where this may not mount one."""
    with tempfile.TemporaryDirectory(prefix="full-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder]
        done = subprocess.run(mount, check=False, capture_output=True)
        try:
            yield Path(folder) if done.returncode == 0 else None
        finally:
            if done.returncode == 0:
                subprocess.run(["umount", "-l", folder], check=False)


async def database(admin: str, name: str) -> None:
    """A database with the service's schema."""
    connection = await asyncpg.connect(admin)
    await connection.execute(f'create database "{name}"')
    await connection.close()


async def main(rounds: int) -> int:
    """Run all rounds on a throw-away PostgreSQL; 1 where something is wrong."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="faults-") as folder, suppress(KeyboardInterrupt):
        cluster = postgres.embedded_cluster(Path(folder) / "pg", None, durable=False)
        postgres.start(cluster)
        try:
            for name in ("killed", "remote", "store", "full"):
                await database(cluster.url(), name)
                await migrate(cluster.url(name), Path(tempfile.mkdtemp()))
            url = cluster.url("killed", "supabase_storage_admin")
            wrong += await killed(url, Path(folder) / "files", rounds, VARIABLES)
            print(f"{rounds} kills: {len(wrong)} wrong", flush=True)
            url = cluster.url("store", "supabase_storage_admin")
            async with s3_store(url, Path(folder) / "store") as variables:
                url = cluster.url("remote", "supabase_storage_admin")
                found = await killed(url, Path(folder) / "scratch", rounds, variables)
            print(f"{rounds} kills, bytes in an S3 store: {len(found)} wrong", flush=True)
            wrong += found
            with small_disk() as disk:
                if disk is not None:
                    url = cluster.url("full", "supabase_storage_admin")
                    found, refused = await full(url, disk, rounds)
                    left = sum(1 for _ in (disk / ".tmp").iterdir())
                    print(f"{rounds} full disks: {len(found)} wrong, {dict(refused)}")
                    print(f"{left} drafts left")
                    wrong += found
        finally:
            postgres.stop(cluster)
    print("\n".join(wrong[:50]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)))

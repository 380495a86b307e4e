"""Row and bytes agree whatever dies when: killed processes, full disks, orphans."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path

import asyncpg
import httpx2
import pytest

from compat_base.values.events import Observation, silent
from compat_base.values.world import real_world
from storage_compat.app import open_parts
from storage_compat.settings import read_settings
from tests.conftest import Server
from tests.harness_fork import run_program
from tests.harness_storage import SECRET, SERVICE, Storage, open_storage, storage_process

SIZE = 600_000


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def has_files(folder: Path, count: int) -> bool:
    return len(files_in(folder)) == count


def contents(number: int) -> bytes:
    return number.to_bytes(4) * (SIZE // 4)


async def consistent(storage: Storage, acknowledged: dict[str, int]) -> None:
    """Every acknowledged object is there and whole, and every row has its bytes."""
    rows = await storage.rows(
        "select name, version, metadata->>'size' as size from storage.objects where bucket_id = 'b'"
    )
    for row in rows:
        file = storage.folder / "stub" / row["version"][:2] / row["version"]
        assert file.stat().st_size == int(row["size"]) == SIZE, row
    for name, number in acknowledged.items():
        read = await storage.call("GET", f"/object/b/{name}")
        first = int.from_bytes(read.content[:4])
        # What came after the last acknowledgement may have been written too
        assert read.content == contents(first), name
        assert first >= number


async def test_no_acknowledged_object_is_lost_or_half_when_the_process_is_killed(
    storage: Storage, server: Server, services_database: str
):
    await storage.bucket("b")
    url = server.url(services_database, "supabase_storage_admin")
    acknowledged: dict[str, int] = {}
    number = 0
    for after in (3, 7, 12):
        with storage_process(url, storage.folder) as (service, address):

            async def upload(client: httpx2.AsyncClient, name: str, after: int = after) -> None:
                nonlocal number
                for _ in range(20):
                    number += 1
                    mine = number
                    answer = await client.put(
                        f"/object/b/{name}",
                        content=contents(mine),
                        headers={"authorization": f"Bearer {SERVICE}"},
                    )
                    assert answer.status_code == 200, answer.text
                    acknowledged[name] = max(mine, acknowledged.get(name, 0))
                    if mine % 20 >= after:
                        service.kill()

            async with httpx2.AsyncClient(base_url=address) as client:
                names = ("x", "y", "z")
                await asyncio.gather(
                    *(upload(client, name) for name in names), return_exceptions=True
                )
            service.wait()
    assert acknowledged
    await consistent(storage, acknowledged)


async def test_a_full_disk_refuses_and_leaves_nothing_behind(
    storage: Storage, server: Server, services_database: str, tmp_path: Path
):
    await storage.bucket("full")
    url = server.url(services_database, "supabase_storage_admin")
    with storage_process(url, tmp_path, file_bytes=SIZE) as (_, address):
        async with httpx2.AsyncClient(base_url=address) as client:
            headers = {"authorization": f"Bearer {SERVICE}"}
            large = await client.put(
                "/object/full/large", content=b"x" * (SIZE + 1), headers=headers
            )
            assert (large.status_code, large.json()["code"]) == (500, "InternalError")
            fits = await client.put("/object/full/fits", content=b"x" * SIZE, headers=headers)
            assert fits.status_code == 200
    assert [
        row["name"]
        for row in await storage.rows("select name from storage.objects where bucket_id = 'full'")
    ] == ["fits"]
    assert len(files_in(tmp_path)) == 1


async def test_a_cut_upload_leaves_nothing_behind(
    storage: Storage, server: Server, services_database: str, tmp_path: Path
):
    await storage.bucket("cut")
    url = server.url(services_database, "supabase_storage_admin")
    with storage_process(url, tmp_path) as (_, address):
        host, _, port = address.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = f"PUT /object/cut/a HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {SERVICE}\r\ncontent-length: 2000000\r\n\r\n"
        writer.write(head.encode() + b"x" * 1_500_000)
        await writer.drain()

        try:
            await storage.until(partial(has_files, tmp_path, 1))
        finally:
            writer.close()
            await writer.wait_closed()
        await storage.until(partial(has_files, tmp_path, 0))
        del reader
    assert await storage.rows("select from storage.objects where bucket_id = 'cut'") == []


async def test_orphans_are_told_by_a_dry_run_and_removed_by_another(
    server: Server, services_database: str, tmp_path: Path
):
    url = server.url(services_database, "supabase_storage_admin")
    async with open_storage(url, server.url(services_database), tmp_path) as storage:
        await storage.bucket("orphans")
        await storage.put("orphans/kept", b"kept")
        await storage.put("orphans/lost", b"lost")
        [lost] = await storage.rows("select version from storage.objects where name = 'lost'")
        (tmp_path / "stub" / lost["version"][:2] / lost["version"]).unlink()
    orphan = tmp_path / "stub" / "ab" / "abcdefab-0000-4000-8000-000000000000"
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"orphan")
    values = {
        "AUTH_JWT_SECRET": SECRET, "DATABASE_URL": url, "STORAGE_FILE_BACKEND_PATH": str(tmp_path),
        "TENANT_ID": "stub", "STORAGE_ORPHAN_AGE": "0s",
    }  # fmt: skip

    def run(*arguments: str) -> str:
        done = run_program(
            ["storage_compat", "orphans", *arguments], env=os.environ | values, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    report = await asyncio.to_thread(run, "--dry-run")
    assert f"no row names {orphan.name} (6 bytes)" in report
    assert f"no bytes of orphans/lost ({lost['version']})" in report
    assert orphan.exists()
    assert "1 orphans of 6 bytes removed" in await asyncio.to_thread(run)
    assert not orphan.exists()
    assert len([path for path in (tmp_path / "stub").rglob("*") if path.is_file()]) == 1


async def test_a_folder_that_is_another_nodes_or_anothers_database_is_told_and_not_swept(
    server: Server, services_database: str, storage: Storage, tmp_path: Path
):
    await storage.bucket("elsewhere")
    await storage.put("elsewhere/a")
    values = {
        "AUTH_JWT_SECRET": SECRET, "STORAGE_FILE_BACKEND_PATH": str(tmp_path), "TENANT_ID": "stub",
        "DATABASE_URL": server.url(services_database, "supabase_storage_admin"),
    }  # fmt: skip
    logged: list[Observation] = []
    settings = read_settings(values)
    folder = tmp_path / "stub" / "ab"
    async with open_parts(settings, world=real_world(), observer=logged.append) as (_, collector):
        await collector.check()
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(101):
            (folder / f"abcdefab-0000-4000-8000-{number:012}").write_bytes(b"of another database")
        orphans = collector.orphans(-60, removes=True, is_cautious=True, settle=no_pause)
        assert [orphan async for orphan in orphans if orphan.path is None] == []
    assert [each.name for each in logged] == ["objects_without_bytes", "orphans_not_removed"]
    assert len(list(folder.iterdir())) == 101


async def no_pause() -> None:
    """What settles at once."""


async def test_a_sweep_by_a_clock_that_jumped_spares_bytes_whose_row_is_about_to_be_written(
    server: Server, services_database: str, tmp_path: Path
):
    url, admin = (
        server.url(services_database, "supabase_storage_admin"), server.url(services_database),
    )  # fmt: skip
    values = {
        "AUTH_JWT_SECRET": SECRET, "DATABASE_URL": url, "STORAGE_FILE_BACKEND_PATH": str(tmp_path),
        "TENANT_ID": "stub",
    }  # fmt: skip
    sweeping = open_parts(read_settings(values), world=real_world(), observer=silent)
    writer = await asyncpg.connect(admin)
    async with open_storage(url, admin, tmp_path) as storage, sweeping as (_, collector):
        await storage.bucket("jumped")
        await writer.execute("select pg_advisory_lock(hashtextextended('jumped/a', 0))")
        uploading = asyncio.create_task(storage.put("jumped/a", b"kept"))
        await storage.until(partial(has_files, tmp_path / "stub", 1))

        async def settle() -> None:
            await writer.close()  # and with it its lock: the upload goes on
            await uploading

        two_days_ahead = collector.orphans(-172_800, removes=True, settle=settle)
        assert [orphan async for orphan in two_days_ahead if orphan.path is None] == []
        assert (await storage.call("GET", "/object/jumped/a")).content == b"kept"


async def test_bytes_whose_row_comes_back_are_kept(storage: Storage):
    await storage.bucket("back")
    await storage.put("back/a", b"kept")
    await storage.run(
        "begin; set local storage.allow_delete_query = 'true';"
        " create temp table saved on commit drop as select * from storage.objects where bucket_id = 'back';"
        " delete from storage.objects where bucket_id = 'back';"
        " insert into storage.objects (bucket_id, name, version, metadata)"
        " select bucket_id, name, version, metadata from saved; commit"
    )
    assert (
        await storage.rows(
            "select from storage_compat.garbage g join storage.objects o using (version)"
        )
        == []
    )
    assert (await storage.call("GET", "/object/back/a")).content == b"kept"


@pytest.mark.parametrize("statement", ["rollback", "commit"])
async def test_garbage_is_recorded_in_the_transaction_that_deletes(
    storage: Storage, statement: str
):
    bucket = await storage.bucket(f"tx-{statement}")
    await storage.put(f"{bucket}/a")
    [row] = await storage.rows("select version from storage.objects where bucket_id = $1", bucket)
    await storage.run(
        f"begin; set local storage.allow_delete_query = 'true';"
        f" delete from storage.objects where bucket_id = '{bucket}'; {statement}"
    )
    found = await storage.rows(
        "select from storage_compat.garbage where version = $1", row["version"]
    )
    assert len(found) == (statement == "commit")

"""Every kind of upload while the process is killed or its disk is full: nothing is lost or half."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import httpx2
import pytest

from tests.conftest import Server
from tests.harness_fork import run_program
from tests.harness_storage import SECRET, SERVICE, storage_process
from tests.harness_storage_kinds import BUCKET, KINDS, VARIABLES
from tests.harness_storage_uploads import Ledger, content_of, find_wrong, make_bucket, until_killed


def orphans(url: str, folder: Path, *arguments: str) -> str:
    values = {
        "AUTH_JWT_SECRET": SECRET, "DATABASE_URL": url, "STORAGE_FILE_BACKEND_PATH": str(folder),
        "TENANT_ID": "stub", "STORAGE_ORPHAN_AGE": "0s",
    }  # fmt: skip
    done = run_program(
        ["storage_compat", "orphans", *arguments], env=os.environ | values, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_whatever_is_uploaded_when_the_process_is_killed_is_there_or_not_at_all(
    server: Server, services_database: str, tmp_path: Path
):
    url = server.url(services_database, "supabase_storage_admin")
    ledger = Ledger()
    for after in (9, 20, 35):
        with storage_process(url, tmp_path, **VARIABLES) as (service, address):
            await make_bucket(address)
            await until_killed(address, ledger, service.kill, after)
            service.wait()
    assert len(ledger.acknowledged) >= len(KINDS) / 2
    with storage_process(url, tmp_path, **VARIABLES) as (_, address):
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            assert await find_wrong(client, ledger) == []
    await asyncio.to_thread(orphans, url, tmp_path)
    report = await asyncio.to_thread(orphans, url, tmp_path, "--dry-run")
    assert "no row names" not in report
    assert "no bytes of" not in report
    assert not list((tmp_path / ".tmp").iterdir())
    with storage_process(url, tmp_path, **VARIABLES) as (_, address):
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            assert await find_wrong(client, ledger) == []


@pytest.mark.parametrize("kind", KINDS)
async def test_a_disk_that_takes_no_more_refuses_and_keeps_what_was(
    server: Server, services_database: str, tmp_path: Path, kind: str
):
    url = server.url(services_database, "supabase_storage_admin")
    large = next(content for n in range(1, 99) if len(content := content_of(n)) > 600_000)
    small = next(content for n in range(1, 99) if len(content := content_of(n)) < 200_000)
    with storage_process(url, tmp_path, file_bytes=250_000, **VARIABLES) as (_, address):
        await make_bucket(address)
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            await KINDS[kind](client, f"full-{kind}", small)
            with pytest.raises(Exception, match="500 ") as refused:
                await KINDS[kind](client, f"full-{kind}", large)
            assert "InternalError" in str(refused.value) or "file store" in str(refused.value)
            kept = await client.get(
                f"/object/{BUCKET}/full-{kind}", headers={"authorization": f"Bearer {SERVICE}"}
            )
            assert kept.content == small

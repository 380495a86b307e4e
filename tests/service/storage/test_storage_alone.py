"""The service by itself, in the original's place: its variables, its schema (storage reference 15)."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from compat_base.values import jwt
from tests.conftest import Server
from tests.harness_stack import ROOT
from tests.harness_storage import Storage, open_storage

# As the original's own sample sets them
SAMPLE = {
    "SERVER_HOST": "127.0.0.1", "SERVER_PORT": "0", "SERVER_ADMIN_PORT": "5001",
    "SERVER_REGION": "local", "REQUEST_ETAG_HEADERS": "if-none-match", "RESPONSE_S_MAXAGE": "0",
    "AUTH_JWT_SECRET": "f023d3db-39dc-4ac9-87b2-b2be72e9162b", "AUTH_JWT_ALGORITHM": "HS256",
    "DATABASE_CONNECTION_TIMEOUT": "3000", "DATABASE_SEARCH_PATH": "", "DB_INSTALL_ROLES": "true",
    "DB_ANON_ROLE": "anon", "DB_SERVICE_ROLE": "service_role", "DB_SUPER_USER": "postgres",
    "DB_AUTHENTICATED_ROLE": "authenticated", "UPLOAD_FILE_SIZE_LIMIT": "524288000",
    "UPLOAD_FILE_SIZE_LIMIT_STANDARD": "52428800", "UPLOAD_SIGNED_URL_EXPIRATION_TIME": "60",
    "TUS_URL_PATH": "/upload/resumable", "TUS_URL_EXPIRY_MS": "3600000", "PG_QUEUE_ENABLE": "false",
    "STORAGE_BACKEND": "file", "STORAGE_FILE_ETAG_ALGORITHM": "md5",
    "IMAGE_TRANSFORMATION_ENABLED": "true", "LOG_LEVEL": "info",
}  # fmt: skip


def bearer() -> dict[str, str]:
    """Of the service key, as the sample's secret makes it."""
    key = jwt.secret_key(SAMPLE["AUTH_JWT_SECRET"])
    return {"authorization": f"Bearer {jwt.sign({'role': 'service_role'}, key)}"}


@asynccontextmanager
async def serving(
    url: str, folder: Path, *arguments: str, **variables: str
) -> AsyncGenerator[tuple[str, list[str]]]:
    """The command while it serves: its address, and what it said before it did."""
    own = SAMPLE | {"DATABASE_URL": url, "STORAGE_FILE_BACKEND_PATH": str(folder)} | variables
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-u", "-m", "storage_compat", *arguments, cwd=ROOT, env=os.environ | own,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None
    printed: list[str] = []
    try:
        async with asyncio.timeout(120):
            while not (line := (await process.stdout.readline()).decode()).startswith("listening"):
                assert line, printed
                printed.append(line.strip())
        yield line.split()[-1], printed
    finally:
        process.kill()
        await process.wait()


async def keeps_an_object(address: str) -> bool:
    """Whether a bucket and an object can be made, listed and read."""
    async with httpx2.AsyncClient(base_url=address, headers=bearer(), timeout=60) as client:
        await client.post("/bucket", json={"name": "b", "public": True})
        written = await client.put("/object/b/folder/kept.txt", content=b"kept")
        assert written.status_code == 200, written.text
        listed = await client.post("/object/list/b", json={"prefix": "folder"})
        read = await client.get("/object/public/b/folder/kept.txt")
        return [each["name"] for each in listed.json()] == ["kept.txt"] and read.content == b"kept"


@pytest.fixture
def empty(server: Server) -> Iterator[str]:
    """A database with nothing in it."""
    server.run("create database empty_for_storage")
    yield "empty_for_storage"
    server.drop("empty_for_storage")


@pytest.fixture
def bootstrapped(server: Server) -> Iterator[str]:
    """A database as the original's own script leaves it: a role that is no superuser, a schema."""
    name = "bootstrapped_for_storage"
    server.run(f"create database {name}")
    server.run("create schema storage authorization supabase_storage_admin", database=name)
    server.run(f"grant create on database {name} to supabase_storage_admin")
    yield name
    server.drop(name)


async def test_the_bare_command_migrates_an_empty_database_and_serves(
    server: Server, empty: str, tmp_path: Path
):
    async with serving(server.url(empty), tmp_path) as (address, printed):
        assert "applied 0002_tables" in printed
        assert await keeps_an_object(address)
    async with serving(server.url(empty), tmp_path) as (address, printed):
        assert printed == []
        assert await keeps_an_object(address)


async def test_a_role_that_is_no_superuser_migrates_its_own_schema_by_the_direct_address(
    server: Server, bootstrapped: str, tmp_path: Path
):
    url = server.url(bootstrapped, "supabase_storage_admin")
    async with serving(url, tmp_path, DATABASE_POOL_URL=url) as (address, printed):
        assert "applied 0002_tables" in printed
        assert "applied 0002_schemas" not in printed
        assert await keeps_an_object(address)


async def test_requests_are_timed_for_prometheus_where_that_is_set(
    storage: Storage, server: Server, services_database: str, tmp_path: Path
):
    assert (await storage.call("GET", "/metrics", token=None)).status_code == 404
    url = server.url(services_database, "supabase_storage_admin")
    counting = open_storage(url, storage.url, tmp_path, PROMETHEUS_METRICS_ENABLED="true")
    async with counting as metered:
        await metered.call("GET", "/bucket")
        await metered.call("GET", "/bucket/%zz")
        await metered.call("GET", "/nowhere")
        figures = (await metered.call("GET", "/metrics", token=None)).text
    counted = re.findall(
        r'_seconds_count\{method="(.*)",operation="(.*)",status_code="(.*)"\}', figures
    )
    assert sorted(counted) == [
        ("GET", "storage.bucket.list", "200"), ("unknown", "unknown", "400"), ("unknown", "unknown", "404"),
    ]  # fmt: skip
    assert "process_resident_memory_bytes" in figures


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the files of the database with the services' schemas."""
    return tmp_path_factory.mktemp("files")


@pytest.mark.parametrize("arguments", [(), ("serve",)], ids=["bare", "serve"])
async def test_a_schema_that_the_stack_migrated_is_left_to_it(
    server: Server, services_database: str, files: Path, arguments: tuple[str, ...]
):
    url = server.url(services_database, "supabase_storage_admin")
    async with serving(url, files, *arguments, WORKERS="2") as (address, printed):
        assert printed == []
        assert await keeps_an_object(address)

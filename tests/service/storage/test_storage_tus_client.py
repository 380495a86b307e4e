"""Resumable uploads by the stock TUS client, which Uppy and the documentation's examples use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest
import pytest_asyncio

from compat_base.values import jsontext
from tests.conftest import Server
from tests.harness_programs import TOOLS, free_port, node_of_the_tools
from tests.harness_storage import ANON, SERVICE, storage_process

SCRIPT = Path(__file__).with_name("tus_client.mjs")
BEARER = {"authorization": f"Bearer {SERVICE}"}


@dataclass
class Uploads:
    """The service on a port, and the client that writes to it."""

    client: httpx2.AsyncClient
    address: str
    node: str

    async def run(self, *, token: str = SERVICE, path: str = "", **plan: Any) -> dict[str, Any]:
        """What became of an upload."""
        wanted = {"size": 700_000, "chunk": 200_000, **plan}
        process = await asyncio.create_subprocess_exec(
            self.node, str(SCRIPT), str(TOOLS), f"{self.address}/upload/resumable{path}", token,
            jsontext.encode(wanted), stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        output, _ = await asyncio.wait_for(process.communicate(), 60)
        return jsontext.decode_object(output)

    async def content(self, name: str) -> bytes:
        """An object's bytes."""
        return (await self.client.get(f"/object/b/{name}", headers=BEARER)).content


def written(size: int = 700_000) -> bytes:
    """The bytes that the client writes."""
    return bytes((index * 31) % 251 for index in range(size))


@pytest_asyncio.fixture(scope="module")
async def uploads(
    server: Server, services_database: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Uploads]:
    node = node_of_the_tools("tus-js-client")
    url = server.url(services_database, "supabase_storage_admin")
    with storage_process(url, tmp_path_factory.mktemp("files")) as (_, address):
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            made = await client.post("/bucket", json={"name": "b"}, headers=BEARER)
            assert made.status_code == 200, made.text
            yield Uploads(client, address, node)


async def test_an_upload_in_parts_is_the_object(uploads: Uploads):
    done = await uploads.run(name="parts")
    assert (done["error"], done["requests"]) == (None, ["POST", "PATCH", "PATCH", "PATCH"])
    assert await uploads.content("parts") == written()
    info = (await uploads.client.get("/object/info/b/parts", headers=BEARER)).json()
    assert (info["content_type"], info["cache_control"]) == ("text/x-tus", "max-age=60")


async def test_an_upload_goes_on_where_it_was_cut(uploads: Uploads):
    done = await uploads.run(name="cut", breaks=2)
    assert done["error"] is None
    assert done["requests"].count("HEAD") == 2
    assert await uploads.content("cut") == written()


async def test_a_length_may_be_told_at_the_end(uploads: Uploads):
    done = await uploads.run(name="deferred", deferred=True)
    assert done["error"] is None, done
    assert await uploads.content("deferred") == written()


async def test_an_upload_is_given_up_by_the_client(uploads: Uploads):
    done = await uploads.run(name="given-up", abort=True)
    headers = BEARER | {"tus-resumable": "1.0.0"}
    assert (await uploads.client.head(done["url"], headers=headers)).status_code == 404


async def test_what_is_there_is_overwritten_with_upsert_alone(uploads: Uploads):
    assert (await uploads.run(name="there", size=10))["error"] is None
    assert (await uploads.run(name="there", size=20))["error"] == 409
    assert (await uploads.run(name="there", size=20, upsert=True))["error"] is None
    assert await uploads.content("there") == written(20)


async def test_the_client_learns_why_it_is_refused(uploads: Uploads):
    assert (await uploads.run(name="denied", token=ANON))["error"] == 403
    assert (await uploads.run(name="parallel", parallel=2))["error"] == 501


async def test_a_token_of_a_signed_upload_is_enough(uploads: Uploads):
    signed = await uploads.client.post("/object/upload/sign/b/signed", json={}, headers=BEARER)
    done = await uploads.run(name="signed", signature=signed.json()["token"], path="/sign")
    assert done["error"] is None, done
    assert await uploads.content("signed") == written()


async def test_an_upload_goes_on_when_the_service_was_killed(
    uploads: Uploads, server: Server, services_database: str, tmp_path: Path
):
    url, port = server.url(services_database, "supabase_storage_admin"), str(free_port())
    size, killed = 20_000_000, tmp_path / "killed"
    connection = await asyncpg.connect(server.url(services_database))
    try:
        with storage_process(url, tmp_path, SERVER_PORT=port) as (service, address):
            alone = Uploads(uploads.client, address, uploads.node)
            uploading = asyncio.create_task(
                alone.run(name="killed", size=size, until=str(killed), delays=[200] * 300)
            )
            begun = (
                "select max(\"offset\") > 0 from storage_compat.tus_uploads where key = 'killed'"
            )
            async with asyncio.timeout(60):
                while not await connection.fetchval(begun):  # noqa: ASYNC110 — the database tells nobody
                    await asyncio.sleep(0.01)
            service.kill()
            service.wait()
        killed.touch()
        with storage_process(url, tmp_path, SERVER_PORT=port) as (_, address):
            done = await uploading
            async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
                kept = await client.get("/object/b/killed", headers=BEARER)
    finally:
        await connection.close()
    assert done["error"] is None, done
    assert kept.content == written(size)

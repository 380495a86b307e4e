"""Bytes behind a URL: the service on an S3 store, which is our own S3 endpoint on other rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pyvips

from storage_compat.files.opened import open_store
from storage_compat.settings import read_settings
from tests.conftest import Server
from tests.harness_storage import SERVICE, Storage, open_storage, refusal, storage_process
from tests.harness_storage_kinds import BUCKET, KINDS, VARIABLES
from tests.harness_storage_s3 import KEY, S3_VARIABLES, client
from tests.harness_storage_uploads import content_of

PART = 5 * 1024 * 1024


@dataclass(frozen=True)
class Store:
    """The store's endpoint, and a stock client of it."""

    address: str
    client: Any

    def keys(self) -> list[str]:
        """Every key that the store holds."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="store")
        return [each["Key"] for page in pages for each in page.get("Contents", [])]

    def variables(self) -> dict[str, str]:
        """Of a service whose bytes are there."""
        return VARIABLES | {
            "STORAGE_BACKEND": "s3", "STORAGE_S3_BUCKET": "store",
            "STORAGE_S3_ENDPOINT": f"{self.address}/s3", "STORAGE_S3_REGION": "local",
            "AWS_ACCESS_KEY_ID": KEY.access_key, "AWS_SECRET_ACCESS_KEY": KEY.secret_key,
        }  # fmt: skip


@pytest.fixture(scope="module")
def store(
    server: Server, services_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    database = server.clone(services_template)
    url = server.url(database, "supabase_storage_admin")
    with storage_process(url, tmp_path_factory.mktemp("store"), **S3_VARIABLES) as (_, address):
        made = client(address)
        made.create_bucket(Bucket="store")
        yield Store(address, made)
    server.drop(database)


@pytest_asyncio.fixture(scope="module")
async def remote(
    store: Store,
    server: Server,
    services_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Storage]:
    url = server.url(services_database, "supabase_storage_admin")
    folder = tmp_path_factory.mktemp("scratch")
    variables = store.variables()
    async with open_storage(url, server.url(services_database), folder, **variables) as opened:
        await opened.bucket(BUCKET)
        yield opened


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, 2 * PART + 7])
async def test_an_object_of_any_size_comes_back_whole_and_in_ranges(
    remote: Storage, store: Store, size: int
):
    content = (b"%016d" * (size // 16 + 1) % tuple(range(size // 16 + 1)))[:size]
    path = f"{BUCKET}/size-{size}"
    await remote.put(path, content)
    read = await remote.call("GET", f"/object/{path}")
    assert read.content == content
    head = await remote.call("HEAD", f"/object/{path}")
    assert head.headers["content-length"] == str(size)
    if size > 10:
        part = await remote.call(
            "GET", f"/object/{path}", headers={"range": f"bytes={size - 9}-{size - 2}"}
        )
        assert (part.status_code, part.content) == (206, content[-9:-1])
    [row] = await remote.rows("select version from storage.objects where name = $1", f"size-{size}")
    keys = await asyncio.to_thread(store.keys)
    assert f"stub/{row['version'][:2]}/{row['version']}" in keys


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_upload_reaches_the_store(remote: Storage, kind: str):
    content = next(each for n in range(1, 99) if len(each := content_of(n)) > 100_000)
    await KINDS[kind](remote.client, f"by-{kind}", content)
    read = await remote.call("GET", f"/object/{BUCKET}/by-{kind}")
    assert read.content == content


async def test_what_is_removed_or_replaced_leaves_the_store(remote: Storage, store: Store):
    async def names_nothing() -> bool:
        kept = {key.rpartition("/")[2] for key in await asyncio.to_thread(store.keys)}
        rows = await remote.rows(
            "select version from storage.objects union select version from storage_compat.tus_parts"
            " union select version from storage.s3_multipart_uploads_parts"
        )
        return kept == {row["version"] for row in rows}

    for _ in range(3):
        await remote.put(f"{BUCKET}/replaced", b"again")
    await remote.put(f"{BUCKET}/removed", b"gone")
    await remote.call("DELETE", f"/object/{BUCKET}/removed")
    await remote.until(names_nothing)


async def test_an_upload_beyond_the_limit_leaves_nothing_in_the_store(
    remote: Storage, store: Store
):
    await remote.bucket("small", file_size_limit=PART + 10)
    before = set(await asyncio.to_thread(store.keys))

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(2 * PART // 65_536):
            yield bytes(65_536)

    answer = await remote.call("POST", "/object/small/large", content=chunks())
    assert refusal(answer)[3] == "EntityTooLarge"
    assert set(await asyncio.to_thread(store.keys)) == before

    async def has_no_upload() -> bool:
        list_uploads = partial(store.client.list_multipart_uploads, Bucket="store")
        return "Uploads" not in await asyncio.to_thread(list_uploads)

    await remote.until(has_no_upload)


async def test_an_image_of_the_store_is_rendered(remote: Storage):
    image: Any = pyvips.Image
    picture = image.black(40, 20).add(128).cast("uchar").pngsave_buffer()
    await remote.put(f"{BUCKET}/p.png", picture, "image/png")
    answer = await remote.call("GET", f"/render/image/authenticated/{BUCKET}/p.png?width=20")
    assert (answer.status_code, image.new_from_buffer(answer.content, "").width) == (200, 20)


async def test_a_store_that_does_not_answer_is_a_server_error_and_no_row(
    store: Store, server: Server, services_database: str, tmp_path: Path, remote: Storage
):
    url = server.url(services_database, "supabase_storage_admin")
    nobody = store.variables() | {"STORAGE_S3_ENDPOINT": "http://127.0.0.1:1/s3"}
    async with open_storage(url, remote.url, tmp_path, **nobody) as cut:
        async with asyncio.timeout(60):
            answer = await cut.call("POST", f"/object/{BUCKET}/unreachable", content=b"x")
        assert answer.status_code == 500
        assert answer.json()["code"] == "InternalError"
    found = await remote.rows("select from storage.objects where name = 'unreachable'")
    assert found == []
    headers = {"authorization": f"Bearer {SERVICE}"}
    missing = await remote.client.get(f"/object/{BUCKET}/unreachable", headers=headers)
    assert missing.json()["code"] == "NoSuchKey"


WRONG = {
    "an unknown key": {"AWS_ACCESS_KEY_ID": "nobody"},
    "a wrong secret": {"AWS_SECRET_ACCESS_KEY": "another secret of the store's"},
    "no such bucket": {"STORAGE_S3_BUCKET": "gone"},
    "nobody there": {"STORAGE_S3_ENDPOINT": "http://127.0.0.1:1/s3"},
}


@pytest.mark.parametrize("changed", WRONG.values(), ids=WRONG)
async def test_a_store_that_cannot_be_used_is_said_at_the_start_and_by_each_request(  # noqa: PLR0917
    store: Store,
    server: Server,
    services_database: str,
    tmp_path: Path,
    remote: Storage,
    changed: dict[str, str],
):
    await remote.put(f"{BUCKET}/kept", b"kept")
    url = server.url(services_database, "supabase_storage_admin")
    variables = store.variables() | changed
    async with open_storage(url, remote.url, tmp_path, **variables) as wrong:

        async def is_said() -> bool:
            return any(each.name == "store_not_usable" for each in wrong.observations)

        await wrong.until(is_said)
        before = await remote.rows("select name, version from storage.objects order by 1")
        copied = {"bucketId": BUCKET, "sourceKey": "kept", "destinationKey": "copied"}
        answers = [
            await wrong.call("POST", f"/object/{BUCKET}/unkept", content=b"x"),
            await wrong.call("GET", f"/object/{BUCKET}/kept"),
            await wrong.call("POST", "/object/copy", json=copied),
        ]
        assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {
            (500, "InternalError")
        }
        assert await remote.rows("select name, version from storage.objects order by 1") == before
        logged = [str(dict(each.facts)) for each in wrong.observations]
        assert len(logged) >= 1 + len(answers)
        assert not [text for text in logged if "\\n" in text or "Debug" in text]
        for secret in (variables["AWS_SECRET_ACCESS_KEY"], "Signature="):
            assert not [text for text in logged if secret in text]
    read = await remote.call("GET", f"/object/{BUCKET}/kept")
    assert read.content == b"kept"


async def test_a_server_of_azures_kind_may_be_reached_without_tls(tmp_path: Path):
    requests: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        body = b"<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>"
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
        writer.write(head + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        values = {
            "AUTH_JWT_SECRET": "s", "DATABASE_URL": "postgresql://x", "STORAGE_BACKEND": "url",
            "STORAGE_URL": "az://files", "STORAGE_FILE_BACKEND_PATH": str(tmp_path),
            "AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_ACCOUNT_KEY": "a2V5",
            "AZURE_ENDPOINT": f"http://{host}:{port}/account",
        }  # fmt: skip
        store = open_store(read_settings(values), lambda: "draft")
        assert await store.list("") == []
    [head] = requests
    assert head.startswith(b"GET /account/files?")

"""Requests of one object at the same time: one of them wins, whole, and nothing else is left."""

from __future__ import annotations

import asyncio
import hashlib
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest
import pytest_asyncio

from tests.conftest import Server
from tests.harness_storage import SERVICE, storage_process

ROUNDS = 4
LARGE = 3_000_000  # bytes, which take many turns
BEARER = {"authorization": f"Bearer {SERVICE}"}
OVER = {"x-upsert": "true"}
NAMED = (
    "select version from storage.objects union all select version from storage_compat.tus_parts"
    " union all select version from storage.s3_multipart_uploads_parts"
)


@dataclass(frozen=True)
class Racing:
    """A running service, its folder and its database."""

    client: httpx2.AsyncClient
    folder: Path
    url: str

    async def call(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """A request as service_role."""
        headers = BEARER | more.pop("headers", {})
        return await self.client.request(method, path, headers=headers, **more)

    async def put(self, key: str, content: bytes) -> httpx2.Response:
        """An upload over whatever is there."""
        return await self.call("PUT", f"/object/b/{key}", content=content)

    async def rows(self, sql: str = NAMED) -> list[Any]:
        """The first column of what the database answers."""
        connection = await asyncpg.connect(self.url)
        try:
            return [row[0] for row in await connection.fetch(sql)]
        finally:
            await connection.close()

    async def settle(self) -> None:
        """Every object is whole, and soon nothing is stored that no row names."""
        for name in await self.rows("select name from storage.objects"):
            answer = await self.call("GET", f"/object/b/{name}")
            assert answer.status_code == 200, answer.text
            assert answer.headers["etag"] == f'"{hashlib.md5(answer.content).hexdigest()}"'
            assert len(answer.content) == int(answer.headers["content-length"])
        async with asyncio.timeout(60):
            while sorted(await self.rows()) != self.stored():  # noqa: ASYNC110 — the disk tells nobody
                await asyncio.sleep(0.05)

    def stored(self) -> list[str]:
        """The versions that the folder holds, drafts too."""
        return sorted(file.name for file in self.folder.rglob("*") if file.is_file())

    async def clear(self) -> None:
        """No object is there."""
        names = await self.rows("select name from storage.objects")
        if names:
            await self.call("DELETE", "/object/b", json={"prefixes": names})


@pytest_asyncio.fixture(scope="module")
async def racing(
    server: Server, services_database: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Racing]:
    url = server.url(services_database, "supabase_storage_admin")
    folder = tmp_path_factory.mktemp("races")
    with storage_process(url, folder, STORAGE_FILE_FSYNC="false") as (_, address):
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            opened = Racing(client, folder, server.url(services_database))
            await opened.call("POST", "/bucket", json={"name": "b"})
            yield opened


def content_of(letter: str, size: int = 300_000) -> bytes:
    return letter.encode() * size


async def together(*works: Awaitable[httpx2.Response]) -> list[tuple[int, str]]:
    """The statuses and codes of requests that are sent at once."""
    answers = await asyncio.gather(*works)
    return [
        (answer.status_code, "" if answer.is_success else answer.json()["code"])
        for answer in answers
    ]


async def test_of_two_uploads_of_a_new_name_one_is_kept(racing: Racing):
    for number in range(ROUNDS):
        path = f"/object/b/new-{number}"
        found = await together(
            racing.call("POST", path, content=content_of("a")),
            racing.call("POST", path, content=content_of("b")),
        )
        assert sorted(found) == [(200, ""), (400, "KeyAlreadyExists")]
        winner = "ab"[found.index((200, ""))]
        assert (await racing.call("GET", path)).content == content_of(winner)
    await racing.settle()


async def test_of_two_overwritings_the_last_is_kept_whole(racing: Racing):
    for _ in range(ROUNDS):
        found = await together(*(racing.put("over", content_of(each)) for each in "abcd"))
        assert found == [(200, "")] * 4
        read = (await racing.call("GET", "/object/b/over")).content
        assert read in {content_of(each) for each in "abcd"}
    await racing.settle()


async def test_an_upload_and_a_removal_leave_the_object_or_nothing(racing: Racing):
    for number in range(ROUNDS):
        await racing.put("gone", content_of("a"))
        put, removed = await together(
            racing.put("gone", content_of("b")), racing.call("DELETE", "/object/b/gone")
        )
        assert (put, removed[1]) == ((200, ""), ""), number
        answer = await racing.call("GET", "/object/b/gone")
        assert answer.content == content_of("b") or answer.json()["code"] == "NoSuchKey"
    await racing.settle()


async def test_moves_and_copies_of_one_object_leave_whole_ones(racing: Racing):
    def request_of(path: str, target: str) -> Awaitable[httpx2.Response]:
        body = {"bucketId": "b", "sourceKey": "source", "destinationKey": target}
        return racing.call("POST", f"/object/{path}", json=body)

    for _ in range(ROUNDS):
        await racing.clear()
        await racing.put("source", content_of("s"))
        moved, again, copied, clash = await together(
            request_of("move", "moved"), request_of("move", "moved too"), request_of("copy", "copied"),
            request_of("copy", "moved"),
        )  # fmt: skip
        names = set(await racing.rows("select name from storage.objects"))
        assert "source" not in names or (moved[0], again[0]) == (400, 400)
        assert ({"moved", "moved too"} & names) or moved[0] == again[0] == 400
        assert not (moved[0] == again[0] == 200), "one object is in two places"
        assert copied[1] in {"", "NoSuchKey"}
        assert clash[1] in {"", "NoSuchKey", "KeyAlreadyExists"}
        await racing.settle()


async def test_reads_and_copies_of_an_object_that_is_overwritten_meanwhile_find_it(racing: Racing):
    await racing.put("busy", b"0")
    is_over = False
    found = set[int]()
    body = {"bucketId": "b", "sourceKey": "busy", "destinationKey": "copy"}

    async def overwrite() -> None:
        nonlocal is_over
        for number in range(100):
            await racing.put("busy", b"%d" % number)
        is_over = True

    async def read() -> None:
        while not is_over:
            found.add((await racing.call("GET", "/object/b/busy")).status_code)

    async def copy() -> None:
        while not is_over:
            copied = await racing.call("POST", "/object/copy", json=body, headers=OVER)
            found.add(copied.status_code)

    await asyncio.gather(overwrite(), read(), read(), copy(), copy())
    assert found == {200}
    await racing.settle()


async def test_a_download_ends_with_the_bytes_that_it_began_with(racing: Racing):
    old, new = content_of("o", LARGE), content_of("n", LARGE)
    for change in (
        lambda: racing.put("read", new),
        lambda: racing.call("DELETE", "/object/b/read"),
        lambda: racing.call("POST", "/bucket/b/empty", json={}),
    ):
        await racing.put("read", old)
        for span in (None, "bytes=1000-2999999"):
            headers = BEARER if span is None else BEARER | {"range": span}
            await racing.put("read", old)
            async with racing.client.stream("GET", "/object/b/read", headers=headers) as answer:
                pieces = answer.aiter_bytes(65_536)
                begun = await anext(pieces)
                assert (await change()).status_code == 200
                read = begun + b"".join([piece async for piece in pieces])
            assert read == (old if span is None else old[1000:3_000_000])
    await racing.settle()


async def test_a_bucket_that_is_emptied_while_uploads_arrive_keeps_whole_ones(racing: Racing):
    for number in range(ROUNDS):
        uploads = [racing.put(f"in-{number}-{each}", content_of("i")) for each in range(6)]
        *found, emptied = await together(
            *uploads[:3], racing.call("POST", "/bucket/b/empty", json={}), *uploads[3:],
        )  # fmt: skip
        assert {status for status, _ in [*found, emptied]} == {200}
    await racing.settle()


async def test_an_upload_resumed_twice_at_once_is_written_once(racing: Racing):
    content = content_of("r", 900_000)
    pairs = {"bucketName": "b", "objectName": "resumed"}
    text = ",".join(f"{key} {b64encode(value.encode()).decode()}" for key, value in pairs.items())
    tus = {"tus-resumable": "1.0.0", **OVER}
    for _ in range(ROUNDS):
        begun = await racing.call(
            "POST", "/upload/resumable",
            headers=tus | {"upload-length": str(len(content)), "upload-metadata": text},
        )  # fmt: skip
        location = begun.headers["location"].partition("/upload/")[2]
        headers = tus | {"upload-offset": "0", "content-type": "application/offset+octet-stream"}
        parts = [
            racing.call("PATCH", f"/upload/{location}", content=content, headers=headers)
            for _ in range(3)
        ]
        answers = await asyncio.gather(*parts)
        statuses = sorted(answer.status_code for answer in answers)
        assert statuses[0] == 204, [answer.text for answer in answers]
        assert set(statuses[1:]) <= {204, 404, 409, 410, 423}
        assert (await racing.call("GET", "/object/b/resumed")).content == content
    await racing.settle()

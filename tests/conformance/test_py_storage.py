"""Every method of storage3, synchronous and asynchronous, against the running stack."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from storage3.exceptions import StorageApiError
from supabase import AsyncClientOptions, ClientOptions, acreate_client, create_client

from tests.harness_stack import Stack


@pytest.fixture(scope="module", params=["sync", "async"])
async def storage(request: pytest.FixtureRequest, project_stack: Stack) -> AsyncIterator[Any]:
    url, key = project_stack.url, project_stack.keys["SUPABASE_SECRET_KEY"]
    if request.param == "sync":
        with httpx.Client() as http:
            yield create_client(url, key, ClientOptions(httpx_client=http)).storage
    else:
        async with httpx.AsyncClient() as http:
            yield (await acreate_client(url, key, AsyncClientOptions(httpx_client=http))).storage


async def done(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def test_buckets(storage: Any) -> None:
    name = f"py-{uuid.uuid4()}"
    await done(storage.create_bucket(name, options={"public": True, "file_size_limit": 5}))
    bucket = await done(storage.get_bucket(name))
    assert (bucket.public, bucket.file_size_limit) == (True, 5)
    await done(storage.update_bucket(name, {"public": False}))
    assert name in {each.id for each in await done(storage.list_buckets())}
    await done(storage.delete_bucket(name))
    with pytest.raises(StorageApiError, match="Bucket not found"):
        await done(storage.get_bucket(name))


async def test_files(storage: Any) -> None:
    papers, folder = storage.from_("papers"), f"py-{uuid.uuid4()}"
    await done(papers.upload(f"{folder}/a.txt", b"a", {"content-type": "text/css"}))
    with pytest.raises(StorageApiError, match="The resource already exists"):
        await done(papers.upload(f"{folder}/a.txt", b"b"))
    await done(papers.update(f"{folder}/a.txt", b"b"))
    assert await done(papers.download(f"{folder}/a.txt")) == b"b"
    assert await done(papers.exists(f"{folder}/a.txt"))
    assert not await done(papers.exists(f"{folder}/z.txt"))
    assert (await done(papers.info(f"{folder}/a.txt")))["size"] == 1
    await done(papers.copy(f"{folder}/a.txt", f"{folder}/c.txt"))
    await done(papers.move(f"{folder}/c.txt", f"{folder}/d.txt"))
    assert [each["name"] for each in await done(papers.list(folder))] == ["a.txt", "d.txt"]
    removed = await done(papers.remove([f"{folder}/d.txt", "none"]))
    assert [row["name"] for row in removed] == [f"{folder}/d.txt"]


async def test_signed_urls(storage: Any) -> None:
    papers, key = storage.from_("papers"), f"py-{uuid.uuid4()}.txt"
    target = await done(papers.create_signed_upload_url(key))
    await done(papers.upload_to_signed_url(key, target["token"], b"signed"))
    url = (await done(papers.create_signed_url(key, 60, {"download": True})))["signedURL"]
    async with httpx.AsyncClient() as http:
        read = await http.get(url)
    assert (read.content, read.headers["content-disposition"][:11]) == (b"signed", "attachment;")
    many = await done(papers.create_signed_urls([key, "none"], 60))
    assert [bool(each["error"]) for each in many] == [False, True]

"""Bytes in Google's store: its XML API, behind which is an S3 server that is not ours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from tests.conftest import Server
from tests.harness_storage import Storage, open_storage
from tests.harness_storage_kinds import BUCKET, KINDS, VARIABLES
from tests.harness_storage_stores import google_storage, juicefs_gateway
from tests.harness_storage_uploads import content_of

PART = 5 * 1024 * 1024


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with juicefs_gateway(tmp_path_factory.mktemp("juicefs")) as client:
        yield client


@pytest_asyncio.fixture(scope="module")
async def google(
    store: Any, server: Server, services_database: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Storage]:
    url = server.url(services_database, "supabase_storage_admin")
    folder = tmp_path_factory.mktemp("scratch")
    async with (
        google_storage(store, folder) as variables,
        open_storage(url, server.url(services_database), folder, **VARIABLES | variables) as opened,
    ):
        await opened.bucket(BUCKET)
        yield opened


def versions(store: Any) -> set[str]:
    """The versions that the store holds."""
    pages = store.get_paginator("list_objects_v2").paginate(Bucket="store")
    return {one["Key"].rpartition("/")[2] for page in pages for one in page.get("Contents", [])}


@pytest.mark.parametrize("size", [0, 1, PART, 2 * PART + 7])
async def test_an_object_comes_back_whole_and_in_ranges(google: Storage, size: int):
    content = (b"0123456789abcde\n" * (size // 16 + 1))[:size]
    path = f"{BUCKET}/size-{size}"
    await google.put(path, content)
    assert (await google.call("GET", f"/object/{path}")).content == content
    if size > 9:
        part = await google.call("GET", f"/object/{path}", headers={"range": "bytes=-9"})
        assert (part.status_code, part.content) == (206, content[-9:])


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_upload_reaches_the_store(google: Storage, kind: str):
    content = next(each for n in range(1, 99) if len(each := content_of(n)) > 100_000)
    await KINDS[kind](google.client, f"by-{kind}", content)
    assert (await google.call("GET", f"/object/{BUCKET}/by-{kind}")).content == content


async def test_bytes_that_no_row_names_go(google: Storage, store: Any):
    await google.put(f"{BUCKET}/over", b"first")
    await google.put(f"{BUCKET}/over", b"second")
    await google.call("DELETE", f"/object/{BUCKET}/size-1")

    async def names_nothing() -> bool:
        rows = await google.rows("select version from storage.objects")
        return versions(store) == {row["version"] for row in rows}

    await google.until(names_nothing)
    assert (await google.call("GET", f"/object/{BUCKET}/over")).content == b"second"

"""Bytes in an S3-compatible server that is not ours (JuiceFS's gateway), and one that fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from compat_base.postgres.database import DatabaseSettings, open_database, run_script
from storage_compat.store.garbage import begin_sweep
from tests.conftest import Server
from tests.harness_storage import Storage, open_storage, refusal
from tests.harness_storage_kinds import BUCKET, KINDS, VARIABLES
from tests.harness_storage_stores import KEY, SECRET, juicefs_gateway
from tests.harness_storage_uploads import content_of

PART = 5 * 1024 * 1024
ERROR = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass
class Relay:
    """A TCP relay before the store; `behaviour` says what becomes of a new connection."""

    store: tuple[str, int]
    behaviour: str = "passes"
    address: str = ""
    opened: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    def become(self, behaviour: str) -> None:
        """Another behaviour, for who is connected too."""
        self.behaviour = behaviour
        for writer in self.opened:
            writer.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the service."""
        self.opened.add(writer)
        try:
            if self.behaviour == "passes":
                await self._pass(reader, writer)
            elif self.behaviour == "fails":
                await reader.read(65_536)
                writer.write(ERROR)
                await writer.drain()
            elif self.behaviour == "hangs":
                await asyncio.sleep(3600)
        except OSError:
            return
        finally:
            self.opened.discard(writer)
            writer.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, ahead = await asyncio.open_connection(*self.store)
        await asyncio.gather(_copy(reader, ahead), _copy(behind, writer), return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()
    writer.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with juicefs_gateway(tmp_path_factory.mktemp("juicefs")) as client:
        yield client


@pytest_asyncio.fixture(scope="module")
async def relay(store: Any) -> AsyncIterator[Relay]:
    place = urlsplit(store.meta.endpoint_url)
    made = Relay((place.hostname or "", place.port or 0))
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    made.address = f"http://127.0.0.1:{port}"
    yield made
    listening.close()


def variables(relay: Relay, silence: str = "60s") -> dict[str, str]:
    """Of a service whose bytes are behind the relay, which may be silent for so long."""
    return VARIABLES | {
        "STORAGE_BACKEND": "s3", "STORAGE_S3_BUCKET": "store", "STORAGE_S3_REGION": "us-east-1",
        "STORAGE_S3_ENDPOINT": relay.address, "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET, "STORAGE_REMOTE_TIMEOUT": silence,
    }  # fmt: skip


@pytest.fixture(scope="module")
def services_url(server: Server, services_database: str) -> str:
    return server.url(services_database, "supabase_storage_admin")


@pytest_asyncio.fixture(scope="module")
async def foreign(
    relay: Relay,
    server: Server,
    services_database: str,
    services_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Storage]:
    folder = tmp_path_factory.mktemp("scratch")
    admin = server.url(services_database)
    async with open_storage(services_url, admin, folder, **variables(relay)) as opened:
        await opened.bucket(BUCKET)
        yield opened


@pytest.fixture(autouse=True)
def calm(relay: Relay) -> Iterator[None]:
    yield
    relay.become("passes")


async def keys(store: Any) -> set[str]:
    """The versions that the store holds."""
    pages = await asyncio.to_thread(
        lambda: list(store.get_paginator("list_objects_v2").paginate(Bucket="store"))
    )
    return {one["Key"].rpartition("/")[2] for page in pages for one in page.get("Contents", [])}


@pytest.mark.parametrize("size", [0, 1, PART, 2 * PART + 7])
async def test_an_object_comes_back_whole_and_in_ranges(foreign: Storage, store: Any, size: int):
    content = (b"0123456789abcde\n" * (size // 16 + 1))[:size]
    path = f"{BUCKET}/size-{size}"
    await foreign.put(path, content)
    assert (await foreign.call("GET", f"/object/{path}")).content == content
    if size > 9:
        part = await foreign.call("GET", f"/object/{path}", headers={"range": "bytes=-9"})
        assert (part.status_code, part.content) == (206, content[-9:])
    [row] = await foreign.rows(
        "select version from storage.objects where name = $1", f"size-{size}"
    )
    assert row["version"] in await keys(store)


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_upload_reaches_the_store(foreign: Storage, kind: str):
    content = next(each for n in range(1, 99) if len(each := content_of(n)) > 100_000)
    await KINDS[kind](foreign.client, f"by-{kind}", content)
    assert (await foreign.call("GET", f"/object/{BUCKET}/by-{kind}")).content == content


async def test_copied_moved_and_removed_bytes_are_those_that_rows_name(
    foreign: Storage, store: Any
):
    await foreign.put(f"{BUCKET}/from", b"bytes")
    places = {"bucketId": BUCKET, "sourceKey": "from", "destinationKey": "copy"}
    assert (await foreign.call("POST", "/object/copy", json=places)).status_code == 200
    moved = {"bucketId": BUCKET, "sourceKey": "copy", "destinationKey": "moved"}
    assert (await foreign.call("POST", "/object/move", json=moved)).status_code == 200
    assert (await foreign.call("GET", f"/object/{BUCKET}/moved")).content == b"bytes"
    await foreign.put(f"{BUCKET}/from", b"again")
    await foreign.call("DELETE", f"/object/{BUCKET}/moved")

    async def names_nothing() -> bool:
        rows = await foreign.rows("select version from storage.objects")
        return await keys(store) == {row["version"] for row in rows}

    await foreign.until(names_nothing)


async def test_the_sweep_removes_what_no_row_names(
    foreign: Storage, store: Any, relay: Relay, services_url: str, tmp_path: Path
):
    lost = "00000000-aaaa-4aaa-8aaa-000000000000"
    await asyncio.to_thread(
        store.put_object, Bucket="store", Key=f"stub/00/{lost}", Body=b"nobody's"
    )
    swept = variables(relay) | {"STORAGE_SWEEP_INTERVAL": "1s", "STORAGE_ORPHAN_AGE": "0s"}
    async with open_storage(services_url, foreign.url, tmp_path, **swept) as sweeping:

        async def is_gone() -> bool:
            return lost not in await keys(store)

        await sweeping.until(is_gone)


async def test_of_several_nodes_one_looks_for_orphans(services_url: str):
    settings = DatabaseSettings(dsn=services_url, maximum=1)
    async with open_database(settings) as one, open_database(settings) as other:
        for each in (one, other):
            async with each.acquire() as connection:
                await begin_sweep(connection, timedelta())
        async with one.acquire() as first, other.acquire() as second:
            found = [await begin_sweep(each, timedelta(hours=1)) for each in (first, second)]
            assert found == [False, False]
            await run_script(
                first, "update storage_compat.sweeps set began = now() - '2 h'::interval"
            )
            found = await asyncio.gather(
                *(begin_sweep(each, timedelta(hours=1)) for each in (first, second))
            )
            assert sorted(found) == [False, True]


async def test_a_clock_that_is_set_back_keeps_no_orphan(services_url: str):
    settings = DatabaseSettings(dsn=services_url, maximum=1)
    async with open_database(settings) as database, database.acquire() as connection:
        await run_script(
            connection, "update storage_compat.sweeps set began = now() + '1 day'::interval"
        )
        found = [await begin_sweep(connection, timedelta(hours=1)) for _ in range(2)]
    assert found == [True, False]


@pytest.mark.parametrize("behaviour", ["fails", "refuses", "hangs"])
async def test_a_store_that_fails_is_an_error_and_leaves_no_row(
    foreign: Storage, relay: Relay, services_url: str, tmp_path: Path, behaviour: str
):
    await foreign.put(f"{BUCKET}/kept", b"kept")
    relay.become(behaviour)
    async with open_storage(
        services_url, foreign.url, tmp_path, **variables(relay, silence="2s")
    ) as impatient:
        put = await impatient.call(
            "POST", f"/object/{BUCKET}/lost-{behaviour}", content=bytes(2 * PART), headers={}
        )
        got = await impatient.call("GET", f"/object/{BUCKET}/kept")
    assert refusal(put)[:2] == refusal(got)[:2] == (500, "500")
    assert (await foreign.call("HEAD", f"/object/{BUCKET}/kept")).status_code == 200  # of the row
    relay.become("passes")
    assert (await foreign.call("GET", f"/object/{BUCKET}/lost-{behaviour}")).status_code == 400
    assert (await foreign.call("GET", f"/object/{BUCKET}/kept")).content == b"kept"

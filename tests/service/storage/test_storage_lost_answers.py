"""The database's answer to a commit is lost: whether it counted or not, row and bytes agree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import pytest_asyncio

from tests.conftest import Server
from tests.harness_storage import Storage, open_storage
from tests.harness_storage_kinds import BUCKET, KINDS, VARIABLES, NotAcknowledgedError

SOCKET = ".s.PGSQL.5432"
CONTENT = b"the bytes of an object" * 100
ROUNDS = 40
NAMED = (
    "select version from storage.objects union select version from storage_compat.tus_parts"
    " union select version from storage.s3_multipart_uploads_parts"
)


@dataclass
class Relay:
    """Stands before PostgreSQL; drops a connection instead of passing on what a commit answers.

    `cut` is the commit that it is done to, counted from 1; 0 is none.
    """

    server: str
    cut: int = 0
    commits: int = 0
    deaf: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the service."""
        behind, ahead = await asyncio.open_unix_connection(self.server)
        both = self._forward(reader, ahead, writer), self._backward(behind, writer)
        await asyncio.gather(*both, return_exceptions=True)
        for each in (ahead, writer):
            each.close()

    async def _forward(
        self, reader: asyncio.StreamReader, ahead: asyncio.StreamWriter, back: asyncio.StreamWriter
    ) -> None:
        while data := await reader.read(65_536):
            if b"commit" in data.lower():
                self.commits += 1
                if self.commits == self.cut:
                    self.deaf.add(back)
            ahead.write(data)
        ahead.close()

    async def _backward(self, behind: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await behind.read(65_536):
            if writer in self.deaf:
                break
            writer.write(data)
        writer.close()


@dataclass
class Lossy:
    """The service behind such a relay."""

    storage: Storage
    relay: Relay


@pytest_asyncio.fixture(scope="module")
async def lossy(
    server: Server, services_database: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Lossy]:
    url = server.url(services_database, "supabase_storage_admin")
    parts = urlsplit(url)
    [sockets] = parse_qs(parts.query)["host"]
    folder = tmp_path_factory.mktemp("relay", numbered=True)
    relay = Relay(str(Path(sockets) / SOCKET))
    async with await asyncio.start_unix_server(relay.serve, folder / SOCKET):
        through = parts._replace(query=f"host={quote(str(folder))}").geturl()
        kept = tmp_path_factory.mktemp("lost")
        admin = server.url(services_database)
        async with open_storage(through, admin, kept, **VARIABLES) as storage:
            await storage.bucket(BUCKET)
            yield Lossy(storage, relay)


@pytest.mark.parametrize("kind", KINDS)
async def test_row_and_bytes_agree_where_the_answer_to_a_commit_is_lost(lossy: Lossy, kind: str):
    storage, relay = lossy.storage, lossy.relay
    relay.cut = relay.commits = refused = 0
    await KINDS[kind](storage.client, f"{kind}-whole", CONTENT)
    most = relay.commits  # some may be of the garbage collector, which refuse nothing
    for tried, number in enumerate(islice(cycle(range(1, most + 1)), ROUNDS)):
        if tried >= most and refused:
            break
        relay.cut, relay.commits = number, 0
        name = f"{kind}-{number}"
        try:
            await KINDS[kind](storage.client, name, CONTENT)
        except NotAcknowledgedError:
            refused += 1
        named = {row["version"] for row in await storage.rows(NAMED)}
        assert named <= {path.name for path in storage.files()}, f"commit {number}"
        relay.cut = 0
        await KINDS[kind](storage.client, name, CONTENT)
        read = await storage.call("GET", f"/object/{BUCKET}/{name}")
        assert read.content == CONTENT, f"commit {number}"
    assert refused

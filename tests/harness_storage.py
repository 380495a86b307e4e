"""The storage service in memory: an app over ASGI, a real database, a folder of files."""

from __future__ import annotations

import asyncio
import os
import resource
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import asyncpg
import httpx2

from compat_base.values import jwt
from compat_base.values.events import Observation
from compat_base.values.world import World, real_world
from storage_compat import open_service
from storage_compat.settings import read_settings
from tests.harness_fork import Program, start_program

SECRET = "a secret for the tests, long enough for anybody"
USER = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"


def token(role: str = "service_role", **claims: Any) -> str:
    """A token signed with the tests' secret."""
    return jwt.sign({"role": role, **claims}, jwt.secret_key(SECRET))


SERVICE = token(sub=USER)
MEMBER = token("authenticated", sub=USER, exp=int(time.time()) + 86_400)
ANON = token("anon")


@dataclass
class Storage:
    """Requests to the service, what it observed, and what is behind it."""

    client: httpx2.AsyncClient
    observations: list[Observation]
    url: str
    folder: Path
    app: Any

    @asynccontextmanager
    async def another(self, address: str) -> AsyncIterator[Storage]:
        """The same service for a client of another address."""
        transport = httpx2.ASGITransport(app=self.app, client=(address, 1))
        base = self.client.base_url
        async with httpx2.AsyncClient(transport=transport, base_url=base, timeout=60) as client:
            yield replace(self, client=client)

    async def call(
        self,
        method: str,
        path: str,
        *,
        token: str | None = SERVICE,
        json: Any = None,
        content: Any = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> httpx2.Response:
        """Send a request; without more said, as service_role."""
        sent = {"authorization": f"Bearer {token}"} if token is not None else {}
        return await self.client.request(
            method, path, json=json, content=content, headers=sent | dict(headers or {}), **more
        )

    async def bucket(self, name: str, **more: Any) -> str:
        """A new bucket; its name."""
        answer = await self.call("POST", "/bucket", json={"name": name, **more})
        assert answer.status_code == 200, answer.text
        return name

    async def put(
        self, path: str, content: bytes = b"hello", mime: str = "text/plain", **more: Any
    ) -> httpx2.Response:
        """Upload an object, whether it is there or not."""
        headers = {"content-type": mime, "x-upsert": "true"} | more.pop("headers", {})
        answer = await self.call(
            "POST", f"/object/{path}", content=content, headers=headers, **more
        )
        assert answer.status_code == 200, answer.text
        return answer

    async def rows(self, sql: str, *args: Any) -> list[dict[str, Any]]:
        """What the database answers to the superuser."""
        connection = await asyncpg.connect(self.url)
        try:
            return [dict(row) for row in await connection.fetch(sql, *args)]
        finally:
            await connection.close()

    async def rows_as_anon(self, *statements: str) -> list[Any]:
        """One value of each statement, all in one transaction of the role anon."""
        connection = await asyncpg.connect(self.url)
        try:
            async with connection.transaction():
                await connection.execute("set local role anon")
                return [await connection.fetchval(statement) for statement in statements]
        finally:
            await connection.close()

    async def run(self, *statements: str) -> None:
        """Run statements as the superuser."""
        connection = await asyncpg.connect(self.url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    async def until(self, is_done: Callable[[], Awaitable[Any]]) -> None:
        """Wait for what happens after an answer; it fails after a minute."""
        async with asyncio.timeout(60):
            while not await is_done():  # noqa: ASYNC110 — the database and the disk tell nobody
                await asyncio.sleep(0.01)

    def files(self) -> list[Path]:
        """Every file that the service keeps, drafts too."""
        return sorted(path for path in self.folder.rglob("*") if path.is_file())


def refusal(answer: httpx2.Response) -> tuple[int, str, str, str, str]:
    """HTTP status, and the four parts of an error's body."""
    body = answer.json()
    return (
        answer.status_code, body["statusCode"], body["error"], body["code"], body["message"],
    )  # fmt: skip


@asynccontextmanager
async def open_storage(
    url: str, admin_url: str, folder: Path, *, world: World | None = None, **variables: str
) -> AsyncIterator[Storage]:
    """The service on a database and a folder, with variables beside the usual ones."""
    settings = read_settings(
        {
            "AUTH_JWT_SECRET": SECRET,
            "DATABASE_URL": url,
            "STORAGE_FILE_BACKEND_PATH": str(folder),
            "STORAGE_FILE_FSYNC": "false",
            "TENANT_ID": "stub",
            "ANON_KEY": ANON,
            "REGION": "local",
            "IMAGE_TRANSFORMATION_ENABLED": "true",
            "S3_PROTOCOL_ACCESS_KEY_ID": "625729a08b95bf1b7ff351a663f3a23c",
            "S3_PROTOCOL_ACCESS_KEY_SECRET": "a secret of S3's for the tests",
        }
        | variables
    )
    observations: list[Observation] = []
    async with (
        open_service(settings, world=world or real_world(), observer=observations.append) as app,
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app), base_url="http://storage.test", timeout=60
        ) as client,
    ):
        yield Storage(client, observations, admin_url, folder, app)


@contextmanager
def storage_process(
    url: str, folder: Path, *, file_bytes: int | None = None, **variables: str
) -> Iterator[tuple[Program, str]]:
    """`python -m storage_compat` on a free port; `file_bytes` is what the disk takes of a file."""
    values = {
        "AUTH_JWT_SECRET": SECRET, "DATABASE_URL": url, "SERVER_HOST": "127.0.0.1", "SERVER_PORT": "0",
        "STORAGE_FILE_BACKEND_PATH": str(folder), "TENANT_ID": "stub",
    }  # fmt: skip
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        started = start_program(
            ["storage_compat"], env=os.environ | values | variables, stderr=nowhere
        )
    try:
        assert started.stdout is not None
        line = started.stdout.readline()
        assert line.startswith("listening on "), line
        if file_bytes is not None:
            resource.prlimit(started.pid, resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        yield started, line.split()[-1]
    finally:
        started.kill()
        started.wait()
        started.stdout.close()

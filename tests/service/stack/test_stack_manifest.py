"""A service is one row: a row added here is served, migrated, watched and documented."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from compat_base.asgi import Endpoint
from compat_base.postgres.database import DatabaseSettings, open_database
from compat_base.values.events import silent
from compat_base.values.http import HttpRequest, HttpResponse
from compat_base.values.world import real_world
from compat_stack.app import open_stack
from compat_stack.keys.installation import Keys, load_keys
from compat_stack.migrations.apply import migrate
from compat_stack.services.manifest import SERVICES
from compat_stack.services.opened import Dependencies, Opened
from compat_stack.services.service import Deployment, MigrationSet, Service, Takes
from compat_stack.settings import read_settings
from tests.architecture.tables import service_rows
from tests.conftest import Server

ROLE = "greeter"
UNREADY: list[str] = []


class Figures(Collector):
    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield GaugeMetricFamily("greetings", "Greetings so far.", value=7)


@asynccontextmanager
async def open_greeter(
    variables: dict[str, str], dependencies: Dependencies
) -> AsyncGenerator[Opened]:
    """Says what it is told, as whom, and what its migration left."""
    async with open_database(DatabaseSettings(variables["GREETER_DB"])) as database:

        async def greet(request: HttpRequest) -> HttpResponse:
            async with database.acquire() as connection:
                who = await connection.fetchval(
                    "select current_user || ' ' || word from greeter.words"
                )
            greeting = f"{variables['GREETER_WORD']} {who} {request.path} {request.header('authorization')}"
            return HttpResponse(200, (), greeting.encode())

        def failed() -> HttpResponse:
            return HttpResponse(500)

        async def check() -> str | None:
            return UNREADY[0] if UNREADY else None

        app = Endpoint(
            greet, limit=10, too_large=failed, failed=failed, observer=dependencies.observer
        )
        yield Opened(app, check, collector=Figures())


@pytest.fixture
def greeter(tmp_path: Path) -> Service:
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "0001_words.sql").write_text(
        f"do $$ begin create role {ROLE} login; exception when duplicate_object then null; end $$;"
        f" create schema greeter authorization {ROLE};"
        " create table greeter.words as select 'from the database' as word;"
        f" grant select on greeter.words to {ROLE}"
    )
    return Service(
        name="greeter",
        prefix="/greeter/v1",
        opener=f"{__name__}:open_greeter",
        role=ROLE,
        defaults=lambda _settings, deployment, _keys: {
            "GREETER_DB": deployment.database_url, "GREETER_WORD": "hello",
        },
        takes=Takes(("GREETER_",)),
        migrations=MigrationSet("greeter", folder, "setting up greetings"),
        open_paths=("/open",),
    )  # fmt: skip


@pytest.fixture
def database(server: Server) -> Iterator[str]:
    server.run('create database "manifest"')
    yield server.url("manifest")
    server.drop("manifest")


async def get(app: Any, path: str, **headers: str) -> tuple[int, str]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": b"", "client": ("192.0.2.7", 5), "server": ("127.0.0.1", 80),
        "scheme": "http", "http_version": "1.1",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    await app(scope, receive, send)
    return sent[0]["status"], sent[1]["body"].decode()


async def readiness(app: Any, wanted: int) -> str:
    """What `/readyz` says when it says so; its answer is a second old at most."""
    for _ in range(300):
        status, body = await get(app, "/readyz")
        if status == wanted:
            return body
        await asyncio.sleep(0.2)
    raise AssertionError(body)


@asynccontextmanager
async def stack_with(
    greeter: Service, database: str, folder: Path, **environment: str
) -> AsyncGenerator[tuple[Any, Keys]]:
    settings = read_settings({"DATA_DIR": str(folder / "data"), **environment})
    services = (*SERVICES, greeter)
    printed: list[str] = []
    await migrate(database, settings.migrations, services=services, progress=printed.append)
    assert "setting up greetings" in printed
    world = real_world()
    keys = load_keys(settings.data_dir, world)
    deployment = Deployment("http://127.0.0.1", database, None)
    async with AsyncExitStack() as stack:
        opening = open_stack(
            settings, deployment, keys, world=world, observer=silent, services=services
        )
        yield await stack.enter_async_context(opening), keys


async def test_a_service_of_one_row_is_served_migrated_and_watched(
    greeter: Service, database: str, tmp_path: Path
):
    async with stack_with(greeter, database, tmp_path, GREETER_WORD="hola") as (app, keys):
        assert (await get(app, "/greeter/v1/x"))[0] == 401
        status, body = await get(app, "/greeter/v1/x", apikey=keys.publishable)
        assert (status, body) == (200, f"hola {ROLE} from the database /x Bearer {keys.anon}")
        assert (await get(app, "/greeter/v1/open/x"))[0] == 200
        assert (await get(app, "/rest/v1/actividades", apikey=keys.secret))[0] == 200
        await readiness(app, 200)
        UNREADY.append("has lost its voice")
        body = await readiness(app, 503)
        UNREADY.clear()
        assert '"greeter":"has lost its voice"' in body.replace(": ", ":")
        figures = (await get(app, "/metrics", apikey=keys.secret))[1]
        assert "greetings 7.0" in figures
        assert 'compat_http_requests_total{service="greeter",status="2xx"} 2.0' in figures


def test_a_service_of_one_row_is_documented(greeter: Service):
    _, row = service_rows([greeter])
    assert row == ("greeter", "`/greeter/v1`", f"`{ROLE}`", "`greeter`", "`GREETER_*`")


def test_the_services_can_be_told_apart():
    for attribute in ("name", "prefix", "role", "opener"):
        values = [getattr(service, attribute) for service in SERVICES]
        assert len(set(values)) == len(values)
    assert replace(SERVICES[0]) == SERVICES[0]

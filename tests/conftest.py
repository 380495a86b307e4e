"""Fixtures that several rings share: one throw-away PostgreSQL, and databases cloned from templates.

A test that only reads and writes inside a transaction rolls it back; a test that commits, listens
or replicates works in a clone of its own (one a file, by the module-scoped fixtures).
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import pytest
from hypothesis import settings

from compat_stack.embedded import postgres
from compat_stack.embedded.vault_key import lend_vault_key
from tests.harness_clock import stay_within_a_day
from tests.harness_served import WAYS, served
from tests.harness_stack import ROOMY, Stack
from tests.harness_template import (
    PLANNER,
    SERVICES,
    copy_cluster,
    keep_templates_in,
    programs,
)

TESTS = Path(__file__).parent
SLOT_SECONDS = 60
WORKERS_OF_NODES = 16  # whose connections the server has, where two stacks of two nodes share it

# About how long a test of a file or folder takes. The files that take longest are begun first, so
# that no worker is left alone with one at the end; where two names fit, the first counts.
SECONDS = {
    "service/stack/test_stack_backup": 5.0,
    "service/stack/test_project_commands": 5.0,
    "service/stack/test_database_workers": 0.6,
    "service/stack/test_mailbox_access": 0.3,
    "browser/test_url_verdicts": 0.2,
    "service/stack": 2.2,
    "browser": 1.7,
    "service/realtime": 0.4,
    "service/gotrue": 0.4,
    "service": 0.2,
    "conformance": 0.2,
    "": 0.1,
}

gc.disable()  # until all is collected: what is imported and collected stays

# No property is timed: a busy machine is no defect.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--served-by workers` or `nodes`: how the stack is served that clients' suites meet."""
    parser.addoption("--served-by", choices=WAYS, default=WAYS[0])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files by what they take; `make test` hands them out in this order."""
    counts = Counter(item.path for item in items)
    taken = {path: count * _seconds(path) for path, count in counts.items()}
    items.sort(key=lambda item: (-taken[item.path], item.path))


def pytest_runtest_setup() -> None:
    """No test begins in the last minute of a day: many say what is planned for today."""
    stay_within_a_day()


def pytest_runtestloop() -> None:
    """Garbage is looked for from now on, and not among thousands of tests each time."""
    gc.freeze()
    gc.enable()


def _seconds(path: Path) -> float:
    file = path.relative_to(TESTS).as_posix()
    return next(seconds for name, seconds in SECONDS.items() if file.startswith(name))


@dataclass
class Server:
    """The PostgreSQL of the test run."""

    cluster: postgres.Cluster
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str = "postgres", user: str = postgres.SUPERUSER) -> str:
        """The URL of a database, for any user: the socket trusts."""
        return self.cluster.url(database, user)

    def run(self, *statements: str, database: str = "postgres") -> None:
        """Run statements, each by itself, as the superuser."""
        asyncio.run(self._run(statements, database))

    def clone(self, template: str) -> str:
        """Make a database out of a template and give its name."""
        name = f"t{os.getpid()}_{next(self._numbers)}"
        self.run(f'create database "{name}" template "{template}" strategy file_copy')
        if template != "template0":  # one that was migrated, as the stack's database
            self.run(
                f'alter database "{name}" owner to postgres',
                f'alter database "{name}" set search_path to "$user", public, extensions',
            )
        return name

    def drop(self, database: str) -> None:
        """Drop a database with whatever is still connected to it, once its slots are gone."""
        asyncio.run(self._until_slots_are_gone(database))
        self.run(f'drop database if exists "{database}" with (force)')

    async def _until_slots_are_gone(self, database: str) -> None:
        """A backend that was left drops its temporary slot a moment later, and no force hurries it."""
        connection = await asyncpg.connect(self.url())
        slots = "select from pg_replication_slots where database = $1"
        try:
            async with asyncio.timeout(SLOT_SECONDS):
                while await connection.fetch(slots, database):  # noqa: ASYNC110 — a slot tells nobody
                    await asyncio.sleep(0.01)
        finally:
            await connection.close()

    async def _run(self, statements: tuple[str, ...], database: str) -> None:
        connection = await asyncpg.connect(self.url(database))
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()


@pytest.fixture(scope="session")
def server(templates: None, request: pytest.FixtureRequest) -> Iterator[Server]:
    """A PostgreSQL of our own, with fsync off, gone after the run; PG_BIN picks its programs."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    copy_cluster(folder, "server")
    is_for_nodes = request.config.getoption("--served-by") == "nodes"
    cluster = postgres.embedded_cluster(
        folder, programs(), durable=False, workers=WORKERS_OF_NODES if is_for_nodes else 1
    )
    (folder / "installation").mkdir()
    lend_vault_key(folder / "installation", cluster)
    postgres.start(cluster)
    try:
        yield Server(cluster)
    finally:
        postgres.stop(cluster)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def services_template(server: Server) -> str:
    """A database with roles, auth and realtime, and no project."""
    return SERVICES


@pytest.fixture(scope="session")
def planner_template(server: Server) -> str:
    """A database with everything the planner needs."""
    return PLANNER


@pytest.fixture(scope="module")
def services_database(server: Server, services_template: str) -> Iterator[str]:
    """The name of this file's own database with the services' schemas and no project."""
    name = server.clone(services_template)
    yield name
    server.drop(name)


@pytest.fixture(scope="module")
def planner_database(server: Server, planner_template: str) -> Iterator[str]:
    """The name of this file's own database with the planner in it."""
    name = server.clone(planner_template)
    yield name
    server.drop(name)


@pytest.fixture(scope="session", autouse=True)
def templates(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Stacks start on copies of one database, which all processes of a run share."""
    base = tmp_path_factory.getbasetemp()
    keep_templates_in(base.parent if hasattr(request.config, "workerinput") else base)


@pytest.fixture(scope="session")
def stack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """The whole product, as one process unless told, shared by the rings that use it from outside."""
    with served_stack(request, tmp_path_factory.mktemp("stack"), ROOMY) as started:
        yield started


@contextmanager
def served_stack(
    request: pytest.FixtureRequest, folder: Path, settings: dict[str, str]
) -> Iterator[Stack]:
    """A stack that is served as the run's option says."""
    way: str = request.config.getoption("--served-by")
    if way != "nodes":
        with served(way, folder, **settings) as started:
            yield started
        return
    server: Server = request.getfixturevalue("server")
    name = server.clone("template0")
    try:
        with served(way, folder, server.url(name), **settings) as started:
            yield started
    finally:
        server.drop(name)

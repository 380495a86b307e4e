"""A project's files applied to a new database: what works, and one sentence for what does not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import asyncpg
import pytest

from compat_base.values.errors import OperatorError
from compat_stack.migrations.apply import migrate
from compat_stack.migrations.project_data import AS_RECORDED, Until
from compat_stack.project.folder import open_project
from tests.conftest import Server
from tests.db.test_project_owner import server_clone

EXPERIMENTAL = {"SUPABASE_EXPERIMENTAL": "true"}
SCHEMAS = {
    "config.toml": '[db.migrations]\nschema_paths = ["./schemas/b.sql", "./schemas/*.sql"]',
    "schemas/a.sql": "create table notes (id int references books);",
    "schemas/b.sql": "create table books (id int primary key);",
    "migrations/1_a.sql": "create table notes (id int);",
    "seed.sql": "insert into books values (1);",
}


class Applied:
    """A clone of a database with the services' sets, and what was said of a project there."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.said: list[str] = []

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, text in files.items():
            file = self.folder / "supabase" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())

    async def apply(
        self,
        files: Mapping[str, str | bytes],
        environment: Mapping[str, str] | None = None,
        until: Until = AS_RECORDED,
    ) -> None:
        self.write({"config.toml": "", **files})
        self.said.clear()
        project = open_project(str(self.folder), environment or {})
        await migrate(
            self.url, project.migrations, project=project, until=until, progress=self.said.append
        )

    async def ask(self, question: str) -> object:
        connection = await asyncpg.connect(self.url)
        try:
            return await connection.fetchval(question)
        finally:
            await connection.close()


@pytest.fixture
async def applied(server: Server, services_template: str, tmp_path: Path) -> Applied:
    one = Applied(server.url(server_clone(server, services_template)), tmp_path)
    await one.ask("drop table supabase_migrations.schema_migrations")  # as before a first project
    return one


async def test_the_experimental_schema_is_there_in_place_of_migrations(applied: Applied) -> None:
    await applied.apply(SCHEMAS, EXPERIMENTAL)
    assert applied.said == [
        "applying supabase/schemas/b.sql", "applying supabase/schemas/a.sql",
        "seeding supabase/seed.sql",
    ]  # fmt: skip
    assert await applied.ask("select count(*) from books") == 1
    await applied.apply({})
    assert applied.said == ["1 migrations of the project wait for `migration up`"]


async def test_an_experimental_schema_that_fails_leaves_nothing_of_itself(applied: Applied) -> None:
    broken = SCHEMAS | {"schemas/a.sql": "create table notes (\n  id nothing\n);"}
    with pytest.raises(OperatorError, match=r'^supabase/schemas/a.sql:2 failed: type "nothing"'):
        await applied.apply(broken, EXPERIMENTAL)
    await applied.apply(SCHEMAS, EXPERIMENTAL)
    assert await applied.ask("select count(*) from books") == 1


@pytest.mark.parametrize(
    ("config", "environment"),
    [
        (SCHEMAS["config.toml"], {}),
        (f"{SCHEMAS['config.toml']}\n[experimental.pgdelta]\nenabled = true", EXPERIMENTAL),
        ("", EXPERIMENTAL),
    ],
)
async def test_migrations_make_the_schema_unless_it_is_experimental(
    applied: Applied, config: str, environment: dict[str, str]
) -> None:
    await applied.apply(SCHEMAS | {"config.toml": config, "seed.sql": ""}, environment)
    assert applied.said == ["migrating 1_a", "seeding supabase/seed.sql"]


async def test_migrations_up_to_a_version_are_no_experimental_schema(applied: Applied) -> None:
    await applied.apply(SCHEMAS | {"seed.sql": ""}, EXPERIMENTAL, Until("1", is_said=True))
    assert "migrating 1_a" in applied.said

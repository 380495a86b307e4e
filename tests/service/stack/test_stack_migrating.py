"""Nodes that start together on one database, histories that do not fit, secrets that changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from compat_base.postgres.migration_files import MigrationError
from compat_stack.migrations.apply import migrate
from compat_stack.migrations.secret_record import InstallationSecret, OtherSecretError
from compat_stack.services.manifest import SERVICES
from compat_stack.services.roles import role_url
from compat_stack.settings import PLANNER_FOLDER
from tests.conftest import Server
from tests.harness_stack import run_stack

NODES = 8
ROUNDS = 3
SECRET = b"a secret of the installation"


@pytest.fixture
def database(server: Server) -> Iterator[str]:
    name = f"migrating_{id(server)}"
    server.run(f'create database "{name}"')
    yield name
    server.drop(name)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "1_a.sql").write_text("create table public.a (id int)")
    (folder / "2_b.sql").write_text("create table public.b (id int)")
    return folder


@pytest.mark.parametrize("databases", [1, 4], ids=["one database", "four databases"])
async def test_nodes_that_start_together_never_fail(
    strict_server: Server, project: Path, databases: int
):
    for number in range(ROUNDS):
        folder = project if number else PLANNER_FOLDER
        names = [f"together_{databases}_{number}_{n}" for n in range(databases)]
        for name in names:
            await asyncio.to_thread(strict_server.run, f'create database "{name}"')
        secret = SECRET + bytes([number])
        urls = [strict_server.url(names[n % databases]) for n in range(NODES)]
        await asyncio.gather(
            *(
                migrate(u, folder, passwords=secret, secret=InstallationSecret(secret.decode()))
                for u in urls
            )
        )
        for role in (service.role for service in SERVICES):
            connection = await asyncpg.connect(role_url(urls[0], role, secret))
            await connection.close()


async def test_a_node_that_waits_for_another_says_so(server: Server, database: str):
    printed: list[str] = []
    url = server.url(database)
    await asyncio.gather(*(migrate(url, PLANNER_FOLDER, progress=printed.append) for _ in range(2)))
    assert "waiting for another process that migrates this database" in printed


async def test_a_migration_that_is_gone_is_named(server: Server, database: str, project: Path):
    await migrate(server.url(database), project)
    (project / "1_a.sql").unlink()
    with pytest.raises(MigrationError, match=r"1_a\.sql was applied .* put it back"):
        await migrate(server.url(database), project)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"select 'caf\xe9'", "is not UTF-8 (at byte 11)"), (b"select 1;\0", "has a NUL byte")],
)
async def test_a_migration_that_is_no_text_is_named(
    server: Server, database: str, project: Path, content: bytes, reason: str
):
    (project / "3_c.sql").write_bytes(content)
    with pytest.raises(MigrationError) as refused:
        await migrate(server.url(database), project)
    assert str(project / "3_c.sql") in str(refused.value)
    assert reason in str(refused.value)


async def test_a_byte_order_mark_is_no_part_of_a_migration(
    server: Server, database: str, project: Path
):
    (project / "3_c.sql").write_bytes(b"\xef\xbb\xbfselect 1;")
    await migrate(server.url(database), project)


async def take_over(url: str) -> None:
    """What the sentence tells an operator to run."""
    connection = await asyncpg.connect(url)
    await connection.execute("delete from compat.installation where name = 'jwt_secret'")
    await connection.close()


async def test_a_changed_secret_is_noticed_before_anything_changes(
    strict_server: Server, project: Path
):
    await asyncio.to_thread(strict_server.run, "create database changed")
    url = strict_server.url("changed")
    await migrate(url, project, passwords=SECRET, secret=InstallationSecret(SECRET.decode()))
    with pytest.raises(OtherSecretError, match=r"put back the keys\.env"):
        await migrate(url, project, passwords=b"other", secret=InstallationSecret("other"))
    connection = await asyncpg.connect(role_url(url, "authenticator", SECRET))
    await connection.close()
    await take_over(url)
    await migrate(url, project, passwords=b"other", secret=InstallationSecret("other"))
    connection = await asyncpg.connect(role_url(url, "authenticator", b"other"))
    await connection.close()


def test_keys_that_were_lost_are_noticed(tmp_path: Path, project: Path):
    (data := tmp_path / "data").mkdir(mode=0o700)
    keys = data / "keys.env"
    keys.write_text("JWT_SECRET=first\n")
    assert run_stack(data, "migrate", MIGRATIONS_DIR=str(project)).returncode == 0
    for lost in ("", None):
        keys.unlink() if lost is None else keys.write_text(lost)
        done = run_stack(data, "migrate", MIGRATIONS_DIR=str(project))
        assert done.returncode == 1
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
        assert "keys.env" in done.stderr

"""Applying the migrations: twice, elsewhere, by less than a superuser; and what they make."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_stack.embedded import postgres
from compat_stack.embedded.contributed import contributed_script
from compat_stack.migrations.apply import migrate
from compat_stack.settings import PLANNER_FOLDER
from sql.snapshot import SNAPSHOT, major_version, snapshot
from tests.conftest import Server

OTHER_DEFAULTS = (
    "bytea_output = 'escape'",
    "client_min_messages = 'error'",
    "datestyle = 'German, DMY'",
    "default_transaction_isolation = 'serializable'",
    "default_transaction_read_only = on",
    "idle_in_transaction_session_timeout = '1ms'",
    "intervalstyle = 'sql_standard'",
    "lock_timeout = '1ms'",
    "search_path = 'pg_temp'",
    "statement_timeout = '1ms'",
    "timezone = 'Pacific/Chatham'",
)
IDEMPOTENT = ("platform", "auth", "realtime", "storage")


async def apply_files(url: str, folders: tuple[str, ...]) -> None:
    connection = await asyncpg.connect(url)
    try:
        for folder in folders:
            for path in sorted((SQL_FOLDER / folder).glob("*.sql")):
                async with connection.transaction():
                    await connection.execute(path.read_text())
    finally:
        await connection.close()


async def applied_texts(url: str) -> list[str]:
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(
            "select unnest(statements) as text from supabase_migrations.schema_migrations"
        )
    finally:
        await connection.close()
    return [row["text"] for row in rows]


def test_the_snapshot_is_what_the_migrations_make(server: Server, planner_database: str) -> None:
    recorded = SNAPSHOT.read_text(encoding="utf-8")
    made = snapshot(server.cluster, planner_database)
    if major_version(made) != major_version(recorded):
        pytest.skip(
            f"the snapshot is of PostgreSQL {major_version(recorded)}, this is {major_version(made)}"
        )
    assert made == recorded, "run `make snapshot` and look at the difference"


def test_migrating_again_changes_nothing(server: Server, planner_database: str) -> None:
    before = snapshot(server.cluster, planner_database)
    asyncio.run(migrate(server.url(planner_database), PLANNER_FOLDER))
    assert snapshot(server.cluster, planner_database) == before


@pytest.mark.parametrize("text", ["", "\n", "-- nothing yet"])
def test_a_file_without_statements_is_applied(
    server: Server, services_template: str, tmp_path: Path, text: str
) -> None:
    url = server.url(server.clone(services_template))
    (tmp_path / "20260101000000_empty.sql").write_text(text)
    asyncio.run(migrate(url, tmp_path))
    assert asyncio.run(applied_texts(url)) == [text]


def test_the_services_files_may_meet_their_own_work(server: Server, planner_database: str) -> None:
    before = snapshot(server.cluster, planner_database)
    asyncio.run(apply_files(server.url(planner_database), IDEMPOTENT))
    assert snapshot(server.cluster, planner_database) == before


def test_the_planner_takes_over_users_that_were_there(
    server: Server, services_template: str
) -> None:
    name = server.clone(services_template)
    server.run(
        "insert into auth.users (id, email, raw_user_meta_data) values"
        " (gen_random_uuid(), 'ana@example.com', '{\"nombre\": \" Ana \"}'),"
        " (gen_random_uuid(), null, null)",
        database=name,
    )
    asyncio.run(migrate(server.url(name), PLANNER_FOLDER))
    assert asyncio.run(column(server.url(name), "select nombre from profiles order by 1")) == [
        "Ana",
        "Sin nombre",
    ]
    server.drop(name)


@pytest.fixture(scope="module", params=["embedded", "debian"])
def bare_server(request: pytest.FixtureRequest) -> Iterator[postgres.Cluster]:
    """A cluster that nobody prepared: the wheel's, and Debian's oldest supported where there is one."""
    programs = None
    if request.param == "debian":
        programs = Path("/usr/lib/postgresql/15/bin")
        if not (programs / "initdb").exists():
            pytest.skip("no PostgreSQL 15 in Debian's place on this machine")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    cluster = postgres.embedded_cluster(folder, programs, durable=False)
    postgres.start(cluster)
    yield cluster
    postgres.stop(cluster)
    shutil.rmtree(folder, ignore_errors=True)


def test_a_bare_server_takes_all_sets_from_a_mere_owner(bare_server: postgres.Cluster) -> None:
    asyncio.run(run(bare_server.url(), "create role boss login createrole"))
    asyncio.run(run(bare_server.url(), "create database mine owner boss"))
    url = bare_server.url("mine", "boss")
    asyncio.run(migrate(url, PLANNER_FOLDER))
    asyncio.run(
        run(
            bare_server.url("mine", "supabase_auth_admin"),
            "insert into users (id, email) values (gen_random_uuid(), 'ana@example.com')",
        )
    )
    assert asyncio.run(column(url, "select nombre from profiles")) == ["ana"]
    asyncio.run(run(url, "delete from auth.users"))
    assert asyncio.run(column(url, "select nombre from profiles")) == []
    # A job of another role runs by a login role that can become that one alone.
    asyncio.run(run(url, contributed_script("pg_cron", "extensions") or ""))
    job = "insert into cron.job (schedule, command, username) values ('@daily', 'select 1', 'eva')"
    asyncio.run(run(url, f"create role eva; grant eva to boss; {job}"))
    worker = bare_server.url("mine", "compat_background")
    [login] = asyncio.run(column(worker, "select compat.job_login('eva', 'x') from cron.job"))
    asyncio.run(run(bare_server.url("mine", login), "set role eva; reset role"))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        asyncio.run(run(bare_server.url("mine", login), "set role boss"))


def test_a_database_of_other_defaults_takes_all_sets_from_a_superuser(
    bare_server: postgres.Cluster,
) -> None:
    asyncio.run(run(bare_server.url(), "create database other"))
    for setting in OTHER_DEFAULTS:
        asyncio.run(run(bare_server.url(), f"alter database other set {setting}"))
    asyncio.run(migrate(bare_server.url("other"), PLANNER_FOLDER))
    asyncio.run(run(bare_server.url(), "alter database other reset all"))
    asyncio.run(apply_files(bare_server.url("other"), IDEMPOTENT))


def test_the_snapshot_program_runs_from_anywhere(tmp_path: Path) -> None:
    program = SQL_FOLDER / "snapshot.py"
    check = f"import runpy; runpy.run_path({str(program)!r})"
    subprocess.run([sys.executable, "-c", check], cwd=tmp_path, check=True)


async def run(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def column(url: str, sql: str) -> list[str]:
    connection = await asyncpg.connect(url)
    try:
        return [row[0] for row in await connection.fetch(sql)]
    finally:
        await connection.close()

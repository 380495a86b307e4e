"""The commands of a project as people know them: start, stop, status, db reset, seed, test db."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import boto3
import httpx2
import pytest
from botocore.client import Config

from compat_stack.keys.installation import parse_env
from tests.harness_fork import ROOT
from tests.harness_stack import environment, run_stack
from tests.harness_template import give_database

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_project(tmp_path)


@pytest.fixture
def command(folder: Path, tmp_path: Path) -> Iterator[Command]:
    """Runs a command of the project; what it left running is stopped."""
    with commands_of(folder, tmp_path) as run:
        yield run


@dataclass(frozen=True, slots=True)
class Served:
    """A project that is served for several tests: its commands, its folder, its place."""

    command: Command
    folder: Path
    place: Path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Whatever a test does to it, the others find what they look for."""
    place = tmp_path_factory.mktemp("served")
    folder = write_project(place)
    with (folder / "config.toml").open("a") as config:
        config.write(
            '[db.seed]\nsql_paths = ["seed.sql", "later.sql"]\n'
            '[storage.buckets.docs]\npublic = true\nobjects_path = "./docs"\n'
        )
    (folder / "docs").mkdir()
    (folder / "docs/a.txt").write_text("one")
    (folder / "docs/link.txt").symlink_to(folder / "config.toml")
    with commands_of(folder, place) as run:
        assert run("start").returncode == 0
        yield Served(run, folder, place)


def write_project(place: Path) -> Path:
    folder = place / "app" / "supabase"
    (folder / "migrations").mkdir(parents=True)
    (folder / "config.toml").write_text('project_id = "app"\n[api]\nport = 54321\n')
    (folder / "migrations/1_a.sql").write_text("create table t (id int);")
    (folder / "seed.sql").write_text("insert into t values (1);")
    return folder


@contextmanager
def commands_of(folder: Path, place: Path) -> Generator[Command]:
    give_database(place / "data", {"SUPABASE_DIR"})

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_stack(
            place / "data", *arguments, "--project", str(folder), PORT="0", DATABASE_PORT="0"
        )

    yield run
    run("stop")


def ids(place: Path, statement: str = "select id from t order by id") -> list[int]:
    async def fetch_rows() -> list[int]:
        keys = parse_env((place / "data/keys.env").read_text())
        connection = await asyncpg.connect(keys["DATABASE_URL"])
        try:
            return [row[0] for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    return asyncio.run(fetch_rows())


def s3_of(values: dict[str, str]) -> Any:
    """The stock S3 client, by what `status` tells."""
    return boto3.client(
        "s3", endpoint_url=values["STORAGE_S3_URL"], region_name=values["S3_PROTOCOL_REGION"],
        aws_access_key_id=values["S3_PROTOCOL_ACCESS_KEY_ID"],
        aws_secret_access_key=values["S3_PROTOCOL_ACCESS_KEY_SECRET"],
        config=Config(s3={"addressing_style": "path"}),
    )  # fmt: skip


def test_it_starts_in_the_background_tells_its_values_and_stops(command: Command, tmp_path: Path):
    assert command("status", "-o", "json").returncode == 3
    started = command("start")
    assert started.returncode == 0, started.stderr
    values = json.loads(command("status", "-o", "json").stdout)
    assert set(values) == {
        "ANON_KEY", "API_URL", "DB_URL", "JWT_SECRET", "PUBLISHABLE_KEY", "REST_URL", "SECRET_KEY",
        "SERVICE_ROLE_KEY", "STORAGE_S3_URL", "S3_PROTOCOL_ACCESS_KEY_ID",
        "S3_PROTOCOL_ACCESS_KEY_SECRET", "S3_PROTOCOL_REGION",
    }  # fmt: skip
    client = s3_of(values)
    client.create_bucket(Bucket="by-s3")
    client.put_object(Bucket="by-s3", Key="a b/n?.txt", Body=b"kept")
    url = client.generate_presigned_url("get_object", {"Bucket": "by-s3", "Key": "a b/n?.txt"})
    assert httpx2.get(url).content == b"kept"
    assert f'API_URL="{values["API_URL"]}"' in command("status", "-o", "env").stdout.splitlines()
    assert values["API_URL"] in command("start").stdout  # again: it serves already
    assert ids(tmp_path) == [1]
    assert "It has stopped" in command("stop").stdout
    assert "Nothing serves" in command("stop").stdout


def test_a_start_that_fails_says_why(command: Command, folder: Path):
    (folder / "migrations/2_b.sql").write_text("select 1;\noh;")
    started = command("start")
    assert started.returncode == 1
    assert "error: the migration 2_b.sql:2 failed: syntax error" in started.stderr


def test_a_reset_migrates_and_seeds_anew_and_goes_on_serving(served: Served):
    ids(served.place, "insert into t values (2) returning id")
    keys = (served.place / "data/keys.env").read_text()
    reset = served.command("db", "reset")
    assert reset.returncode == 0, reset.stderr
    assert ids(served.place) == [1]
    assert parse_env(keys)["JWT_SECRET"] in (served.place / "data/keys.env").read_text()
    assert served.command("status").returncode != 3


def test_a_reset_without_seeds_leaves_them_out_and_goes_on_serving(served: Served):
    assert served.command("db", "reset", "--no-seed").returncode == 0
    assert ids(served.place) == []
    named = served.command("status", "--override-name", "api.url=NEXT_PUBLIC_SUPABASE_URL").stdout
    assert "NEXT_PUBLIC_SUPABASE_URL=" in named
    assert "\nAPI_URL" not in f"\n{named}"


def test_a_new_migration_is_listed_applied_and_listed_as_applied(served: Served):
    assert served.command("migration", "new", "more things").returncode == 0
    (file,) = (served.folder / "migrations").glob("*_more_things.sql")
    file.write_text("create table more ();")
    version = file.name.partition("_")[0]
    assert served.command("migration", "list").stdout.count(version) == 1
    assert served.command("migration", "up").returncode == 0
    assert served.command("migration", "list").stdout.count(version) == 2


def test_a_new_migration_has_what_is_piped_into_it(folder: Path, tmp_path: Path):
    subprocess.run(
        [sys.executable, "-m", "compat_stack", "migration", "new", "piped", "--project", folder],
        cwd=ROOT, env=environment(DATA_DIR=str(tmp_path / "data")), input=b"create table p ();\n",
        check=True, capture_output=True,
    )  # fmt: skip
    (file,) = (folder / "migrations").glob("*_piped.sql")
    assert file.read_text() == "create table p ();\n"


def test_a_reset_up_to_a_version_leaves_the_later_ones_to_migration_up(
    command: Command, folder: Path, tmp_path: Path
):
    (folder / "migrations/2_b.sql").write_text("create table later ();")
    (folder / "migrations/3_c.sql").write_text("create table last ();")
    command("start")
    made = "select count(*) from pg_tables where tablename in ('later', 'last')"
    assert ids(tmp_path, made) == [2]
    reset = command("db", "reset", "--last", "2")
    assert "2 migrations behind 1 wait for `migration up`" in reset.stdout, reset.stderr
    assert ids(tmp_path, made) == [0]
    assert ids(tmp_path) == [1]  # seeded, and served again without the later ones
    assert command("migration", "up").returncode == 0
    assert ids(tmp_path, made) == [2]
    assert command("db", "reset", "--version", "2").returncode == 0
    assert ids(tmp_path, made) == [1]
    refused = command("db", "reset", "--version", "7")
    assert refused.returncode == 1
    assert "has the version 7" in refused.stderr


def test_a_repair_changes_what_is_recorded_alone(served: Served):
    file = served.folder / "migrations/2_b.sql"
    file.write_text("create table never ();")
    recorded = (
        "select version::int from supabase_migrations.schema_migrations"
        " where version in ('1', '2') order by 1"
    )
    repair = ("migration", "repair", "2", "--status")
    assert served.command(*repair, "applied").returncode == 0
    assert served.command("migration", "up").returncode == 0
    assert ids(served.place, recorded) == [1, 2]
    assert ids(served.place, "select count(*) from pg_tables where tablename = 'never'") == [0]
    assert served.command(*repair, "reverted").returncode == 0
    assert ids(served.place, recorded) == [1]
    assert "has the version 9" in served.command("migration", "repair", "9").stderr
    file.unlink()


def test_stop_without_a_backup_leaves_no_database(command: Command, tmp_path: Path):
    command("start")
    assert "It has stopped" in command("stop", "--no-backup").stdout
    assert not (tmp_path / "data/postgres/data").exists()
    assert (tmp_path / "data/keys.env").exists()


def test_what_is_not_here_is_one_sentence(command: Command):
    done = command("functions", "serve")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "functions are not served" in done.stderr


def test_a_reset_of_what_does_not_run_leaves_it_so(command: Command):
    assert command("db", "reset").returncode == 0
    assert command("status").returncode == 3


def test_a_reset_without_a_project_wants_to_be_meant(tmp_path: Path):
    done = run_stack(tmp_path / "data", "db", "reset")
    assert done.returncode == 1
    assert "say --yes" in done.stderr


def test_a_seed_that_came_later_is_run_by_seed(served: Served):
    later = served.folder / "later.sql"
    later.write_text("insert into t values (7);")
    assert "seeding supabase/later.sql" in served.command("seed").stdout
    assert ids(served.place) == [1, 7]
    assert "Every seed was run before" in served.command("seed").stdout
    later.unlink()


def test_seed_buckets_uploads_the_files_as_they_are_now(served: Served):
    (served.folder / "docs/a.txt").write_text("two")
    done = served.command("seed", "buckets")
    assert "1 files of the buckets were uploaded" in done.stdout, done.stderr
    url = json.loads(served.command("status", "-o", "json").stdout)["API_URL"]
    with urllib.request.urlopen(f"{url}/storage/v1/object/public/docs/a.txt") as found:
        assert found.read() == b"two"
    assert ids(served.place, "select count(*) from storage.objects") == [1]


def test_tests_without_files_are_no_failure(command: Command):
    assert command("test", "db").returncode == 0


@pytest.mark.skipif(
    not list(Path("/usr/share/postgresql").glob("*/extension/pgtap.control")),
    reason="this machine has no pgTAP of Debian's (postgresql-15-pgtap)",
)
def test_tests_are_run_by_psql_as_the_owner_with_the_helpers_they_install(
    command: Command, folder: Path
):
    (folder / "tests").mkdir()
    (folder / "tests/000.sql").write_text(
        "create extension \"basejump-supabase_test_helpers\" version '0.0.6';\n"
        "begin; select plan(1); select is(current_user::text, 'postgres'); rollback;"
    )
    (folder / "tests/001.sql").write_text(
        "begin; select plan(1); select tests.create_supabase_user('a') as made \\gset\n"
        "select is(tests.get_supabase_uid('a'), :'made'::uuid); rollback;"
    )
    (folder / "tests/002.sql").write_text("begin;\nselect plan(1);\nselect oh;")
    command("start")
    done = command("test", "db")
    assert done.returncode == 1
    assert "000.sql .. ok\n001.sql .. ok\n002.sql .. not ok" in done.stdout
    assert '002.sql:3: column "oh" does not exist' in done.stdout
    assert command("test", "db", str(folder / "tests/001.sql")).returncode == 0


def test_a_dump_is_a_migration_and_a_seed_of_another_database(
    command: Command, folder: Path, tmp_path: Path
):
    (folder / "migrations/2_b.sql").write_text(
        "create schema shop; create type shop.kind as enum ('a'); create table shop.items"
        " (id int primary key, kind shop.kind, by uuid references auth.users);"
        " alter table shop.items enable row level security;"
        " create policy own on shop.items using (by = auth.uid());"
        " create function shop.touch() returns trigger language plpgsql as 'begin return new; end';"
        " create trigger touched after insert on auth.users execute function shop.touch();"
        " alter publication supabase_realtime add table shop.items;"
    )
    (folder / "seed.sql").write_text(
        "insert into auth.users (id, email) values ('11111111-2222-3333-4444-555555555555', 'a@b.c');"
        "insert into shop.items select 1, 'a', id from auth.users; insert into t values (5);"
    )
    command("start")
    schema, rows = tmp_path / "schema.sql", tmp_path / "rows.sql"
    assert command("db", "dump", "-f", str(schema)).returncode == 0
    assert command("db", "dump", "--data-only", "-f", str(rows)).returncode == 0
    assert "shop" not in command("db", "dump", "--schema", "public").stdout
    for file in (folder / "migrations").iterdir():
        file.unlink()
    (folder / "migrations/1_dumped.sql").write_text(schema.read_text())
    (folder / "seed.sql").write_text(rows.read_text())
    reset = command("db", "reset")
    assert reset.returncode == 0, reset.stderr
    assert ids(tmp_path) == [5]
    assert ids(tmp_path, "select i.id from shop.items i join auth.users u on u.id = i.by") == [1]
    assert ids(tmp_path, "select count(*) from pg_policies where schemaname = 'shop'") == [1]


def test_seed_wants_a_project(tmp_path: Path):
    assert run_stack(tmp_path / "data", "db", "reset", "--yes").returncode == 0
    done = run_stack(tmp_path / "data", "seed")
    assert "this needs a project" in done.stderr

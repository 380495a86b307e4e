"""Tools that developers know reach a project's database by the URL in `keys.env`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy
import sqlalchemy.exc

from compat_stack.project.config import read_config
from tests.harness_programs import TOOLS, node_of_the_tools
from tests.harness_stack import Stack, run_stack, start_stack

SCHEMA = """
create type public.mood as enum ('good', 'not so');
create type public.place as (street text, zip int);
create domain public.mail as text check (value ~ '@');
create schema shop;
create schema hidden;
create type hidden.size as enum ('small', 'big');
create table public.people (
  id uuid primary key default gen_random_uuid(), name text not null, mail public.mail,
  mood public.mood default 'good', moods public.mood[], home public.place, facts jsonb not null,
  number int generated always as identity, twice int generated always as (1 + 1) stored, ip inet
);
create table public."Notes" (
  id bigserial primary key, author uuid not null references people (id), "the title" text
);
create table public._kept (id int primary key, parent int unique references _kept (id));
create table shop.items (id int primary key, size hidden.size, a int, b int, unique (a, b));
create table shop.lines (id int primary key, a int, b int, foreign key (a, b) references shop.items (a, b));
create view public.titles as select id, "the title", author from "Notes";
create view public.names as select p.id as person, p.name, n.id from people p join "Notes" n on n.author = p.id;
create view public.authors as select p.name, n."the title", n.id from people p left join "Notes" n on n.author = p.id;
create view public.authors_again as select a.name, c.n from authors a, (select count(*) as n from "Notes") c;
create view public.everyone as select name, id::text from people union select "the title", id::text from "Notes";
create view public.asked_for as select max(name) as name from people;
comment on column public.asked_for.name is '@notNull';
create rule taken as on insert to public.asked_for do instead nothing;
create materialized view public.counts as select count(*) as n from "Notes";
create function public.add(zeta int, alpha int default 2) returns int language sql as 'select 1';
create function public.notes_of(p public.people) returns setof public."Notes" language sql stable as 'select null::public."Notes"';
create function public.shout(public.people) returns text language sql stable as 'select $1.name';
create function public.rows() returns table (z int, b text) language sql as 'select 1, null::text';
create function public.one(id bigint) returns public."Notes" language sql as 'select null::public."Notes"';
create function public.twin(a int) returns int language sql as 'select 1';
create function public.twin(a text) returns int language sql as 'select 1';
create function public.pair(a int, b int) returns int language sql as 'select 1';
create function public.pair(a text, b text) returns int language sql as 'select 1';
create function public.measured(out b int, a int default 1) language sql as 'select 1';
create function public.written(m public.mail) returns setof shop.items rows 1 language sql as 'select null::shop.items';
create function public.name(p public.people) returns text language sql stable as 'select p.name';
create function public.asked() returns int language plpgsql as 'begin return 1; end';
create function public.nothing(j json) returns void language sql as 'select';
"""


Tool = Callable[..., str]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tools") / "supabase"
    (place / "migrations").mkdir(parents=True)
    (place / "config.toml").write_text(
        'project_id = "tools"\n[api]\nschemas = ["public", "shop"]\n'
    )
    (place / "migrations/20240101000000_schema.sql").write_text(SCHEMA)
    (place / "seed.sql").write_text("insert into people (name, facts) values ('a;b', '{}');")
    return place


@pytest.fixture(scope="module")
def served(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    data = tmp_path_factory.mktemp("data") / "data"
    stack = start_stack(data, SUPABASE_DIR=str(project), DATABASE_PORT="0")
    yield stack
    stack.stop()


def node_tool(package: str, script: str) -> list[str]:
    return [node_of_the_tools(package), str(TOOLS / package / script)]


@pytest.fixture
def supabase(project: Path, served: Stack, tmp_path: Path) -> Tool:
    """Runs the Supabase CLI on the project, at the database's URL."""
    program = next(TOOLS.glob("@supabase/cli-*/bin/supabase"), None)
    if program is None:
        pytest.skip("the Supabase CLI is not installed: `make setup`")

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [program, *arguments, "--remote", served.keys["DATABASE_URL"]],
            cwd=project.parent,
            env=os.environ | {"HOME": str(tmp_path), "SUPABASE_TELEMETRY_DISABLED": "1"},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_the_cli_finds_every_migration_applied_and_pushes_another(supabase: Tool, project: Path):
    assert "up to date" in supabase("db", "push", "--yes")
    (project / "migrations/20240102000000_more.sql").write_text("create table more (id int);")
    assert "20240102000000_more.sql" in supabase("db", "push", "--yes")
    assert supabase("migration", "list").count("20240102000000") == 2  # here and there


def test_the_cli_seeds_what_the_start_has_not(supabase: Tool, project: Path):
    assert "up to date" in supabase("db", "push", "--include-seed", "--yes")
    (project / "config.toml").write_text(
        (project / "config.toml").read_text() + '[db.seed]\nsql_paths = ["seed.sql", "more.sql"]\n'
    )
    (project / "more.sql").write_text("insert into people (name, facts) values ('later', '{}');")
    printed = supabase("db", "push", "--include-seed", "--yes")
    assert "supabase/more.sql" in printed
    assert "supabase/seed.sql" not in printed


def test_every_key_of_the_clis_own_file_is_read_or_named(tmp_path: Path):
    program = next(TOOLS.glob("@supabase/cli-*/bin/supabase"), None)
    if program is None:
        pytest.skip("the Supabase CLI is not installed: `make setup`")
    subprocess.run(
        [program, "init"], cwd=tmp_path, check=True, capture_output=True, timeout=120,
        env=os.environ | {"HOME": str(tmp_path), "SUPABASE_TELEMETRY_DISABLED": "1"},
    )  # fmt: skip
    text = (tmp_path / "supabase/config.toml").read_text()
    whole = re.sub(r"^# ?(\[[\w.-]+\]|\w+\s*=\s*.+)$", r"\1", text, flags=re.MULTILINE)
    for each in (text, whole):
        config = read_config(each, {}, "config.toml", "project")
        unknown = [line for line in config.remarks if "is not set" not in line]
        assert unknown == []
        assert config.not_served
    assert len(whole.splitlines()) > 400


def test_gen_types_is_the_clis_to_the_byte(supabase: Tool, project: Path, served: Stack):
    theirs = supabase("gen", "types", "typescript")
    theirs = theirs[theirs.index("\nexport type Json") : theirs.index("} as const\n") + 11]
    ours = run_stack(
        served.data_dir, "gen", "types", "typescript", "--project", str(project), DATABASE_PORT="0"
    )
    assert ours.stdout == theirs


def test_the_cli_inspects_the_database_and_lints_it(supabase: Tool):
    for report in ("calls", "outliers", "db-stats"):
        supabase("inspect", "db", report)
    assert "this server has no plpgsql_check" in supabase("db", "lint")


def test_psql_logs_in_by_the_url_and_finds_extensions(served: Stack):
    if shutil.which("psql") is None:
        pytest.skip("psql is not installed")
    query = "select current_user, uuid_generate_v4() is not null"
    done = subprocess.run(
        ["psql", served.keys["DATABASE_URL"], "-Atc", query],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "postgres|t", done.stderr


def test_a_wrong_password_is_refused_at_the_port(served: Stack):
    url = sqlalchemy.make_url(served.keys["DATABASE_URL"]).set(
        drivername="postgresql+psycopg", password="postgres"
    )
    with pytest.raises(sqlalchemy.exc.OperationalError, match="password authentication failed"):
        sqlalchemy.create_engine(url).connect()


def test_sqlalchemy_reflects_tables_and_keys(served: Stack):
    url = sqlalchemy.make_url(served.keys["DATABASE_URL"]).set(drivername="postgresql+psycopg")
    engine = sqlalchemy.create_engine(url)
    found = sqlalchemy.inspect(engine)
    assert {"people", "Notes"} <= set(found.get_table_names(schema="public"))
    assert found.get_foreign_keys("Notes", schema="public")[0]["referred_table"] == "people"
    engine.dispose()


def test_drizzle_introspects_the_schema(served: Stack, tmp_path: Path):
    done = subprocess.run(
        [
            *node_tool("drizzle-kit", "bin.cjs"), "introspect", "--dialect", "postgresql",
            "--url", served.keys["DATABASE_URL"], "--out", str(tmp_path / "out"),
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'pgTable("people"' in (tmp_path / "out/schema.ts").read_text()


def test_a_reset_by_the_cli_leaves_the_services(supabase: Tool, served: Stack):
    assert "Applying migration" in supabase("db", "reset", "--yes")
    request = urllib.request.Request(
        f"{served.url}/auth/v1/signup",
        b'{"email": "after@reset.example", "password": "long enough"}',
        {"apikey": served.keys["SUPABASE_ANON_KEY"], "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200
    key = served.keys["SUPABASE_SERVICE_ROLE_KEY"]
    request = urllib.request.Request(
        f"{served.url}/storage/v1/bucket", headers={"apikey": key, "authorization": f"Bearer {key}"}
    )
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200

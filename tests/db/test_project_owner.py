"""The project is `postgres`'s, who is no superuser: what it may do, and what becomes its own."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from pathlib import Path

import asyncpg
import pytest

from compat_stack.embedded import postgres
from compat_stack.migrations.apply import migrate
from compat_stack.project.folder import open_project
from tests.conftest import Server
from tests.harness_sql import Connection

OWNERS = {
    "table": "select relowner::regrole::text from pg_class where oid = 'public.notes'::regclass",
    "function": "select proowner::regrole::text from pg_proc where proname = 'note_count'",
    "type": "select typowner::regrole::text from pg_type where typname = 'mood'",
    "schema": "select nspowner::regrole::text from pg_namespace where nspname = 'private'",
    "ledger": "select relowner::regrole::text from pg_class where relname = 'schema_migrations'"
    " and relnamespace = 'supabase_migrations'::regnamespace",
    "database": "select datdba::regrole::text from pg_database where datname = current_database()",
}
NOTES = """
create type public.mood as enum ('calm');
create table public.notes (id bigint generated always as identity primary key, text text);
create function public.note_count() returns bigint language sql stable
  as 'select count(*) from public.notes';
create schema private;
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project's folder of migrations, empty."""
    path = tmp_path / "migrations"
    path.mkdir()
    return path


async def migrated(server: Server, folder: Path, template: str) -> Connection:
    name = server_clone(server, template)
    await migrate(server.url(name), folder)
    return await asyncpg.connect(server.url(name))


def server_clone(server: Server, template: str) -> str:
    """A clone made from a running loop."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(server.clone, template).result()


@pytest.mark.parametrize("what", OWNERS)
async def test_what_a_migration_makes_is_the_owners(
    server: Server, folder: Path, services_template: str, what: str
) -> None:
    (folder / "1_notes.sql").write_text(NOTES)
    db = await migrated(server, folder, services_template)
    assert await db.fetchval(OWNERS[what]) == "postgres"
    await db.close()


@pytest.mark.parametrize(
    "statement",
    [
        "create policy own on storage.objects for select to authenticated using (true)",
        "create function auth.is_calm() returns boolean language sql as 'select true'",
        "alter table auth.users enable row level security",
        "alter publication supabase_realtime add table public.of_owner",
        "alter role authenticator set pgrst.db_aggregates_enabled = 'true'",
        "create role reporting login; grant reporting to postgres; grant anon to reporting",
        "set session_replication_role = replica",
        "set role service_role; select * from storage.objects",
        "create schema drizzle",
        "alter default privileges in schema public revoke execute on functions from anon",
        "create extension moddatetime with schema extensions",
        "create extension postgres_fdw with schema extensions",
        "create extension vector with schema extensions",
        "create extension pg_trgm with schema extensions",
    ],
)
async def test_the_owner_may(owner: Connection, statement: str) -> None:
    await owner.execute("create table public.of_owner (id integer primary key)")
    await owner.execute(statement)


async def test_the_owner_sets_every_sequence_that_a_dump_names(owner: Connection) -> None:
    rows = await owner.fetch(
        """
        select c.oid::regclass::text as name from pg_class c
        where relkind = 'S' and relnamespace::regnamespace::text
          in ('auth', 'storage', 'supabase_functions', 'realtime', 'net', 'vault')
        """
    )
    assert rows
    for row in rows:
        await owner.execute("select pg_catalog.setval($1::regclass, 1, false)", row["name"])


async def test_the_owner_fills_every_table_that_a_dump_names(owner: Connection) -> None:
    rows = await owner.fetch(
        """
        select c.oid::regclass::text as name from pg_class c
        where relkind in ('r', 'p') and not relispartition
          and relnamespace::regnamespace::text in ('auth', 'storage', 'supabase_functions')
          and relname not in ('schema_migrations', 'migrations')
          and not has_table_privilege(oid, 'insert')
        """
    )
    assert [row["name"] for row in rows] == []


async def test_what_the_owner_takes_from_a_role_on_public_is_gone(owner: Connection) -> None:
    allowed = "select has_schema_privilege('anon', 'public', 'usage')"
    assert await owner.fetchval(allowed) is True
    await owner.execute("revoke all on schema public from public, anon")
    assert await owner.fetchval(allowed) is False
    await owner.execute("grant usage on schema public to anon; create table public.still_mine ()")
    assert await owner.fetchval(allowed) is True


async def test_the_owner_is_no_superuser(owner: Connection) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await owner.execute("create role root superuser")


async def test_every_connection_finds_extensions_without_their_schema(
    server: Server, folder: Path, services_template: str
) -> None:
    db = await migrated(server, folder, services_template)
    name = await db.fetchval("select current_database()")
    for user in ("postgres", "authenticator", postgres.SUPERUSER):
        other = await asyncpg.connect(server.url(name, user))
        assert await other.fetchval("show search_path") == '"$user", public, extensions', user
        await other.close()
    await db.close()


async def test_no_file_finds_what_another_set(
    server: Server, folder: Path, services_template: str
) -> None:
    (folder / "1_dump.sql").write_text("select pg_catalog.set_config('search_path', '', false);")
    (folder / "2_limit.sql").write_text("set statement_timeout = 1;")
    (folder / "3_plain.sql").write_text("create table plain (id uuid default uuid_generate_v4());")
    db = await migrated(server, folder, services_template)
    assert await db.fetchval("select to_regclass('public.plain')") is not None
    await db.close()


def test_a_cluster_of_before_gives_its_superuser_the_present_name(tmp_path: Path) -> None:
    cluster = postgres.embedded_cluster(tmp_path / "postgres", durable=False)
    try:
        _make_as_before(cluster)
        asyncio.run(_run(cluster.url(user="postgres"), NOTES))
        postgres.stop(cluster)
        (cluster.data / "compat.superuser").unlink()

        postgres.start(cluster)
        (tmp_path / "none").mkdir()
        asyncio.run(migrate(cluster.url(), tmp_path / "none"))

        for what, question in OWNERS.items():
            assert asyncio.run(_fetch(cluster.url(), question)) == "postgres", what
        superusers = "select string_agg(rolname, ',') from pg_roles where rolsuper"
        assert asyncio.run(_fetch(cluster.url(user="postgres"), superusers)) == postgres.SUPERUSER
    finally:
        postgres.stop(cluster)
        shutil.rmtree(tmp_path, ignore_errors=True)


def _make_as_before(cluster: postgres.Cluster) -> None:
    """A cluster as earlier versions made it: its superuser is `postgres`."""
    postgres.start(cluster)
    asyncio.run(_run(cluster.url(), "create role renaming superuser login"))
    asyncio.run(
        _run(cluster.url(user="renaming"), f"alter role {postgres.SUPERUSER} rename to postgres")
    )
    asyncio.run(_run(cluster.url(user="postgres"), "drop role renaming"))


async def _run(url: str, script: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(re.sub(r"^\s+", "", script))
    await connection.close()


async def _fetch(url: str, question: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(question)
    finally:
        await connection.close()


async def test_the_owner_may_make_what_is_in_the_schema_of_webhooks(owner: Connection) -> None:
    await owner.execute(
        "create table if not exists supabase_functions.hooks (id int);"
        " create table supabase_functions.sent (id int)"
    )


async def test_what_the_owner_makes_of_a_webhooks_row_runs_as_no_superuser(
    owner: Connection,
) -> None:
    await owner.execute(
        """
        create type public.mood as enum ('calm');
        create function public.told(public.mood) returns json language sql as
          $$ select to_json(rolsuper) from pg_roles where rolname = current_user $$;
        create cast (public.mood as json) with function public.told(public.mood);
        create table public.days (mood public.mood);
        create trigger hook after insert on public.days for each row execute function
          supabase_functions.http_request('http://example.com', 'POST', '{}', '{}', '1000');
        insert into public.days values ('calm')
        """
    )
    sent = await owner.fetchval("select convert_from(body, 'utf8') from net.http_request_queue")
    assert json.loads(sent)["record"] == {"mood": False}


async def test_what_the_owner_puts_in_place_of_users_runs_as_no_superuser(
    owner: Connection,
) -> None:
    session = await owner.fetchval(
        """
        with person as (insert into auth.users (id) values (gen_random_uuid()) returning id)
        insert into auth.sessions (id, user_id) select gen_random_uuid(), id from person returning id
        """
    )
    await owner.execute(
        """
        create function public.spy() returns boolean language plpgsql as $$ begin
          raise exception 'as %', current_user;
        end $$;
        set local role supabase_auth_admin;
        alter table auth.users rename to people;
        create view auth.users as select * from auth.people where public.spy();
        reset role
        """
    )
    with pytest.raises(asyncpg.RaiseError, match="as supabase_auth_admin"):
        await owner.fetch("select realtime.revoked_sessions(array[$1::uuid])", session)


async def test_an_exposed_schema_that_no_migration_makes_is_said_with_its_line(
    server: Server, services_database: str, tmp_path: Path
) -> None:
    (tmp_path / "supabase").mkdir()
    (tmp_path / "supabase/config.toml").write_text('[api]\nschemas = ["public", "shop"]')
    printed: list[str] = []
    url = server.url(server_clone(server, services_database))
    await migrate(url, None, project=open_project(str(tmp_path), {}), progress=printed.append)
    (line,) = printed
    assert line.startswith("warning: supabase/config.toml:2: api.schemas: no migration makes")
    assert line.endswith("the schema shop: REST waits for it, and answers 503")


async def test_extensions_in_public_keep_from_everybody_what_their_scripts_revoke(
    server: Server, services_template: str, folder: Path
) -> None:
    """dblink_connect_u logs in as whomever the server's socket trusts, without a password."""
    allowed = """
        select string_agg(rolname, ',' order by rolname) from pg_roles where has_function_privilege(
          oid, 'public.dblink_connect_u(text)', 'execute') and not rolsuper
    """
    (folder / "1_dblink.sql").write_text("create extension dblink with schema public")
    db = await migrated(server, folder, services_template)
    assert await db.fetchval(allowed) is None
    assert await db.fetchval(
        "select bool_and(has_function_privilege(role, 'public.dblink(text, text)', 'execute'))"
        " from unnest(array['anon', 'postgres']) as role"
    )
    # As in a database made before
    await db.execute("""
        drop extension dblink;
        alter default privileges in schema public grant all on functions to anon, postgres;
        create extension dblink with schema public
    """)
    assert await db.fetchval(allowed) is not None
    name = await db.fetchval("select current_database()")
    await migrate(server.url(name), folder)
    assert await db.fetchval(allowed) is None
    await db.execute("grant execute on function public.dblink_connect_u(text) to service_role")
    await migrate(server.url(name), folder)
    assert await db.fetchval(allowed) == "postgres,service_role"  # the one is the other's member
    await db.close()


@pytest.mark.parametrize("name", ["postgis", "wrappers", "pg_hashids", "pgroonga"])
async def test_nothing_of_its_schema_runs_in_the_script_of_an_extension(
    owner: Connection, name: str
) -> None:
    """A script runs as superuser, in the schema that whoever creates it names."""
    await owner.execute("""
        create schema planted;
        create table public.ran_as (who text);
        grant all on public.ran_as to public;
        create function public.spied() returns void language sql as
          $$ insert into public.ran_as values (current_user) $$;
    """)
    for kinds in ("text, text", "text, text, text", "text, text, text, text", "text, integer"):
        body = "begin perform public.spied(); return null; end"
        await owner.execute(
            f"create function planted.format({kinds}) returns text language plpgsql as $$ {body} $$"
        )
    await owner.execute(f"create extension {name} with schema planted")
    assert await owner.fetch("select who from public.ran_as") == []


async def test_helpers_of_tests_run_what_the_owner_plants_as_the_owner(owner: Connection) -> None:
    await owner.execute("""
        create extension "basejump-supabase_test_helpers";
        create function public.spy() returns trigger language plpgsql as $$ begin
          new.raw_app_meta_data := jsonb_build_object('ran_as', current_user); return new;
        end $$;
        create trigger spy before insert on auth.users
          for each row execute function public.spy();
        select tests.create_supabase_user('somebody')
    """)
    found = await owner.fetchval("select tests.get_supabase_user('somebody')")
    assert json.loads(found)["raw_app_meta_data"] == {"ran_as": "postgres"}

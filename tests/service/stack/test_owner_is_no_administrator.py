"""Nothing that the project's owner plants is run by the administrator who migrates and backs up."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from compat_stack.archive import backup
from compat_stack.archive.programs import Programs
from compat_stack.migrations.apply import migrate
from compat_stack.operate.project_commands import described
from compat_stack.project.folder import open_project
from tests.conftest import Server
from tests.harness_stack import start_stack

# Raises whoever runs it to the administrator and back, and keeps who could
SPY = """
create table public.ran_as (who text);
grant all on public.ran_as to public;
create function public.spied() returns boolean language plpgsql as $$ begin
  begin
    perform set_config('session_authorization', 'supabase_admin', false);
  exception when insufficient_privilege then null; end;
  insert into public.ran_as values (current_user);
  return true;
end $$;
create function public.spied_by_trigger() returns trigger language plpgsql as
  $$ begin perform public.spied(); return new; end $$;
"""
RAN_AS = "select string_agg(distinct who, ',' order by who) from public.ran_as"


class Project:
    """A database with a project's folder."""

    def __init__(self, server: Server, name: str, folder: Path) -> None:
        self.url, self._owners = server.url(name), server.url(name, "postgres")
        self.folder = folder
        (folder / "supabase/migrations").mkdir(parents=True)
        (folder / "supabase/config.toml").write_text("")

    def write(self, name: str, text: str) -> None:
        """A file of the project."""
        (self.folder / "supabase" / name).write_text(text)

    def migrate(self) -> None:
        """What every start does."""
        project = open_project(str(self.folder), {})
        asyncio.run(migrate(self.url, project.migrations, project=project))

    def plant(self, script: str) -> None:
        """Run statements as the project's owner, over a connection of the owner's own."""
        asyncio.run(self._answer(self._owners, script, None))

    def answer(self, question: str) -> object:
        """What the database answers to the administrator."""
        return asyncio.run(self._answer(self.url, "", question))

    async def _answer(self, url: str, script: str, question: str | None) -> object:
        connection = await asyncpg.connect(url)
        try:
            if question is None:
                return await connection.execute(script)
            return await connection.fetchval(question)
        finally:
            await connection.close()


@pytest.fixture
def project(server: Server, services_template: str, tmp_path: Path) -> Iterator[Project]:
    """A project that was started once."""
    name = server.clone(services_template)
    made = Project(server, name, tmp_path)
    made.migrate()
    yield made
    server.drop(name)


def test_a_view_in_place_of_the_record_of_migrations(project: Project) -> None:
    project.plant(f"""{SPY}
        alter table supabase_migrations.schema_migrations rename to kept;
        create view supabase_migrations.schema_migrations as
          select * from supabase_migrations.kept union all
          select '0', null, null where public.spied()
    """)
    project.write("migrations/0_first.sql", "select 1")
    project.migrate()
    assert project.answer(RAN_AS) == "postgres"


def test_a_trigger_on_the_buckets_that_the_configuration_makes(project: Project) -> None:
    project.plant(f"""{SPY}
        create trigger spy before insert on storage.buckets
          for each row execute function public.spied_by_trigger()
    """)
    project.write("config.toml", "[storage.buckets.photos]\npublic = true")
    project.migrate()
    assert project.answer("select name from storage.buckets") == "photos"
    assert project.answer(RAN_AS) == "postgres"


def test_a_trigger_that_a_migration_sets_off(project: Project) -> None:
    project.plant(f"""{SPY}
        create table public.notes (text text);
        create trigger spy before insert on public.notes
          for each row execute function public.spied_by_trigger()
    """)
    project.write("migrations/1_notes.sql", "insert into public.notes values ('a')")
    project.migrate()
    assert project.answer(RAN_AS) == "postgres"


def test_an_event_trigger_of_a_migration(project: Project) -> None:
    """It is made by the administrator, who afterwards makes things of its own."""
    project.write(
        "migrations/1_event.sql",
        f"""{SPY}
        create function public.spied_by_event() returns event_trigger language plpgsql as
          $$ begin perform public.spied(); end $$;
        create event trigger spy on ddl_command_end execute function public.spied_by_event();
        """,
    )
    project.write(
        "migrations/2_others.sql",
        """
        create table public.notes ();
        create extension file_fdw;
        do $$ begin execute format('alter database %I set "app.name" = %L', current_database(), 'a');
        end $$;
        """,
    )
    project.migrate()
    project.write("migrations/3_more.sql", "comment on extension file_fdw is 'files'")
    project.migrate()
    assert project.answer(
        "select obj_description(oid) from pg_extension where extname = 'file_fdw'"
    )
    assert project.answer(RAN_AS) == "postgres"


def test_nothing_is_administered_that_no_file_says(project: Project) -> None:
    for statement in ("alter role postgres superuser", "create extension file_fdw"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            project.plant(f"call compat.administrate('{statement}')")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        project.plant("insert into compat.approved_statements values (default, '.', true)")


def test_what_a_block_composes_stays_what_its_file_says(project: Project) -> None:
    project.write(
        "migrations/1_settings.sql",
        """
        do $$ declare value text := 'x''; alter role postgres superuser; --'; begin
          execute 'alter database postgres set app.name = ''' || value || '''';
        end $$;
        """,
    )
    with pytest.raises(Exception, match="what a migration says"):
        project.migrate()
    assert not project.answer("select rolsuper from pg_roles where rolname = 'postgres'")


def test_functions_by_the_names_that_a_backup_calls(project: Project, server: Server) -> None:
    project.plant(f"""{SPY}
        create function public.format(text, text) returns text language sql volatile as
          $$ select pg_catalog.format($1, variadic array[$2]) where public.spied() $$;
        create function public.format(text, name, text) returns text language sql volatile as
          $$ select pg_catalog.format($1, variadic array[$2::text, $3]) where public.spied() $$;
        create function public.count(name) returns bigint language sql volatile as
          $$ select 1 where public.spied() $$;
    """)
    programs = Programs(server.cluster.programs, project.url)
    assert programs.query(Path(backup.__file__).with_name("roles.sql").read_text())
    described(project.url, ["public", "auth"], ["public"])
    assert project.answer(RAN_AS) is None


def test_functions_by_the_names_that_a_node_calls(project: Project, tmp_path: Path) -> None:
    """Whoever owns a database says where its sessions look, even before pg_catalog."""
    project.plant(f"""{SPY}
        create function public.clock_timestamp() returns timestamptz language sql volatile as
          $$ select pg_catalog.clock_timestamp() where public.spied() $$;
        create function public.pg_backend_pid() returns integer language sql volatile as
          $$ select pg_catalog.pg_backend_pid() where public.spied() $$;
        create function public.current_setting(text) returns text language sql volatile as
          $$ select pg_catalog.current_setting($1) where public.spied() $$;
    """)
    (name,) = re.findall(r"/(t\d+_\d+)", project.url)
    project.plant(f"alter database {name} set search_path to public, pg_catalog")
    node = start_stack(tmp_path / "data", DATABASE_URL=project.url)
    node.stop()
    assert "supabase_admin" not in str(
        project.answer(RAN_AS.replace("string_agg", "pg_catalog.string_agg"))
    )


def test_a_server_with_passwords_lets_the_owner_in_by_a_role_that_is_nobody_else(
    strict_server: Server, tmp_path: Path
) -> None:
    strict_server.run("create database strict")
    project = Project(strict_server, "strict", tmp_path)
    project.write(
        "migrations/1_who.sql",
        "create table public.who as select session_user::text as login, current_user::text as who;"
        " create extension file_fdw;"
        " set role anon; reset role; create table public.owned ()",
    )
    project.migrate()
    login, current = str(project.answer("select login || ' ' || who from public.who")).split()
    assert login.startswith("compat_project_")
    assert current == "postgres"
    owner = "select relowner::regrole::text from pg_class where relname = 'owned'"
    assert project.answer(owner) == "postgres"

"""A project's files applied to a new database: what works, and one sentence for what does not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import asyncpg
import pytest

from compat_base.values.errors import OperatorError
from compat_stack.migrations.apply import migrate
from compat_stack.migrations.project_data import AS_RECORDED, MigrationTarget
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
        self.printed: list[str] = []

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, text in files.items():
            file = self.folder / "supabase" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())

    async def apply(
        self,
        files: Mapping[str, str | bytes],
        environment: Mapping[str, str] | None = None,
        until: MigrationTarget = AS_RECORDED,
    ) -> None:
        self.write({"config.toml": "", **files})
        self.printed.clear()
        project = open_project(str(self.folder), environment or {})
        await migrate(
            self.url, project.migrations, project=project, until=until, progress=self.printed.append
        )

    async def fetch(self, query: str) -> object:
        connection = await asyncpg.connect(self.url)
        try:
            return await connection.fetchval(query)
        finally:
            await connection.close()


@pytest.fixture
async def applied(server: Server, services_template: str, tmp_path: Path) -> Applied:
    one = Applied(server.url(server_clone(server, services_template)), tmp_path)
    await one.fetch("drop table supabase_migrations.schema_migrations")  # as before a first project
    return one


async def test_the_experimental_schema_is_there_in_place_of_migrations(applied: Applied) -> None:
    await applied.apply(SCHEMAS, EXPERIMENTAL)
    assert applied.printed == [
        "applying supabase/schemas/b.sql", "applying supabase/schemas/a.sql",
        "seeding supabase/seed.sql",
    ]  # fmt: skip
    assert await applied.fetch("select count(*) from books") == 1
    await applied.apply({})
    assert applied.printed == ["1 migrations of the project wait for `migration up`"]


async def test_an_experimental_schema_that_fails_leaves_nothing_of_itself(applied: Applied) -> None:
    broken = SCHEMAS | {"schemas/a.sql": "create table notes (\n  id nothing\n);"}
    with pytest.raises(OperatorError, match=r'^supabase/schemas/a.sql:2 failed: type "nothing"'):
        await applied.apply(broken, EXPERIMENTAL)
    await applied.apply(SCHEMAS, EXPERIMENTAL)
    assert await applied.fetch("select count(*) from books") == 1


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
    assert applied.printed == ["migrating 1_a", "seeding supabase/seed.sql"]


async def test_migrations_up_to_a_version_are_no_experimental_schema(applied: Applied) -> None:
    await applied.apply(
        SCHEMAS | {"seed.sql": ""}, EXPERIMENTAL, MigrationTarget("1", is_chosen=True)
    )
    assert "migrating 1_a" in applied.printed


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (
            {"migrations/1_a.sql": "select 1;\nselect nothing;"},
            'the migration 1_a.sql:2 failed: column "nothing" does not exist: mend',
        ),
        (
            {"migrations/1_a.sql": "select 1;\n\n-- halves\nselect 1 / 0;\nselect 2;"},
            "the migration 1_a.sql:4 failed: division by zero: mend",
        ),
        (
            {
                "migrations/1_a.sql": "create extension plpgsql_check;\n"
                "alter role authenticator set pgrst.db_max_rows = 5;\n"
                "comment on extension pgcrypto is 'x';\nselect nothing();"
            },
            "the migration 1_a.sql:4 failed: function nothing() does not exist",
        ),
        (
            {"migrations/1_a.sql": "begin;\nselect 1;\ncommit;\n\nselect nothing;"},
            'the migration 1_a.sql:5 failed: column "nothing" does not exist',
        ),
        (
            {"migrations/1_a.sql": "vacuum;\n\nselect nothing;"},
            'the migration 1_a.sql:3 failed: column "nothing" does not exist',
        ),
        (
            {"migrations/1_a.sql": "\nselect $$ unclosed\nat all;\n"},
            'at or near "$$ unclosed at all; ": mend',
        ),
        (
            {"migrations/1_a.sql": "select 1", "seed.sql": "select $$" + "ñ\n" * 30_000},
            " ñ ñ …: mend the file",
        ),
        (
            {"migrations/1_a.sql": "select 1;\r\n\r\nselect nothing;\r\n"},
            'the migration 1_a.sql:3 failed: column "nothing" does not exist',
        ),
        ({"migrations/1_a.sql": b"\xff\xfes\0"}, "1_a.sql is not UTF-8 (at byte 0)"),
        ({"migrations/1_a.sql": b"s\0"}, "1_a.sql is damaged, it has a NUL byte"),
        (
            {"migrations/1_a.sql": "", "seed.sql": "select 1".encode("utf-16")},
            "seed.sql is not UTF-8 (at byte 0)",
        ),
        (
            {"migrations/1_a.sql": "", "migrations/1_b.sql": ""},
            "have the version 1: 1_a.sql and 1_b.sql",
        ),
        (
            {"migrations/1_a.sql": "\\set name 'x'\nselect 1;\n\\i other.sql"},
            "the migration 1_a.sql:3: \\i is a command of psql's, which does not run this file",
        ),
        (
            {"migrations/1_a.sql": "create table t (id int);", "seed.sql": "\\copy t from 'x'"},
            "supabase/seed.sql:1: \\copy is a command of psql's",
        ),
        (
            {
                "migrations/1_a.sql": "create table t (id int);",
                "seed.sql": "select 1;\ncopy t from stdin;\n1\nx\n\\.\n",
            },
            'supabase/seed.sql:2 failed: invalid input syntax for type integer: "x"',
        ),
        (
            {
                "migrations/1_a.sql": "create table t (id int);",
                "seed.sql": "copy t from stdin csv;\n1\n\\.\n",
            },
            "supabase/seed.sql:1: rows in the file are read in the text format alone",
        ),
        (
            {"migrations/1_a.sql": "select 1", "seed.sql": "select 'ñññññññ';\n" * 300_000 + "oh"},
            "supabase/seed.sql:300001 failed: syntax error",
        ),
        (
            {"migrations/1_a.sql": "select 1", "roles.sql": "\ncreate role;"},
            "supabase/roles.sql:2 failed: syntax error",
        ),
        (
            {"migrations/1_a.sql": "alter system set work_mem = '8MB';"},
            'the migration 1_a.sql:1 failed: permission denied to set parameter "work_mem"',
        ),
        (
            {"migrations/1_a.sql": "create extension plv8;\ncreate function f() returns int"
             " language plv8 as 'return 1';"},
            'the migration 1_a.sql:2 failed: language "plv8" does not exist',
        ),
    ],
)  # fmt: skip
async def test_what_fails_is_one_sentence_with_file_and_line(
    applied: Applied, files: dict[str, str | bytes], sentence: str
) -> None:
    with pytest.raises(OperatorError) as refused:
        await applied.apply(files)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


async def test_bytes_that_are_no_utf8_are_replaced_as_by_the_cli_and_said(applied: Applied) -> None:
    await applied.apply({
        "migrations/1_a.sql": b"create table t (x text); -- caf\xe9",
        "seed.sql": b"insert into t values ('caf\xe9')",
    })  # fmt: skip
    assert applied.printed == [
        "the migration 1_a.sql is not UTF-8 (at byte 31): what is not is read as U+FFFD",
        "migrating 1_a",
        "seeding supabase/seed.sql",
        "the seed seed.sql is not UTF-8 (at byte 26): what is not is read as U+FFFD",
    ]
    assert await applied.fetch("select x from t") == "caf\ufffd"
    await applied.apply({})
    assert "edited" not in " ".join(applied.printed)


async def test_a_pulled_schema_gives_rights_on_functions_that_our_postgis_lacks(
    applied: Applied,
) -> None:
    function = '"public"."st_x"("public"."geometry")'
    await applied.apply({
        "migrations/1_a.sql": 'create extension if not exists "postgis" with schema "public";\n'
        'GRANT ALL ON FUNCTION "public"."box2df_in"("cstring") TO "anon";\n'
        'REVOKE ALL ON FUNCTION "public"."postgis_stats"("cstring") FROM "anon";\n'
        f"GRANT ALL ON FUNCTION {function} TO dashboard_user;",
    })  # fmt: skip
    given = f"has_function_privilege('dashboard_user', '{function}', 'execute')"
    assert await applied.fetch(f"select {given}") is True


async def test_collations_of_icu_are_there_and_compare_by_code_point(applied: Applied) -> None:
    await applied.apply({
        "migrations/1_a.sql": "create collation if not exists ci (\n  provider = icu,\n"
        "  locale = 'und-u-ks-level2',\n  deterministic = false\n);\n"
        'create collation "public"."Numeric" (locale = \'en-u-kn-true\', provider = \'icu\');\n'
        'create table t (a text collate ci unique, b text collate "und-x-icu");',
        "migrations/2_b.sql": 'create index on t (b collate pg_catalog."de-x-icu");\n'
        "create function first_of() returns text language sql set search_path = '' as\n"
        '  $$ select b from public.t order by b collate "en-US-x-icu" limit 1 $$;\n'
        "insert into t values ('a', 'b'), ('A', 'Z'), ('é', 'é');",
    })  # fmt: skip
    warned = [line for line in applied.printed if "this server has no ICU" in line]
    assert [line.partition(": the collation ")[2].split()[0] for line in warned] == [
        "ci",
        "Numeric",
    ]
    assert await applied.fetch("select first_of()") == "Z"
    assert await applied.fetch("select string_agg(upper(a), '' order by a) from t") == "AAÉ"


async def test_what_lz4_would_compress_is_compressed_by_the_servers_own_way(
    applied: Applied,
) -> None:
    await applied.apply({
        "migrations/1_a.sql": "set default_toast_compression = 'lz4';\n"
        "create table t (a text compression lz4 default 'compression', b jsonb);\n"
        'alter table only "public"."t" alter column "b" set compression "lz4";\n'
        "do $$ begin alter table t alter column a set compression lz4; end $$;",
    })  # fmt: skip
    assert await applied.fetch("select count(*) from pg_attribute where attcompression = 'p'") == 2


async def test_a_collation_in_many_lines_leaves_the_lines_after_it(applied: Applied) -> None:
    collation = "create collation ci (\n  provider = icu,\n  locale = 'und'\n);\n"
    with pytest.raises(OperatorError, match=r"1_a\.sql:5 failed"):
        await applied.apply({"migrations/1_a.sql": f"{collation}select nothing;"})


async def test_files_are_read_however_they_were_saved(applied: Applied) -> None:
    await applied.apply({
        "migrations/1_a.sql": b"\xef\xbb\xbfcreate table t (id int,\r\n  x text);\r\n",
        "migrations/2_a b ñ.sql": "",
        "migrations/3_c.sql": "-- nothing yet",
        "migrations/4_d.sql": "begin;\ncreate table u ();\ncommit;\ncreate table v ();",
        "migrations/5_e.sql": "create index concurrently on t (id);\nvacuum analyze t;",
        "seed.sql": b"\\connect postgres\r\nCOPY t (id, x) FROM stdin;\r\n1\ta\r\n\\.\r\n"
        b"insert into t values (2, 'b');\r\n",
    })  # fmt: skip
    assert len(applied.printed) == 6
    assert await applied.fetch("select string_agg(id || x, ',' order by id) from t") == "1a,2b"
    assert await applied.fetch("select to_regclass('v') is not null")


async def test_a_link_is_the_file_that_it_names(applied: Applied) -> None:
    (applied.folder / "shared.sql").write_text("create table t ();")
    (applied.folder / "supabase/migrations").mkdir(parents=True)
    (applied.folder / "supabase/migrations/1_a.sql").symlink_to("../../shared.sql")
    (applied.folder / "supabase/migrations/2_b.sql").symlink_to("../../nowhere.sql")
    with pytest.raises(OperatorError, match=r"2_b\.sql cannot be read \(No such file"):
        await applied.apply({})
    (applied.folder / "supabase/migrations/2_b.sql").unlink()
    await applied.apply({})
    assert await applied.fetch("select to_regclass('t') is not null")

"""A Supabase project's folder, served as it is."""

from __future__ import annotations

import asyncio
import hashlib
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.harness_stack import ROOMY, Stack, run_stack, start_stack
from tests.harness_workers import until

CONFIG = """
project_id = "notebook"
[api]
schemas = ["public", "shop"]
max_rows = 2
prot = 1
[db.seed]
sql_paths = ["./seeds/*.sql"]
[auth]
minimum_password_length = 9
enable_anonymous_sign_ins = true
[auth.external.github]
enabled = true
client_id = "env(GITHUB_ID)"
secret = "hush"
[auth.email]
enable_confirmations = true
[auth.email.template.confirmation]
subject = "Welcome to the notebook"
content_path = "./supabase/templates/confirmation.html"
[storage.buckets.pictures]
public = true
file_size_limit = "1KiB"
objects_path = "./pictures"
[db]
major_version = 15
[db.vault]
shop_key = "sk-1"
"""
FILES = {
    "config.toml": CONFIG,
    ".env": "GITHUB_ID=from-dotenv\n",
    "roles.sql": "create role notebook_reader nologin;",
    "migrations/20240102000000_notes.sql": (
        "create table public.notes (id int primary key, body text);\n"
        "grant select on public.notes to notebook_reader;\n"
        "select pg_catalog.set_config('search_path', '', false);"
    ),
    "migrations/20240101000000_shop.sql": (
        "create schema shop; grant usage on schema shop to anon;"
        " create table shop.items (id int); grant select on shop.items to anon;"
    ),
    "migrations/20240103000000_at_once.sql": (
        "create index concurrently notes_body on notes (body);"
    ),
    "migrations/20240104000000_by_days.sql": (
        "create table days (day int);\n"
        "create procedure fill() language plpgsql as $$ begin\n"
        "  for n in 1..3 loop insert into days values (n); commit; end loop; end $$;\n"
        "copy days from stdin;\n4\n\\.\ncall fill(); vacuum days;"
    ),
    "migrations/notes.txt": "no migration",
    "pictures/set 1/a b.txt": "one",
    "pictures/large.bin": "x" * 1100,
    "seeds/1.sql": "insert into notes values (1, 'one');",
    "seeds/2.sql": "insert into notes select n, 'more' from generate_series(2, 9) n;",
    "seeds/3.sql": (
        "\ufeff\\restrict abc\r\nset row_security = off;\r\n"
        "select pg_catalog.set_config('search_path', '', false);\r\n\\connect postgres\r\n"
        'COPY "public"."notes" ("id", "body") FROM stdin;\r\n10\tit\'s; $$\r\n11\t\\N\r\n\\.\r\n'
        'alter table public.notes owner to "postgres";\r\n\\unrestrict abc\r\n'
    ),
    "templates/confirmation.html": "<h1>Your code: {{ .Token }}</h1>",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = folder / "supabase" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def call(stack: Stack, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    headers = {"apikey": stack.keys["SUPABASE_ANON_KEY"], "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(stack.url + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read() or b"null")


def rows(stack: Stack, query: str) -> list[tuple[Any, ...]]:
    async def fetch_rows() -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(stack.keys["DATABASE_URL"])
        try:
            return [tuple(row) for row in await connection.fetch(query)]
        finally:
            await connection.close()

    return asyncio.run(fetch_rows())


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("notebook"), FILES)


@pytest.fixture(scope="module")
def served(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    data = tmp_path_factory.mktemp("data") / "data"
    stack = start_stack(data, SUPABASE_DIR=str(project), DATABASE_PORT="0", **ROOMY)
    yield stack
    stack.stop()


def test_the_start_names_the_project_and_not_the_planner(served: Stack):
    printed = "".join(served.output)
    assert "notebook is running" in printed
    assert "Planes" not in printed


def test_what_is_not_read_is_said(served: Stack):
    printed = "".join(served.output)
    assert "supabase/config.toml:6: api.prot is no key that is known here" in printed
    assert "skipping notes.txt" in printed


def test_the_vault_has_the_secrets_of_the_file(served: Stack):
    query = "select decrypted_secret from vault.decrypted_secrets where name = 'shop_key'"
    assert rows(served, query) == [("sk-1",)]


def test_what_dumps_of_an_older_hosted_database_name_is_there(served: Stack):
    rows(served, "select setval('pgsodium.key_key_id_seq', 1, false)")


def test_no_page_of_the_planner_is_served(served: Stack):
    for path in ("/", "/entrar", "/assets/x.js", "/unsubscribe?ficha=x"):
        assert call(served, "GET", path) == (404, {"message": "no Route matched with those values"})


def test_migrations_are_recorded_as_the_cli_records_them(served: Stack):
    found = rows(
        served,
        "select version, name, statements from supabase_migrations.schema_migrations order by 1",
    )
    assert [(version, name) for version, name, _ in found] == [
        ("20240101000000", "shop"),
        ("20240102000000", "notes"),
        ("20240103000000", "at_once"),
        ("20240104000000", "by_days"),
    ]
    assert found[1][2] == [
        "create table public.notes (id int primary key, body text)",
        "grant select on public.notes to notebook_reader",
        "select pg_catalog.set_config('search_path', '', false)",
    ]


def test_the_planners_tables_are_not_there(served: Stack):
    assert rows(served, "select to_regclass('public.actividades')") == [(None,)]


def test_seeds_are_recorded_with_their_hash(served: Stack):
    text = FILES["seeds/1.sql"].encode()
    found = rows(served, "select path, hash from supabase_migrations.seed_files order by path")
    assert found[0] == ("supabase/seeds/1.sql", hashlib.sha256(text).hexdigest())
    assert len(found) == 3


def test_a_dump_with_rows_and_lines_of_psqls_is_a_seed(served: Stack):
    query = "select id, body from notes where id > 9 order by id"
    assert rows(served, query) == [(10, "it's; $$"), (11, None)]


def test_an_index_that_wants_no_transaction_is_made(served: Stack):
    query = "select indisvalid from pg_index where indexrelid = 'public.notes_body'::regclass"
    assert rows(served, query) == [(True,)]


def test_a_procedure_that_commits_and_rows_beside_it_are_run_a_statement_at_a_time(served: Stack):
    assert rows(served, "select count(*)::int from days") == [(4,)]


def test_the_schemas_and_the_greatest_number_of_rows_are_the_files(served: Stack):
    status, found = call(served, "GET", "/rest/v1/notes?select=id")
    assert (status, len(found)) == (200, 2)
    request = urllib.request.Request(
        served.url + "/rest/v1/items",
        headers={"apikey": served.keys["SUPABASE_ANON_KEY"], "accept-profile": "shop"},
    )
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200


def test_sign_up_obeys_the_file(served: Stack):
    short = {"email": "a@example.com", "password": "12345678"}
    status, body = call(served, "POST", "/auth/v1/signup", short)
    assert (status, body["error_code"]) == (422, "weak_password")
    status, body = call(served, "POST", "/auth/v1/signup", {**short, "password": "123456789"})
    assert status == 200
    assert "access_token" not in body  # the address is to be confirmed
    assert call(served, "POST", "/auth/v1/signup", {})[0] == 200  # anonymously


def test_the_mail_is_the_projects_own(served: Stack):
    person = {"email": "mail@example.com", "password": "123456789"}
    assert call(served, "POST", "/auth/v1/signup", person)[0] == 200
    mails = [file.read_text() for file in (served.data_dir / "mailbox").glob("*")]
    mail = next(each for each in mails if "mail@example.com" in each)
    assert "Welcome to the notebook" in mail
    assert "Your code:" in mail


def test_a_provider_has_its_secrets_and_its_way_back(served: Stack):
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_arguments: Any) -> None:
            return None

    opener = urllib.request.build_opener(Stay)
    with pytest.raises(urllib.error.HTTPError) as caught:
        opener.open(f"{served.url}/auth/v1/authorize?provider=github")
    with caught.value as answer:
        location = answer.headers["location"]
    assert "client_id=from-dotenv" in location
    assert "auth%2Fv1%2Fcallback" in location


def test_the_files_of_a_bucket_are_uploaded(served: Stack):
    path = "/storage/v1/object/public/pictures/set%201/a%20b.txt"

    def answer() -> tuple[int, bytes, str]:
        try:
            with urllib.request.urlopen(served.url + path) as found:
                return found.status, found.read(), found.headers["content-type"]
        except urllib.error.HTTPError as error:
            with error:
                return error.code, b"", ""

    until(lambda: answer() == (200, b"one", "text/plain"), "the file is there")
    until(lambda: any("object_not_uploaded" in line for line in served.output), "it is said")
    (warning,) = [line for line in served.output if "object_not_uploaded" in line]
    assert "large.bin was not uploaded: The object exceeded the maximum allowed size" in warning


def test_the_buckets_of_the_file_are_there(served: Stack):
    query = "select id, public, file_size_limit from storage.buckets"
    assert rows(served, query) == [("pictures", True, 1024)]


def test_another_start_seeds_nothing_and_takes_an_edit_for_what_it_is(
    tmp_path: Path,
):
    files = {
        "migrations/1_a.sql": "create table t (id int);",
        "seed.sql": "insert into t values (1);",
    }
    folder = write(tmp_path, files)
    settings = {"SUPABASE_DIR": str(folder), "DATABASE_PORT": "0"}
    first = run_stack(tmp_path / "data", "migrate", **settings)
    assert "seeding supabase/seed.sql" in first.stdout
    write(tmp_path, {"migrations/1_a.sql": "create table t (id bigint);", "other.sql": ""})
    second = run_stack(tmp_path / "data", "migrate", **settings)
    assert second.returncode == 0
    assert "seeding" not in second.stdout
    assert "1_a.sql was edited after it was applied" in second.stdout


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"config.toml": "[api\n"}, "supabase/config.toml:1: "),
        (
            {"config.toml": '[api]\nport = "x"'},
            "supabase/config.toml:2: api.port must be a whole number",
        ),
        (
            {"migrations/1_a.sql": "select 1", "seed.sql": "select 1;\nselect 1 / 0;"},
            "supabase/seed.sql:2 failed: division by zero",
        ),
    ],
)
def test_what_fails_ends_the_command_with_one_sentence(
    tmp_path: Path, files: dict[str, str], sentence: str
):
    write(tmp_path, {"config.toml": "", **files})
    done = run_stack(tmp_path / "data", "migrate", "--project", str(tmp_path), DATABASE_PORT="0")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr


def test_what_a_service_refuses_is_told_with_its_place_in_the_file(tmp_path: Path):
    write(tmp_path, {"config.toml": "[auth]\n\nsite_url = '{{ORIGIN}}'", "migrations/a.md": ""})
    done = run_stack(tmp_path / "data", "serve", "--project", str(tmp_path), DATABASE_PORT="0")
    assert done.returncode == 1
    assert done.stderr.startswith("error: supabase/config.toml:3: auth.site_url: GOTRUE_SITE_URL")


def test_a_seed_that_failed_is_run_again_at_the_next_start(tmp_path: Path):
    folder = write(tmp_path, {"migrations/1_a.sql": "create table t (id int);", "seed.sql": "oh"})
    settings = {"SUPABASE_DIR": str(folder), "DATABASE_PORT": "0"}
    assert run_stack(tmp_path / "data", "migrate", **settings).returncode == 1
    write(tmp_path, {"seed.sql": "insert into t values (1);"})
    done = run_stack(tmp_path / "data", "migrate", **settings)
    assert done.returncode == 0
    assert "seeding supabase/seed.sql" in done.stdout


def test_a_folder_without_a_project_is_refused(tmp_path: Path):
    done = run_stack(tmp_path / "data", "serve", "--project", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert "is no Supabase project" in done.stderr
    done = run_stack(tmp_path / "data", "serve", "--project", str(tmp_path / "gone"))
    assert (done.returncode, done.stderr) == (1, f"error: there is no {tmp_path / 'gone'}\n")

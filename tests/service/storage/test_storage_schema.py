"""The schema as the original leaves it: tables, functions, triggers, grants (storage reference 12)."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from compat_base.postgres.sqlfiles import SQL_FOLDER
from tests.harness_storage import USER, Storage

COLUMNS = {
    "buckets": "id:text! name:text! owner:uuid created_at:timestamptz updated_at:timestamptz"
    " public:bool avif_autodetection:bool file_size_limit:int8 allowed_mime_types:_text"
    " owner_id:text type:buckettype! versioning_status:text!",
    "objects": "id:uuid! bucket_id:text name:text owner:uuid created_at:timestamptz"
    " updated_at:timestamptz last_accessed_at:timestamptz metadata:jsonb path_tokens:_text"
    " version:text owner_id:text user_metadata:jsonb archived_at:timestamptz"
    " is_delete_marker:bool! is_versioned:bool!",
    "s3_multipart_uploads": "id:text! in_progress_size:int8! upload_signature:text!"
    " bucket_id:text! key:text! version:text! owner_id:text created_at:timestamptz!"
    " user_metadata:jsonb metadata:jsonb",
    "s3_multipart_uploads_parts": "id:uuid! upload_id:text! size:int8! part_number:int4!"
    " bucket_id:text! key:text! etag:text! owner_id:text version:text! created_at:timestamptz!",
    "migrations": "id:int4! name:varchar! hash:varchar! executed_at:timestamp",
}


@pytest.fixture(scope="module", autouse=True)
async def files(storage: Storage):
    await storage.bucket("b")
    for name in ("a.txt", "folder/one.txt", "folder/deep/two.txt"):
        await storage.put(f"b/{name}")


@pytest.mark.parametrize("table", COLUMNS)
async def test_a_table_has_the_originals_columns(storage: Storage, table: str):
    rows = await storage.rows(
        "select attname || ':' || typname || case when attnotnull then '!' else '' end as described"
        " from pg_attribute join pg_type on pg_type.oid = atttypid"
        " where attrelid = ('storage.' || $1)::regclass and attnum > 0 and not attisdropped",
        table,
    )
    assert sorted(row["described"] for row in rows) == sorted(COLUMNS[table].split())


async def test_the_originals_record_of_its_migrations_is_complete(storage: Storage):
    [row] = await storage.rows(
        "select count(*) as count, max(id) as last,"
        " (array_agg(name order by id desc))[1] as name from storage.migrations"
    )
    assert dict(row) == {"count": 64, "last": 63, "name": "fix-search-name-relative-to-prefix"}


async def test_triggers_of_earlier_releases_that_kept_folders_are_removed(storage: Storage):
    connection = await asyncpg.connect(storage.url)
    try:
        await connection.execute("""
            create function public.keep_folder() returns trigger language plpgsql
              as $$ begin raise exception 'kept'; end $$;
            create trigger objects_insert_create_prefix before insert on storage.objects
              for each row execute function public.keep_folder();
            create trigger objects_delete_delete_prefix after delete on storage.objects
              for each row execute function public.keep_folder();
        """)
        await connection.execute((SQL_FOLDER / "storage/0016_folder_triggers.sql").read_text())
    finally:
        await connection.close()
    await storage.put("b/later/one.txt")
    assert (await storage.call("DELETE", "/object/b/later/one.txt")).status_code == 200


async def test_every_table_has_row_level_security_and_no_policy(storage: Storage):
    rows = await storage.rows(
        "select relname, relrowsecurity from pg_class"
        " where relnamespace = 'storage'::regnamespace and relkind = 'r'"
    )
    assert [row["relname"] for row in rows if not row["relrowsecurity"]] == []
    assert (
        await storage.rows("select policyname from pg_policies where schemaname = 'storage'") == []
    )


async def test_the_tables_of_the_originals_cloud_are_there_and_empty(storage: Storage):
    for table in (
        "buckets_analytics", "buckets_vectors", "vector_indexes", "iceberg_namespaces",
        "iceberg_tables",
    ):  # fmt: skip
        assert await storage.rows_as_anon(f"select count(*) from storage.{table}") == [0]


@pytest.mark.parametrize("role", ["anon", "authenticated", "service_role"])
async def test_what_the_api_roles_may_ask_of_the_tables(storage: Storage, role: str):
    [row] = await storage.rows(
        "select has_schema_privilege($1, 'storage', 'usage') as schema,"
        " has_table_privilege($1, 'storage.objects', 'select,insert,update,delete') as objects,"
        " has_table_privilege($1, 'storage.buckets', 'select,insert,update,delete') as buckets,"
        " has_table_privilege($1, 'storage.s3_multipart_uploads', 'select') as seen,"
        " has_table_privilege($1, 'storage.s3_multipart_uploads', 'insert') as made",
        role,
    )
    is_service = role == "service_role"
    assert tuple(row.values()) == (True, True, True, True, is_service)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("storage.foldername('a/b/c.txt')", ["a", "b"]),
        ("storage.foldername('c.txt')", []),
        ("storage.foldername('')", None),
        ("storage.filename('a/b/c.txt')", "c.txt"),
        ("storage.filename('a/')", ""),
        ("storage.filename('')", None),
        ("storage.extension('a/b.tar.gz')", "gz"),
        ("storage.extension('a/noext')", "noext"),
        ("storage.extension('')", None),
        ("storage.operation()", None),
        ("storage.allow_only_operation('object.list')", False),
        ("storage.allow_any_operation(null)", False),
    ],
)
async def test_a_function_of_policies(storage: Storage, expression: str, value: object):
    [row] = await storage.rows(f"select {expression} as value")
    assert row["value"] == value


async def test_an_operation_is_equal_with_and_without_its_prefix(storage: Storage):
    connection = await asyncpg.connect(storage.url)
    try:
        await connection.execute("set storage.operation = 'storage.object.list'")
        for arguments, holds in (
            ("'object.list'", True), ("'storage.object.list'", True), ("'object.list_v2'", False),
            ("''", False), ("null", False),
        ):  # fmt: skip
            query = f"select storage.allow_only_operation({arguments})"
            assert await connection.fetchval(query) is holds, arguments
        many = "select storage.allow_any_operation(array['object.upload', 'object.list', null])"
        assert await connection.fetchval(many) is True
    finally:
        await connection.close()


async def test_sizes_are_summed_by_bucket(storage: Storage):
    [row] = await storage.rows("select * from storage.get_size_by_bucket() where bucket_id = 'b'")
    assert row["size"] == 15


async def test_whether_an_object_may_be_inserted_is_tried_and_rolled_back(storage: Storage):
    statement = f"select storage.can_insert_object('b', 'tried', '{USER}', '{{}}')"
    with pytest.raises(asyncpg.PostgresError) as tried:
        await storage.run(statement)
    assert tried.value.sqlstate == "PT200"
    assert await storage.rows("select from storage.objects where name = 'tried'") == []


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("storage.search('', 'b')", ["a.txt", "folder"]),
        ("storage.search('folder/', 'b')", ["deep", "one.txt"]),
        ("storage.search('', 'b', 1, 1, 1)", ["folder"]),
        ("storage.search('', 'b', 100, 1, 0, 'FOL')", ["folder"]),
        ("storage.search('', 'b', sortorder => 'desc')", ["folder", "a.txt"]),
        ("storage.search_v2('folder/', 'b')", ["folder/deep", "folder/one.txt"]),
        ("storage.search_v2('', 'b', 100, 1, 'a.txt')", ["folder"]),
        ("storage.list_objects_with_delimiter('b', '', '/')", ["a.txt", "folder"]),
        ("storage.list_objects_with_delimiter('b', 'folder/', '/', 1)", ["folder/deep"]),
    ],
)
async def test_a_list_by_sql(storage: Storage, call: str, names: list[str]):
    assert [row["name"] for row in await storage.rows(f"select name from {call}")] == names


@pytest.mark.parametrize("table", ["objects", "buckets"])
async def test_deleting_by_sql_is_refused_unless_it_is_allowed(storage: Storage, table: str):
    statement = f"delete from storage.{table} where id::text = 'none'"
    with pytest.raises(asyncpg.InsufficientPrivilegeError) as refused:
        await storage.run(statement)
    assert refused.value.as_dict()["message"] == (
        "Direct deletion from storage tables is not allowed. Use the Storage API instead."
    )
    await storage.run(f"set storage.allow_delete_query = 'true'; {statement}")


async def test_a_bucket_made_by_sql_has_a_name_of_at_most_100_characters(storage: Storage):
    await storage.run("insert into storage.buckets (id, name, public) values ('sql', 'sql', true)")
    assert (await storage.call("GET", "/bucket/sql")).json()["public"] is True
    long: Any = "x" * 101
    with pytest.raises(asyncpg.RaiseError) as refused:
        await storage.run(f"insert into storage.buckets (id, name) values ('long', '{long}')")
    assert str(refused.value) == f'bucket name "{long}" is too long (101 characters). Max is 100.'


async def test_an_objects_row_may_be_referred_to_and_is_then_kept(storage: Storage):
    await storage.put("b/referred")
    await storage.run(
        "create table public.pictures (object uuid references storage.objects)",
        "insert into public.pictures select id from storage.objects where name = 'referred'",
    )
    refused = await storage.call("DELETE", "/object/b/referred")
    assert (refused.status_code, refused.json()["code"]) == (400, "ResourceReferenced")
    assert (await storage.call("GET", "/object/b/referred")).content == b"hello"


async def test_an_update_by_sql_sets_its_time(storage: Storage):
    await storage.put("b/changed")
    await storage.run(
        "update storage.objects set updated_at = '2001-01-01' where name = 'changed'",
        "update storage.objects set user_metadata = '{}' where name = 'changed'",
    )
    [row] = await storage.rows(
        "select updated_at > now() - interval '1 hour' as is_new, path_tokens"
        " from storage.objects where name = 'changed'"
    )
    assert (row["is_new"], row["path_tokens"]) == (True, ["changed"])

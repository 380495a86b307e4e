"""The extensions that Supabase's projects create: each can be created by `postgres`, and works."""

from __future__ import annotations

import json
from pathlib import Path

import asyncpg
import pytest

from compat_base.postgres.sqlfiles import SQL_FOLDER
from tests.conftest import Server
from tests.harness_sql import Connection

OURS = sorted(path.stem for path in (SQL_FOLDER / "contrib/extension").glob("*.control"))
CONTRIBUTED = [
    "pgcrypto", "uuid-ossp", "pg_trgm", "unaccent", "citext", "hstore", "ltree", "btree_gist",
    "btree_gin", "fuzzystrmatch", "tablefunc", "moddatetime", "postgres_fdw", "dblink", "cube",
    "earthdistance", "intarray", "isn", "pg_stat_statements", "vector", "autoinc", "refint", "seg",
    "tcn", "insert_username", "dict_int", "dict_xsyn", "bloom", "pgrowlocks", "pgstattuple", "amcheck",
    "pageinspect", "pg_buffercache", "pg_prewarm", "pg_visibility", "pg_walinspect", "lo",
]  # fmt: skip


# Those that have a schema of their own, as the originals.
HOMES = {"pgmq": "pgmq", "pgsodium": "pgsodium", "pg_tle": "pgtle"}


@pytest.mark.parametrize("name", [*CONTRIBUTED, *OURS])
async def test_the_owner_creates_it_where_migrations_put_it(owner: Connection, name: str) -> None:
    where = "" if name in HOMES else "with schema extensions"
    await owner.execute(f'create extension if not exists "{name}" {where} cascade')
    found = await owner.fetchval("select count(*) from pg_extension where extname = $1", name)
    assert found == 1


@pytest.mark.parametrize("name", HOMES)
async def test_its_own_schema_may_be_there_before_it(owner: Connection, name: str) -> None:
    await owner.execute(f'create schema {HOMES[name]}; create extension "{name}"')


async def test_there_is_no_schema_cron_before_pg_cron(owner: Connection) -> None:
    assert await owner.fetchval("select to_regnamespace('cron')") is None
    await owner.execute("create extension pg_cron with schema pg_catalog")
    await owner.fetch("select cron.schedule('a', '* * * * *', 'select 1')")


@pytest.mark.parametrize("schema", ["net", "extensions", "graphql_public", "cron"])
async def test_the_owner_may_grant_on_whatever_is_there(owner: Connection, schema: str) -> None:
    await owner.execute("create extension pg_cron with schema pg_catalog")
    for kind in ("functions", "tables", "sequences"):
        await owner.execute(f"grant all on all {kind} in schema {schema} to postgres, service_role")


async def test_a_publication_of_all_tables_stops_no_worker(owner: Connection) -> None:
    unidentified = await owner.fetch(
        """
        select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = relnamespace
        where relkind = 'r' and relpersistence = 'p' and relreplident = 'd'
          and nspname in ('auth', 'storage', 'storage_compat', 'realtime', 'net', 'compat', 'vault')
          and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
        """
    )
    assert [row[0] for row in unidentified] == []


async def test_every_database_has_what_every_database_of_supabase_has(owner: Connection) -> None:
    rows = await owner.fetch(
        "select extname, extnamespace::regnamespace::text from pg_extension"
        " where extname <> 'plpgsql' order by 1"
    )
    assert [tuple(row) for row in rows] == [
        ("pg_graphql", "graphql_public"),
        ("pg_net", "extensions"),
        ("pg_stat_statements", "extensions"),
        ("pgcrypto", "extensions"),
        ("supabase_vault", "vault"),
        ("uuid-ossp", "extensions"),
    ]


# ── pgcrypto ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "condition",
    [
        "crypt('secret', '$2a$06$bqrg4B1CuxQ4yvNNE4dfQ.') like '$2a$06$bqrg4B1CuxQ4yvNNE4dfQ.%'",
        "crypt('secret', crypt('secret', gen_salt('bf'))) = crypt('secret', crypt('secret', gen_salt('bf'))) is not null",
        "encode(digest('a', 'sha1'), 'hex') = '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'",
        "encode(hmac('a', 'k', 'sha256'), 'hex') like '%'",
        "length(gen_random_bytes(16)) = 16",
        "pgp_sym_decrypt(pgp_sym_encrypt('text', 'key'), 'key') = 'text'",
        "decrypt(encrypt('text', 'key', 'aes'), 'key', 'aes') = 'text'",
    ],
)
async def test_pgcrypto_works_without_its_schema(owner: Connection, condition: str) -> None:
    assert await owner.fetchval(f"select {condition}")


# ── pgjwt ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_signed_token_is_verified_and_an_altered_one_is_not(owner: Connection) -> None:
    await owner.execute("create extension pgjwt with schema extensions")
    token = await owner.fetchval("""select sign('{"sub": "ana"}', 'secret', 'HS512')""")
    verify = "select payload ->> 'sub' as sub, valid from verify($1, $2, 'HS512')"
    for given, secret, is_valid in ((token, "secret", True), (token, "other", False),
                                    (token + "x", "secret", False)):  # fmt: skip
        [row] = await owner.fetch(verify, given, secret)
        assert tuple(row) == ("ana", is_valid)


async def test_an_expired_token_is_not_valid(owner: Connection) -> None:
    await owner.execute("create extension pgjwt with schema extensions")
    token = await owner.fetchval("""select sign('{"exp": 1}', 'secret')""")
    assert await owner.fetchval("select valid from verify($1, 'secret')", token) is False


# ── the vault ──────────────────────────────────────────────────────────────────────────────────


async def test_a_secret_is_read_back_and_kept_encrypted(owner: Connection) -> None:
    made = await owner.fetchval("select vault.create_secret('geheim', 'key', 'what for')")
    row = await owner.fetchrow(
        "select name, description, decrypted_secret, secret from vault.decrypted_secrets"
        " where id = $1", made,
    )  # fmt: skip
    assert row is not None
    assert tuple(row)[:3] == ("key", "what for", "geheim")
    assert "geheim" not in row["secret"]


async def test_a_secret_is_replaced_and_what_is_not_said_stays(owner: Connection) -> None:
    made = await owner.fetchval("select vault.create_secret('one', 'key', 'what for')")
    await owner.execute("select vault.update_secret($1, 'two')", made)
    row = await owner.fetchrow(
        "select name, description, decrypted_secret from vault.decrypted_secrets where id = $1",
        made,
    )
    assert tuple(row or ()) == ("key", "what for", "two")


async def test_two_secrets_of_one_name_are_refused(owner: Connection) -> None:
    await owner.execute("select vault.create_secret('one', 'key')")
    with pytest.raises(asyncpg.UniqueViolationError):
        await owner.execute("select vault.create_secret('two', 'key')")


async def test_a_secret_that_is_inserted_in_plain_is_encrypted(owner: Connection) -> None:
    await owner.execute("insert into vault.secrets (secret, name) values ('geheim', 'key')")
    row = await owner.fetchrow("select secret, decrypted_secret from vault.decrypted_secrets")
    assert row is not None
    assert row["decrypted_secret"] == "geheim" != row["secret"]


@pytest.mark.parametrize(
    "statement",
    [
        "select * from vault.decrypted_secrets",
        "select * from vault.secrets",
        "select vault.create_secret('x')",
        "select vault._key()",
        "select vault._decrypt('x')",
        "select pg_read_file('../vault.key')",
    ],
)
@pytest.mark.parametrize("role", ["anon", "authenticated"])
async def test_clients_reach_no_secret(owner: Connection, role: str, statement: str) -> None:
    await owner.execute(f"set local role {role}")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await owner.fetch(statement)


async def test_nothing_of_the_owners_runs_in_the_place_of_what_the_vault_calls(
    owner: Connection,
) -> None:
    made = await owner.fetchval("select vault.create_secret('one', 'key')")
    await owner.execute("""
        alter schema extensions rename to elsewhere;
        create schema extensions;
        create function extensions.pgp_sym_encrypt(text, text, text) returns bytea
        language plpgsql as $$ begin raise 'the key is %, as %', $2, current_user; end $$;
        create function extensions.pgp_sym_decrypt(bytea, text) returns text
        language plpgsql as $$ begin raise 'the key is %, as %', $2, current_user; end $$;
    """)
    await owner.execute("select vault.update_secret($1, 'two')", made)
    assert await owner.fetchval("select decrypted_secret from vault.decrypted_secrets") == "two"


async def test_even_the_owner_does_not_read_the_key(owner: Connection) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await owner.fetch("select vault._key()")


# ── pg_net ─────────────────────────────────────────────────────────────────────────────────────


async def test_a_request_waits_with_its_parameters_encoded(owner: Connection) -> None:
    made = await owner.fetchval(
        """select net.http_get('https://example.com/a?b=1', '{"q": "ñ /&"}', '{"x": "y"}', 2000)"""
    )
    row = await owner.fetchrow(
        "select method, url, headers, body, timeout_milliseconds from net.http_request_queue"
        " where id = $1", made,
    )  # fmt: skip
    assert tuple(row or ()) == (
        "GET", "https://example.com/a?b=1&q=%C3%B1%20%2F%26", '{"x": "y"}', None, 2000,
    )  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        "net.http_get('file:///etc/passwd')",
        "net.http_get(null)",
        "net.http_get('http://x', timeout_milliseconds => 0)",
        "net.http_get('http://x', timeout_milliseconds => 600001)",
        "net.http_get('http://x/' || repeat('a', 8192))",
        "net.http_post('http://x', to_jsonb(repeat('a', 1048577)))",
        """net.http_post('http://x', headers => '{"Content-Type": "text/plain"}')""",
    ],
)
async def test_a_request_out_of_bounds_is_refused(owner: Connection, call: str) -> None:
    with pytest.raises(asyncpg.PostgresError):
        await owner.fetch(f"select {call}")


async def test_a_webhook_queues_the_row(owner: Connection) -> None:
    await owner.execute("""
      create table public.orders (id integer, text text);
      create trigger told after insert or update or delete on public.orders for each row
        execute function supabase_functions.http_request(
          'https://example.com/hook', 'POST', '{"Content-Type":"application/json","X-Key":"k"}',
          '{}', '2500');
      insert into public.orders values (1, 'one');
      update public.orders set text = 'two';
      delete from public.orders;
    """)
    rows = await owner.fetch(
        "select convert_from(body, 'UTF8')::text as body, timeout_milliseconds"
        " from net.http_request_queue order by id"
    )
    sent = [json.loads(row["body"]) for row in rows]
    assert [row["timeout_milliseconds"] for row in rows] == [2500] * 3
    assert [(one["type"], one["record"], one["old_record"]) for one in sent] == [
        ("INSERT", {"id": 1, "text": "one"}, None),
        ("UPDATE", {"id": 1, "text": "two"}, {"id": 1, "text": "one"}),
        ("DELETE", None, {"id": 1, "text": "two"}),
    ]
    assert {(one["schema"], one["table"]) for one in sent} == {("public", "orders")}
    assert await owner.fetchval("select count(*) from supabase_functions.hooks") == 3


async def test_clients_read_neither_requests_nor_answers(owner: Connection) -> None:
    await owner.execute("set local role authenticated")
    rights = "select has_table_privilege($1, 'select')"
    assert await owner.fetchval(rights, "net.http_request_queue") is False
    assert await owner.fetchval(rights, "net._http_response") is False


# ── pg_cron ────────────────────────────────────────────────────────────────────────────────────


async def test_a_job_of_the_same_name_replaces_the_earlier(owner: Connection) -> None:
    await owner.execute("create extension pg_cron")
    first = await owner.fetchval("select cron.schedule('nightly', '0 3 * * *', 'select 1')")
    second = await owner.fetchval("select cron.schedule('nightly', '0 4 * * *', 'select 2')")
    rows = await owner.fetch("select jobid, schedule, command, username, active from cron.job")
    assert [tuple(row) for row in rows] == [(second, "0 4 * * *", "select 2", "postgres", True)]
    assert first == second


@pytest.mark.parametrize(
    "schedule",
    [
        "", "61 * * * *", "* * * *", "0 seconds", "@x", "5/20 * * * *", "*/0 * * * *", "1, * * * *",
        "5- * * * *", "1-5/ * * * *", "0 9 * * monday", "* * 0-4 * *", "99999999999 seconds",
    ],
)  # fmt: skip
async def test_what_is_no_schedule_is_refused_when_it_is_given(
    owner: Connection, schedule: str
) -> None:
    await owner.execute("create extension pg_cron")
    with pytest.raises(asyncpg.InvalidParameterValueError, match="invalid schedule"):
        await owner.fetch("select cron.schedule($1, 'select 1')", schedule)


async def test_schedules_are_taken_as_the_original_takes_them(owner: Connection) -> None:
    await owner.execute("create extension pg_cron")
    given = [
        "*/15 * * * * *", "0 0 */100 * *", "0 22-6 * * *", "5,10-20/5;x * * * *", "0 0 $ JAN,jul sun-sat",
        "@daily at night", "@reboot", "5seconds",
    ]  # fmt: skip
    await owner.executemany("select cron.schedule($1, 'select 1')", [(each,) for each in given])
    assert await owner.fetchval("select array_agg(schedule order by jobid) from cron.job") == given


async def test_a_job_is_unscheduled_by_name_or_number(owner: Connection) -> None:
    await owner.execute("create extension pg_cron")
    await owner.execute("select cron.schedule('one', '* * * * *', 'select 1')")
    two = await owner.fetchval("select cron.schedule('5 seconds', 'select 2')")
    assert await owner.fetchval("select cron.unschedule('one')") is True
    assert await owner.fetchval("select cron.unschedule($1::bigint)", two) is True
    with pytest.raises(asyncpg.PostgresError, match="could not find valid entry"):
        await owner.fetch("select cron.unschedule('one')")


async def test_nobody_schedules_as_the_administrator(owner: Connection) -> None:
    await owner.execute("create extension pg_cron")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await owner.execute(
            "insert into cron.job (schedule, command, username)"
            " values ('* * * * *', 'select 1', 'supabase_admin')"
        )


# ── pgmq ───────────────────────────────────────────────────────────────────────────────────────


async def test_a_message_is_read_hidden_and_archived(owner: Connection) -> None:
    await owner.execute("create extension pgmq")
    await owner.execute("select pgmq.create('jobs')")
    sent = await owner.fetchval("""select pgmq.send('jobs', '{"a": 1}')""")
    read = "select msg_id, read_ct, message from pgmq.read('jobs', 60, 5)"
    assert [tuple(row) for row in await owner.fetch(read)] == [(sent, 1, '{"a": 1}')]
    assert await owner.fetch(read) == []
    assert await owner.fetchval("select pgmq.archive('jobs', $1::bigint)", sent) is True
    counts = "select (select count(*) from pgmq.q_jobs), (select count(*) from pgmq.a_jobs)"
    assert tuple(await owner.fetchrow(counts) or ()) == (0, 1)


async def test_a_delayed_message_is_not_read_and_a_batch_is_popped_in_order(
    owner: Connection,
) -> None:
    await owner.execute("create extension pgmq")
    await owner.execute("select pgmq.create('jobs'); select pgmq.send('jobs', '0', 60)")
    await owner.execute("select pgmq.send_batch('jobs', array['1', '2']::jsonb[])")
    popped = [await owner.fetchval("select message from pgmq.pop('jobs')") for _ in range(3)]
    assert popped == ["1", "2", None]
    assert await owner.fetchval("select pgmq.drop_queue('jobs')") is True


# ── pg_jsonschema ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer"}, 1.0, 1.5),
        ({"type": ["string", "null"]}, None, 1),
        ({"enum": [1, "a"]}, "a", "b"),
        ({"const": {"a": 1}}, {"a": 1}, {"a": 2}),
        ({"minimum": 1, "exclusiveMaximum": 3}, 1, 3),
        ({"multipleOf": 0.5}, 1.5, 1.2),
        ({"minLength": 2, "pattern": "^a"}, "ab", "a"),
        ({"required": ["a"]}, {"a": 1}, {}),
        ({"properties": {"a": {"type": "string"}}}, {"a": "x"}, {"a": 1}),
        ({"additionalProperties": False, "patternProperties": {"^x": {}}}, {"x1": 1}, {"y": 1}),
        ({"items": {"type": "number"}, "maxItems": 2}, [1, 2], [1, "2"]),
        ({"prefixItems": [{"const": 1}], "items": False}, [1], [1, 2]),
        ({"uniqueItems": True}, [1, 2], [1, 1]),
        ({"contains": {"const": 1}}, [2, 1], [2]),
        ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, 2, 3),
        ({"oneOf": [{"minimum": 1}, {"maximum": 2}]}, 3, 2),
        ({"not": {"type": "null"}}, 1, None),
        ({"if": {"minimum": 5}, "then": {"multipleOf": 5}}, 10, 11),
        ({"$defs": {"n": {"type": "number"}}, "$ref": "#/$defs/n"}, 1, "1"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 2}, {"a": 1}),
        ({"propertyNames": {"maxLength": 1}}, {"a": 1}, {"ab": 1}),
        (True, 1, None),
    ],
)
async def test_json_is_judged_by_its_schema(
    owner: Connection, schema: object, good: object, bad: object
) -> None:
    await owner.execute("create extension pg_jsonschema with schema extensions")
    matches = "select jsonb_matches_schema($1::text::json, $2::text::jsonb)"
    assert await owner.fetchval(matches, json.dumps(schema), json.dumps(good)) is True
    if schema is not True:
        assert await owner.fetchval(matches, json.dumps(schema), json.dumps(bad)) is False


async def test_a_schema_that_names_itself_ends(owner: Connection) -> None:
    await owner.execute("create extension pg_jsonschema with schema extensions")
    found = "select jsonschema_validation_errors('{\"$ref\": \"#\"}', '1')"
    assert "deeper" in (await owner.fetchval(found))[0]


# ── PostGIS ────────────────────────────────────────────────────────────────────────────────────

PLACES = """
create extension postgis with schema extensions;
create table public.places (
  id integer primary key, at geography(point, 4326), area geometry(Polygon, 4326)
);
create index on public.places using gist (at);
create index on public.places using gist (area);
insert into public.places values
  (1, 'POINT(-3.7038 40.4168)', st_makeenvelope(-4, 40, -3, 41, 4326)),
  (2, st_setsrid(st_makepoint(2.1734, 41.3851), 4326)::geography,
    'SRID=4326;POLYGON((0 0,1 0,1 1,0 1,0 0))');
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("select round(st_distance('POINT(0 0)'::geography, 'POINT(1 1)'))", 156900),
        ("select id from places where st_dwithin(at, st_point(-3.7, 40.4)::geography, 5000)", 1),
        ("select id from places order by at <-> 'POINT(2 41)'::geography limit 1", 2),
        ("select id from places where st_contains(area, st_point(-3.5, 40.5))", 1),
        ("select count(*) from places where area && st_makeenvelope(0, 0, 2, 2)", 1),
        ("select st_astext(st_centroid(area)) from places where id = 2", "POINT(0.5 0.5)"),
        ("select st_x('0101000020E6100000000000000000F03F0000000000000040'::geometry)", 1),
        ('select st_y(st_geomfromgeojson(\'{"type":"Point","coordinates":[1,2.5]}\'))', 2.5),
        ("select to_json(area) ->> 'type' from places where id = 1", "Polygon"),
        ("select st_asgeojson(at)::json #>> '{coordinates,0}' from places where id = 2", "2.1734"),
        ("select srid from geometry_columns where f_table_name = 'places'", 4326),
        ("select round(st_x(st_transform(st_point(1, 1, 4326), 3857)))", 111319),
        (
            "select st_asewkt(st_snaptogrid(st_point(1.26, 2.9, 4326), 0.5))",
            "SRID=4326;POINT(1.5 3)",
        ),
        ("select round(st_area('POLYGON((0 0,0 1,1 1,1 0,0 0))'::geography) / 1e8)", 123),
        ("select st_area('MULTIPOLYGON(((0 0,0 1,1 1,0 0)),((5 5,5 7,7 7,5 5)))'::geometry)", 2.5),
        ("select st_distance('POINT(5 5)'::geometry, 'LINESTRING(0 0,10 0)')", 5),
        ("select st_intersects('LINESTRING(0 0,2 2)'::geometry, 'LINESTRING(0 2,2 0)')", True),
        ("select st_intersects('LINESTRING(0 0,1 0)'::geometry, 'LINESTRING(0 2,2 1)')", False),
        ("select st_xmax(st_extent(area)) from places", 1),
        ("select st_astext(st_collect(at::geometry)) ~ '^MULTIPOINT' from places", True),
        ("select st_astext(st_union(st_point(1, 2))) from places", "POINT(1 2)"),
        ("select count(*) from places, st_dumppoints(area)", 10),
        ("select st_asgeojson('MULTIPOINT((1 2),(3 4))')::json #>> '{coordinates,1,0}'", "3"),
        ("select st_geohash(st_point(-3.7, 40.4), 6)", "ezjmgf"),
        (
            "select encode(st_asewkb(st_point(1, 2, 4326)), 'hex')",
            "0101000020e6100000000000000000f03f0000000000000040",
        ),
        ("select round(st_area(st_buffer(st_point(1, 2), 2)))", 12),
    ],
)
async def test_places_are_kept_measured_and_told(
    owner: Connection, question: str, answer: object
) -> None:
    await owner.execute(PLACES)
    assert await owner.fetchval(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "select st_buffer(area, 1) from places",
        "select st_union(area) from places",
        "select st_boundary(area) from places",
        "select st_distance(at, area::geography) from places",
        "select st_asmvt(p) from places as p",
    ],
)
async def test_what_has_no_place_here_is_refused_by_name(owner: Connection, question: str) -> None:
    await owner.execute(PLACES)
    with pytest.raises(asyncpg.FeatureNotSupportedError, match="this server has no PostGIS"):
        await owner.fetch(question)


async def test_a_view_may_name_what_is_refused_when_it_is_asked(owner: Connection) -> None:
    await owner.execute(PLACES)
    await owner.execute("create view public.edges as select st_boundary(area) as edge from places")
    with pytest.raises(asyncpg.FeatureNotSupportedError, match="st_boundary is not served"):
        await owner.fetch("select * from edges")


# ── what is there by name only ─────────────────────────────────────────────────────────────────


async def test_graphql_says_that_it_is_not_served(owner: Connection) -> None:
    answer = await owner.fetchval("select graphql_public.graphql(query => '{ a }')")
    assert "not served" in json.loads(answer)["errors"][0]["message"]


@pytest.mark.parametrize(
    "statement",
    [
        "create extension pgaudit; grant all on function public.pgaudit_sql_drop() to anon",
        "create extension http; grant all on function public.http_get(varchar, jsonb) to anon",
        "create extension http; grant all on function public.bytea_to_text(bytea) to anon",
    ],
)
async def test_what_dumps_grant_on_is_there(owner: Connection, statement: str) -> None:
    await owner.execute(f"set search_path = public; {statement}")


async def test_a_foreign_table_of_a_wrapper_can_be_made_and_not_read(
    server: Server, services_database: str
) -> None:
    db = await asyncpg.connect(server.url(services_database))
    transaction = db.transaction()
    await transaction.start()
    await db.execute(
        """
        create extension wrappers with schema extensions;
        create foreign data wrapper stripe_wrapper
          handler extensions.stripe_fdw_handler validator extensions.stripe_fdw_validator;
        create server stripe foreign data wrapper stripe_wrapper options (api_key_id 'a');
        create foreign table public.customers (id text) server stripe;
        """
    )
    with pytest.raises(asyncpg.FeatureNotSupportedError, match="fdw_handler"):
        await db.fetch("select * from public.customers")
    await transaction.rollback()
    await db.close()


async def test_a_function_is_not_checked_and_that_is_said(owner: Connection) -> None:
    await owner.execute("create extension plpgsql_check with schema extensions")
    # as `db lint` of the CLI asks
    query = (
        "select plpgsql_check_function(oid, format := 'json') from pg_proc where proname = 'uid'"
    )
    found = json.loads(await owner.fetchval(query))
    assert found["function"] == "auth.uid()"
    assert [each["message"] for each in found["issues"]] == [
        "it was not checked: this server has no plpgsql_check"
    ]


async def test_http_inside_a_statement_is_refused_with_the_way_round(owner: Connection) -> None:
    await owner.execute("create extension http with schema extensions")
    with pytest.raises(asyncpg.FeatureNotSupportedError, match="not served") as refused:
        await owner.fetch("select http_get('https://example.com')")
    assert "net.http_get" in (refused.value.hint or "")


async def test_http_in_a_project_s_files_warns_and_they_go_on(owner: Connection) -> None:
    await owner.execute("create extension http with schema extensions; set compat.applies = on")
    answer = await owner.fetchrow("select * from http_get('https://example.com')")
    assert answer is not None
    assert (answer["status"], answer["content"]) == (503, None)


def test_the_document_names_every_extension() -> None:
    text = (Path(__file__).parents[2] / "docs/compatibility/extensions.md").read_text()
    rows = {line.split("`")[1] for line in text.splitlines() if line.startswith("| `")}
    assert rows >= {*OURS, *CONTRIBUTED}


async def test_the_helpers_of_tests_make_users_and_act_as_them(owner: Connection) -> None:
    await owner.execute(
        "create extension \"basejump-supabase_test_helpers\" version '0.0.6'; create table own"
        " (id uuid default auth.uid()); grant all on own to authenticated"
    )
    made = await owner.fetchval("select tests.create_supabase_user('ana', 'ana@example.com')")
    assert await owner.fetchval("select tests.get_supabase_uid('ana')") == made
    found = json.loads(await owner.fetchval("select tests.get_supabase_user('ana')"))
    assert found["email"] == "ana@example.com"
    await owner.execute("select tests.authenticate_as('ana'); insert into own default values")
    assert await owner.fetchval("select current_user || auth.uid() || (select id from own)") == (
        f"authenticated{made}{made}"
    )
    await owner.execute("select tests.authenticate_as_service_role()")
    assert await owner.fetchval("select current_user") == "service_role"
    await owner.execute("select tests.clear_authentication()")
    assert await owner.fetchrow("select current_user, auth.uid()") == ("anon", None)


async def test_time_stands_still_for_tests(owner: Connection) -> None:
    await owner.execute('create extension "basejump-supabase_test_helpers"')
    before = await owner.fetchval("show search_path")
    await owner.execute("select tests.freeze_time('2020-02-03 04:05:06+00')")
    assert await owner.fetchval("select now()::text") == "2020-02-03 04:05:06+00"
    await owner.execute("select tests.unfreeze_time()")
    assert await owner.fetchval("show search_path") == before
    assert await owner.fetchval("select now() > '2026-01-01'")


async def test_statements_are_counted_from_the_servers_start(owner: Connection) -> None:
    for number in (1, 2):
        await owner.fetch(f"select 'counted' as what, {number} as number")
    calls = await owner.fetchval(
        "select calls from extensions.pg_stat_statements"
        " where query like 'select $1 as what, $2 as number%'"
    )
    assert calls >= 2


async def test_everybody_sees_the_own_jobs_alone(owner: Connection) -> None:
    await owner.execute("create extension pg_cron; select cron.schedule('* * * * *', 'select 1')")
    await owner.execute("create view jobs with (security_invoker) as table cron.job")
    await owner.execute("grant select on jobs to anon")
    assert await owner.fetchval("select count(*) from jobs") == 1
    await owner.execute("set role anon")
    assert await owner.fetchval("select count(*) from jobs") == 0


async def test_a_user_of_no_identifier_is_none(owner: Connection) -> None:
    await owner.execute('create extension "basejump-supabase_test_helpers"')
    with pytest.raises(asyncpg.RaiseError, match="User with identifier nobody not found"):
        await owner.execute("select tests.authenticate_as('nobody')")


async def test_a_hypertable_is_a_table_whose_time_has_an_index(owner: Connection) -> None:
    await owner.execute(
        "create extension timescaledb with schema extensions;"
        " set search_path = public, extensions;"
        " create schema metering; create table metering.readings (at timestamptz not null, w int);"
    )
    made = await owner.fetchrow(
        "select * from create_hypertable('metering.readings', 'at',"
        " chunk_time_interval => interval '7 days')"
    )
    assert made is not None
    assert tuple(made)[1:] == ("metering", "readings", True)
    assert await owner.fetchval("select to_regclass('metering.readings_at_idx') is not null")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("'15 minutes', timestamptz '2026-11-23 10:37:00+00'", "2026-11-23 10:30:00+00"),
        ("'1 week', timestamptz '2026-11-25 10:37:00+00'", "2026-11-23 00:00:00+00"),
        ("'3 months', timestamptz '2026-11-23 10:37:00+00'", "2026-10-01 00:00:00+00"),
        ("'1 day', timestamp '2026-11-23 10:37:00'", "2026-11-23 00:00:00"),
        ("'1 month', date '2026-11-23'", "2026-11-01"),
        ("10, 37", "30"),
    ],
)
async def test_times_are_put_into_buckets(owner: Connection, call: str, expected: str) -> None:
    await owner.execute("set timezone = 'UTC'; create extension timescaledb schema extensions")
    assert await owner.fetchval(f"select extensions.time_bucket({call})::text") == expected


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("body &@ 'POST'", [1]),
        ("body &@~ 'postgres tables'", [1]),
        ("body &@~ 'tables OR 東京'", [1, 2]),
        ("body &@~ 'postgres -tables'", []),
        ("body &^ 'post'", [1]),
        ("body &@| array['nothing', '東京']", [2]),
        ("tags &@ 'LIVE'", [2]),
        ("body = '東京の天気'", [2]),
    ],
)
async def test_what_pgroonga_indexes_is_searched(
    owner: Connection, condition: str, found: list[int]
) -> None:
    await owner.execute(
        "create extension pgroonga with schema extensions; set search_path = public, extensions;"
        " create table pages (id int, body text, tags text[], at int);"
        " create index on pages using pgroonga (body, id); create index on pages using pgroonga"
        " (tags); create index on pages using pgroonga (body pgroonga_text_term_search_ops_v2);"
        " insert into pages values (1, 'Postgres has tables', '{}', 1),"
        " (2, '東京の天気', '{live}', 2); set enable_seqscan = off"
    )
    rows = await owner.fetch(f"select id from pages where {condition} order by id")
    assert [row["id"] for row in rows] == found


# ── pg_hashids ─────────────────────────────────────────────────────────────────────────────────

SALT = "this is my salt"


@pytest.mark.parametrize(
    ("call", "hashid"),
    [
        ("id_encode(1001)", "jNl"),
        (f"id_encode(12345, '{SALT}')", "NkK9"),
        (f"hash_encode(12345, '{SALT}')", "NkK9"),
        (f"id_encode(array[683, 94108, 123, 5]::bigint[], '{SALT}')", "aBMswoO2UB3Sj"),
        (f"id_encode(1, '{SALT}', 8)", "gB0NV05e"),
        ("id_encode(5, 's', 0, '0123456789abcdef')", "b5"),
    ],
)
async def test_a_number_has_the_hashid_that_it_has_everywhere(
    owner: Connection, call: str, hashid: str
) -> None:
    await owner.execute("create extension pg_hashids with schema extensions")
    assert await owner.fetchval(f"select {call}") == hashid


async def test_a_hashid_is_its_number_again_and_another_text_is_none(owner: Connection) -> None:
    await owner.execute("create extension pg_hashids with schema extensions")
    row = await owner.fetchrow(
        "select id_decode(id_encode(array[9223372036854775807, 0, 77], 'x', 40), 'x', 40) as long,"
        " id_decode_once('NkK9', $1) as once, id_decode('NkK9', 'other') as other,"
        " id_decode('', $1) as empty, id_decode('!é', $1) as odd",
        SALT,
    )
    assert row is not None
    assert tuple(row) == ([9223372036854775807, 0, 77], 12345, [], [], [])


async def test_an_alphabet_of_few_letters_has_no_hashids(owner: Connection) -> None:
    await owner.execute("create extension pg_hashids with schema extensions")
    with pytest.raises(asyncpg.InvalidParameterValueError, match="at least 16"):
        await owner.fetchval("select id_encode(1, 's', 0, 'abcabcabcabcabcabc')")


# ── pg_partman ─────────────────────────────────────────────────────────────────────────────────

PARTMAN = (
    "create schema partman; create extension pg_partman with schema partman;"
    " create table public.readings (id bigint, at timestamptz not null) partition by range (at);"
    " create table public.orders (id bigint not null) partition by range (id);"
)


async def parts(owner: Connection, parent: str) -> list[str]:
    rows = await owner.fetch("select * from partman.show_partitions($1)", parent)
    return [row["partition_tablename"] for row in rows]


async def test_partitions_of_time_are_made_ahead_and_retired(owner: Connection) -> None:
    await owner.execute(PARTMAN)
    await owner.execute(
        "select partman.create_parent(p_parent_table := 'public.readings', p_control := 'at',"
        " p_interval := '1 day', p_premake := 2)"
    )
    days = "select array_agg(to_char(now() + n * interval '1 day', '\"readings_p\"YYYYMMDD') order by n) from generate_series(-2, 2) n"
    assert await parts(owner, "public.readings") == await owner.fetchval(days)
    await owner.execute(
        "insert into readings values (1, now()), (2, now() + interval '1 year');"
        " drop table readings_default;"
        " update partman.part_config set premake = 4, retention = '1 day',"
        " retention_keep_table = false where parent_table = 'public.readings';"
        " call partman.run_maintenance_proc()"
    )
    assert await parts(owner, "public.readings") == await owner.fetchval(
        days.replace("(-2, 2)", "(-1, 4)")
    )


async def test_partitions_of_numbers_follow_the_greatest(owner: Connection) -> None:
    await owner.execute(PARTMAN)
    await owner.execute("select partman.create_parent('public.orders', 'id', '10', p_premake => 1)")
    assert await parts(owner, "public.orders") == ["orders_p0", "orders_p10"]
    await owner.execute("insert into orders values (12); select partman.run_maintenance()")
    assert await parts(owner, "public.orders") == ["orders_p0", "orders_p10", "orders_p20"]
    dropped = "select partman.drop_partition_id('public.orders', 2, false)"
    assert await owner.fetchval(dropped) == 1
    assert await parts(owner, "public.orders") == ["orders_p10", "orders_p20"]


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        ("'public.nothing', 'id', '1 day'", "there is no table"),
        ("'public.readings', 'id', '1 day'", "not partitioned by ranges of its column id"),
        ("'public.readings', 'at', '1 day', 'list'", "by lists, epochs and encoders are not made"),
        ("'public.readings', 'at', '0 days'", "an interval must be positive"),
    ],
)
async def test_what_cannot_be_partitioned_here_is_refused(
    owner: Connection, call: str, refusal: str
) -> None:
    await owner.execute(PARTMAN)
    with pytest.raises(asyncpg.PostgresError, match=refusal):
        await owner.execute(f"select partman.create_parent({call})")

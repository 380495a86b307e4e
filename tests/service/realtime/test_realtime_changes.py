"""postgres_changes over real sockets and a real replication stream (realtime reference 10, 11)."""

from __future__ import annotations

import asyncio
import re

import asyncpg
import pytest

from tests.harness_realtime import TIMEOUT, Served, serve_realtime, token
from tests.harness_states import until

USER = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
TODOS = {"event": "*", "schema": "public", "table": "todos"}
SECRETS = {"event": "*", "schema": "public", "table": "secrets"}
PARAMETERS = "Unable to subscribe to changes with given parameters. "


async def insert(served: Served, **values: object) -> int:
    names = ", ".join(values) or "task"
    texts = ", ".join("null" if v is None else f"'{v}'" for v in values.values()) or "'t'"
    rows = await served.sql(f"insert into todos ({names}) values ({texts}) returning id")
    return rows[0]["id"]


@pytest.mark.parametrize("vsn", ["1.0.0", "2.0.0", None])
async def test_an_insert_reaches_a_subscriber(served: Served, vsn: str | None):
    async with served.connect(vsn=vsn) as client:
        ids = await client.subscribe(TODOS)
        number = await insert(served, task="milk", amount="1.10")
        change = await client.change()
        assert change["ids"] == ids
        data = change["data"]
        assert (data["schema"], data["table"], data["type"]) == ("public", "todos", "INSERT")
        assert data["errors"] is None
        assert data["record"] == {
            "id": number,
            "task": "milk",
            "done": False,
            "owner": None,
            "amount": 1.1,
            "tags": None,
        }
        assert data["columns"][0] == {"name": "id", "type": "int8"}
        assert data["columns"][5] == {"name": "tags", "type": "_text"}
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", data["commit_timestamp"])
        assert "old_record" not in data


async def test_a_join_is_answered_once_its_changes_are_live(served: Served):
    connection = await asyncpg.connect(served.database_url)
    async with served.connect() as client:
        await connection.execute("begin; lock table realtime.subscription")
        await client.send("realtime:room", "phx_join", {"config": {"postgres_changes": [TODOS]}})
        assert await client.frames_until_heartbeat() == []
        await connection.execute("rollback")
        assert (await client.until("phx_reply"))["status"] == "ok"
        await connection.execute("insert into todos (task) values ('at once')")
        assert (await client.until("system"))["message"] == "Subscribed to PostgreSQL"
        assert (await client.change())["data"]["record"]["task"] == "at once"
    await connection.close()


async def test_a_join_is_answered_in_time_where_the_database_is_not(served: Served):
    connection = await asyncpg.connect(served.database_url)
    async with served.connect() as client:
        await connection.execute("begin; lock table realtime.subscription")
        reply = await client.join(postgres_changes=[TODOS])
        assert reply["status"] == "ok"
        assert await client.frames_until_heartbeat() == []
        await connection.execute("rollback")
        assert (await client.until("system"))["message"] == "Subscribed to PostgreSQL"
        await insert(served, task="later")
        assert (await client.change())["data"]["record"]["task"] == "later"
    await connection.close()


async def test_an_update_carries_the_key_as_old_record(served: Served):
    number = await insert(served)
    async with served.connect() as client:
        await client.subscribe(TODOS | {"event": "UPDATE"})
        await served.sql(f"update todos set task = 'new' where id = {number}")
        data = (await client.change())["data"]
        assert data["old_record"] == {"id": number}
        assert data["record"]["task"] == "new"


async def test_an_update_of_the_key_carries_the_old_one(served: Served):
    number = await insert(served)
    async with served.connect() as client:
        await client.subscribe(TODOS)
        await served.sql(f"update todos set id = {number + 100_000} where id = {number}")
        data = (await client.change())["data"]
        assert data["old_record"] == {"id": number}
        assert data["record"]["id"] == number + 100_000


async def test_a_delete_carries_the_key_only(served: Served):
    number = await insert(served)
    async with served.connect() as client:
        await client.subscribe(TODOS | {"event": "delete"})
        await served.sql(f"delete from todos where id = {number}")
        data = (await client.change())["data"]
        assert data["type"] == "DELETE"
        assert data["old_record"] == {"id": number}
        assert "record" not in data


async def test_all_matching_entries_of_a_channel_share_one_frame(served: Served):
    async with served.connect() as client:
        ids = await client.subscribe(
            TODOS, {"event": "INSERT", "table": "todos"}, {"event": "DELETE", "table": "todos"}
        )
        await insert(served)
        change = await client.change()
        assert sorted(change["ids"]) == sorted(ids[:2])
        assert await client.frames_until_heartbeat() == []


async def test_entries_that_differ_in_select_get_a_frame_each(served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS | {"select": ["task"]}, TODOS | {"select": ["done"]})
        number = await insert(served, task="x")
        records = [(await client.change())["data"]["record"] for _ in range(2)]
        assert sorted(records, key=str) == sorted(
            [{"id": number, "task": "x"}, {"id": number, "done": False}], key=str
        )


async def test_the_reply_echoes_entries_untouched(served: Served):
    entries = [
        {"event": "INSERT", "table": "todos"},
        {"event": "*", "schema": "public", "filter": None, "extra": 1},
    ]
    async with served.connect() as client:
        reply = await client.join(postgres_changes=entries)
        shown = reply["response"]["postgres_changes"]
        assert [{k: v for k, v in entry.items() if k != "id"} for entry in shown] == entries
        assert all(isinstance(entry["id"], int) and entry["id"] > 0 for entry in shown)


@pytest.mark.parametrize(
    ("filter_text", "passes", "fails"),
    [
        ("amount=eq.1.10", {"amount": "1.1"}, {"amount": "1.2"}),
        ("amount=neq.1", {"amount": "2"}, {"amount": None}),
        ("amount=gt.10", {"amount": "100"}, {"amount": "9"}),
        ("amount=gte.10", {"amount": "10.0"}, {"amount": "9.99"}),
        ("amount=lt.10", {"amount": "9"}, {"amount": "100"}),
        ("amount=lte.10", {"amount": "10"}, {"amount": "10.01"}),
        ("amount=in.(1,2)", {"amount": "2.0"}, {"amount": "3"}),
        ("amount=not.in.(1,2)", {"amount": "3"}, {"amount": None}),
        ('task=in.("a,b",c)', {"task": "a,b"}, {"task": "a"}),
        ("task=eq.a b", {"task": "a b"}, {"task": "a"}),
        ('task=eq."a,b",done=is.false', {"task": "a,b"}, {"task": "a,b", "done": "t"}),
        ("task=like.a%", {"task": "abc"}, {"task": "Abc"}),
        ("task=ilike.a_c", {"task": "ABC"}, {"task": "ABBC"}),
        ("task=not.like.a%", {"task": "b"}, {"task": "a"}),
        ("task=match.^a+$", {"task": "aaa"}, {"task": "aab"}),
        ("task=imatch.^A+$", {"task": "aaa"}, {"task": "aab"}),
        ("task=gt.m", {"task": "z"}, {"task": "a"}),
        ("task=is.null", {"task": None}, {"task": ""}),
        ("task=not.is.null", {"task": ""}, {"task": None}),
        ("done=is.true", {"done": "t"}, {"done": "f"}),
        ("done=eq.true", {"done": "t"}, {"done": "f"}),
        ("owner=isdistinct." + USER, {"owner": None}, {"owner": USER}),
        ("owner=not.isdistinct." + USER, {"owner": USER}, {"owner": None}),
        ("owner=eq." + USER.upper(), {"owner": USER}, {"owner": OTHER}),
        ("tags=eq.{a}", {"tags": "{a}"}, {"tags": "{b}"}),
    ],
)
async def test_a_filter_lets_pass_what_postgresql_would(
    served: Served, filter_text: str, passes: dict[str, str], fails: dict[str, str]
):
    async with served.connect() as client:
        await client.subscribe(TODOS | {"filter": filter_text})
        await insert(served, **fails)
        wanted = await insert(served, **passes)
        assert (await client.change())["data"]["record"]["id"] == wanted
        assert await client.frames_until_heartbeat() == []


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"event": "*"}, r"No subscription params provided\..*: %\{\"event\" => \"\*\"\}"),
        (
            {"event": "*", "table": "todos", "filter": "id=eq.1"},
            r"No subscription params provided\..*",
        ),
        (TODOS | {"filter": "wrong"}, r'Error parsing `filter` params: \["wrong"\]'),
        (TODOS | {"filter": "task=foo.hey"}, r'Error parsing `filter` params: \["foo", "hey"\]'),
        (
            TODOS | {"filter": "id=eq.1,"},
            r"Error parsing `filter` params: filter must not contain empty segments \(check for extra commas\)",
        ),
        (
            TODOS | {"filter": "id=in.1,2"},
            r"Error parsing `filter` params: `in` filter value must be wrapped by parentheses",
        ),
        (TODOS | {"select": "id"}, r"Error parsing `select` params: expected a list .*"),
        (
            {"event": "*", "schema": "public", "select": ["id"]},
            r"Column selection is not supported for wildcard subscriptions\. .*",
        ),
        (
            {"event": "INSERT", "schema": "public", "table": "unpublished"},
            PARAMETERS
            + r"Please check Realtime is enabled for the given connect parameters: \[event: INSERT, schema: public, table: unpublished, filters: \[\], select: nil\]",
        ),
        (
            TODOS | {"filter": "col=eq.v"},
            PARAMETERS
            + r"An exception happened so please check your connect parameters: \[event: \*, schema: public, table: todos, filters: \[\{\"col\", \"eq\", \"v\", false\}\], select: nil\]\. Exception: ERROR P0001 \(raise_exception\) invalid column for filter col",
        ),
        (
            TODOS | {"filter": "id=eq.x"},
            r'.*ERROR 22P02 \(invalid_text_representation\) invalid input syntax for type bigint: "x"',
        ),
        (
            TODOS | {"filter": "id=like.x"},
            r".*operator like requires a text-compatible column type, got bigint",
        ),
        (TODOS | {"filter": "task=match.("}, r".*invalid regular expression for match filter: .*"),
        (
            TODOS | {"filter": "id=is.true"},
            r".*is true filter requires a boolean column, got bigint",
        ),
        (
            TODOS | {"filter": "id=in.(" + ",".join(map(str, range(101))) + ")"},
            r".*too many values for `in` filter\. Maximum 100",
        ),
        (TODOS | {"select": ["nope"]}, r".*invalid column for select nope"),
    ],
)
async def test_a_bad_entry_is_told_in_the_originals_words(
    served: Served, entry: dict[str, object], message: str
):
    async with served.connect() as client:
        reply = await client.join(postgres_changes=[entry])
        assert reply["status"] == "ok"
        system = await client.until("system")
        assert system["extension"] == "postgres_changes"
        assert (system["status"], system["channel"]) == ("error", "room")
        assert re.fullmatch(message, system["message"], re.DOTALL), system["message"]


@pytest.mark.parametrize("value", ["x", "\0"])
async def test_of_entries_with_a_bad_one_among_them_none_is_live(served: Served, value: str):
    async with served.connect() as client:
        bad = TODOS | {"filter": f"id=eq.{value}"}
        await client.join(postgres_changes=[TODOS, bad])
        assert (await client.until("system"))["status"] == "error"
        await insert(served, task="unheard")
        assert await client.frames_until_heartbeat() == []
        # Whoever joins anew without it is served.
        await client.subscribe(TODOS)
        await insert(served, task="heard")
        assert (await client.change())["data"]["record"]["task"] == "heard"


async def test_rows_are_told_only_to_who_may_see_them(served: Served):
    async with (
        served.connect(token("authenticated", sub=USER)) as mine,
        served.connect(token("authenticated", sub=OTHER)) as theirs,
        served.connect(token("service_role")) as server,
        served.connect() as anonymous,
    ):
        for client in (mine, theirs, server, anonymous):
            await client.subscribe(SECRETS)
        await served.sql(f"insert into secrets values (1, '{USER}', 'mine')")
        assert (await mine.change())["data"]["record"]["body"] == "mine"
        assert (await server.change())["data"]["record"]["body"] == "mine"
        assert await theirs.frames_until_heartbeat() == []
        assert await anonymous.frames_until_heartbeat() == []
        await served.sql("delete from secrets")
        for client in (mine, theirs, server, anonymous):
            assert (await client.change())["data"]["old_record"] == {"id": 1}


async def test_a_guarded_delete_is_told_only_to_who_could_see_the_row(served: Served):
    await served.sql(
        "create table guarded (id int primary key, owner uuid)",
        "alter table guarded enable row level security",
        "create policy own on guarded for select to authenticated using (owner = auth.uid())",
        "grant select on guarded to authenticated",
        "alter publication supabase_realtime add table guarded",
        "select realtime.guard_deletes('guarded')",
    )
    async with (
        served.connect(token("authenticated", sub=USER)) as mine,
        served.connect(token("authenticated", sub=OTHER)) as theirs,
    ):
        for client in (mine, theirs):
            await client.subscribe({"event": "DELETE", "schema": "public", "table": "guarded"})
        await served.sql(f"insert into guarded values (1, '{USER}')", "delete from guarded")
        assert (await mine.change())["data"]["old_record"] == {"id": 1}
        assert await theirs.frames_until_heartbeat() == []


async def test_policies_get_the_claims_and_no_setting_for_each(served: Served):
    await served.sql(
        "create table legacy (id int primary key, owner text)",
        "alter table legacy enable row level security",
        "create policy p on legacy for select to authenticated using (owner = current_setting('request.jwt.claim.sub', true))",
        "grant select on legacy to authenticated, service_role",
        "alter publication supabase_realtime add table legacy",
    )
    entry = {"event": "INSERT", "schema": "public", "table": "legacy"}
    async with (
        served.connect(token("authenticated", sub=USER)) as mine,
        served.connect(token("service_role")) as server,
    ):
        for client in (mine, server):
            await client.subscribe(entry)
        await served.sql(f"insert into legacy values (1, '{USER}')")
        assert (await server.change())["data"]["record"]["id"] == 1
        assert await mine.frames_until_heartbeat() == []


async def test_a_new_token_changes_whose_rows_come(served: Served):
    async with served.connect() as client:
        await client.subscribe(SECRETS)
        fresh = token("authenticated", sub=USER)
        await client.send("realtime:room", "access_token", {"access_token": fresh})
        assert (await client.until("system"))["message"] == "Subscribed to PostgreSQL"
        await served.sql(f"insert into secrets values (2, '{USER}', 'seen')")
        assert (await client.change())["data"]["record"]["id"] == 2
        await served.sql("delete from secrets")


async def test_a_row_that_is_gone_already_is_withheld_from_everybody(served: Served):
    async with served.connect(token("service_role")) as client:
        await client.subscribe(SECRETS)
        await served.sql(
            f"do $$ begin insert into secrets values (3, '{USER}', 'x'); delete from secrets; end $$"
        )
        assert (await client.change())["data"]["type"] == "DELETE"


async def test_columns_that_a_role_may_not_read_are_cut(served: Served):
    await served.sql(
        "create table partly (id int primary key, open text, closed text)",
        "revoke all on partly from anon",
        "grant select (id, open) on partly to anon",
        "alter publication supabase_realtime add table partly",
    )
    async with served.connect() as client:
        await client.subscribe({"event": "*", "schema": "public", "table": "partly"})
        await served.sql("insert into partly values (1, 'a', 'b')")
        data = (await client.change())["data"]
        assert data["record"] == {"id": 1, "open": "a"}
        assert [column["name"] for column in data["columns"]] == ["id", "open"]
        await served.sql(
            "revoke select (id) on partly from anon", "insert into partly values (2, 'a', 'b')"
        )
        refused = (await client.change())["data"]
        assert refused == {
            "schema": "public",
            "table": "partly",
            "type": "INSERT",
            "commit_timestamp": None,
            "columns": [],
            "record": {},
            "errors": ["Error 401: Unauthorized"],
        }


async def test_a_table_without_a_key_is_an_error_for_inserts(served: Served):
    async with served.connect() as client:
        await client.subscribe(
            {"event": "*", "schema": "public", "table": "keyless", "filter": "a=eq.7"}
        )
        await served.sql("insert into keyless values (1, 'x')")
        data = (await client.change())["data"]
        assert data["errors"] == ["Error 400: Bad Request, no primary key"]
        assert (data["columns"], data["record"], data["commit_timestamp"]) == ([], {}, None)


async def test_a_change_that_is_too_large_keeps_its_small_values(served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS)
        rows = await served.sql(
            "insert into todos (task) values (repeat('x', 1100000)) returning id"
        )
        data = (await client.change())["data"]
        assert data["errors"] == ["Error 413: Payload Too Large"]
        assert data["record"]["id"] == rows[0]["id"]
        assert "task" not in data["record"]
        await served.sql(f"delete from todos where id = {rows[0]['id']}")


async def test_a_schema_wildcard_hears_of_a_table_that_is_added_later(served: Served):
    async with served.connect() as client:
        await client.subscribe({"event": "*", "schema": "public"})
        await served.sql(
            "create table late (id int primary key)",
            "grant select on late to anon",
            "alter publication supabase_realtime add table late",
            "insert into late values (1)",
        )
        assert (await client.change())["data"]["table"] == "late"


async def test_a_schema_wildcard_hears_of_a_later_table_that_another_channel_named(served: Served):
    async with served.connect() as everything, served.connect() as named:
        await everything.subscribe({"event": "*", "schema": "public"})
        await served.sql(
            "create table later (id int primary key)",
            "grant select on later to anon",
            "alter publication supabase_realtime add table later",
        )
        await named.subscribe({"event": "*", "schema": "public", "table": "later"})
        await served.sql("insert into later values (1)")
        assert (await everything.change())["data"]["table"] == "later"


async def test_a_table_altered_while_subscribed_shows_its_new_columns(served: Served):
    await served.sql(
        "create table moving (id int primary key, a text)",
        "grant select on moving to anon",
        "alter publication supabase_realtime add table moving",
    )
    async with served.connect() as client:
        await client.subscribe({"event": "*", "schema": "public", "table": "moving"})
        await served.sql("insert into moving values (1, 'x')")
        await client.change()
        await served.sql(
            "alter table moving add column b int default 5",
            "alter table moving rename column a to c",
            "insert into moving values (2, 'y')",
        )
        assert (await client.change())["data"]["record"] == {"id": 2, "c": "y", "b": 5}
        await served.sql("drop table moving")
        await insert(served)
        assert await client.frames_until_heartbeat() == []


async def test_unchanged_toast_is_left_out_and_not_null(served: Served):
    await served.sql(
        "create table toasted (id int primary key, small int, big text)",
        "alter table toasted alter column big set storage external",
        "grant select on toasted to anon",
        "alter publication supabase_realtime add table toasted",
        "insert into toasted values (1, 1, repeat('x', 10000))",
    )
    async with served.connect() as client:
        await client.subscribe({"event": "*", "schema": "public", "table": "toasted"})
        await served.sql("update toasted set small = 2")
        data = (await client.change())["data"]
        assert data["record"] == {"id": 1, "small": 2}
        assert [column["name"] for column in data["columns"]] == ["id", "small", "big"]
        await served.sql(
            "alter table toasted replica identity full", "update toasted set small = 3"
        )
        data = (await client.change())["data"]
        assert len(data["record"]["big"]) == 10000
        assert data["old_record"]["small"] == 2


async def test_changes_committed_before_the_subscription_are_not_told(served: Served):
    async with served.connect() as client:
        await insert(served, task="before")
        await client.subscribe(TODOS)
        number = await insert(served, task="after")
        assert (await client.change())["data"]["record"]["id"] == number


async def test_changes_stop_with_the_channel(served: Served):
    async with served.connect() as client:
        await client.subscribe(TODOS)
        await client.send("realtime:room", "phx_leave", {})
        await client.until("phx_close")
        await insert(served)
        assert await client.frames_until_heartbeat() == []


async def test_order_is_that_of_the_commits(served: Served):
    async with served.connect(token("service_role")) as client:
        await client.subscribe(TODOS, SECRETS)
        for number in range(100, 130):
            await served.sql(
                f"insert into secrets values ({number}, null, '')",
                f"insert into todos (task) values ('{number}')",
            )
        tables = [(await client.change())["data"]["table"] for _ in range(60)]
        assert tables == ["secrets", "todos"] * 30


async def test_a_policy_that_raises_hurts_only_its_own_subscriber(served: Served):
    await served.sql(
        "create table raising (id int primary key)",
        "alter table raising enable row level security",
        "create policy p on raising for select using (case when auth.uid() is null then true else 1 / (id - id) = 1 end)",
        "grant select on raising to anon, authenticated",
        "alter publication supabase_realtime add table raising",
    )
    entry = {"event": "*", "schema": "public", "table": "raising"}
    async with served.connect() as good, served.connect(token("authenticated", sub=USER)) as bad:
        await good.subscribe(entry)
        await bad.subscribe(entry)
        await served.sql("insert into raising values (1)")
        assert (await good.change())["data"]["record"] == {"id": 1}
        notice = await bad.until("system")
        assert notice["status"] == "error"
        assert "division by zero" in notice["message"]


async def test_too_many_patterns_hurt_only_their_own_subscriber(served: Served):
    """On a text as long as this one each pattern costs as much as a hundred on a short one."""
    greedy = [TODOS | {"filter": f"task=like.%x{n}%"} for n in range(150)]
    async with served.connect() as one, served.connect() as other:
        await one.subscribe(*greedy)
        ids = await other.subscribe(TODOS | {"filter": "task=like.%end"})
        await served.sql("insert into todos (task) values (repeat('-', 400000) || 'end')")
        assert (await other.change())["ids"] == ids
        assert "take too long to compare" in (await one.until("system"))["message"]
        await served.sql("insert into todos (task) values ('the end')")
        assert (await other.change())["data"]["record"]["task"] == "the end"
    assert served.has_observed("filters_cut_off")


async def test_what_only_postgresql_can_compare_and_takes_too_long_is_told(served: Served):
    """Back-references make PostgreSQL's search explode; its neighbour's comparison is answered."""
    slow = r"match.^(a+)(a+)(a+)\1\2\3b$"
    async with served.connect() as one, served.connect() as other:
        await one.subscribe(TODOS | {"filter": f"task={slow}"})
        ids = await other.subscribe(TODOS | {"filter": "task=match.ab$"})
        await served.sql("insert into todos (task) values (repeat('a', 2001) || 'b')")
        assert (await other.change())["ids"] == ids
        assert "take too long to compare" in (await one.until("system"))["message"]


async def test_a_slow_policy_hurts_only_its_own_subscriber(served: Served):
    await served.sql(
        "create table slow (id int primary key)",
        "alter table slow enable row level security",
        "create policy p on slow for select using (auth.uid() is null or pg_sleep(1) is not null)",
        "grant select on slow to anon, authenticated",
        "alter publication supabase_realtime add table slow",
    )
    entry = {"event": "*", "schema": "public", "table": "slow"}
    async with served.connect() as good, served.connect(token("authenticated", sub=USER)) as bad:
        await good.subscribe(entry)
        await bad.subscribe(entry)
        await served.sql(
            "insert into slow values (1)",
            "insert into slow values (2)",
            "insert into slow values (3)",
        )
        assert [(await good.change())["data"]["record"]["id"] for _ in range(3)] == [1, 2, 3]
        assert [(await bad.change())["data"]["record"]["id"] for _ in range(3)] == [1, 2, 3]


async def test_subscriptions_are_rows_that_go_with_their_channels(served: Served):
    query = "select claims_role::text, action_filter, filters::text from realtime.subscription where entity = 'todos'::regclass and action_filter = 'UPDATE'"
    async with served.connect() as client:
        await client.subscribe(TODOS | {"event": "UPDATE", "filter": "id=eq.5"})
        assert [tuple(row) for row in await served.sql(query)] == [
            ("anon", "UPDATE", '{"(id,eq,5,f)"}')
        ]
        await client.send("realtime:room", "phx_leave", {})
        await client.until("phx_close")
    async with asyncio.timeout(TIMEOUT):
        while await served.sql(query):  # noqa: ASYNC110 — in the database
            await asyncio.sleep(0.05)


async def test_a_join_opens_the_connection_that_checks_its_changes(served: Served):
    query = "select pid from pg_stat_activity where application_name = 'realtime_visibility' and datname = current_database()"
    before = await served.sql(query)
    async with (
        serve_realtime(served.database_url) as fresh,
        fresh.connect(token("authenticated", sub=USER)) as client,
    ):
        await client.subscribe(SECRETS)

        async def is_open() -> bool:
            return bool(set(await served.sql(query)).difference(before))

        await until(is_open, "a connection that checks")

"""Who of many may see a changed row: the function that the realtime service calls."""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, RowCaller, acting, add_activity, add_person, answers, pair


async def visible_to(
    db: Connection, entity: str, keys: list[dict[str, Any]], callers: list[RowCaller]
) -> list[list[bool]]:
    """What each caller sees, in the order of the callers."""
    return [seen for seen, _ in await both_answers(db, entity, keys, callers)]


async def both_answers(
    db: Connection, entity: str, keys: list[dict[str, Any]], callers: list[RowCaller]
) -> list[tuple[list[bool], list[str | None] | None]]:
    """What each caller sees and what policies raised.

    Of one key also by a statement that is kept, and where policies may be told a caller's subject
    also by that: the answers must be the same.
    """
    found = await answers(db, entity, keys, callers)
    calls_auth_alone = "select realtime.policies_call_auth_alone($1::text::regclass)"
    for by_subject in (False, True) if await db.fetchval(calls_auth_alone, entity) else (False,):
        for is_kept in (False, True) if len(keys) == 1 else (False,):
            again = await answers(db, entity, keys, callers, is_kept=is_kept, by_subject=by_subject)
            assert again == found
    return found


def user(sub: str) -> RowCaller:
    return ("authenticated", {"sub": sub, "role": "authenticated"})


ANON: RowCaller = ("anon", {"role": "anon"})
SERVICE: RowCaller = ("service_role", {"role": "service_role"})


@pytest.fixture
async def notes(services: Connection) -> Connection:
    """A table whose rows their owners see; a note that says `raise` makes its policy raise."""
    await services.execute("""
        create table public.notes (id bigint primary key, owner text, body text);
        create function public.owns(owner text, body text) returns boolean language plpgsql stable
          as $$ begin
            if body = 'raise' then raise exception 'not this one'; end if;
            return owner = auth.jwt() ->> 'sub';
          end $$;
        alter table public.notes enable row level security;
        create policy own on public.notes for select to authenticated using (owns(owner, body));
        insert into public.notes values (1, 'ana', 'a'), (2, 'berta', 'b'), (3, 'ana', 'raise');
    """)
    return services


async def test_each_caller_is_checked_for_each_row(notes: Connection) -> None:
    seen = await visible_to(
        notes, "notes", [{"id": "1"}, {"id": "2"}], [user("ana"), user("berta"), user("carla")]
    )
    assert seen == [[True, False], [False, True], [False, False]]


async def test_roles_may_alternate(notes: Connection) -> None:
    callers = [user("ana"), ANON, SERVICE, user("berta"), ANON, user("ana")]
    seen = await visible_to(notes, "notes", [{"id": "1"}], callers)
    assert seen == [[True], [False], [True], [False], [False], [True]]


async def test_a_plan_of_one_role_never_serves_another(notes: Connection) -> None:
    for _ in range(8):  # past the point where PostgreSQL settles on a generic plan
        assert await visible_to(notes, "notes", [{"id": "1"}], [SERVICE]) == [[True]]
        assert await visible_to(notes, "notes", [{"id": "1"}], [user("berta")]) == [[False]]


async def test_a_change_of_policy_is_seen_at_once(notes: Connection) -> None:
    assert await visible_to(notes, "notes", [{"id": "2"}], [user("ana")]) == [[False]]
    await notes.execute("create policy all_see on notes for select to authenticated using (true)")
    assert await visible_to(notes, "notes", [{"id": "2"}], [user("ana")]) == [[True]]


async def test_a_row_that_is_gone_is_seen_by_nobody(notes: Connection) -> None:
    callers = [user("ana"), SERVICE]
    assert await visible_to(notes, "notes", [{"id": "99"}], callers) == [[False], [False]]


async def test_a_raising_policy_loses_its_own_row_only(notes: Connection) -> None:
    keys = [{"id": "1"}, {"id": "3"}, {"id": "2"}]
    ana, service, berta = await both_answers(
        notes, "notes", keys, [user("ana"), SERVICE, user("berta")]
    )
    assert ana == ([True, False, False], [None, "not this one", None])
    assert service == ([True, True, True], None)
    assert berta == ([False, False, True], [None, "not this one", None])


async def test_an_unknown_role_sees_nothing_and_says_why(notes: Connection) -> None:
    nobody, ana = await both_answers(notes, "notes", [{"id": "1"}], [("nobody", {}), user("ana")])
    assert nobody == ([False], ['role "nobody" does not exist'])
    assert ana == ([True], None)


async def test_claims_that_are_no_json_are_that_callers_own_error(notes: Connection) -> None:
    broken, ana = await both_answers(
        notes, "notes", [{"id": "1"}], [("authenticated", "{"), user("ana")]
    )
    assert broken[0] == [False]
    assert broken[1] is not None
    assert ana == ([True], None)


async def test_no_right_to_select_is_not_visible(notes: Connection) -> None:
    await notes.execute("revoke all on notes from authenticated")
    [(seen, errors)] = await both_answers(notes, "notes", [{"id": "1"}], [user("ana")])
    assert (seen, errors) == ([False], ["permission denied for table notes"])


async def test_many_errors_leave_the_others_their_results(notes: Connection) -> None:
    callers = [user("ana"), ("nobody", {}), ("nobody", {}), ANON, user("ana"), ("zz", {}), SERVICE]
    seen = await visible_to(notes, "notes", [{"id": "1"}], callers)
    assert seen == [[True], [False], [False], [False], [True], [False], [True]]


async def test_role_and_claims_are_put_back(notes: Connection) -> None:
    await notes.execute("select set_config('request.jwt.claims', '{\"sub\":\"me\"}', true)")
    await visible_to(notes, "notes", [{"id": "1"}, {"id": "3"}], [user("ana"), ("nobody", {})])
    assert await notes.fetchval("select current_setting('role')") == "none"
    assert await notes.fetchval("select auth.jwt() ->> 'sub'") == "me"


async def test_neighbours_who_see_the_same_are_one_result(notes: Connection) -> None:
    claims = [json.dumps({"sub": sub}) for sub in ("ana", "ana", "x", "y", "berta", "ana")]
    runs = await notes.fetch(
        "select first, last, seen from realtime.visible_to('notes', $1, 'authenticated', $2)",
        json.dumps([{"id": "2"}, {"id": "1"}]),
        claims,
    )
    assert [tuple(run) for run in runs] == [(1, 2, [2]), (3, 4, []), (5, 5, [1]), (6, 6, [2])]


async def test_one_statement_of_a_table_and_a_role_stays_prepared(notes: Connection) -> None:
    for key in ("1", "2"):
        await both_answers(notes, "notes", [{"id": key}], [user("ana"), user("berta")])
    names = await notes.fetch("select name from pg_prepared_statements where name like '%notes'")
    assert [tuple(name) for name in names] == [("authenticated of notes",)]


async def test_a_kept_statement_follows_its_table(notes: Connection) -> None:
    assert await visible_to(notes, "notes", [{"id": "1"}], [user("ana")]) == [[True]]
    await notes.execute("alter table notes alter id type text")
    await notes.execute("insert into notes values ('x', 'ana', 'c')")
    assert await visible_to(notes, "notes", [{"id": "x"}], [user("ana")]) == [[True]]


async def test_a_kept_statement_reads_a_key_whole(notes: Connection) -> None:
    """A type that is cut off to its length, as of a column that was longer, would name another row."""
    await notes.execute("create table public.codes (code varchar(2) primary key)")
    await notes.execute("insert into codes values ('ab')")
    assert await visible_to(notes, "codes", [{"code": "ab"}], [SERVICE]) == [[True]]
    await notes.execute("alter table codes alter code type varchar(3)")
    assert await visible_to(notes, "codes", [{"code": "abc"}], [SERVICE]) == [[False]]


async def test_nothing_else_prepared_stays_behind(notes: Connection) -> None:
    await visible_to(notes, "notes", [{"id": "3"}], [user("ana")])
    left = await notes.fetchval(
        "select count(*) from pg_prepared_statements where name like 'realtime%'"
    )
    assert left == 0


async def test_a_call_after_a_cancelled_one_works(notes: Connection) -> None:
    await notes.execute("prepare realtime_visible_to as select 1")
    assert await visible_to(notes, "notes", [{"id": "1"}], [user("ana")]) == [[True]]


@pytest.mark.parametrize("sqlstate", ["26000", "42P05"])
async def test_a_policy_may_raise_what_a_missing_or_left_over_statement_raises(
    notes: Connection, sqlstate: str
) -> None:
    await notes.execute(f"""
        create or replace function public.owns(owner text, body text) returns boolean language plpgsql
          as $$ begin raise exception 'mine' using errcode = '{sqlstate}'; end $$
    """)
    results = await both_answers(notes, "notes", [{"id": "1"}], [user("ana"), user("berta")])
    assert results == [([False], ["mine"])] * 2


@pytest.mark.parametrize(("keys", "callers"), [([], [ANON]), ([{"id": "1"}], []), ([], [])])
async def test_no_caller_and_no_row_is_an_empty_result(
    notes: Connection, keys: list[dict[str, str]], callers: list[RowCaller]
) -> None:
    assert await visible_to(notes, "notes", keys, callers) == [[] for _ in callers]


async def test_a_key_with_a_null_or_missing_part_names_no_row(notes: Connection) -> None:
    keys = [{"id": None}, {}, {"other": "1"}, {"id": "1"}]
    assert await visible_to(notes, "notes", keys, [SERVICE]) == [[False, False, False, True]]


async def test_a_table_without_primary_key_shows_no_row(services: Connection) -> None:
    await services.execute("create table public.bare (id integer); insert into bare values (1)")
    keys = [{"id": "1"}, {"id": "2"}]
    assert await visible_to(services, "bare", keys, [SERVICE]) == [[False, False]]


async def test_compound_keys_of_many_types_and_names_that_need_quotes(
    services: Connection,
) -> None:
    await services.execute("""
        create schema "a""b";
        grant usage on schema "a""b" to service_role;
        create type "a""b"."Mood" as enum ('ok', 'it''s bad');
        create domain "a""b".code as varchar(5);
        create table "a""b"."T x" (
          "K 1" "a""b"."Mood", b bytea, c "a""b".code, d numeric(6, 2), e timestamptz, f text[],
          n integer, v text, constraint p primary key ("K 1", b, c, d, e, f) include (n)
        );
        grant select on "a""b"."T x" to service_role;
        insert into "a""b"."T x" values
          ('it''s bad', '\\x00ff', 'abc', 1.5, '2026-01-01 00:00+00', '{a,"b c"}', 1, 'v');
    """)
    key = {
        "K 1": "it's bad", "b": "\\x00ff", "c": "abc", "d": "1.50",
        "e": "2026-01-01 01:00:00+01", "f": '{a,"b c"}',
    }  # fmt: skip
    other = key | {"K 1": "ok"}
    seen = await visible_to(services, '"a""b"."T x"', [key, other], [SERVICE])
    assert seen == [[True, False]]


async def test_a_value_never_becomes_sql(notes: Connection) -> None:
    await notes.execute(
        "create table public.words (w text primary key); grant select on words to anon"
    )
    word = "'; select pg_sleep(9); -- $1 \\ %s %I"
    await notes.execute("insert into words values ($1)", word)
    keys = [{"w": word}, {"w": "' or true --"}]
    assert await visible_to(notes, "words", keys, [ANON]) == [[True, False]]


async def test_the_realtime_services_own_role_suffices(server: Any, notes: Connection) -> None:
    await notes.execute("set local session authorization supabase_realtime_admin")
    seen = await visible_to(notes, "notes", [{"id": "1"}], [user("ana"), user("berta"), SERVICE])
    assert seen == [[True], [False], [True]]


ANA, BERTA = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"


async def test_policies_that_compare_the_subject_answer_as_by_the_claims(
    services: Connection,
) -> None:
    await services.execute(f"""
        create table public.plans (id int primary key, owner uuid);
        alter table public.plans enable row level security;
        create policy own on public.plans for select to anon, authenticated
          using (owner = auth.uid() and 1 / id > 0 or auth.role() = 'anon');
        insert into public.plans values (1, '{ANA}'), (0, '{BERTA}'), (2, null);
    """)
    callers = [user(ANA), user(BERTA), user(""), user("no uuid"), ANON, user(ANA)]
    nobodys: RowCaller = ("authenticated", {"role": "authenticated"})
    for keys in ([{"id": "1"}], [{"id": "1"}, {"id": "0"}, {"id": "2"}]):
        seen = await visible_to(services, "plans", keys, [*callers, nobodys])
        assert [answer[0] for answer in seen] == [True, False, False, False, True, True, False]
        left = "select nullif(current_setting('request.jwt.claim.sub', true), '')"
        assert await services.fetchval(left) is None


@pytest.mark.parametrize(
    ("condition", "calls_auth_alone"),
    [
        ("owner = auth.uid()", True),
        ("owner = (select auth.uid()) and coalesce(body, '') <> ''", True),
        ("auth.jwt() ->> 'sub' = owner::text or auth.role() = 'x' or auth.email() = 'x'", True),
        ("exists (select from friends f where f.a = auth.uid() and f.b = owner)", True),
        ("owner::text = current_setting('request.jwt.claim.sub', true)", False),
        ("owner = auth.uid() and lower(body) = 'a'", False),
        ("owner = auth.uid() and helper(body)", False),
        ("owner::text in (select setting from pg_settings)", False),
        ("exists (select from viewed v where v.a = owner)", False),
        ("exists (select from strict s where s.a = owner)", False),
        ("body operator(public.===) body", False),
    ],
)
async def test_policies_that_might_read_settings_are_told_apart(
    services: Connection, condition: str, calls_auth_alone: bool
) -> None:
    await services.execute(f"""
        create table public.friends (a uuid, b uuid);
        create view public.viewed as select * from friends;
        create function public.helper(text) returns boolean language sql as 'select true';
        create function public.same(text, text) returns boolean language sql as 'select true';
        create operator public.=== (leftarg = text, rightarg = text, function = public.same);
        create table public.strict (a uuid);
        alter table public.strict enable row level security;
        create policy p on public.strict for select using (helper('x'));
        create table public.plans (id int primary key, owner uuid, body text);
        alter table public.plans enable row level security;
        create policy p on public.plans for select using ({condition});
        create policy w on public.plans for insert with check (helper('x'));
    """)
    query = "select realtime.policies_call_auth_alone('public.plans'::regclass)"
    assert await services.fetchval(query) is calls_auth_alone


@pytest.mark.parametrize("role", ["anon", "authenticated", "service_role"])
@pytest.mark.parametrize(
    "function",
    [
        "visible_to('pg_class', '[]', 'anon', '{}')",
        "visible_one_by_one('pg_class', '[]', 'anon', '', false)",
        "key_query('pg_class', '[]')",
        "kept_query('pg_class')",
        "old_row_query('pg_class', '[]', 'anon')",
        "visibility_query('pg_class', '[]', 'anon', false)",
        "policies_call_auth_alone('pg_class'::regclass)",
        "guard_deletes('pg_class')",
        "maintain_messages()",
    ],
)
async def test_clients_cannot_call_these_functions(
    services: Connection, role: str, function: str
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(services, None, role):
            await services.execute(f"select * from realtime.{function}")


async def test_readable_columns_follow_grants(notes: Connection) -> None:
    await notes.execute("""
        revoke all on notes from anon, authenticated;
        grant select (body, id) on notes to anon;
        alter table notes drop column owner cascade, add column "Z z" integer;
    """)
    rows = await notes.fetch(
        "select * from realtime.readable_columns('notes', $1)",
        ["anon", "service_role", "authenticated", "nobody", "anon"],
    )
    assert {row["role"]: row["columns"] for row in rows} == {
        "anon": ["id", "body"],
        "authenticated": [],
        "service_role": ["id", "body", "Z z"],
    }


async def test_the_planners_rows_are_shown_to_the_couple_only(db: Connection) -> None:
    ana, berta, carla = [await add_person(db, n) for n in ("Ana", "Berta", "Carla")]
    activity = await add_activity(db, ana)
    callers = [user(ana), user(berta), user(carla), ANON, SERVICE]
    key = [{"id": activity}]
    seen = await visible_to(db, "actividades", key, callers)
    assert seen == [[True], [False], [False], [False], [True]]
    await pair(db, ana, berta)
    seen = await visible_to(db, "actividades", key, callers)
    assert seen == [[True], [True], [False], [False], [True]]
    seen = await visible_to(db, "profiles", [{"id": ana}, {"id": carla}], callers)
    assert seen == [[True, False], [True, False], [False, True], [False, False], [True, True]]

"""Who could see a row that is gone: the select policies asked about the old row's values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.harness_sql import (
    Connection,
    RowCaller,
    acting,
    add_activity,
    add_person,
    answers,
    call,
    pair,
)

ANON = ("anon", "{}")
SERVICE = ("service_role", "{}")


def user(sub: str) -> RowCaller:
    return ("authenticated", json.dumps({"sub": sub}))


async def old_visible_to(
    db: Connection, entity: str, rows: list[dict[str, Any]], callers: list[RowCaller]
) -> list[list[bool]]:
    return [seen for seen, _ in await answers(db, entity, rows, callers, are_deleted=True)]


@pytest.fixture
async def notes(services: Connection) -> Connection:
    """An empty table with every kind of column and no policy yet."""
    await services.execute("""
        create type public.mood as enum ('good', 'it''s bad');
        create table public.notes (
          id bigint primary key, dropped integer, owner text, mood public.mood, tags text[],
          extra jsonb, at timestamptz, data bytea, "Odd ""name" text, amount numeric(8, 2)
        );
        alter table public.notes drop column dropped;
        alter table public.notes enable row level security;
    """)
    return services


ROW = {
    "id": "1", "owner": "ana", "mood": "it's bad", "tags": '{a,"b c"}', "extra": '{"team": ["x"]}',
    "at": "2026-01-01 00:00:00+00", "data": "\\x00ff", 'Odd "name': "o", "amount": "1.50",
}  # fmt: skip


async def test_without_a_policy_only_those_who_bypass_them_could_see_it(notes: Connection) -> None:
    seen = await old_visible_to(notes, "notes", [ROW], [user("ana"), ANON, SERVICE])
    assert seen == [[False], [False], [True]]


async def test_without_row_level_security_everybody_could(notes: Connection) -> None:
    await notes.execute("alter table notes disable row level security")
    assert await old_visible_to(notes, "notes", [ROW], [ANON, user("x")]) == [[True], [True]]


@pytest.mark.parametrize(
    "condition",
    [
        "owner = auth.jwt() ->> 'sub'",
        "notes.owner = (select auth.jwt() ->> 'sub')",
        "(select auth.jwt() ->> 'sub') = 'ana' and mood = 'it''s bad'",
        "auth.jwt() ->> 'sub' = 'ana' and 'b c' = any (tags)",
        "auth.jwt() ->> 'sub' = 'ana' and extra -> 'team' ? 'x'",
        "auth.jwt() ->> 'sub' = 'ana' and data = '\\x00ff' and at = '2026-01-01T00:00Z'",
        "auth.jwt() ->> 'sub' = 'ana' and \"Odd \"\"name\" = 'o' and amount = 1.5",
        "exists (select from members m where m.name = owner and m.name = auth.jwt() ->> 'sub')",
        "owner in (select name from members where name = auth.jwt() ->> 'sub')",
        "exists (select from notes n where n.owner = notes.owner) or owner = auth.jwt() ->> 'sub'",
        "to_jsonb(notes.*) ->> 'owner' = auth.jwt() ->> 'sub'",
    ],
)
async def test_a_policys_expression_means_the_same_about_the_old_row(
    notes: Connection, condition: str
) -> None:
    await notes.execute(f"""
        create table public.members (name text primary key);
        insert into members values ('ana'), ('berta');
        create policy p on notes for select to authenticated using ({condition})
    """)
    rows = [ROW, ROW | {"id": "2", "owner": "carla", "mood": None, "tags": None, "extra": None}]
    if "exists (select from notes n" in condition:
        await notes.execute("alter policy p on notes using (owner = auth.jwt() ->> 'sub')")
    seen = await old_visible_to(notes, "notes", rows, [user("ana"), user("berta"), ANON])
    assert [one[0] for one in seen] == [True, False, False]


async def test_permissive_policies_add_and_restrictive_ones_take_away(notes: Connection) -> None:
    await notes.execute("""
        create policy a on notes for select to authenticated using (owner = auth.jwt() ->> 'sub');
        create policy b on notes for all to public using (amount > 100);
        create policy c on notes as restrictive for select to public using (mood <> 'good');
        create policy d on notes as restrictive for all to authenticated using (id < 10);
    """)
    rows = [
        ROW,
        ROW | {"owner": "x"},
        ROW | {"owner": "x", "amount": "200"},
        ROW | {"mood": "good"},
        ROW | {"id": "10"},
        ROW | {"id": "10", "amount": "200"},
    ]
    ana, anon = await old_visible_to(notes, "notes", rows, [user("ana"), ANON])
    assert ana == [True, False, True, False, False, False]
    assert anon == [False, False, True, False, False, True]


async def test_policies_for_other_commands_do_not_count(notes: Connection) -> None:
    for command in ("insert with check", "update using", "delete using"):
        name = command.split()[0]
        await notes.execute(f"create policy {name} on notes for {command} (true)")
    assert await old_visible_to(notes, "notes", [ROW], [user("ana")]) == [[False]]


async def test_a_policy_for_a_role_counts_for_its_members(notes: Connection) -> None:
    await notes.execute("""
        create role staff;
        grant staff to authenticated;
        create policy p on notes for select to staff using (true);
    """)
    assert await old_visible_to(notes, "notes", [ROW], [user("x"), ANON]) == [[True], [False]]


async def test_the_answer_is_that_of_the_real_policy(notes: Connection) -> None:
    await notes.execute("""
        create policy p on notes for select to authenticated
          using (owner = auth.jwt() ->> 'sub' or amount is null or mood = 'good');
        insert into notes (id, owner, mood, amount) values
          (1, 'ana', null, 1), (2, 'berta', 'good', 1), (3, null, null, null), (4, null, null, 2);
    """)
    olds = [
        json.loads(row["j"])
        for row in await notes.fetch(
            "select json_build_object('id', id::text, 'owner', owner, 'mood', mood,"
            " 'amount', amount::text)::text as j from notes order by id"
        )
    ]
    async with acting(notes, None):
        await notes.execute("select set_config('request.jwt.claims', '{\"sub\":\"ana\"}', true)")
        real = {row["id"] for row in await notes.fetch("select id from notes")}
    [seen] = await old_visible_to(notes, "notes", olds, [user("ana")])
    assert {n + 1 for n, visible in enumerate(seen) if visible} == real == {1, 2, 3}


async def test_a_raising_policy_hides_its_own_row_only(notes: Connection) -> None:
    await notes.execute(
        "create policy p on notes for select to authenticated using (1 / (id - 1) = 1 or id > 0)"
    )
    rows = [ROW, ROW | {"id": "2"}]
    person, service = await answers(notes, "notes", rows, [user("x"), SERVICE], are_deleted=True)
    assert person == ([False, True], ["division by zero", None])
    assert service == ([True, True], None)


async def test_columns_that_the_stream_did_not_carry_are_null(notes: Connection) -> None:
    await notes.execute("create policy p on notes for select to public using (owner is not null)")
    rows = [{"id": "1"}, {"id": "1", "owner": "ana"}]
    assert await old_visible_to(notes, "notes", rows, [ANON]) == [[False, True]]


async def test_values_never_become_sql(notes: Connection) -> None:
    await notes.execute("create policy p on notes for select to public using (owner = 'ana')")
    rows = [ROW | {"owner": "ana' or true --"}, ROW | {"owner": "'), (2, null"}]
    assert await old_visible_to(notes, "notes", rows, [ANON]) == [[False, False]]


async def test_guarding_a_table_makes_the_stream_carry_old_rows(notes: Connection) -> None:
    await notes.execute("select realtime.guard_deletes('notes')")
    await notes.execute("select realtime.guard_deletes('notes')")
    assert await notes.fetchval("select relreplident = 'f' from pg_class where relname = 'notes'")
    guarded = await notes.fetch("select entity::text from realtime.guarded_tables")
    assert [row["entity"] for row in guarded] == ["notes"]


async def test_the_planners_tables_are_guarded(db: Connection) -> None:
    rows = await db.fetch(
        "select entity::text, relreplident from realtime.guarded_tables"
        " join pg_class on pg_class.oid = entity order by 1"
    )
    assert [tuple(row) for row in rows] == [
        (name, b"f")
        for name in (
            "actividades", "apetencias", "comentarios", "fechas_especiales", "ideas",
            "liquidaciones", "pagos", "profiles", "reacciones", "recuerdos",
        )
    ]  # fmt: skip


async def test_the_planners_deletes_are_told_to_the_couple_only(db: Connection) -> None:
    ana, berta, carla = [await add_person(db, n) for n in ("Ana", "Berta", "Carla")]
    couple = await pair(db, ana, berta)
    activity = await add_activity(db, ana)
    await db.execute("delete from actividades")
    old = {"id": activity, "titulo": "Cine", "creador_id": ana, "pareja_id": couple}
    callers = [user(ana), user(berta), user(carla), ANON, SERVICE]
    seen = await old_visible_to(db, "actividades", [old], callers)
    assert seen == [[True], [True], [False], [False], [True]]
    async with acting(db, ana):
        await call(db, "desvincular_pareja")
    seen = await old_visible_to(db, "actividades", [old], callers)
    assert seen == [[True], [False], [False], [False], [True]]

"""Hours, several days and places of a plan: their limits, whichever way they come, and who may change them.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_activity, call

FIELDS = ("hora", "hora_fin", "fecha_fin", "lugar")


async def fields_of(db: Connection, plan: str) -> list[Any]:
    row = await db.fetchval("select to_jsonb(a) from actividades a where id = $1", plan)
    found = json.loads(row)
    return [found["fecha"], *(found[name] for name in FIELDS)]


REFUSED = [
    ("hora", {"hora": "24:00"}),
    ("hora_fin", {"hora_fin": "23:00"}),
    ("hora_fin", {"hora": "21:30", "hora_fin": "21:30"}),
    ("hora_fin", {"hora": "21:30", "hora_fin": "20:00"}),
    ("hora_fin", {"hora": "21:30", "hora_fin": "24:00"}),
    ("fecha_fin", {"fecha_fin": "2026-12-01"}),
    ("fecha_fin", {"fecha_fin": "2026-11-30"}),
    ("fecha_fin", {"fecha_fin": "2027-01-31"}),
    ("lugar", {"lugar": " \u00a0 "}),
    ("lugar", {"lugar": "x" * 121}),
    ("lugar", {"lugar": "a\nb"}),
    ("lugar", {"lugar": "a\u0085b"}),
]
ACCEPTED = [
    {"hora": "00:00", "hora_fin": "23:59"},
    {"hora": "21:30", "hora_fin": "02:00", "fecha_fin": "2026-12-02"},
    {"fecha_fin": "2027-01-30"},
    {"fecha_fin": "2026-12-03", "hora": "09:00"},
    {"lugar": "x" * 120},
    {"fecha": "2028-02-28", "fecha_fin": "2028-02-29"},
    {"fecha": "2026-12-31", "fecha_fin": "2027-01-01"},
]


@pytest.mark.parametrize(("field", "values"), REFUSED)
async def test_c3_1_a_limit_is_named_at_the_insert_and_at_the_edit(
    db: Connection, people: tuple[str, str, str], field: str, values: dict[str, str]
) -> None:
    ana, _, _ = people
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await add_activity(db, ana, **values)
    assert refusal.value.constraint_name == f"actividades_{field}_check"
    plan = await add_activity(db, ana)
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        async with acting(db, ana):
            await call(db, "editar_plan", plan, 1, json.dumps(values))
    assert refusal.value.constraint_name == f"actividades_{field}_check"


@pytest.mark.parametrize("values", ACCEPTED)
async def test_c3_1_what_is_within_the_limits_stays_as_it_was_typed(
    db: Connection, people: tuple[str, str, str], values: dict[str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana, **values)
    async with acting(db, berta):
        row = await db.fetchrow("select * from actividades where id = $1", plan)
    assert row is not None
    for name, value in values.items():
        assert str(row[name]).startswith(value)
    async with acting(db, carla):
        assert await db.fetchval("select count(*) from actividades where lugar is not null") == 0


@pytest.mark.parametrize("field", FIELDS)
async def test_c3_no_update_touches_them(
    db: Connection, people: tuple[str, str, str], field: str
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    for person in (ana, berta):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with acting(db, person):
                await db.execute(f"update actividades set {field} = null where id = $1", plan)


async def test_c3_an_edit_sets_and_clears_them_and_history_says_so(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana, hora="21:30", lugar="La Tasquita")
    changes = {"hora": None, "lugar": "Casa", "fecha_fin": "2026-12-03"}
    async with acting(db, ana):
        await call(db, "editar_plan", plan, 1, json.dumps(changes))
    assert await fields_of(db, plan) == ["2026-12-01", None, None, "2026-12-03", "Casa"]
    async with acting(db, berta):
        changed = await db.fetchval("select cambios from historial where que = 'editado'")
    assert json.loads(changed) == {
        "hora": ["21:30:00", None],
        "fecha_fin": [None, "2026-12-03"],
        "lugar": ["La Tasquita", "Casa"],
    }


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, ["2026-12-05", "20:00:00", None, None, None]),
        ({"hora": "21:30"}, ["2026-12-01", "22:00:00", None, None, None]),
        ({"hora": "21:30"}, ["2026-12-01", None, None, None, None]),
        (
            {"hora": "21:30", "hora_fin": "23:00", "lugar": "Casa"},
            ["2026-12-05", "20:00:00", "21:30:00", None, "Casa"],
        ),
        ({"hora": "21:30", "hora_fin": "23:00"}, ["2026-12-05", "23:00:00", None, None, None]),
        (
            {"fecha_fin": "2026-12-03", "hora": "9:00", "hora_fin": "8:00"},
            ["2026-12-30", "10:00:00", "08:00:00", "2027-01-01", None],
        ),
    ],
)
async def test_c3_another_date_moves_the_end_along(
    db: Connection,
    people: tuple[str, str, str],
    values: dict[str, str],
    expected: list[str | None],
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana, **values)
    async with acting(db, berta):
        made = await db.fetchval(
            "select proponer_otra_fecha($1, $2::text::date, $3::text::time) ->> 'id'",
            plan,
            *expected[:2],
        )
    assert await fields_of(db, made) == expected


async def test_c3_the_same_date_and_hour_is_no_other(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana, hora="21:30")
    with pytest.raises(asyncpg.RaiseError, match=r"^Elige otra fecha u otra hora\.$"):
        async with acting(db, berta):
            await db.fetchval("select proponer_otra_fecha($1, '2026-12-01', '21:30')", plan)


async def test_c3_a_deleted_plan_comes_back_with_them(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, _, _ = people
    plan = await add_activity(db, ana, hora="21:30", fecha_fin="2026-12-03", lugar="Casa")
    before = await fields_of(db, plan)
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
        await call(db, "recuperar_plan", plan)
    assert await fields_of(db, plan) == before

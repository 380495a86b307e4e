"""Editing a pending proposal, and answering one with another date.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from datetime import date
from typing import Any

import asyncpg
import pytest

from tests.conftest import Server
from tests.harness_sql import Connection, acting, add_activity, add_person, call, pair

MISSING = "Ese plan no existe o no lo compartes."
ANSWERED = "Este plan ya tiene respuesta."
STALE = "Este plan ha cambiado mientras lo editabas. Revísalo."
NOT_THAT = "Eso no se puede cambiar en un plan."


async def edit(db: Connection, person: str, plan: str, read: int, **changes: Any) -> str:
    """`ok`, or the refusal's sentence."""
    try:
        async with acting(db, person):
            await call(db, "editar_plan", plan, read, json.dumps(changes))
    except asyncpg.RaiseError as refusal:
        return str(refusal)
    return "ok"


async def other_date(db: Connection, person: str, plan: str, fecha: date | None) -> str:
    """The new proposal's id, or the refusal's sentence."""
    try:
        async with acting(db, person):
            return (await call(db, "proponer_otra_fecha", plan, fecha, None))["id"]
    except asyncpg.RaiseError as refusal:
        return str(refusal)


async def answer(db: Connection, person: str, plan: str, where: str = "true") -> str:
    async with acting(db, person):
        return await db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = $1"
            f" where id = $2 and {where}",
            person,
            plan,
        )


async def row_of(db: Connection, plan: str) -> dict[str, Any]:
    row = await db.fetchrow("select * from actividades where id = $1", plan)
    assert row is not None
    return {name: str(v) if name.endswith("id") and v else v for name, v in row.items()}


async def test_c2_a_creator_changes_what_is_pending_and_nothing_else_of_it(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, _, _ = people
    plan = await add_activity(db, ana, "Cena", presupuesto=45.5)
    before = await row_of(db, plan)
    changes = {
        "titulo": "Comida",
        "descripcion": "En casa",
        "fecha": "2026-12-24",
        "presupuesto": 9,
    }
    assert await edit(db, ana, plan, 1, **changes) == "ok"
    after = await row_of(db, plan)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {*changes, "revision", "editado_en"}
    assert (after["titulo"], after["fecha"], after["revision"]) == ("Comida", date(2026, 12, 24), 2)
    assert await edit(db, ana, plan, 2, presupuesto=None) == "ok"
    assert (await row_of(db, plan))["presupuesto"] is None


async def test_c2_1_others_and_other_states_are_refused(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana)
    assert (
        await edit(db, berta, plan, 1, titulo="x") == "Solo quien propuso el plan puede cambiarlo."
    )
    assert await edit(db, carla, plan, 1, titulo="x") == MISSING
    assert await edit(db, ana, await add_person(db, "id"), 1, titulo="x") == MISSING
    assert await answer(db, berta, plan) == "UPDATE 1"
    assert await edit(db, ana, plan, 1, titulo="x") == ANSWERED
    assert await other_date(db, berta, plan, date(2026, 12, 9)) == ANSWERED
    for values in ({"estado": "aceptado"}, {"creador_id": carla}, {"revision": 9}, {"id": plan}):
        assert await edit(db, ana, await add_activity(db, ana), 1, **values) == NOT_THAT


@pytest.mark.parametrize("changes", ["null", "[]", '"titulo"', "1"])
async def test_c2_1_changes_that_are_no_object_are_refused(
    db: Connection, people: tuple[str, str, str], changes: str
) -> None:
    ana, _, _ = people
    plan = await add_activity(db, ana)
    with pytest.raises(asyncpg.RaiseError, match=NOT_THAT):
        async with acting(db, ana):
            await call(db, "editar_plan", plan, 1, changes)


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"titulo": "  "}, "actividades_titulo_check"),
        ({"titulo": "x" * 121}, "actividades_titulo_check"),
        ({"descripcion": "x" * 2001}, "actividades_descripcion_check"),
        ({"presupuesto": -1}, "actividades_presupuesto_check"),
    ],
)
async def test_c2_the_rules_of_creating_hold_for_editing(
    db: Connection, people: tuple[str, str, str], changes: dict[str, Any], constraint: str
) -> None:
    ana, _, _ = people
    plan = await add_activity(db, ana)
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await edit(db, ana, plan, 1, **changes)
    assert refusal.value.constraint_name == constraint


async def test_c2_2_nobody_accepts_a_price_that_they_have_not_read(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana, presupuesto=10)
    assert await edit(db, ana, plan, 1, presupuesto=1000) == "ok"
    assert await answer(db, berta, plan, "revision = 1") == "UPDATE 0"
    assert await answer(db, berta, plan, "revision = 2") == "UPDATE 1"


async def test_c2_3_the_second_of_two_edits_is_told(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, _, _ = people
    plan = await add_activity(db, ana)
    assert await edit(db, ana, plan, 1, titulo="Uno") == "ok"
    assert await edit(db, ana, plan, 1, titulo="Dos") == STALE
    assert (await row_of(db, plan))["titulo"] == "Uno"


async def test_c2_another_date_is_a_rejection_and_a_proposal_of_the_same(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana, "Cena", descripcion="Puerto", presupuesto=45.5)
    for refused in (None, date(2026, 12, 1)):
        assert await other_date(db, berta, plan, refused) == "Elige otra fecha u otra hora."
    assert await other_date(db, ana, plan, date(2026, 12, 9)) == "Es tu propuesta: cambia su fecha."
    assert await other_date(db, carla, plan, date(2026, 12, 9)) == MISSING
    made = await other_date(db, berta, plan, date(2026, 12, 9))
    before, after = await row_of(db, plan), await row_of(db, made)
    assert (before["estado"], before["aceptado_por"]) == ("rechazado", None)
    kept = ("titulo", "descripcion", "presupuesto", "pareja_id")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert after["estado"] == "pendiente"
    assert (after["creador_id"], after["origen_id"]) == (berta, plan)


async def test_c2_5_a_chain_of_three_survives_the_deletion_of_its_middle(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    first = await add_activity(db, ana)
    second = await other_date(db, berta, first, date(2026, 12, 9))
    third = await other_date(db, ana, second, date(2026, 12, 20))
    assert (await row_of(db, third))["origen_id"] == second
    assert await answer(db, berta, third) == "UPDATE 1"
    async with acting(db, berta):
        assert await db.execute("delete from actividades where id = $1", second) == "DELETE 1"
    assert (await row_of(db, third))["origen_id"] is None
    assert (await row_of(db, third))["estado"] == "aceptado"


async def test_c2_a_plan_from_before_is_not_changed_and_nobody_else_hears_of_it(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana)
    async with acting(db, ana):
        await call(db, "desvincular_pareja")
    await pair(db, ana, carla)
    assert (
        await edit(db, ana, plan, 1, titulo="x") == "Ese plan es de antes y ya no se puede cambiar."
    )
    for person in (berta, carla):
        assert await edit(db, person, plan, 1, titulo="x") == MISSING
        assert await other_date(db, person, plan, date(2026, 12, 9)) == MISSING


async def test_c2_4_of_edits_at_the_same_moment_one_counts(
    server: Server, planner_database: str
) -> None:
    async with AsyncExitStack() as stack:
        connections = []
        for _ in range(5):
            connections.append(await asyncpg.connect(server.url(planner_database)))
            stack.push_async_callback(connections[-1].close)
        ana = await add_person(connections[0], "Ana")
        plan = await add_activity(connections[0], ana)
        outcomes = await asyncio.gather(
            *(edit(db, ana, plan, 1, titulo=f"Plan {n}") for n, db in enumerate(connections))
        )
        assert sorted(outcomes) == sorted(["ok", *[STALE] * 4])
        assert (await row_of(connections[0], plan))["revision"] == 2
        await connections[0].execute("delete from auth.users where id = $1", ana)

"""Taking a deletion back, and what is kept of a plan's past.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_activity, call, pair

GONE = "Ese plan ya no se puede recuperar."


async def delete(db: Connection, person: str, plan: str) -> None:
    async with acting(db, person):
        assert await db.execute("delete from actividades where id = $1", plan) == "DELETE 1"


async def accept(db: Connection, person: str, plan: str) -> None:
    async with acting(db, person):
        done = await db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = $1 where id = $2",
            person,
            plan,
        )
    assert done == "UPDATE 1"


async def recover(db: Connection, person: str, plan: str) -> str:
    try:
        async with acting(db, person):
            return (await call(db, "recuperar_plan", plan))["id"]
    except asyncpg.RaiseError as refusal:
        return str(refusal)


async def row_of(db: Connection, plan: str) -> Any:
    text = await db.fetchval("select to_jsonb(a) from actividades a where id = $1", plan)
    return json.loads(text) if text else None


async def history_of(db: Connection, person: str, plan: str) -> list[tuple[str, str | None]]:
    """What somebody is shown of a plan's past: what, and who."""
    async with acting(db, person):
        rows = await db.fetch(
            "select que, persona_id::text as quien from historial where actividad_id = $1"
            " order by id",
            plan,
        )
    return [(row["que"], row["quien"]) for row in rows]


async def test_c12_1_a_recovered_plan_is_equal_field_by_field(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana, "Cena", descripcion="Puerto", presupuesto=45.5)
    await accept(db, berta, plan)
    before = await row_of(db, plan)
    await delete(db, ana, plan)
    assert await row_of(db, plan) is None
    assert await recover(db, ana, plan) == plan
    assert await row_of(db, plan) == before
    assert await history_of(db, berta, plan) == [
        ("propuesto", ana),
        ("aceptado", berta),
        ("recuperado", ana),
    ]
    assert await recover(db, ana, plan) == GONE


async def test_c12_only_the_creator_recovers_sees_and_empties(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana, "Cena")
    await delete(db, ana, plan)
    for person in (berta, carla):
        assert await recover(db, person, plan) == GONE
        async with acting(db, person):
            assert await call(db, "mis_borrados") == []
            await call(db, "vaciar_papelera")
    async with acting(db, ana):
        (kept,) = await call(db, "mis_borrados")
        assert (kept["id"], kept["titulo"], kept["fecha"]) == (plan, "Cena", "2026-12-01")
        await call(db, "vaciar_papelera")
        assert await call(db, "mis_borrados") == []
    assert await recover(db, ana, plan) == GONE


async def test_c12_after_thirty_days_it_is_gone(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, _, _ = people
    old, new = await add_activity(db, ana), await add_activity(db, ana)
    await delete(db, ana, old)
    await db.execute("update planes.papelera set borrado_en = now() - interval '31 days'")
    async with acting(db, ana):
        assert await call(db, "mis_borrados") == []
    assert await recover(db, ana, old) == GONE
    await delete(db, ana, new)
    assert await db.fetchval("select count(*) from planes.papelera") == 1


async def test_c12_3_after_parting_it_comes_back_as_de_antes(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana)
    couple = (await row_of(db, plan))["pareja_id"]
    await delete(db, ana, plan)
    async with acting(db, ana):
        await call(db, "desvincular_pareja")
    await pair(db, ana, carla)
    assert await recover(db, ana, plan) == plan
    assert (await row_of(db, plan))["pareja_id"] == couple
    for person in (berta, carla):
        assert await history_of(db, person, plan) == []
        async with acting(db, person):
            assert await db.fetchval("select count(*) from actividades") == 0


async def test_c12_an_acceptance_whose_account_is_gone_is_pending_again(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    await accept(db, berta, plan)
    await delete(db, ana, plan)
    await db.execute("delete from auth.users where id = $1", berta)
    assert await recover(db, ana, plan) == plan
    row = await row_of(db, plan)
    assert (row["estado"], row["aceptado_por"]) == ("pendiente", None)
    assert ("aceptado", None) in await history_of(db, ana, plan)


async def test_c12_an_account_leaves_nothing_in_the_trash(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, _, _ = people
    await delete(db, ana, await add_activity(db, ana))
    await add_activity(db, ana)
    await db.execute("delete from auth.users where id = $1", ana)
    assert await db.fetchval("select count(*) from planes.papelera") == 0
    assert await db.fetchval("select count(*) from historial") == 0


@pytest.mark.parametrize(
    "statement",
    [
        "insert into historial (actividad_id, que) values ($1, 'aceptado')",
        "update historial set que = 'aceptado' where actividad_id = $1",
        "delete from historial where actividad_id = $1",
    ],
)
async def test_c12_2_nobody_writes_history(
    db: Connection, people: tuple[str, str, str], statement: str
) -> None:
    ana, _, _ = people
    plan = await add_activity(db, ana)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, ana):
            await db.execute(statement, plan)


async def test_c12_an_edit_keeps_what_was_and_what_is(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana, "Cena", presupuesto=45.5)
    async with acting(db, ana):
        await call(db, "editar_plan", plan, 1, json.dumps({"presupuesto": 60, "titulo": "Cena"}))
    assert [que for que, _ in await history_of(db, berta, plan)] == ["propuesto", "editado"]
    assert await history_of(db, carla, plan) == []
    changed = await db.fetchval("select cambios from historial where que = 'editado'")
    assert json.loads(changed) == {"presupuesto": [45.5, 60]}


async def test_c12_after_twelve_months_history_is_forgotten(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    await db.execute("update historial set en = now() - interval '13 months'")
    await accept(db, berta, plan)
    assert await history_of(db, ana, plan) == [("aceptado", berta)]

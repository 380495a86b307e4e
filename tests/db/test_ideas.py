"""Ideas without a date: who sees, writes and likes them, and how one becomes a plan.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import (
    Connection,
    acting,
    add_activity,
    answers,
    attempt,
    call,
    key_of,
    pair,
)

MISSING = "Esa idea no existe o no la compartes."
NOT_YOURS = "Esa idea no existe o no es tuya."


async def add_idea(db: Connection, person: str, titulo: str = "Lisboa", **more: Any) -> str:
    identity = more.get("id", str(uuid.uuid4()))
    done = await attempt(
        db, person, "guardar_idea", identity, titulo, more.get("nota"), more.get("presupuesto")
    )
    assert done == "ok"
    return identity


async def ideas_of(db: Connection, person: str) -> list[tuple[str, str | None]]:
    async with acting(db, person):
        rows = await db.fetch("select titulo, actividad_id::text as plan from ideas order by 1")
    return [(row["titulo"], row["plan"]) for row in rows]


async def test_c8_both_see_it_like_it_and_its_creator_changes_it(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    idea = await add_idea(db, ana, nota="En tren", presupuesto=300)
    for person in (ana, berta, berta):
        assert await attempt(db, person, "me_apetece", idea, True) == "ok"
    async with acting(db, ana):
        assert await db.fetchval("select count(*) from apetencias") == 2
    assert await attempt(db, berta, "me_apetece", idea, False) == "ok"
    await add_idea(db, ana, "Oporto", id=idea)
    assert await ideas_of(db, berta) == [("Oporto", None)]
    # The partner's saving of the same id is nobody's change.
    await add_idea(db, berta, "Otra", id=idea)
    assert await ideas_of(db, ana) == [("Oporto", None)]
    assert await attempt(db, berta, "borrar_idea", idea) == NOT_YOURS
    assert await attempt(db, ana, "borrar_idea", idea) == "ok"
    assert await db.fetchval("select count(*) from apetencias") == 0


async def test_c8_an_outsider_and_nobody_see_and_change_nothing(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    idea = await add_idea(db, ana)
    await attempt(db, berta, "me_apetece", idea, True)
    for wrong in (idea, str(uuid.uuid4())):
        assert await attempt(db, carla, "me_apetece", wrong, True) == MISSING
        assert await attempt(db, carla, "borrar_idea", wrong) == NOT_YOURS
    await add_activity(db, carla, "Mío", idea_id=idea)
    assert await ideas_of(db, ana) == [("Lisboa", None)]
    assert await ideas_of(db, carla) == []
    async with acting(db, carla):
        assert await db.fetchval("select count(*) from apetencias") == 0
    for table in ("ideas", "apetencias"):
        for statement in (f"insert into {table} default values", f"delete from {table}"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with acting(db, ana):
                    await db.execute(statement)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with acting(db, None, "anon"):
                await db.execute(f"select from {table}")
    outcomes = await answers(
        db, "public.ideas", [await key_of(db, "public.ideas", idea)],
        [("authenticated", {"sub": who, "role": "authenticated"}) for who in (berta, carla)],
    )  # fmt: skip
    assert [rows for rows, _ in outcomes] == [[True], [False]]


async def test_c8_1_an_idea_with_a_date_is_a_plan_and_an_idea_again_without_it(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    idea = await add_idea(db, ana)
    plan = await add_activity(db, berta, "Lisboa", idea_id=idea)
    assert await ideas_of(db, ana) == [("Lisboa", plan)]
    async with acting(db, berta):
        await db.execute("delete from actividades where id = $1", plan)
    assert await ideas_of(db, ana) == [("Lisboa", None)]
    async with acting(db, berta):
        await call(db, "recuperar_plan", plan)
    assert await ideas_of(db, ana) == [("Lisboa", plan)]


async def test_c8_2_ideas_follow_the_pairing_the_parting_and_the_reunion(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    alone = await add_idea(db, carla, "De Carla sola")
    await add_idea(db, ana, "De las dos")
    async with acting(db, ana):
        await call(db, "desvincular_pareja")
    assert await ideas_of(db, berta) == []
    assert await ideas_of(db, ana) == [("De las dos", None)]
    await pair(db, ana, carla)
    assert await ideas_of(db, ana) == [("De Carla sola", None), ("De las dos", None)]
    assert await ideas_of(db, carla) == [("De Carla sola", None)]
    assert await attempt(db, ana, "me_apetece", alone, True) == "ok"
    async with acting(db, carla):
        await call(db, "desvincular_pareja")
    await pair(db, ana, berta)
    assert await ideas_of(db, berta) == [("De las dos", None)]


@pytest.mark.parametrize(
    ("constraint", "values"),
    [
        ("titulo", (" ", None, None)),
        ("titulo", ("x" * 121, None, None)),
        ("titulo", ("a\nb", None, None)),
        ("nota", ("x", "x" * 501, None)),
        ("nota", ("x", "a\x07b", None)),
        ("presupuesto", ("x", None, -1)),
    ],
)
async def test_c8_an_idea_has_a_proposals_limits(
    db: Connection, people: tuple[str, str, str], constraint: str, values: tuple[Any, ...]
) -> None:
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await attempt(db, people[0], "guardar_idea", str(uuid.uuid4()), *values)
    assert refusal.value.constraint_name == f"ideas_{constraint}_check"


async def test_c8_five_hundred_a_couple(db: Connection, people: tuple[str, str, str]) -> None:
    ana, berta, _ = people
    await add_idea(db, ana)
    await db.execute(
        "insert into ideas (id, pareja_id, creador_id, titulo)"
        " select gen_random_uuid(), pareja_id, creador_id, 'x' from ideas, generate_series(2, 500)"
    )
    refused = await attempt(db, berta, "guardar_idea", str(uuid.uuid4()), "Más", None, None)
    assert refused == "Ya no caben más ideas. Borrad alguna."

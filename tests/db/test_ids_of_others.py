"""Ids that people give: somebody else's is as good as any, tells nothing, and stands in nobody's way.

The names begin with the rows of the planner's design: foreign and missing ids are told alike (0.4).
"""

from __future__ import annotations

import uuid
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.db.test_photos import add_photo, end_transaction
from tests.harness_sql import Connection, acting, add_activity, add_person, attempt, call, pair

KINDS = ("comentarios", "ideas", "fechas_especiales", "pagos", "liquidaciones", "recuerdos")


async def accepted(db: Connection, creator: str, partner: str) -> str:
    """A plan of the one that the other accepted, which cost something."""
    plan = await add_activity(db, creator)
    async with acting(db, partner):
        await db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = auth.uid() where id = $1",
            plan,
        )
    cost = (str(uuid.uuid4()), plan, Decimal(10), creator, 50)
    assert await attempt(db, creator, "anotar_pago", *cost) == "ok"
    return plan


async def make(db: Connection, kind: str, person: str, plan: str, given: str) -> str:
    """`person` makes a row with an id of their own choice; `ok`, or the refusal."""
    arguments: dict[str, tuple[str, tuple[Any, ...]]] = {
        "comentarios": ("comentar", (plan, given, "Hola", False)),
        "ideas": ("guardar_idea", (given, "Lisboa", None, None)),
        "fechas_especiales": ("guardar_fecha_especial", (given, "Boda", date(2020, 5, 1), True)),
        "pagos": ("anotar_pago", (given, plan, Decimal(5), person, 50)),
        "liquidaciones": ("saldar", (given, "2026-12", 500)),
        "recuerdos": ("preparar_recuerdo", (given, plan, 10, 10, 1000)),
    }
    function, values = arguments[kind]
    return await attempt(db, person, function, *values)


async def seen(db: Connection, kind: str, person: str, given: str) -> int:
    async with acting(db, person):
        return await db.fetchval(f"select count(*) from {kind} where id = $1", given)


@pytest.mark.parametrize("kind", KINDS)
async def test_0_4_an_id_of_another_couples_is_told_from_a_fresh_one_by_nothing(
    db: Connection, people: tuple[str, str, str], kind: str
) -> None:
    ana, berta, carla = people
    dora = await add_person(db, "Dora")
    await pair(db, carla, dora)
    theirs, own = await accepted(db, ana, berta), await accepted(db, carla, dora)
    given = str(uuid.uuid4())
    assert await make(db, kind, ana, theirs, given) == "ok"
    before = await db.fetch(f"select * from {kind}")
    assert await make(db, kind, carla, own, given) == "ok"
    assert await seen(db, kind, carla, given) == 1
    rows = await db.fetch(f"select * from {kind}")
    assert len(rows) == len(before) + 1
    assert set(before) <= set(rows)
    if kind == "liquidaciones":  # a month is settled once
        assert await attempt(db, carla, "anular_saldo", given) == "ok"
    assert await make(db, kind, carla, own, str(uuid.uuid4())) == "ok"


async def test_0_4_likes_of_another_couples_idea_are_not_seen_with_an_own_one_of_its_id(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    given = str(uuid.uuid4())
    for person in (ana, carla):
        assert await make(db, "ideas", person, "", given) == "ok"
    assert await attempt(db, berta, "me_apetece", given, True) == "ok"
    async with acting(db, carla):
        assert await db.fetchval("select count(*) from apetencias") == 0
    assert await attempt(db, carla, "me_apetece", given, True) == "ok"
    assert await attempt(db, carla, "borrar_idea", given) == "ok"
    async with acting(db, ana):
        assert await db.fetchval("select count(*) from apetencias") == 1


async def test_c12_1_what_is_deleted_comes_back_though_somebody_made_rows_of_its_ids(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await accepted(db, ana, berta)
    photo = await add_photo(db, ana, plan)
    comment, payment = str(uuid.uuid4()), str(uuid.uuid4())
    assert await make(db, "comentarios", ana, plan, comment) == "ok"
    assert await make(db, "pagos", berta, plan, payment) == "ok"
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
        await call(db, "desvincular_pareja")
    await end_transaction(db)
    await pair(db, berta, carla)
    other = await accepted(db, berta, carla)
    for kind, given in (("comentarios", comment), ("pagos", payment), ("recuerdos", photo)):
        assert await make(db, kind, berta, other, given) == "ok"
    assert await attempt(db, ana, "recuperar_plan", plan) == "ok"
    for kind, given in (("comentarios", comment), ("pagos", payment), ("recuerdos", photo)):
        assert await seen(db, kind, ana, given) == 1, kind


async def test_c12_1_an_author_who_gave_a_deleted_ones_id_to_another_keeps_no_plan_away(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    photo = await add_photo(db, berta, plan)
    comment = str(uuid.uuid4())
    assert await make(db, "comentarios", berta, plan, comment) == "ok"
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
    other = await add_activity(db, berta)
    for kind, given in (("comentarios", comment), ("recuerdos", photo)):
        assert await make(db, kind, berta, other, given) == "ok"
    assert await attempt(db, ana, "recuperar_plan", plan) == "ok"
    async with acting(db, ana):
        assert await db.fetchval("select count(*) from actividades where id = $1", plan) == 1
        assert await db.fetchval("select actividad_id::text from comentarios") == other


async def test_c4_a_comment_deleted_said_again_and_deleted_again_comes_back(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, _, _ = people
    plan, comment = await add_activity(db, ana), str(uuid.uuid4())
    for _ in range(2):
        assert await make(db, "comentarios", ana, plan, comment) == "ok"
        assert await attempt(db, ana, "borrar_comentario", comment) == "ok"
    assert await make(db, "comentarios", ana, plan, comment) == "ok"
    assert await attempt(db, ana, "recuperar_comentario", comment) == "ok"
    assert await seen(db, "comentarios", ana, comment) == 1

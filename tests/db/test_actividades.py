"""Every rule of who may read, propose, answer and delete an activity."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_activity, add_person, insert, pair

DENIED = asyncpg.InsufficientPrivilegeError


@dataclass
class World:
    """A couple, somebody outside of it, and an activity that Ana proposed to Berta."""

    db: Connection
    ana: str
    berta: str
    carla: str
    couple: str
    activity: str

    async def state(self) -> tuple[str, str | None]:
        row = await self.db.fetchrow(
            "select estado, aceptado_por::text from public.actividades where id = $1", self.activity
        )
        assert row is not None
        return row["estado"], row["aceptado_por"]


@pytest.fixture
async def world(db: Connection) -> World:
    ana, berta, carla = [await add_person(db, n) for n in ("Ana", "Berta", "Carla")]
    couple = await pair(db, ana, berta)
    return World(db, ana, berta, carla, couple, await add_activity(db, ana))


async def test_both_partners_read_it_and_nobody_else(world: World) -> None:
    await add_activity(world.db, world.carla, "Sola")
    for reader, seen in ((world.ana, ["Cine"]), (world.berta, ["Cine"]), (world.carla, ["Sola"])):
        async with acting(world.db, reader):
            rows = await world.db.fetch("select titulo from actividades order by fecha")
            assert [row["titulo"] for row in rows] == seen
            assert await world.db.fetchval("select count(*) from actividades") == 1


async def test_the_service_role_reads_all(world: World) -> None:
    async with acting(world.db, None, "service_role"):
        assert await world.db.fetchval("select count(*) from actividades") == 1


async def test_the_partner_accepts(world: World) -> None:
    async with acting(world.db, world.berta):
        changed = await world.db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = auth.uid() where id = $1",
            world.activity,
        )
    assert changed == "UPDATE 1"
    assert await world.state() == ("aceptado", world.berta)


async def test_the_partner_rejects(world: World) -> None:
    async with acting(world.db, world.berta):
        await world.db.execute("update actividades set estado = 'rechazado', aceptado_por = null")
    assert await world.state() == ("rechazado", None)


@pytest.mark.parametrize("who", ["ana", "carla"])
async def test_neither_the_creator_nor_an_outsider_answers(world: World, who: str) -> None:
    async with acting(world.db, getattr(world, who)):
        changed = await world.db.execute(
            "update actividades set estado = 'rechazado', aceptado_por = null where id = $1",
            world.activity,
        )
    assert changed == "UPDATE 0"
    assert await world.state() == ("pendiente", None)


@pytest.mark.parametrize("first", ["aceptado", "rechazado"])
async def test_an_answer_is_final(world: World, first: str) -> None:
    accepter = world.berta if first == "aceptado" else None
    async with acting(world.db, world.berta):
        await world.db.execute(
            "update actividades set estado = $1, aceptado_por = $2", first, accepter
        )
    async with acting(world.db, world.berta):
        again = await world.db.execute(
            "update actividades set estado = 'rechazado', aceptado_por = null"
        )
    assert again == "UPDATE 0"
    assert await world.state() == (first, accepter)


@pytest.mark.parametrize(
    ("estado", "by"),
    [("aceptado", "ana"), ("aceptado", "carla"), ("pendiente", None), ("rechazado", "berta")],
)
async def test_other_answers_are_refused(world: World, estado: str, by: str | None) -> None:
    accepter = getattr(world, by) if by else None
    with pytest.raises((DENIED, asyncpg.CheckViolationError)):
        async with acting(world.db, world.berta):
            await world.db.execute(
                "update actividades set estado = $1, aceptado_por = $2", estado, accepter
            )


@pytest.mark.parametrize(
    "assignment",
    [
        "titulo = 'Otra'", "descripcion = 'x'", "fecha = '2027-01-01'", "presupuesto = 1",
        "creador_id = auth.uid()", "pareja_id = auth.uid()", "id = gen_random_uuid()",
        "creado_en = now()", "estado = 'rechazado', titulo = 'Otra'",
    ],
)  # fmt: skip
@pytest.mark.parametrize("who", ["ana", "berta"])
async def test_no_other_column_ever_changes(world: World, who: str, assignment: str) -> None:
    with pytest.raises(DENIED):
        async with acting(world.db, getattr(world, who)):
            await world.db.execute(f"update actividades set {assignment}")


async def test_only_the_creator_deletes(world: World) -> None:
    for who, result in (("berta", "DELETE 0"), ("carla", "DELETE 0"), ("ana", "DELETE 1")):
        async with acting(world.db, getattr(world, who)):
            deleted = await world.db.execute(
                "delete from actividades where id = $1", world.activity
            )
            assert deleted == result, who


async def test_the_creator_deletes_an_answered_activity_too(world: World) -> None:
    async with acting(world.db, world.berta):
        await world.db.execute("update actividades set estado = 'rechazado'")
    async with acting(world.db, world.ana):
        assert await world.db.execute("delete from actividades") == "DELETE 1"


@pytest.mark.parametrize(
    "wrong",
    [
        {"creador_id": "berta"},
        {"creador_id": "carla"},
        {"pareja_id": "berta"},
        {"pareja_id": "carla"},
        {"pareja_id": str(uuid.uuid4())},
        {"estado": "aceptado", "aceptado_por": "berta"},
        {"estado": "rechazado"},
        {"id": str(uuid.uuid4())},
        {"creado_en": "2020-01-01"},
    ],
)
async def test_what_a_creator_may_not_insert(world: World, wrong: dict[str, Any]) -> None:
    values = {key: getattr(world, value, value) for key, value in wrong.items()}
    with pytest.raises(DENIED):
        await add_activity(world.db, world.ana, **values)


async def test_an_outsider_cannot_propose_into_a_couple(world: World) -> None:
    with pytest.raises(DENIED):
        await add_activity(world.db, world.carla, pareja_id=world.couple)


async def test_a_conflict_does_not_tell_that_a_row_exists(world: World) -> None:
    with pytest.raises(DENIED):
        async with acting(world.db, world.carla):
            await insert(
                world.db,
                {
                    "id": world.activity, "titulo": "x", "fecha": "2026-12-01",
                    "creador_id": world.carla, "pareja_id": world.carla,
                },
            )  # fmt: skip


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"titulo": ""}, "actividades_titulo_check"),
        ({"titulo": " \t\u00a0\u200b"}, "actividades_titulo_check"),
        ({"titulo": "x" * 121}, "actividades_titulo_check"),
        ({"titulo": "x" + " " * 600}, "actividades_titulo_check"),
        ({"descripcion": "x" * 2001}, "actividades_descripcion_check"),
        ({"presupuesto": -0.01}, "actividades_presupuesto_check"),
        ({"presupuesto": "NaN"}, "actividades_presupuesto_check"),
        ({"fecha": "infinity"}, "actividades_fecha_check"),
        ({"fecha": "0044-03-15 BC"}, "actividades_fecha_check"),
        ({"fecha": "10000-01-01"}, "actividades_fecha_check"),
    ],
)
async def test_a_limit_is_refused_by_its_named_constraint(
    world: World, values: dict[str, Any], constraint: str
) -> None:
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await add_activity(world.db, world.ana, **values)
    assert refusal.value.constraint_name == constraint


@pytest.mark.parametrize(
    "values",
    [
        {"titulo": "x" * 120},
        {"titulo": "  " + "x" * 120 + "\n"},
        {"titulo": "👩‍❤️‍👨 Cena"},
        {"descripcion": "x" * 2000},
        {"descripcion": None},
        {"presupuesto": 0},
        {"presupuesto": "9999999999.99"},
        {"fecha": "0001-01-01"},
        {"fecha": "9999-12-31"},
        {"fecha": "2028-02-29"},
    ],
)
async def test_what_is_just_within_the_limits_is_taken(
    world: World, values: dict[str, Any]
) -> None:
    assert await add_activity(world.db, world.ana, **values)


@pytest.mark.parametrize("missing", ["titulo", "fecha", "creador_id", "pareja_id"])
async def test_a_row_without_a_required_column_is_refused(world: World, missing: str) -> None:
    with pytest.raises((asyncpg.NotNullViolationError, DENIED)):
        await add_activity(world.db, world.ana, **{missing: None})


async def test_too_large_a_budget_is_an_error_of_the_number(world: World) -> None:
    with pytest.raises(asyncpg.NumericValueOutOfRangeError):
        await add_activity(world.db, world.ana, presupuesto="10000000000")


@pytest.mark.parametrize(
    ("estado", "by"),
    [("aceptado", None), ("pendiente", "berta"), ("rechazado", "berta"), ("aceptado", "ana")],
)
async def test_the_states_hold_for_the_service_role_too(
    world: World, estado: str, by: str | None
) -> None:
    accepter = getattr(world, by) if by else None
    with pytest.raises(asyncpg.CheckViolationError):
        async with acting(world.db, None, "service_role"):
            await world.db.execute(
                "update actividades set estado = $1, aceptado_por = $2", estado, accepter
            )


async def test_an_unknown_state_is_refused(world: World) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        async with acting(world.db, None, "service_role"):
            await world.db.execute("update actividades set estado = 'quizás'")


async def test_the_account_that_accepted_may_go(world: World) -> None:
    async with acting(world.db, world.berta):
        await world.db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = auth.uid()"
        )
    await world.db.execute("delete from auth.users where id = $1", world.berta)
    assert await world.state() == ("pendiente", None)


async def test_the_creators_account_takes_its_activities_along(world: World) -> None:
    await world.db.execute("delete from auth.users where id = $1", world.ana)
    async with acting(world.db, world.berta):
        assert await world.db.fetchval("select count(*) from actividades") == 0

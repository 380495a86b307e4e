"""Plans that repeat: rows like any other, proposed, answered, changed and deleted together.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import json
import uuid
from datetime import date
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, call

MISSING = "Ese plan no existe o no lo compartes."
CHANGED = "Alguna fecha ha cambiado mientras la leías. Revísala."
PLAN = {"titulo": "Clase de baile", "fecha": "2027-01-31", "presupuesto": 20, "hora": "20:00"}


async def attempt(db: Connection, person: str | None, function: str, *arguments: Any) -> Any:
    """The answer, or the refusal: its sentence, or its code where it has none of ours."""
    try:
        async with acting(db, person, "authenticated" if person else "anon"):
            return await call(db, function, *arguments)
    except asyncpg.PostgresError as refusal:
        return str(refusal) if refusal.sqlstate == "P0001" else refusal.sqlstate


async def propose(
    db: Connection, person: str, regla: str | None = "mensual", hasta: str = "2027-04-30",
    **changes: Any,
) -> tuple[str, Any]:  # fmt: skip
    identity = changes.pop("id", str(uuid.uuid4()))
    plan = json.dumps(PLAN | changes)
    until = date.max if hasta == "infinity" else date.fromisoformat(hasta)
    return identity, await attempt(db, person, "crear_serie", identity, plan, regla, until)


async def rows(db: Connection, person: str) -> list[asyncpg.Record]:
    async with acting(db, person):
        return await db.fetch(
            "select id::text, fecha::text, estado, revision, titulo, fecha_fin::text, serie_id::text,"
            " aceptado_por::text, presupuesto from actividades order by fecha"
        )


def read(found: list[asyncpg.Record]) -> str:
    return json.dumps({row["id"]: row["revision"] for row in found})


async def test_c10_a_series_is_a_proposal_on_each_of_its_dates(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    serie, made = await propose(db, ana, fecha_fin="2027-02-02")
    assert made == {"fechas": 4}
    found = await rows(db, berta)
    assert [(row["fecha"], row["fecha_fin"]) for row in found] == [
        ("2027-01-31", "2027-02-02"), ("2027-02-28", "2027-03-02"),
        ("2027-03-31", "2027-04-02"), ("2027-04-30", "2027-05-02"),
    ]  # fmt: skip
    assert {row["serie_id"] for row in found} == {serie}
    assert {(row["estado"], row["revision"]) for row in found} == {("pendiente", 1)}
    # What is sent twice is there once.
    assert (await propose(db, ana, id=serie))[1] == {"fechas": 4}
    assert len(await rows(db, ana)) == 4


@pytest.mark.parametrize(
    ("regla", "hasta", "refused"),
    [
        ("semanal", "2028-01-30", "Como mucho 52 fechas."),
        ("mensual", "2029-02-01", "Como mucho dos años."),
        ("mensual", "infinity", "Como mucho dos años."),
        ("anual", "2027-12-31", "Con esa última fecha no se repite."),
        ("diaria", "2027-02-28", "Con esa última fecha no se repite."),
        (None, "2027-02-28", "Con esa última fecha no se repite."),
    ],
)
async def test_c10_1_53_dates_more_than_two_years_and_one_date_are_refused(
    db: Connection, people: tuple[str, str, str], regla: str, hasta: str, refused: str
) -> None:
    assert (await propose(db, people[0], regla, hasta))[1] == refused
    assert not await rows(db, people[0])


async def test_c10_1_fifty_two_dates_are_proposed(
    db: Connection, people: tuple[str, str, str]
) -> None:
    assert (await propose(db, people[0], "semanal", "2028-01-23"))[1] == {"fechas": 52}


@pytest.mark.parametrize(
    "changes",
    [{"titulo": " "}, {"presupuesto": -1}, {"hora_fin": "19:00"}, {"lugar": "x" * 121}],
)
async def test_c10_a_series_has_a_plans_limits(
    db: Connection, people: tuple[str, str, str], changes: dict[str, Any]
) -> None:
    assert (await propose(db, people[0], **changes))[1] == "23514"


async def test_c10_a_series_is_made_by_its_function_alone(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, _, _ = people
    assert (await propose(db, ana, creador_id=people[1]))[1] == "Eso no se puede poner en un plan."
    for column, value in (("serie_id", str(uuid.uuid4())), ("regla", "anual")):
        insert = (
            f"insert into actividades (titulo, fecha, creador_id, pareja_id, {column})"
            f" values ('x', '2027-01-01', '{ana}', '{ana}', '{value}')"
        )
        for statement in (insert, f"update actividades set {column} = '{value}'"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with acting(db, ana):
                    await db.execute(statement)


async def test_c10_the_partner_answers_all_that_is_pending_of_it(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    serie, _ = await propose(db, ana)
    found = await rows(db, berta)
    async with acting(db, berta):
        await db.execute(
            "update actividades set estado = 'rechazado', aceptado_por = null where id = $1",
            found[1]["id"],
        )
    # C10.3: half answered by itself, what is left is answered together.
    answer = await attempt(db, berta, "responder_serie", serie, "aceptado", read(found))
    assert answer == {"respondidas": 3}
    assert [(row["estado"], row["aceptado_por"]) for row in await rows(db, ana)] == [
        ("aceptado", berta), ("rechazado", None), ("aceptado", berta), ("aceptado", berta),
    ]  # fmt: skip
    again = await attempt(db, berta, "responder_serie", serie, "rechazado", read(found))
    assert again == "Este plan ya tiene respuesta."


async def test_c10_nobody_accepts_a_date_that_they_have_not_read(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    serie, _ = await propose(db, ana)
    found = await rows(db, berta)
    edit = (found[2]["id"], 1, json.dumps({"presupuesto": 90}))
    assert await attempt(db, ana, "editar_plan", *edit) == {"revision": 2}
    for seen in (read(found), read(found[:1]), "{}"):
        assert await attempt(db, berta, "responder_serie", serie, "aceptado", seen) == CHANGED
    for answer, seen in (("pendiente", read(found)), ("aceptado", "[]")):
        message = await attempt(db, berta, "responder_serie", serie, answer, seen)
        assert message == "Eso no es una respuesta."
    assert {row["estado"] for row in await rows(db, ana)} == {"pendiente"}
    # One that is gone meanwhile is answered by nobody and stops nothing.
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", found[0]["id"])
    seen = json.dumps({row["id"]: row["revision"] for row in [found[0], *await rows(db, berta)]})
    answered = await attempt(db, berta, "responder_serie", serie, "aceptado", seen)
    assert answered == {"respondidas": 3}


async def test_c10_an_edit_moves_what_is_pending_of_it_along(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    await propose(db, ana)
    second = (await rows(db, ana))[1]["id"]
    changes = json.dumps({"titulo": "Salsa", "fecha": "2027-03-02", "fecha_fin": "2027-03-03"})
    done = await attempt(db, ana, "editar_serie", second, 1, changes, "siguientes")
    assert done == {"cambiadas": 3}
    assert [(row["titulo"], row["fecha"], row["fecha_fin"]) for row in await rows(db, berta)] == [
        ("Clase de baile", "2027-01-31", None), ("Salsa", "2027-03-02", "2027-03-03"),
        ("Salsa", "2027-04-02", "2027-04-03"), ("Salsa", "2027-05-02", "2027-05-03"),
    ]  # fmt: skip
    stale = await attempt(db, ana, "editar_serie", second, 1, changes, "todas")
    assert stale == "Este plan ha cambiado mientras lo editabas. Revísalo."
    done = await attempt(db, ana, "editar_serie", second, 2, '{"presupuesto": 5}', "todas")
    assert done == {"cambiadas": 4}
    assert {row["presupuesto"] for row in await rows(db, berta)} == {5}
    wrong = await attempt(db, berta, "editar_serie", second, 3, "{}", "todas")
    assert wrong == "Solo quien propuso el plan puede cambiarlo."


async def test_c10_what_is_deleted_together_comes_back_together(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    await propose(db, ana)
    found = await rows(db, ana)
    async with acting(db, berta):
        await db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = $2 where id = $1",
            found[0]["id"], berta,
        )  # fmt: skip
    before = await rows(db, ana)
    gone = await attempt(db, ana, "borrar_serie", found[0]["id"], "pendientes")
    assert gone == {"ids": [row["id"] for row in found[1:]]}
    assert await attempt(db, ana, "recuperar_planes", gone["ids"]) == {"recuperados": 3}
    assert await rows(db, berta) == before
    gone = await attempt(db, ana, "borrar_serie", found[2]["id"], "siguientes")
    assert gone == {"ids": [row["id"] for row in found[2:]]}
    refused = await attempt(db, berta, "recuperar_planes", gone["ids"])
    assert refused == "Ese plan ya no se puede recuperar."
    gone = await attempt(db, ana, "borrar_serie", found[0]["id"], "siguientes")
    assert gone == {"ids": [row["id"] for row in found[:2]]}
    assert not await rows(db, ana)


async def test_c10_who_is_outside_does_nothing_with_it_and_is_told_nothing(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    serie, _ = await propose(db, ana)
    found = await rows(db, ana)
    first = found[0]["id"]
    tries: list[tuple[str, tuple[Any, ...]]] = [
        ("responder_serie", (serie, "aceptado", read(found))),
        ("editar_serie", (first, 1, "{}", "todas")),
        ("borrar_serie", (first, "siguientes")),
    ]
    for function, arguments in tries:
        assert await attempt(db, carla, function, *arguments) == MISSING
        assert await attempt(db, carla, function, str(uuid.uuid4()), *arguments[1:]) == MISSING
        assert await attempt(db, None, function, *arguments) == "42501"
    assert await attempt(db, None, "recuperar_planes", [first]) == "42501"
    # Neither does its creator answer it nor the partner delete it.
    assert await attempt(db, ana, "responder_serie", serie, "aceptado", read(found)) == MISSING
    assert await attempt(db, berta, "borrar_serie", first, "siguientes") == MISSING
    # Somebody else's id makes a series of one's own, and says nothing of the other.
    assert (await propose(db, carla, id=serie))[1] == {"fechas": 4}
    assert [row["creador_id"] for row in await creators(db, carla)] == [carla] * 4
    async with acting(db, ana):
        await call(db, "desvincular_pareja")
    assert await attempt(db, berta, "responder_serie", serie, "aceptado", read(found)) == MISSING
    assert await rows(db, ana) == found
    assert {row["estado"] for row in found} == {"pendiente"}


async def creators(db: Connection, person: str) -> list[asyncpg.Record]:
    async with acting(db, person):
        return await db.fetch("select creador_id::text from actividades")


async def test_c10_2_a_series_its_answer_its_change_and_its_deletion_are_told_once(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    for person in (ana, berta):
        await listen(db, person)
    serie, _ = await propose(db, ana)
    found = await rows(db, berta)
    change = json.dumps({"titulo": "Salsa"})
    await settled(db, ana, "editar_serie", found[0]["id"], 1, change, "todas")
    await settled(db, berta, "responder_serie", serie, "aceptado", read(await rows(db, berta)))
    await settled(db, ana, "borrar_serie", found[2]["id"], "siguientes")
    assert await alerts_of(db, berta) == [
        ("Ana propone un plan que se repite", "Clase de baile · 4 fechas, desde el dom 31 ene"),
        ("Ana ha cambiado su propuesta", "Salsa · 4 fechas, desde el dom 31 ene"),
        ("Ana ha eliminado planes aceptados", "Salsa · 2 fechas, desde el mié 31 mar"),
    ]
    assert await alerts_of(db, ana) == [
        ("Berta ha aceptado", "Salsa · 4 fechas, desde el dom 31 ene"),
    ]


async def listen(db: Connection, person: str) -> None:
    async with acting(db, person):
        device = await call(
            db, "registrar_dispositivo", f"https://fcm.googleapis.com/{uuid.uuid4()}",
            "B" + "A" * 86, "A" * 22, "Móvil", "Europe/Madrid",
        )  # fmt: skip
        never = json.dumps({"silencio_desde": None, "silencio_hasta": None})
        await call(db, "ajustar_dispositivo", device["id"], never)


async def settled(db: Connection, person: str, function: str, *arguments: Any) -> None:
    """Called, and what a commit does at its end."""
    async with acting(db, person):
        await call(db, function, *arguments)
        await db.execute("set constraints all immediate")
        await db.execute("set constraints all deferred")


async def alerts_of(db: Connection, person: str) -> list[tuple[str, str]]:
    found = await db.fetch(
        "select carga ->> 'titulo' as titulo, carga ->> 'cuerpo' as cuerpo from recados.cola c"
        " join planes.dispositivos d on d.id::text = c.destino ->> 'dispositivo'"
        " where d.persona_id = $1 order by c.id", person,
    )  # fmt: skip
    return [(row["titulo"], row["cuerpo"]) for row in found]

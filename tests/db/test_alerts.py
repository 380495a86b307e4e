"""Who is told what on which device, and when: in the transaction of what happened.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, time
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_activity, add_person, call, pair

KEY = "B" + "A" * 86
GONE = "Ese dispositivo ya no recibe avisos."


@pytest.fixture
async def people(db: Connection) -> tuple[str, str, str]:
    """Ana and Berta, who are a couple, and Carla; each with a device that is never quiet."""
    ana, berta, carla = [await add_person(db, name) for name in ("Ana", "Berta", "Carla")]
    await pair(db, ana, berta)
    for person in (ana, berta, carla):
        await device(db, person)
    return ana, berta, carla


async def register(db: Connection, person: str, endpoint: str, **more: str) -> str:
    values = {"p256dh": KEY, "auth": "A" * 22, "nombre": "Móvil", "zona": "Europe/Madrid"} | more
    async with acting(db, person):
        made = await call(db, "registrar_dispositivo", endpoint, *values.values())
    return made["id"]


async def device(db: Connection, person: str, **changes: Any) -> str:
    """A device that is never quiet unless it is said."""
    made = await register(db, person, f"https://fcm.googleapis.com/{uuid.uuid4()}")
    await adjust(db, person, made, {"silencio_desde": None, "silencio_hasta": None} | changes)
    return made


async def adjust(db: Connection, person: str, device: str, changes: dict[str, Any]) -> None:
    async with acting(db, person):
        await db.execute("select ajustar_dispositivo($1, $2)", device, json.dumps(changes))


@asynccontextmanager
async def committing(db: Connection, person: str) -> AsyncGenerator[None]:
    """A block as somebody, at whose end is done what a commit does."""
    async with acting(db, person):
        yield
        await db.execute("set constraints all immediate")
        await db.execute("set constraints all deferred")


async def alerts_of(db: Connection, person: str) -> list[tuple[str, str]]:
    """What waits for a person's devices: titles and bodies."""
    rows = await db.fetch(
        "select carga ->> 'titulo' as titulo, carga ->> 'cuerpo' as cuerpo from recados.cola c"
        " join planes.dispositivos d on d.id::text = c.destino ->> 'dispositivo'"
        " where d.persona_id = $1 order by c.id", person,
    )  # fmt: skip
    return [(row["titulo"], row["cuerpo"]) for row in rows]


async def refusal(db: Connection, person: str | None, sql: str, *arguments: Any) -> str:
    role = "authenticated" if person else "anon"
    try:
        async with acting(db, person, role):
            await db.execute(sql, *arguments)
    except asyncpg.PostgresError as error:
        return error.sqlstate if error.sqlstate != "P0001" else str(error)
    return ""


async def answer(db: Connection, person: str, plan: str, estado: str) -> None:
    async with committing(db, person):
        await db.execute(
            "update actividades set estado = $2,"
            " aceptado_por = case when $2 = 'aceptado' then auth.uid() end where id = $1",
            plan, estado,
        )  # fmt: skip


async def test_c1_a_proposal_is_told_to_the_partner_alone(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, carla = people
    await add_activity(
        db, ana, "Cena romántica", fecha="2026-11-22", presupuesto=45.5, hora="21:30"
    )
    assert await alerts_of(db, berta) == [
        ("Ana propone un plan", "Cena romántica · dom 22 nov · 21:30 · 45,50\u00a0€")
    ]
    assert await alerts_of(db, ana) == await alerts_of(db, carla) == []
    kind = await db.fetchval("select carga ->> 'evento' from recados.cola")
    assert kind == "propuestas"


async def test_c1_answers_edits_and_deletions_are_told(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    plan = await add_activity(db, ana, "Cena", fecha="2026-11-22")
    async with committing(db, ana):
        await db.execute("""select editar_plan($1, 1, '{"titulo": "Comida"}')""", plan)
    await answer(db, berta, plan, "aceptado")
    assert await alerts_of(db, ana) == [("Berta ha aceptado", "Comida · dom 22 nov")]
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
    assert (await alerts_of(db, berta))[1:] == [
        ("Ana ha cambiado su propuesta", "Comida · dom 22 nov"),
        ("Ana ha eliminado un plan aceptado", "Comida · dom 22 nov"),
    ]
    waiting = await add_activity(db, ana, "Cine")
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", waiting)
    assert len(await alerts_of(db, berta)) == 4


async def test_c1_another_date_is_told_once_and_with_both(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    plan = await add_activity(db, ana, "Cena", fecha="2026-11-22")
    async with committing(db, berta):
        await call(db, "proponer_otra_fecha", plan, datetime(2026, 11, 28, tzinfo=UTC).date())
    assert await alerts_of(db, ana) == [
        ("Berta propone otra fecha", "Cena: del dom 22 nov al sáb 28 nov")
    ]
    second = await add_activity(db, ana, "Cine", fecha="2026-11-22")
    await answer(db, berta, second, "rechazado")
    assert (await alerts_of(db, ana))[1:] == [("Berta ha rechazado", "Cine · dom 22 nov")]


async def test_c1_another_hour_of_the_same_day_is_told_as_an_hour(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    plan = await add_activity(db, ana, "Cena", fecha="2026-11-22")
    async with committing(db, berta):
        await call(db, "proponer_otra_fecha", plan, date(2026, 11, 22), time(22))
    assert await alerts_of(db, ana) == [("Berta propone otra hora", "Cena · dom 22 nov · 22:00")]


async def test_c13_many_proposals_of_one_statement_are_one_alert(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    async with acting(db, ana):
        await db.execute(
            "insert into actividades (titulo, fecha, creador_id, pareja_id)"
            " select 'Plan ' || n, '2026-12-01'::date + n, auth.uid(), planes.mi_pareja()"
            " from generate_series(1, 12) as n"
        )
    assert await alerts_of(db, berta) == [("Ana propone 12 planes", "Plan 1 · Plan 2 · Plan 3")]


async def test_c1_comments_pairing_and_parting_are_told(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, carla = people
    plan = await add_activity(db, ana, "Cena")
    async with acting(db, berta):
        await db.execute("select comentar($1, gen_random_uuid(), $2)", plan, "x" * 200)
    assert await alerts_of(db, ana) == [("Berta comenta: Cena", "x" * 120)]
    async with acting(db, berta):
        await db.execute("select desvincular_pareja()")
    assert (await alerts_of(db, ana))[-1][0] == "Berta ha dejado de compartir el calendario"
    before = await alerts_of(db, berta)
    await add_activity(db, ana, "Sola")
    assert await alerts_of(db, berta) == before
    await pair(db, ana, carla)
    assert (await alerts_of(db, ana))[-1][0] == "Ya planeas con Carla"
    await add_activity(db, carla, "Teatro")
    assert await alerts_of(db, berta) == before


async def test_c1_titles_may_stay_hidden_and_events_be_left_out(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    await db.execute("delete from planes.dispositivos where persona_id = $1", berta)
    await device(db, berta, ver_titulo=False, eventos=["comentarios"])
    plan = await add_activity(db, berta, "Secreto")
    await add_activity(db, ana, "Cena")
    async with acting(db, ana):
        await db.execute("select comentar($1, gen_random_uuid(), 'Qué bien')", plan)
    assert await alerts_of(db, berta) == [("Ana comenta", "Ábrelo para verlo")]


async def test_c1_several_in_quiet_hours_are_one_at_their_end(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    await db.execute("delete from planes.dispositivos where persona_id = $1", berta)
    await device(db, berta, silencio_desde="00:00", silencio_hasta="23:59:59")
    for titulo in ("Cena", "Cine", "Teatro", "Ópera"):
        await add_activity(db, ana, titulo)
    assert await alerts_of(db, berta) == [("4 novedades de Ana", "Cena · Cine · Teatro")]
    waits = "select no_antes_de > now() and caduca_en > no_antes_de from recados.cola"
    assert await db.fetchval(waits)


@pytest.mark.parametrize(
    ("zone", "now", "end"),
    [
        ("Europe/Madrid", "2026-11-22T20:00Z", None),
        ("Europe/Madrid", "2026-11-22T21:30Z", "2026-11-23T07:30Z"),
        ("Europe/Madrid", "2026-11-23T05:00Z", "2026-11-23T07:30Z"),
        ("Europe/Madrid", "2026-11-23T07:30Z", None),
        ("America/Mexico_City", "2026-11-22T21:30Z", None),
        ("Europe/Madrid", "2026-03-28T22:00Z", "2026-03-29T06:30Z"),
        ("Europe/Madrid", "2026-10-24T22:00Z", "2026-10-25T07:30Z"),
    ],
)
async def test_c1_3_quiet_hours_go_over_midnight_and_changes_of_clocks(
    db: Connection, zone: str, now: str, end: str | None
):
    moment = datetime.fromisoformat(now)
    found = await db.fetchval(
        "select planes.fin_del_silencio('22:30', '08:30', $1, $2)", zone, moment
    )
    assert found == (datetime.fromisoformat(end) if end else moment)


async def test_c1_2_devices_are_ones_own_and_no_table_is_reached(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, carla = people
    mine = await device(db, ana)
    for person in (berta, carla):
        for function in ("probar_dispositivo($1)", "ajustar_dispositivo($1, '{}')"):
            assert await refusal(db, person, f"select {function}", mine) == GONE
        await refusal(db, person, "select quitar_dispositivo($1)", mine)
        async with acting(db, person):
            assert mine not in {one["id"] for one in await call(db, "mis_dispositivos")}
    async with acting(db, ana):
        shown = await call(db, "mis_dispositivos")
    assert mine in {one["id"] for one in shown}
    assert all("endpoint" not in one for one in shown)
    for person in (ana, None):
        for table in ("planes.dispositivos", "recados.cola", "recados.tareas"):
            assert await refusal(db, person, f"select from {table}") == "42501"
        assert await refusal(db, person, "select recados.tomar(1)") == "42501"
    for call_ in ("mis_dispositivos()", "registrar_dispositivo('', '', '', '')"):
        assert await refusal(db, None, f"select {call_}") == "42501"


@pytest.mark.parametrize(
    ("endpoint", "more"),
    [
        ("http://fcm.googleapis.com/a", {}),
        ("https://fcm.googleapis.com/" + "x" * 1000, {}),
        ("https://fcm.googleapis.com/a b", {}),
        ("javascript:alert(1)", {}),
        ("https://a.example/1", {"p256dh": "short"}),
        ("https://a.example/1", {"auth": "x" * 5000}),
        ("https://a.example/1", {"nombre": " "}),
        ("https://a.example/1", {"nombre": "x" * 61}),
    ],
)
async def test_c1_6_registration_takes_https_and_whole_keys_alone(
    db: Connection, people: tuple[str, str, str], endpoint: str, more: dict[str, str]
):
    with pytest.raises(asyncpg.CheckViolationError):
        await register(db, people[0], endpoint, **more)


async def test_c1_a_browser_has_one_person_and_a_person_ten_browsers(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    endpoint = "https://a.example/shared"
    first = await register(db, ana, endpoint)
    assert await register(db, ana, endpoint, zona="Luna/Mar") == first
    await register(db, berta, endpoint)
    with pytest.raises(asyncpg.RaiseError, match="no se puede registrar"):
        await register(db, ana, endpoint, auth="B" * 22)
    whose = "select persona_id::text from planes.dispositivos where endpoint = $1"
    assert await db.fetchval(whose, endpoint) == berta
    made = [await register(db, ana, f"https://a.example/{number}") for number in range(12)]
    async with acting(db, ana):
        kept = [one["id"] for one in await call(db, "mis_dispositivos")]
    assert len(kept) == 10
    assert made[-1] in kept


async def test_c1_4_what_is_gone_or_fails_five_times_ends_the_device(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    devices = "select count(*) from planes.dispositivos where persona_id = $1"
    for fallo, left in [("500", 1)] * 4 + [("500", 0)]:
        await fail(db, ana, berta, fallo)
        assert await db.fetchval(devices, berta) == left
    await device(db, berta)
    await fail(db, ana, berta, "expired")
    assert await db.fetchval(devices, berta) == 1
    await add_activity(db, ana, "Otra")
    await fail(db, ana, berta, "410")
    assert await db.fetchval(devices, berta) == 0
    assert await db.fetchval("select count(*) from recados.cola") == 0


async def fail(db: Connection, ana: str, berta: str, fallo: str) -> None:
    await add_activity(db, ana, "Cena")
    await db.execute(
        "select recados.fallido(c.id, $2) from recados.cola c join planes.dispositivos d"
        " on d.id::text = c.destino ->> 'dispositivo' where d.persona_id = $1"
        " and c.estado = 'espera' order by c.id desc limit 1", berta, fallo,
    )  # fmt: skip


async def test_c1_three_test_messages_an_hour(db: Connection, people: tuple[str, str, str]):
    ana, _, _ = people
    mine = await device(db, ana)
    test = "select probar_dispositivo($1)"
    assert [await refusal(db, ana, test, mine) for _ in range(3)] == [""] * 3
    assert "Espera una hora" in await refusal(db, ana, test, mine)


async def test_c5_2_a_deleted_account_leaves_no_device_and_no_message(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    plan = await add_activity(db, ana, "Cena")
    await answer(db, berta, plan, "aceptado")
    await alerts_of(db, ana)
    await db.execute("delete from auth.users where id = $1", ana)
    assert await db.fetchval(
        "select count(*) from planes.dispositivos where persona_id = $1", ana
    ) == 0  # fmt: skip
    assert [titulo for titulo, _ in await alerts_of(db, berta)] == ["Ana propone un plan"]

"""Reminders of accepted plans: whom, when in their zone, once, and as the plan is then.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_activity, add_person, call, pair

KEY = "B" + "A" * 86


@pytest.fixture
async def people(db: Connection) -> tuple[str, str, str]:
    """Ana and Berta, who are a couple, and Carla; each with a device that is never quiet."""
    ana, berta, carla = [await add_person(db, name) for name in ("Ana", "Berta", "Carla")]
    await pair(db, ana, berta)
    for person in (ana, berta, carla):
        await register(db, person, "UTC")
    return ana, berta, carla


async def register(db: Connection, person: str, zone: str) -> None:
    endpoint = f"https://fcm.googleapis.com/{uuid.uuid4()}"
    async with acting(db, person):
        made = await call(db, "registrar_dispositivo", endpoint, KEY, "A" * 22, "Móvil", zone)
        await db.execute(
            "select ajustar_dispositivo($1, $2)",
            made["id"], json.dumps({"silencio_desde": None, "silencio_hasta": None}),
        )  # fmt: skip


async def accepted(db: Connection, creator: str, other: str, **values: Any) -> str:
    plan = await add_activity(db, creator, "Cena", **values)
    async with acting(db, other):
        await db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = auth.uid() where id = $1",
            plan,
        )
    return plan


async def due(db: Connection, moment: str) -> list[tuple[str, str]]:
    """Who is reminded of what at a moment."""
    rows = await db.fetch(
        "select p.nombre, r.cual from planes.recordatorios_de($1) as r"
        " join public.profiles p on p.id = r.persona_id order by 1, 2",
        datetime.fromisoformat(moment),
    )
    return [(row["nombre"], row["cual"]) for row in rows]


async def choose(db: Connection, person: str, **changes: Any) -> None:
    async with acting(db, person):
        await db.execute("select ajustar_recordatorios($1)", json.dumps(changes))


BOTH_DAY = [("Ana", "dia"), ("Berta", "dia")]


async def test_c6_both_are_reminded_the_evening_before_and_an_hour_before(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    await accepted(db, ana, berta, fecha="2027-03-10", hora="21:30")
    for moment, expected in (
        ("2027-03-09T18:59Z", []),
        ("2027-03-09T19:00Z", BOTH_DAY),
        ("2027-03-09T20:59Z", BOTH_DAY),
        ("2027-03-09T21:00Z", []),
        ("2027-03-10T20:30Z", [("Ana", "hora"), ("Berta", "hora")]),
        ("2027-03-10T21:29Z", [("Ana", "hora"), ("Berta", "hora")]),
        ("2027-03-10T21:30Z", []),
    ):
        assert await due(db, moment) == expected, moment


async def test_c6_a_reminder_is_true_whenever_it_comes(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    await accepted(db, ana, berta, fecha="2027-03-10", hora="21:30")
    await choose(db, ana, dia_antes_a="23:00")
    await choose(db, berta, dia_antes=False, hora_antes=False)
    for moment, expected in (
        ("2027-03-09T23:59Z", "Mañana"),
        ("2027-03-10T00:00Z", None),  # it is today
        ("2027-03-10T20:35Z", "En una hora"),
        ("2027-03-10T21:10Z", "En 20 minutos"),
        ("2027-03-10T21:29Z", "En un minuto"),
    ):
        words = await db.fetchval(
            "select palabras from planes.recordatorios_de($1)", datetime.fromisoformat(moment)
        )
        assert words == expected, moment


async def test_c6_each_is_reminded_as_they_chose_and_in_their_zone(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    await accepted(db, ana, berta, fecha="2027-03-10", hora="21:30")
    await choose(db, ana, dia_antes_a="08:00", hora_antes=False)
    await register(db, berta, "America/Mexico_City")
    assert await due(db, "2027-03-09T08:00Z") == [("Ana", "dia")]
    assert await due(db, "2027-03-10T01:00Z") == [("Berta", "dia")]
    assert await due(db, "2027-03-10T20:30Z") == []
    assert await due(db, "2027-03-11T02:30Z") == [("Berta", "hora")]
    async with acting(db, ana):
        assert await call(db, "mis_recordatorios") == {
            "dia_antes": True, "dia_antes_a": "08:00:00", "hora_antes": False, "correo": False,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("fecha", "moment"),
    [("2027-03-29", "2027-03-28T17:00Z"), ("2027-11-01", "2027-10-31T18:00Z")],
)
async def test_c6_2_the_hour_is_that_of_the_clock_whatever_its_change(
    db: Connection, people: tuple[str, str, str], fecha: str, moment: str
):
    ana, berta, _ = people
    for person in (ana, berta):
        await register(db, person, "Europe/Madrid")
    await accepted(db, ana, berta, fecha=fecha)
    assert await due(db, moment) == BOTH_DAY


async def test_c6_3_what_waits_was_rejected_deleted_or_parted_reminds_nobody(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    moment = "2027-03-09T19:00Z"
    await add_activity(db, ana, "Pendiente", fecha="2027-03-10")
    assert await due(db, moment) == []
    plan = await accepted(db, ana, berta, fecha="2027-03-10")
    assert await due(db, moment) == BOTH_DAY
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
    assert await due(db, moment) == []
    await accepted(db, ana, berta, fecha="2027-03-10")
    async with acting(db, berta):
        await db.execute("select desvincular_pareja()")
    assert await due(db, moment) == []


async def test_c6_1_a_reminder_is_queued_once_for_each_device(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    await accepted(db, ana, berta, fecha="2027-03-10", hora="21:30", lugar="La Tasquita")
    soon = "date_trunc('second', now() + interval '30 minutes')"
    await db.execute(f"update actividades set fecha = ({soon})::date, hora = ({soon})::time(0)")
    await db.execute("delete from recados.cola")
    await choose(db, ana, dia_antes=False)
    await choose(db, berta, dia_antes=False)
    for _ in range(3):
        await db.execute("select planes.recordar()")
    rows = await db.fetch("select carga from recados.cola")
    payloads = [json.loads(row["carga"]) for row in rows]
    assert [one["titulo"] for one in payloads] == ["En 30 minutos: Cena"] * 2
    assert all(one["cuerpo"].endswith(" · La Tasquita") for one in payloads)
    late = "select bool_and(caduca_en <= now() + interval '31 minutes') from recados.cola"
    assert await db.fetchval(late)


async def test_c6_1_another_hour_of_the_evening_or_another_zone_sends_no_reminder_again(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    await db.execute("update auth.users set email_confirmed_at = now()")
    await accepted(db, ana, berta)
    # Where it is noon now, so that no midnight is near.
    east = 12 - await db.fetchval("select extract(hour from now() at time zone 'UTC')::integer")
    here = f"Etc/GMT{-east:+d}"
    await db.execute(
        "update actividades set fecha = (now() at time zone $1)::date + 1, hora = null", here
    )
    await choose(db, berta, dia_antes=False, hora_antes=False)
    await db.execute("delete from recados.cola")
    for hour, zone in (("11:30", here), ("12:00", here), ("11:00", f"Etc/GMT{1 - east:+d}")):
        await choose(db, ana, dia_antes=True, dia_antes_a=hour, correo=True, zona=zone)
        await db.execute(
            "update planes.dispositivos set silencio_desde = null, silencio_hasta = null"
        )
        await db.execute("select planes.recordar(), planes.recordar_por_correo()")
        assert await db.fetchval("select array_agg(canal order by canal) from recados.cola") == [
            "correo",
            "push",
        ]


async def test_c6_settings_are_ones_own_and_of_known_names(
    db: Connection, people: tuple[str, str, str]
):
    ana, _, _ = people
    with pytest.raises(asyncpg.RaiseError, match="no se puede cambiar"):
        await choose(db, ana, ficha="x")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, None, "anon"):
            await db.execute("select mis_recordatorios()")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, ana):
            await db.execute("select from planes.ajustes")


async def test_c6_the_service_calls_it_each_minute(db: Connection):
    each = await db.fetchval("select cada from recados.tareas where nombre = 'recordar'")
    assert each.total_seconds() == 60


# By mail


async def mails(db: Connection, moment: str, *people: str) -> list[str]:
    """To whom a mail may go at a moment."""
    return [
        row["direccion"].split("@")[0][:4] + ("" if row["ficha"] else "!")
        for person in people
        for row in await db.fetch(
            "select * from planes.correo_de($1, $2)", person, datetime.fromisoformat(moment)
        )
    ]


async def test_c6_mail_goes_to_who_asked_for_it_at_a_confirmed_address_outside_quiet_hours(
    db: Connection,
):
    ana = await add_person(db, "Ana")
    noon, night = "2027-03-09T12:00Z", "2027-03-09T23:00Z"
    assert await mails(db, noon, ana) == []
    await choose(db, ana, correo=True, zona="UTC")
    assert await mails(db, noon, ana) == []  # the address is not confirmed
    await db.execute("update auth.users set email_confirmed_at = now() where id = $1", ana)
    assert len(await mails(db, noon, ana)) == 1
    assert await mails(db, night, ana) == []
    assert await mails(db, "2027-03-09T08:29Z", ana) == []
    await choose(db, ana, zona="Pacific/Auckland")
    assert len(await mails(db, night, ana)) == 1  # it is noon there
    await choose(db, ana, zona="no/such")
    await register(db, ana, "UTC")  # a device that is never quiet
    assert len(await mails(db, night, ana)) == 1
    await db.execute("update auth.users set banned_until = 'infinity' where id = $1", ana)
    assert await mails(db, noon, ana) == []


async def test_c6_1_a_mail_is_queued_once_and_goes_with_the_wish_and_the_account(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    await db.execute("update auth.users set email_confirmed_at = now()")
    await accepted(db, ana, berta)
    await db.execute("update actividades set fecha = $1, hora = $2", *await _in_an_hour(db))
    for person in (ana, berta):
        await choose(db, person, correo=person == ana, dia_antes=False)
    for _ in range(2):
        await db.execute("select planes.recordar_por_correo()")
    (row,) = await db.fetch("select destino, carga from recados.cola where canal = 'correo'")
    assert json.loads(row["carga"])["asunto"] == "En una hora: Cena"
    assert json.loads(row["destino"])["persona"] == ana
    await choose(db, ana, correo=False)
    assert await db.fetchval("select count(*) from recados.cola where canal = 'correo'") == 0
    await choose(db, ana, correo=True)
    await db.execute("select planes.recordar_por_correo()")
    assert await db.fetchval("select count(*) from recados.cola where canal = 'correo'") == 1
    await db.execute("delete from auth.users where id = $1", ana)
    assert await db.fetchval("select count(*) from recados.cola where canal = 'correo'") == 0


async def _in_an_hour(db: Connection) -> tuple[Any, Any]:
    """The day and the hour of what begins in an hour, in UTC."""
    row = await db.fetchrow(
        "select t::date as day, date_trunc('minute', t)::time as hour"
        " from (select now() at time zone 'UTC' + interval '1 hour') as x (t)"
    )
    assert row is not None
    return row["day"], row["hour"]


async def test_c6_4_the_slip_ends_one_persons_mails_and_needs_no_sign_in(
    db: Connection, people: tuple[str, str, str]
):
    ana, berta, _ = people
    for person in (ana, berta):
        await choose(db, person, correo=True)
    slip = await db.fetchval("select ficha from planes.ajustes where persona_id = $1", ana)
    assert len(slip) == 64
    for wrong in ("", "x", slip[:-1], "' or 1=1"):
        async with acting(db, None, "anon"):
            await db.execute("select public.baja_correo($1)", wrong)
    assert await db.fetchval("select count(*) from planes.ajustes where correo") == 2
    async with acting(db, None, "anon"):
        await db.execute("select public.baja_correo($1)", slip)
    assert await db.fetch("select persona_id::text from planes.ajustes where correo") == [(berta,)]
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, None, "anon"):
            await db.execute("select from planes.ajustes")

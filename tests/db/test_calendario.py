"""The calendar by secret address: who may make and end it, and what a calendar program reads."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import icalendar
import pytest

from tests.harness_sql import Connection, acting, add_activity, add_person, call, pair

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/calendar_events.json").read_text())


@pytest.fixture
async def ana(db: Connection) -> str:
    return await add_person(db, "Ana")


@pytest.fixture
async def berta(db: Connection, ana: str) -> str:
    """Ana's partner."""
    berta = await add_person(db, "Berta")
    await pair(db, ana, berta)
    return berta


async def add_plan(db: Connection, creator: str, titulo: str = "Cine", **values: Any) -> str:
    """A plan of tomorrow: the calendar leaves out what is a year past."""
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    return await add_activity(db, creator, titulo, **{"fecha": tomorrow.isoformat(), **values})


async def secret_of(db: Connection, person: str) -> str:
    async with acting(db, person):
        return (await call(db, "crear_calendario"))["secreto"]


async def body(db: Connection, secret: str | None) -> str:
    async with acting(db, None, "anon"):
        return await db.fetchval("select public.calendario($1)", secret)


async def events(db: Connection, person: str) -> list[Any]:
    text = await body(db, await secret_of(db, person))
    return icalendar.Calendar.from_ical(text).walk("VEVENT")


async def test_both_partners_get_the_same_secret(db: Connection, ana: str, berta: str) -> None:
    secret = await secret_of(db, ana)
    assert len(secret) == 64
    assert await secret_of(db, berta) == secret
    assert await secret_of(db, ana) == secret


async def test_without_a_partner_there_is_no_calendar(db: Connection, ana: str) -> None:
    with pytest.raises(asyncpg.RaiseError, match=r"^Vincula a tu pareja para tener"):
        await secret_of(db, ana)


async def test_an_empty_calendar_is_a_calendar(db: Connection, ana: str, berta: str) -> None:
    assert await events(db, berta) == []
    assert await events(db, ana) == []


async def test_an_activity_is_an_event_of_a_whole_day(db: Connection, ana: str, berta: str) -> None:
    day = datetime.now(UTC).date() + timedelta(days=10)
    identity = await add_activity(
        db, ana, "Cena", fecha=day.isoformat(), descripcion="En casa", presupuesto=1234.5
    )
    [event] = await events(db, berta)
    assert event["UID"] == f"{identity}@planes-en-pareja"
    assert event["SUMMARY"] == "Cena"
    assert event["DESCRIPTION"] == "En casa\nPresupuesto: 1234,50\u00a0€"
    assert event.decoded("DTSTART") == day
    assert event.decoded("DTEND") == day + timedelta(days=1)
    assert event["STATUS"] == "TENTATIVE"
    assert "DTSTAMP" in event
    [alarm] = event.walk("VALARM")
    assert alarm.decoded("TRIGGER") == timedelta(days=-1)
    assert (alarm["ACTION"], alarm["DESCRIPTION"]) == ("DISPLAY", "Mañana: Cena")


@pytest.mark.parametrize("event", GOLDEN, ids=[event["row"]["id"][-1] for event in GOLDEN])
async def test_an_event_is_the_one_that_the_web_app_saves(
    db: Connection, event: dict[str, Any]
) -> None:
    """Its tests read the same file: whoever has the file and the address sees each plan once."""
    text = await db.fetchval(
        "select planes.ics_evento(jsonb_populate_record(null::public.actividades, $1))",
        json.dumps(event["row"]),
    )
    assert text.replace("\r\n ", "").split("\r\n") == [*event["lines"], ""]


async def test_the_answer_shows_in_the_status(db: Connection, ana: str, berta: str) -> None:
    accepted = await add_plan(db, ana, "Sí")
    rejected = await add_plan(db, ana, "No")
    async with acting(db, berta):
        await db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = auth.uid() where id = $1",
            accepted,
        )
        await db.execute("update actividades set estado = 'rechazado' where id = $1", rejected)
    assert [(e["SUMMARY"], e["STATUS"]) for e in await events(db, ana)] == [("Sí", "CONFIRMED")]


@pytest.mark.parametrize(
    "text",
    [
        "a\\b;c,d:e",
        "\\n no es un salto",
        "línea uno\nlínea dos\r\nlínea tres\rfin",
        "\\" * 200,
        "x" * 500,
        "ñ" * 500,
        "👩‍❤️‍👨" * 100,
        "€,;\\" * 100,
        "BEGIN:VEVENT\r\nSUMMARY:intruso",
        " empieza y acaba en blanco ",
        "a" * 67 + "ñ" * 3,
        '"comillas" = signos: ¿qué? ¡eh!',
    ],
)
async def test_any_text_comes_back_as_it_was(
    db: Connection, ana: str, berta: str, text: str
) -> None:
    title = " ".join(text[:100].splitlines())
    await add_plan(db, ana, title, descripcion=text)
    raw = await body(db, await secret_of(db, berta))
    lines = raw.split("\r\n")
    assert "\n" not in "".join(lines).replace("\r\n", "")
    assert max(len(line.encode()) for line in lines) <= 75
    assert raw.endswith("END:VCALENDAR\r\n")
    [event] = icalendar.Calendar.from_ical(raw).walk("VEVENT")
    written = text.replace("\r\n", "\n").replace("\r", "\n")
    assert str(event["DESCRIPTION"]) == written
    assert str(event["SUMMARY"]) == title


async def test_long_lines_use_their_75_octets(db: Connection) -> None:
    folded = await db.fetchval("select planes.ics_linea($1)", "x" * 200)
    assert folded == "x" * 75 + "\r\n " + "x" * 74 + "\r\n " + "x" * 51 + "\r\n"
    assert await db.fetchval("select planes.ics_linea($1)", "ñ" * 38) == (
        "ñ" * 37 + "\r\n " + "ñ" + "\r\n"
    )


async def test_control_characters_do_not_break_the_calendar(db: Connection) -> None:
    assert await db.fetchval("select planes.ics_texto($1)", "a\x01\x07b\x7f\x0bc\td") == "abc\td"


async def test_the_last_day_of_all_has_no_day_after(db: Connection, ana: str, berta: str) -> None:
    await add_activity(db, ana, fecha="9999-12-31")
    [event] = await events(db, berta)
    assert "DTEND" not in event


async def test_only_the_last_twelve_months_and_the_future(
    db: Connection, ana: str, berta: str
) -> None:
    for days, titulo in ((-400, "viejo"), (-300, "reciente"), (3000, "lejano")):
        day = datetime.now(UTC).date() + timedelta(days=days)
        await add_activity(db, ana, titulo, fecha=day.isoformat())
    assert [str(e["SUMMARY"]) for e in await events(db, berta)] == ["reciente", "lejano"]


async def test_only_the_couples_activities(db: Connection, ana: str, berta: str) -> None:
    carla = await add_person(db, "Carla")
    await add_plan(db, carla, "De Carla")
    own = await add_plan(db, ana, "Secreto de Ana")
    await db.execute("update actividades set pareja_id = creador_id where id = $1", own)
    await add_plan(db, berta, "De los dos")
    assert [str(e["SUMMARY"]) for e in await events(db, ana)] == ["De los dos"]


async def test_the_answer_is_sent_as_a_calendar(db: Connection, ana: str, berta: str) -> None:
    secret = await secret_of(db, ana)
    async with acting(db, None, "anon"):
        await db.fetchval("select public.calendario($1)", secret)
        headers = json.loads(await db.fetchval("select current_setting('response.headers')"))
    assert headers[0] == {"Content-Type": "text/calendar; charset=utf-8"}


@pytest.mark.parametrize("secret", ["", "x", "0" * 64, "0" * 63, "A" * 64, "' or true --", None])
async def test_any_other_secret_is_not_found(
    db: Connection, ana: str, berta: str, secret: str | None
) -> None:
    await secret_of(db, ana)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await body(db, secret)
    assert refusal.value.sqlstate == "PT404"


@pytest.mark.parametrize("who", ["ana", "berta"])
async def test_either_partner_revokes_it_for_both(
    db: Connection, ana: str, berta: str, who: str
) -> None:
    secret = await secret_of(db, ana)
    async with acting(db, {"ana": ana, "berta": berta}[who]):
        await call(db, "revocar_calendario")
        await call(db, "revocar_calendario")
    with pytest.raises(asyncpg.PostgresError):
        await body(db, secret)
    assert await secret_of(db, berta) != secret


async def test_parting_ends_the_calendar(db: Connection, ana: str, berta: str) -> None:
    secret = await secret_of(db, ana)
    async with acting(db, berta):
        await call(db, "desvincular_pareja")
    with pytest.raises(asyncpg.PostgresError):
        await body(db, secret)


async def test_somebody_elses_calendar_is_not_revoked(db: Connection, ana: str, berta: str) -> None:
    carla = await add_person(db, "Carla")
    secret = await secret_of(db, ana)
    async with acting(db, carla):
        await call(db, "revocar_calendario")
    assert await body(db, secret)


@pytest.mark.parametrize("role", ["anon", "authenticated"])
async def test_the_table_is_closed(db: Connection, ana: str, role: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, ana, role):
            await db.execute("select * from calendarios")


async def test_the_signed_out_make_and_end_none(db: Connection) -> None:
    for function in ("crear_calendario", "revocar_calendario"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with acting(db, None, "anon"):
                await call(db, function)

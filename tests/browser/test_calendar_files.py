"""Files of calendars (.ics) and the couple's calendar address, read by a real library."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx2
from icalendar import Calendar
from playwright.async_api import expect

from tests.harness_browser import Window, Windows, other_month, this_month
from tests.harness_couple import Person

TITULO = "Cena; con «comillas», barras \\ y un título que pasa de setenta y cinco octetos 🎉"
DESCRIPCION = "Primera línea\nSegunda, con coma; y punto y coma"


def parse(text: str) -> list[Any]:
    """The events of a calendar, after checking what RFC 5545 asks of its lines."""
    assert text.endswith("END:VCALENDAR\r\n")
    assert "\n" not in text.replace("\r\n", "")
    for line in text.encode().split(b"\r\n"):
        assert len(line) <= 75, line
        line.decode()
    return list(Calendar.from_ical(text).walk("VEVENT"))


async def downloaded(window: Window, press: Callable[[], Awaitable[None]]) -> tuple[str, str]:
    """The name and the text of the file that a press saves."""
    async with window.page.expect_download() as download:
        await press()
    file = await download.value
    return file.suggested_filename, text_of(await file.path())


def text_of(path: Path) -> str:
    """A file's text with its line breaks as they are."""
    return path.read_bytes().decode()


def expect_event(event: Any, titulo: str, fecha: str, status: str) -> None:
    """A whole day, with a reminder on the day before."""
    first = date.fromisoformat(fecha)
    assert str(event["SUMMARY"]) == titulo
    assert event["DTSTART"].dt == first
    assert event["DTEND"].dt == first + timedelta(days=1)
    assert str(event["STATUS"]) == status
    assert "DTSTAMP" in event
    (alarm,) = event.walk("VALARM")
    assert alarm["TRIGGER"].dt == timedelta(days=-1)


async def test_an_accepted_activity_is_saved_as_a_calendar_file(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    activity = ana.create_activity(
        TITULO, this_month(28), descripcion=DESCRIPCION, presupuesto=1234.5
    )
    luis.answer(activity, "aceptado")
    window = await windows.open(luis)
    name, text = await downloaded(window, lambda: window.choose(TITULO, "Añadir a mi calendario"))
    assert name == f"plan-{this_month(28)}.ics"
    (event,) = parse(text)
    expect_event(event, TITULO, this_month(28), "CONFIRMED")
    assert str(event["UID"]) == f"{activity}@planes-en-pareja"
    assert str(event["DESCRIPTION"]) == f"{DESCRIPCION}\nPresupuesto: 1234,50\u00a0€"


async def test_only_accepted_activities_are_offered_as_a_file(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Espera", this_month(9))
    luis.answer(ana.create_activity("No", this_month(9)), "rechazado")
    window = await windows.open(ana)
    for titulo, action in (("Espera", "Duplicar"), ("No", "Volver a proponer")):
        await window.button(f"Más acciones: {titulo}").click()
        await expect(window.menu_item(action)).to_be_visible()
        await expect(window.menu_item("Añadir a mi calendario")).to_have_count(0)
        await window.page.keyboard.press("Escape")


async def test_the_month_is_saved_without_what_was_rejected(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    luis.answer(ana.create_activity("Sí", this_month(3)), "aceptado")
    luis.answer(ana.create_activity("No", this_month(4)), "rechazado")
    ana.create_activity("Espera", this_month(5))
    ana.create_activity("Otro mes", other_month(1))
    window = await windows.open(ana)
    button = window.button("Descargar el mes para mi calendario")
    name, text = await downloaded(window, button.click)
    assert name == f"planes-{this_month(1)[:7]}.ics"
    first, second = parse(text)
    expect_event(first, "Sí", this_month(3), "CONFIRMED")
    expect_event(second, "Espera", this_month(5), "TENTATIVE")


async def open_address(window: Window) -> str:
    """The couple's calendar address, as the page shows it."""
    if not await window.page.get_by_role("dialog").count():
        await window.open_settings()
    await window.button("Suscribirse desde otro calendario").click()
    shown = window.page.get_by_role("region", name="Dirección del calendario")
    await expect(shown).to_be_visible()
    address = await shown.get_by_text(re.compile("^http")).text_content()
    assert address is not None
    return address


async def test_both_partners_get_one_address_that_any_calendar_can_read(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    luis.answer(
        ana.create_activity(TITULO, this_month(9), descripcion=DESCRIPCION, presupuesto=7),
        "aceptado",
    )
    luis.answer(ana.create_activity("No", this_month(4)), "rechazado")
    luis.create_activity("Espera", other_month(2))
    hers, his = await windows.open(ana), await windows.open(luis)
    address = await open_address(hers)
    assert await open_address(his) == address
    answer = httpx2.get(address)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    first, second = parse(answer.content.decode())
    expect_event(first, TITULO, this_month(9), "CONFIRMED")
    assert str(first["DESCRIPTION"]).startswith(DESCRIPCION)
    expect_event(second, "Espera", other_month(2), "TENTATIVE")
    webcal = hers.page.get_by_role("link", name="Abrir en mi calendario")
    await expect(webcal).to_have_attribute("href", address.replace("http:", "webcal:"))


async def test_a_revoked_address_shows_nothing_to_anybody(
    windows: Windows, couple: tuple[Person, Person]
):
    couple[0].create_activity("Secreto", this_month(9))
    window = await windows.open(couple[0])
    address = await open_address(window)
    await window.button("Revocar").click()
    question = window.question()
    await expect(question).to_have_accessible_name("¿Quieres revocar la dirección del calendario?")
    assert httpx2.get(address).status_code == 200
    await question.get_by_role("button", name="Revocar").click()
    await window.expect_toast("La dirección ya no funciona", "success")
    answer = httpx2.get(address)
    assert answer.status_code == 404
    assert "Secreto" not in answer.text
    assert await open_address(window) != address


async def test_the_address_ends_with_the_couple(windows: Windows, couple: tuple[Person, Person]):
    window = await windows.open(couple[0])
    address = await open_address(window)
    couple[1].rpc("desvincular_pareja")
    assert httpx2.get(address).status_code == 404
    await expect(window.text("Planea con tu pareja")).to_be_visible()
    await expect(window.button("Suscribirse desde otro calendario")).to_have_count(0)


async def test_a_file_that_cannot_be_made_is_said_so_and_asking_again_makes_it(
    windows: Windows, couple: tuple[Person, Person]
):
    """The code that writes it is fetched when it is first asked for, with or without a network."""
    ana, luis = couple
    luis.answer(ana.create_activity("Cena", this_month(9)), "aceptado")
    window = await windows.open(ana)
    window.expected += ["net::ERR_", r"\[planes\] ics"]
    await window.page.route("**/assets/ics-*.js", lambda route: route.abort())
    await window.choose("Cena", "Añadir a mi calendario")
    await window.expect_toast("No se ha podido cargar.", "error")
    await window.page.unroute("**/assets/ics-*.js")
    name, _ = await downloaded(window, lambda: window.choose("Cena", "Añadir a mi calendario"))
    assert name == f"plan-{this_month(9)}.ics"

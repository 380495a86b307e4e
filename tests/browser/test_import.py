"""A calendar's file becomes proposals: chosen from, proposed at once, and what fails is said.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Route, expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Window, Windows
from tests.harness_couple import Person


def calendar(*events: tuple[str, str, str]) -> str:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
    for summary, start, more in events:
        lines += ["BEGIN:VEVENT", f"SUMMARY:{summary}", start, *more.split("|"), "END:VEVENT"]
    return "\r\n".join([*lines, "END:VCALENDAR", ""])


THREE = calendar(
    ("Ópera", "DTSTART:20270310T213000", "LOCATION:Teatro Real"),
    ("Cena", "DTSTART;VALUE=DATE:20270311", "DESCRIPTION:En casa"),
    ("Yoga", "DTSTART;VALUE=DATE:20270312", "RRULE:FREQ=WEEKLY"),
)


async def choose(window: Window, text: str | bytes) -> Locator:
    buffer = text if isinstance(text, bytes) else text.encode()
    await window.open_settings()
    async with window.page.expect_file_chooser() as chooser:
        await window.button("Importar un calendario (.ics)").click()
    await (await chooser.value).set_files(
        {"name": "a.ics", "mimeType": "text/calendar", "buffer": buffer}
    )
    return window.page.get_by_role("dialog", name="Importar un calendario")


@pytest.mark.parametrize("width", [360, 1280])
async def test_c13_plans_are_chosen_and_proposed_and_doubles_are_not(
    windows: Windows, axe_source: str, couple: tuple[Person, Person], width: int
):
    ana, luis = couple
    luis.create_activity("cena", "2027-03-11")
    window = await windows.open(ana, viewport={"width": width, "height": 800})
    dialog = await choose(window, THREE)
    boxes = dialog.get_by_role("checkbox")
    await expect(boxes).to_have_count(3)
    yoga = dialog.get_by_role("listitem").filter(has_text="Yoga")
    await expect(yoga).to_contain_text("Cada semana, 12 fechas, hasta el vie 28 may")
    await expect(yoga).to_contain_text("Se repite más tiempo: se importan solo estas fechas")
    await expect(dialog.get_by_role("checkbox", name="Cena")).not_to_be_checked()
    await expect(dialog.get_by_role("listitem").filter(has_text="Cena")).to_contain_text(
        "Ya lo tenéis"
    )
    await expect_clean(window, axe_source)
    await dialog.get_by_role("checkbox", name="Yoga").focus()
    await window.page.keyboard.press("Space")
    await expect(dialog.get_by_role("button", name="Proponer 1 plan")).to_be_visible()
    await window.page.keyboard.press("Space")
    await dialog.get_by_role("button", name="Proponer 13 planes").click()
    await window.expect_toast("13 planes propuestos", "success")
    await expect(dialog).to_have_count(0)
    await expect(window.button("Importar un calendario (.ics)")).to_be_focused()
    made = {one["titulo"]: one for one in luis.activities() if one["creador_id"] == ana.id}
    assert sorted(made) == ["Yoga", "Ópera"]
    assert (made["Ópera"]["hora"], made["Ópera"]["lugar"]) == ("21:30:00", "Teatro Real")
    assert (made["Yoga"]["estado"], made["Yoga"]["regla"]) == ("pendiente", "semanal")
    assert len([one for one in luis.activities() if one["titulo"] == "Yoga"]) == 12
    assert len(window.sent("POST", "/actividades")) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"\x89PNG\r\n\x1a\n\x00", "Ese archivo no es un calendario."),
        (b"BEGIN:VCALENDAR\n" + b"x" * 1_100_000, "El archivo es demasiado grande."),
        (b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "Ese calendario no tiene nada que importar."),
    ],
    ids=["picture", "large", "empty"],
)
async def test_c13_2_a_file_that_is_none_is_said_and_nothing_sent(
    windows: Windows, ana: Person, text: bytes, sentence: str
):
    window = await windows.open(ana)
    dialog = await choose(window, text)
    await expect(dialog.get_by_role("alert")).to_have_text(sentence)
    assert window.sent("POST", "/actividades") == []


async def test_c13_3_what_was_not_proposed_is_listed_and_leaving_midway_is_told(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    window = await windows.open(ana)
    window.expected.append("import|ERR_FAILED")
    many = [(f"Plan {n}", "DTSTART;VALUE=DATE:20270310", "") for n in range(120)]
    dialog = await choose(window, calendar(*many))
    held: list[Route] = []

    async def second_waits(route: Route) -> None:
        if route.request.method == "POST" and len(window.sent("POST", "/actividades")) == 2:
            held.append(route)
        else:
            await route.continue_()

    await window.page.route("**/rest/v1/actividades*", second_waits)
    await dialog.get_by_role("button", name="Proponer 120 planes").click()
    await expect(dialog.get_by_role("progressbar")).to_have_attribute("value", "50")
    await dialog.get_by_role("button", name="Cancelar").click()
    await held.pop().continue_()
    await window.expect_toast("Se han propuesto 100 de 120 planes", "error")
    assert len(luis.activities()) == 100

    await window.page.unroute("**/rest/v1/actividades*")
    await window.page.route(
        "**/rest/v1/actividades*",
        lambda route: route.abort() if route.request.method == "POST" else route.continue_(),
    )
    await window.page.keyboard.press("Escape")
    dialog = await choose(window, THREE)
    await dialog.get_by_role("button", name="Proponer 14 planes").click()
    await window.expect_toast("Se han propuesto 0 de 14 planes", "error")
    failures = dialog.get_by_role("alert").get_by_role("listitem")
    await expect(failures).to_have_count(3)
    await expect(failures.first).to_contain_text("Ópera: ")

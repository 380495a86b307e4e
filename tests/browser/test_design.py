"""The dashboard's layout: what is in view, what is folded, what notifications leave free.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

from datetime import datetime

import pytest
from playwright.async_api import Locator, expect

from tests.harness_browser import FAR_FUTURE, Window, Windows
from tests.harness_couple import Person

NOW = datetime(2027, 3, 11, 12).astimezone()
LONG_NAME = "Maximiliana Guadalupe de los Ángeles y de la Santísima Trinid"[:60]


def fill(ana: Person, luis: Person) -> None:
    """Four that wait for Ana, three accepted ahead, one that has passed."""
    for day in (12, 14, 20, 28):
        luis.create_activity(f"Espera {day}", f"2027-03-{day}", presupuesto=18)
    for day in (2, 13, 22, 30):
        luis.answer(
            ana.create_activity(f"Sí {day}", f"2027-03-{day:02d}", presupuesto=9), "aceptado"
        )


async def bottom(locator: Locator) -> float:
    box = await locator.bounding_box()
    assert box
    return box["y"] + box["height"]


async def test_a1_a_phone_shows_what_waits_and_what_comes_without_scrolling(
    windows: Windows, couple: tuple[Person, Person]
):
    fill(*couple)
    window = await windows.open_at(couple[0], NOW, viewport={"width": 360, "height": 740})
    for name in ("Aceptar la propuesta: Espera 12", "Rechazar la propuesta: Espera 14"):
        assert await bottom(window.button(name)) <= 668
    await expect(window.button("Aceptar la propuesta: Espera 20")).to_have_count(0)
    upcoming = window.page.get_by_role("region", name="Próximos planes")
    await expect(upcoming.get_by_role("listitem")).to_have_count(3)
    await expect(upcoming).to_contain_text("Faltan 2 días")
    assert await bottom(upcoming) <= 668


async def test_a1_a_tablet_shows_two_that_wait_side_by_side(
    windows: Windows, couple: tuple[Person, Person]
):
    fill(*couple)
    window = await windows.open_at(couple[0], NOW, viewport={"width": 768, "height": 1024})
    first, second = [
        await window.button(f"Aceptar la propuesta: Espera {day}").bounding_box()
        for day in (12, 14)
    ]
    assert first
    assert second
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] < second["x"]


async def test_a2_a_desktop_shows_six_weeks_that_stay_beside_a_long_list(
    windows: Windows, ana: Person
):
    for number in range(12):
        ana.create_activity(f"Plan {number}", "2027-03-20")
    window = await windows.open_at(ana, NOW, viewport={"width": 1280, "height": 800})
    header = await window.page.locator("header").first.bounding_box()
    assert header
    assert header["height"] <= 56
    weeks = window.page.get_by_role("grid").locator("tbody tr")
    await expect(weeks).to_have_count(6)
    card = window.heading("Planea con tu pareja")
    await card.evaluate("element => element.closest('section').remove()")
    assert await bottom(weeks.last) <= 800
    await window.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    await expect(weeks.first).to_be_in_viewport(ratio=1)
    await expect(window.button("Nueva Actividad")).to_be_in_viewport(ratio=1)


async def test_a3_where_nothing_waits_there_is_no_section_and_none_ahead_is_said(
    windows: Windows, ana: Person
):
    window = await windows.open_at(ana, NOW)
    await expect(window.heading("Te toca responder")).to_have_count(0)
    await expect(window.text("Aún no hay planes aceptados por delante.")).to_be_visible()


async def test_a4_what_has_passed_is_folded_until_it_is_all_there_is_or_asked_for(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    fill(ana, luis)
    session = {**ana.session, "expires_at": FAR_FUTURE}
    window = await windows.open(ana, "", folded=True, session=session)
    await window.page.clock.set_fixed_time(NOW)
    await window.visit("/dashboard")
    await expect(window.text("Ya pasaron (1)")).to_be_visible()
    await expect(window.item("Sí 2")).to_have_count(0)
    await expect(window.item("Espera 12")).to_be_visible()
    await window.propose("Ayer", "2027-03-10")
    await expect(window.text("Ya pasaron (2)")).to_be_visible()
    await window.text("Ya pasaron (2)").click()
    await expect(window.item("Sí 2")).to_be_visible()
    await window.button("Mes siguiente").click()
    await expect(window.page.get_by_text("Ya pasaron")).to_have_count(0)
    await expect(window.page).to_have_url(f"{windows.url}/dashboard?mes=2027-04")
    await window.page.clock.set_fixed_time(datetime(2027, 3, 31, 12).astimezone())
    await window.page.reload()
    await window.button("Mes anterior").click()
    await expect(window.text("Este mes ya no queda nada por delante.")).to_be_visible()
    await expect(window.item("Sí 30")).to_be_visible()


async def test_a5_a_long_text_is_cut_and_unfolds_a_short_one_is_not(windows: Windows, ana: Person):
    ana.create_activity("Larga", "2027-03-20", descripcion="palabra " * 100)
    ana.create_activity("Corta", "2027-03-21", descripcion="una línea")
    window = await windows.open_at(ana, NOW)
    more = window.item("Larga").get_by_role("button", name="Ver más")
    await more.click()
    await expect(window.item("Larga").get_by_role("button", name="Ver menos")).to_be_visible()
    ana.create_activity("Otra", "2027-03-22")
    await window.page.clock.run_for(1000)
    await expect(window.item("Otra")).to_be_visible()
    await expect(window.item("Larga").get_by_role("button", name="Ver menos")).to_be_visible()
    await expect(window.item("Corta").get_by_role("button", name="Ver más")).to_have_count(0)


async def test_a6_a_proposal_names_its_proposer_and_follows_a_new_name(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("De Ana", "2027-03-20")
    hers, his = await windows.open_at(ana, NOW), await windows.open_at(luis, NOW)
    await expect(hers.item("De Ana")).to_contain_text("Propuesta por ti")
    await expect(his.item("De Ana")).to_contain_text("Propuesta de Ana")
    signs = "[...document.querySelectorAll('header [data-persona]')].map(e => e.dataset.persona)"
    assert await hers.page.evaluate(signs) == (await his.page.evaluate(signs))[::-1]
    path = f"/rest/v1/profiles?id=eq.{ana.id}"
    assert ana.client.patch(path, json={"nombre": "Anabel"}).is_success
    await his.page.clock.run_for(1000)
    await expect(his.item("De Ana")).to_contain_text("Propuesta de Anabel")


async def test_a7_in_grey_the_proposer_is_told_by_letters(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("De Ana", "2027-03-20")
    luis.create_activity("De Luis", "2027-03-21")
    window = await windows.open_at(ana, NOW)
    for titulo, letter, fecha in (("De Ana", "A", "2027-03-20"), ("De Luis", "L", "2027-03-21")):
        for place in (window.item(titulo), window.day(fecha)):
            await expect(place.locator("[data-persona]")).to_have_text(letter)


@pytest.mark.parametrize("width", [360, 768, 1280])
async def test_a8_a_full_day_shows_three_and_how_many_more(
    windows: Windows, ana: Person, width: int
):
    for number in range(5):
        ana.create_activity(f"Plan {number}", "2027-03-20")
    window = await windows.open_at(ana, NOW, viewport={"width": width, "height": 800})
    day = window.day("2027-03-20")
    await expect(day.locator("[data-estado]")).to_have_count(3)
    await expect(day).to_contain_text("+2")
    await expect(day.get_by_text("Plan 0")).to_have_count(1 if width >= 1024 else 0)


COVERED = """() => {
    const toast = document.querySelector('[data-sonner-toast]').getBoundingClientRect();
    const apart = box => box.right <= toast.left + 1 || box.left >= toast.right - 1
        || box.bottom <= toast.top + 1 || box.top >= toast.bottom - 1;
    const within = document.querySelector('[role=dialog]') ?? document.querySelector('header');
    return [...within.querySelectorAll('button, h1, h2, input')]
        .filter(e => e.checkVisibility() && !apart(e.getBoundingClientRect()))
        .map(e => e.textContent);
}"""


@pytest.mark.parametrize("width", [360, 768, 1280])
async def test_a11_a_notification_covers_no_control_of_header_or_dialog(
    windows: Windows, couple: tuple[Person, Person], width: int
):
    ana, luis = couple
    plan = ana.create_activity("Cena", "2027-03-20")
    other = ana.create_activity("Cine", "2027-03-20")
    window = await windows.open_at(ana, NOW, viewport={"width": width, "height": 800})
    luis.answer(plan, "aceptado")
    await window.page.clock.run_for(1000)
    await expect(window.toasts()).to_be_visible()
    assert await window.page.evaluate(COVERED) == []
    if width < 768:  # it has the lane of the button below it
        box = await window.toasts().bounding_box()
        lane = await window.button("Nueva Actividad").bounding_box()
        assert box
        assert lane
        assert (box["x"], box["width"]) == (lane["x"], lane["width"])
    await window.page.clock.run_for(8000)
    await expect(window.toasts()).to_have_count(0)
    await window.open_form()
    await window.page.clock.run_for(1000)
    luis.answer(other, "aceptado")
    await window.page.clock.run_for(1000)
    await expect(window.toasts()).to_be_visible()
    assert await window.page.evaluate(COVERED) == []


async def test_a11_news_of_a_plan_with_a_long_title_take_three_lines(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    window = await windows.open_at(ana, NOW, viewport={"width": 768, "height": 800})
    luis.create_activity("Escapada " * 13, "2027-03-20")
    await window.page.clock.run_for(1000)
    text = window.toasts().locator("[data-title]")
    await expect(text).to_contain_text("Luis propone «Escapada")
    line = await text.evaluate("e => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)")
    assert round(line) == 3


async def test_a12_one_header_row_at_every_width_with_a_long_name(windows: Windows, ana: Person):
    path = f"/rest/v1/profiles?id=eq.{ana.id}"
    assert ana.client.patch(path, json={"nombre": LONG_NAME}).is_success
    window = await windows.open_at(ana, NOW)
    for width in (320, 360, 768, 1024, 1280, 1920):
        await window.page.set_viewport_size({"width": width, "height": 800})
        assert await header_is_one_row(window), width


@pytest.mark.parametrize("width", [768, 1023, 1280])
async def test_a12_from_a_tablet_on_the_header_says_what_its_buttons_do_in_words(
    windows: Windows, couple: tuple[Person, Person], width: int
):
    window = await windows.open_at(couple[0], NOW, viewport={"width": width, "height": 800})
    for word in ("Nueva Actividad", "Buscar", "Ajustes", "Salir"):
        box = await window.page.get_by_role("banner").get_by_text(word).bounding_box()
        assert box
        assert box["width"] > 30, word
    greeting = window.heading("Hola, Ana")
    assert await greeting.evaluate("e => e.scrollWidth <= e.clientWidth")


async def test_c7_on_a_phone_the_view_that_is_chosen_comes_into_view(
    windows: Windows, couple: tuple[Person, Person]
):
    fill(*couple)
    window = await windows.open_at(couple[0], NOW, viewport={"width": 360, "height": 740})
    await window.button("Agenda").click()
    field = window.page.get_by_placeholder("Busca por título, descripción o lugar")
    await expect(field).to_be_in_viewport()
    assert await bottom(field) < 740 / 2
    await expect(window.button("Agenda")).to_be_in_viewport()


async def header_is_one_row(window: Window) -> bool:
    """56 px, and nothing of it out of the screen."""
    return await window.page.evaluate(
        """() => {
            const header = document.querySelector('header');
            const boxes = [...header.querySelectorAll('button')].map(e => e.getBoundingClientRect());
            return header.getBoundingClientRect().height <= 57
                && boxes.every(box => box.left >= 0 && box.right <= innerWidth + 1);
        }"""
    )


async def test_a16_a_neighbours_day_opens_the_form_on_its_date_and_is_no_stop(
    windows: Windows, ana: Person
):
    window = await windows.open_at(ana, NOW)
    neighbour = window.page.locator("td[aria-hidden=true]")
    await expect(neighbour.first).to_have_text("28")
    assert await neighbour.evaluate_all("all => all.every(e => e.tabIndex < 0)")
    await neighbour.first.click()
    await expect(window.label("Fecha")).to_have_value("2027-02-28")


async def test_a17_whoever_is_alone_is_invited_first(windows: Windows, ana: Person):
    window = await windows.open_at(ana, NOW, viewport={"width": 360, "height": 740})
    card = window.page.get_by_role("region", name="Planea con tu pareja")
    box = await card.bounding_box()
    assert box
    assert box["y"] <= 120
    await window.button("Crear código").click()
    await window.page.clock.run_for(500)
    await expect(window.text("Esperando a que la acepte…")).to_be_visible()


async def test_a18_an_address_opens_a_section_of_the_settings(
    windows: Windows, couple: tuple[Person, Person]
):
    window = await windows.open(couple[0], "/otra")
    dialog = window.page.get_by_role("dialog", name="Ajustes")
    for section in ("Pareja", "Avisos", "Calendario", "Apariencia"):
        await window.page.set_viewport_size({"width": 1280, "height": 900})
        await window.visit(f"/dashboard?ajustes={section.lower()}")
        heading = dialog.get_by_role("heading", name=section)
        await expect(heading).to_be_focused()
        await expect(window.page).to_have_url(f"{windows.url}/dashboard")
        # On a phone too, where what comes late in the sections above it would push it away.
        await window.page.set_viewport_size({"width": 360, "height": 740})
        await window.visit(f"/dashboard?ajustes={section.lower()}")
        await expect(dialog.get_by_role("checkbox", name="El día antes")).to_be_attached()
        await expect(heading).to_be_focused()
        await expect(heading).to_be_in_viewport(ratio=1)


async def test_a18_a_wrong_address_of_the_settings_is_dropped(windows: Windows, ana: Person):
    window = await windows.open(ana, "/otra")
    await window.visit("/dashboard?ajustes=nada")
    await window.dashboard_is_ready()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")
    await expect(window.page.get_by_role("dialog")).to_have_count(0)

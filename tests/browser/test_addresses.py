"""The plan's sheet, the agenda with its search, and what of them stands in the address.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import re
import uuid
from datetime import date, timedelta

import pytest
from playwright.async_api import Locator, expect

from tests.harness_browser import Window, Windows, month_title, other_month, this_month, today
from tests.harness_couple import Person

MISSING = "Ese plan no existe o no lo compartes."


def sheet(window: Window, titulo: str) -> Locator:
    return window.page.get_by_role("dialog", name=titulo, exact=True)


def in_days(days: int) -> str:
    return (date.fromisoformat(today()) + timedelta(days=days)).isoformat()


async def test_c0_3_a_title_opens_the_plans_sheet_and_closing_it_gives_the_focus_back(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today(), descripcion="palabra " * 80, presupuesto=45.5)
    window = await windows.open(luis)
    waiting = window.page.get_by_role("region", name=re.compile("^Te toca responder"))
    for place, close in ((window.item("Cena"), "back"), (waiting, "Escape"), (waiting, "Cerrar")):
        opener = place.get_by_role("button", name="Cena", exact=True)
        await opener.click()
        shown = sheet(window, "Cena")
        await expect(shown.get_by_role("heading", name="Cena")).to_be_focused()
        await expect(window.page).to_have_url(f"{windows.url}/dashboard?plan={plan}")
        await expect(shown).to_contain_text("Propuesta de Ana")
        await expect(shown).to_contain_text("45,50\u00a0€")
        ways = {"back": window.page.go_back, "Cerrar": window.button("Cerrar").click}
        await (ways[close]() if close in ways else window.page.keyboard.press(close))
        await expect(shown).to_have_count(0)
        await expect(window.page).to_have_url(f"{windows.url}/dashboard")
        await expect(opener).to_be_focused()
    await window.item("Cena").get_by_role("button", name="Cena", exact=True).click()
    await sheet(window, "Cena").get_by_role("button", name="Aceptar: Cena").click()
    await expect(sheet(window, "Cena")).to_contain_text("Aceptado")
    assert ana.activities()[0]["estado"] == "aceptado"
    await sheet(window, "Cena").get_by_role("button", name="Más acciones: Cena").click()
    await window.menu_item("Duplicar").click()
    await expect(sheet(window, "Cena")).to_have_count(0)
    await expect(window.label("Título")).to_have_value("Cena")
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")


async def test_c7_the_header_leads_to_the_search_from_every_view(
    windows: Windows, couple: tuple[Person, Person]
):
    window = await windows.open(couple[0], viewport={"width": 768, "height": 900})
    for width in (768, 1280):
        await window.page.set_viewport_size({"width": width, "height": 900})
        await window.button("Buscar").press("Enter")
        await expect(window.page.get_by_role("searchbox")).to_be_focused()
        await expect(window.page).to_have_url(f"{windows.url}/dashboard?vista=agenda")
        await window.button("Buscar").press("Enter")  # where the search is already open
        await expect(window.page.get_by_role("searchbox")).to_be_focused()
        await window.page.go_back()
        await expect(window.month_title()).to_be_visible()
    await expect(window.text("Ana y Luis")).to_be_visible()


async def test_c0_1_a_link_opens_the_sheet_after_signing_in_too(windows: Windows, ana: Person):
    plan = ana.create_activity("Cena", this_month(9))
    window = await windows.open(path=f"/dashboard?plan={plan}")
    await expect(window.heading("Iniciar Sesión")).to_be_visible()
    await window.type_credentials(ana.email, ana.password)
    await window.submit_button().click()
    await expect(sheet(window, "Cena")).to_be_visible()
    await window.button("Cerrar").click()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")
    await window.visit(f"/dashboard?plan={plan}&mes=2027-03")
    await expect(sheet(window, "Cena")).to_be_visible()
    await window.page.keyboard.press("Escape")
    await window.button("Salir").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    await window.type_credentials(ana.email, ana.password)
    await window.submit_button().click()
    await window.dashboard_is_ready()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")


@pytest.mark.parametrize("whose", ["nobody's", "somebody else's"])
async def test_c7_3_a_link_tells_an_outsider_nothing(
    windows: Windows, couple: tuple[Person, Person], ana: Person, whose: str
):
    foreign = couple[0].create_activity("Secreto", this_month(9))
    plan = str(uuid.uuid4()) if whose == "nobody's" else foreign
    window = await windows.open(ana, f"/dashboard?plan={plan}")
    await window.expect_toast(MISSING, "error")
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")
    await expect(window.page.get_by_role("dialog")).to_have_count(0)


async def test_c0_2_a_plan_that_is_deleted_meanwhile_closes_its_sheet_and_says_who(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    first, second = (ana.create_activity(titulo, today()) for titulo in ("Cena", "Cine"))
    his, hers = await windows.open(luis), await windows.open(ana)
    await his.item("Cena").get_by_role("button", name="Cena", exact=True).click()
    await expect(sheet(his, "Cena")).to_be_visible()
    ana.delete(first)
    await expect(sheet(his, "Cena")).to_have_count(0)
    await expect(his.text("Ana ha eliminado este plan")).to_be_visible()
    await hers.visit(f"/dashboard?plan={second}")
    await sheet(hers, "Cine").get_by_role("button", name="Más acciones: Cine").click()
    await hers.menu_item("Eliminar").click()
    await hers.question().get_by_role("button", name="Eliminar").click()
    await hers.expect_toast("Actividad eliminada", "success")
    await expect(hers.page.get_by_role("dialog")).to_have_count(0)
    await expect(hers.page).to_have_url(f"{windows.url}/dashboard")
    await expect(hers.page.get_by_text("ha eliminado")).to_have_count(0)


async def test_c7_2_the_agenda_begins_today_and_finds_by_words_states_and_people(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cumpleaños del niño", in_days(3))
    luis.answer(ana.create_activity("Ópera", in_days(200)), "aceptado")
    luis.create_activity("Cine", today(), descripcion="La del niño")
    ana.create_activity("Hace mucho", in_days(-40))
    window = await windows.open(ana)
    await window.button("Agenda").click()
    agenda = window.page.get_by_role("region", name="Agenda")
    plans = agenda.get_by_role("article")
    await expect(plans).to_have_count(3)
    await expect(plans.first).to_have_accessible_name("Cine")
    await expect(agenda.get_by_role("heading", name=month_title(in_days(200)))).to_be_visible()
    await expect(window.page.get_by_role("grid")).to_have_count(0)
    await window.button("Ver anteriores").click()
    await expect(plans).to_have_count(4)
    for typed, count in (("NINO", 2), ("niño cine", 1), ("nada de esto", 0)):
        await window.label("Buscar").fill(typed)
        await expect(agenda.get_by_role("status")).to_have_text(
            "1 resultado" if count == 1 else f"{count} resultados"
        )
        await expect(plans).to_have_count(count)
    await expect(window.text("Nada coincide con tu búsqueda.")).to_be_visible()
    await window.button("Quitar filtros").click()
    await expect(window.label("Buscar")).to_have_value("")
    await window.button("De Luis").click()
    await expect(plans).to_have_count(1)
    await window.button("De Luis").click()
    await window.button("Aceptados").click()
    await expect(plans).to_have_count(1)
    await expect(plans).to_have_accessible_name("Ópera")
    await expect(window.figure("Actividades pendientes")).to_have_text("3")


async def test_a10_in_the_agenda_deleting_is_among_the_other_actions_and_leads_on(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", today())
    luis.create_activity("Cine", today())
    window = await windows.open(ana, "/dashboard?vista=agenda", forced_colors="active")
    await window.button("Más acciones: Cine").click()
    await expect(window.menu_item("Copiar enlace")).to_be_visible()
    await expect(window.menu_item("Eliminar")).to_have_count(0)
    await window.page.keyboard.press("Escape")
    await expect(window.button("Eliminar: Cena")).to_have_count(0)
    await window.button("Más acciones: Cena").click()
    await expect(window.page.get_by_role("menuitem").last).to_have_text("Eliminar")
    await window.page.keyboard.press("End")
    await window.page.keyboard.press("Enter")
    await window.question().get_by_role("button", name="Eliminar").click()
    await expect(window.item("Cena")).to_have_count(0)
    # Which view is open is told without the tint that forced colours take away.
    chosen, other = [
        await window.button(name).evaluate("each => getComputedStyle(each).backgroundColor")
        for name in ("Agenda", "Mes")
    ]
    assert chosen != other


async def test_c7_1_views_words_and_months_are_found_again(windows: Windows, ana: Person):
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    await window.button("Mes siguiente").click()
    await expect(window.page).to_have_url(re.compile(rf"\?mes={other_month(1)[:7]}$"))
    await window.button("Agenda").click()
    await window.label("Buscar").fill("cena")
    await window.button("Pendientes").click()
    await expect(window.page).to_have_url(re.compile(r"vista=agenda.*q=cena.*estado=pendiente"))
    await window.page.reload()
    await expect(window.label("Buscar")).to_have_value("cena")
    await expect(window.button("Pendientes")).to_have_attribute("aria-pressed", "true")
    await expect(window.item("Cena")).to_be_visible()
    await window.page.go_back()
    await expect(window.month_title()).to_have_text(month_title(other_month(1)))
    await window.button("Hoy").click()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")
    await window.page.go_forward()
    await expect(window.label("Buscar")).to_have_value("cena")


async def test_c7_4_signing_out_clears_the_address(windows: Windows, ana: Person):
    window = await windows.open(ana, "/dashboard?vista=agenda&q=secreto")
    await window.dashboard_is_ready()
    await window.button("Salir").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    await window.visit("/dashboard")
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    assert "secreto" not in await window.page.evaluate("JSON.stringify(history.state)")

"""The week: seven days with what is planned on each, by keys, over New Year, and its plans' sheets.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid

import pytest
from playwright.async_api import Locator, expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Window, Windows, long_date, today
from tests.harness_couple import Person

NEW_YEAR = "27 de diciembre de 2026 – 2 de enero de 2027"


def day(window: Window, fecha: str) -> Locator:
    return window.page.locator(f"[data-fecha='{fecha}']")


def plans_of(window: Window, fecha: str) -> Locator:
    cell = window.page.get_by_role("gridcell").filter(has=day(window, fecha))
    return cell.get_by_role("listitem")


async def test_c15_the_week_is_reached_by_its_button_and_keeps_the_open_month(
    windows: Windows, couple: tuple[Person, Person]
):
    window = await windows.open(couple[0], "/dashboard?mes=2027-03")
    await window.button("Semana").click()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard?vista=semana&dia=2027-03-01")
    await expect(window.heading("28 de febrero – 6 de marzo de 2027")).to_be_visible()
    await window.button("Semana siguiente").click()
    await expect(window.heading("7–13 de marzo de 2027")).to_be_visible()
    # The address is written once the screen has been painted.
    await expect(window.page).to_have_url(f"{windows.url}/dashboard?vista=semana&dia=2027-03-07")
    await window.page.reload()
    await expect(window.heading("7–13 de marzo de 2027")).to_be_visible()
    await window.button("Mes").click()
    await expect(window.heading("marzo de 2027")).to_be_visible()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard?mes=2027-03")
    await window.page.go_back()
    await window.button("Hoy").click()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard?vista=semana")
    await expect(day(window, today())).to_have_attribute("aria-current", "date")
    await expect(window.button("Hoy")).to_have_count(0)


@pytest.mark.parametrize("width", [360, 1280])
async def test_c15_1_days_are_named_as_in_the_month_and_plans_stand_by_hour(
    windows: Windows, axe_source: str, couple: tuple[Person, Person], width: int
):
    ana, luis = couple
    ana.create_activity("Cena", "2027-03-10", hora="21:30")
    luis.answer(ana.create_activity("Café", "2027-03-10", hora="09:05"), "aceptado")
    luis.create_activity("Viaje", "2027-03-09", fecha_fin="2027-03-11", hora="10:00")
    size = {"width": width, "height": 800}
    month = await windows.open(ana, "/dashboard?mes=2027-03", viewport=size)
    window = await windows.open(ana, "/dashboard?vista=semana&dia=2027-03-10", viewport=size)
    named = await month.day("2027-03-10").get_attribute("aria-label")
    assert named is not None
    assert named.startswith(f"{long_date('2027-03-10')}, 3 actividades: 2 pendientes, 1 aceptada")
    await expect(day(window, "2027-03-10")).to_have_accessible_name(named)
    wednesday = plans_of(window, "2027-03-10")
    await expect(wednesday).to_have_count(3)
    for item, titulo in enumerate(("Viaje", "09:05", "21:30")):
        await expect(wednesday.nth(item)).to_contain_text(titulo)
    await expect(plans_of(window, "2027-03-09")).to_contain_text("10:00")
    await expect_clean(window, axe_source)
    await wednesday.nth(1).get_by_role("button").click()
    await expect(window.page.get_by_role("dialog", name="Café")).to_contain_text("Aceptado")
    await window.page.keyboard.press("Escape")
    await expect(wednesday.nth(1).get_by_role("button")).to_be_focused()


async def test_c15_2_keys_lead_over_new_year_and_a_day_opens_the_form(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    year = {"titulo": "Aniversario", "fecha": "2024-01-01", "cada_ano": True}
    ana.rpc("guardar_fecha_especial", id=str(uuid.uuid4()), **year)
    window = await windows.open(luis, "/dashboard?vista=semana&dia=2026-12-28")
    await expect(window.heading(NEW_YEAR)).to_be_visible()
    first = day(window, "2027-01-01")
    await expect(first).to_have_accessible_name(
        f"{long_date('2027-01-01')}, fecha especial: Aniversario, 3 años"
    )
    keys = window.page.keyboard
    await day(window, "2026-12-27").focus()
    for key, to in (
        ("End", "2027-01-02"),
        ("ArrowRight", "2027-01-03"),
        ("PageUp", "2026-12-27"),
        ("ArrowDown", "2027-01-03"),
        ("ArrowLeft", "2027-01-02"),
        ("Home", "2026-12-27"),
    ):
        await keys.press(key)
        await expect(day(window, to)).to_be_focused()
    await keys.press("Enter")
    await expect(window.dialog()).to_be_visible()
    await expect(window.label("Fecha")).to_have_value("2026-12-27")
    await window.label("Título").fill("Cena")
    await window.button("Crear actividad").click()
    await expect(plans_of(window, "2026-12-27")).to_contain_text("Cena")


async def test_a9_a_plans_menu_copies_its_link_and_opens_its_history(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today())
    window = await windows.open(luis, fresh=True)
    await window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await window.choose("Cena", "Copiar enlace")
    await window.expect_toast("Copiado", "success")
    copied = await window.page.evaluate("navigator.clipboard.readText()")
    assert copied == f"{windows.url}/dashboard?plan={plan}"
    await window.choose("Cena", "Historial")
    sheet = window.page.get_by_role("dialog", name="Cena")
    await expect(sheet.get_by_text("Ana propuso el plan")).to_be_visible()
    await expect(sheet.get_by_text("Historial", exact=True)).to_be_focused()

"""Taking a deletion back, the trash in the settings, and a plan's history in its sheet.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

from typing import Any

from playwright.async_api import expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Windows, this_month, today
from tests.harness_couple import Person


async def test_c12_a_deletion_is_taken_back_and_the_partner_has_the_plan_again(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today(), presupuesto=45.5)
    luis.answer(plan, "aceptado")
    before: dict[str, Any] = ana.activities()[0]
    hers, his = await windows.open(ana), await windows.open(luis)
    await hers.delete("Cena")
    await hers.expect_toast("Actividad eliminada", "success")
    await expect(his.item("Cena")).to_have_count(0)
    await hers.button("Deshacer").click()
    await hers.expect_toast("Plan recuperado", "success")
    await expect(his.item("Cena")).to_contain_text("Aceptado")
    await expect(hers.item("Cena")).to_contain_text("45,50\u00a0€")
    assert ana.activities() == [before]


async def test_c12_the_trash_gives_back_and_is_emptied(
    windows: Windows, axe_source: str, ana: Person
):
    for titulo in ("Cena", "Cine", "Museo"):
        ana.delete(ana.create_activity(titulo, this_month(9)))
    window = await windows.open(ana, "/dashboard?ajustes=datos")
    dialog = window.page.get_by_role("dialog", name="Ajustes")
    await expect(dialog.get_by_role("heading", name="Tus datos")).to_be_focused()
    await expect(dialog.get_by_role("button", name="Recuperar")).to_have_count(3)
    await expect_clean(window, axe_source)
    await window.button("Recuperar: Cine").focus()
    await window.page.keyboard.press("Enter")
    await expect(dialog.get_by_role("button", name="Recuperar")).to_have_count(2)
    await window.button("Vaciar").click()
    await window.question().get_by_role("button", name="Vaciar").click()
    await expect(dialog.get_by_text("La papelera está vacía.")).to_be_visible()
    await window.button("Cerrar").click()
    await expect(window.item("Cine")).to_be_visible()
    assert ana.rpc("mis_borrados") == []


async def test_c12_a_plans_sheet_tells_what_happened_to_it(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today(), presupuesto=45.5)
    ana.rpc("editar_plan", plan=plan, revision=1, cambios={"presupuesto": 60})
    window = await windows.open(luis, f"/dashboard?plan={plan}")
    sheet = window.page.get_by_role("dialog", name="Cena")
    await sheet.get_by_text("Historial", exact=True).click()
    rows = sheet.locator("ol > li")
    await expect(rows).to_have_count(2)
    await expect(rows.first).to_contain_text("Ana cambió el precio: 45,50\u00a0€ → 60,00\u00a0€")
    await expect(rows.last).to_contain_text("Ana propuso el plan")
    await sheet.get_by_role("button", name="Rechazar: Cena").click()
    await expect(rows.first).to_contain_text("Tú lo rechazaste")
    await expect_clean(window, axe_source)

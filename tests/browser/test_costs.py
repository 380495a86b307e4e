"""What plans really cost: payments in a plan's sheet, and a month's accounts.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid

import pytest
from playwright.async_api import Locator, expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Window, Windows, today
from tests.harness_couple import Person

ACCOUNTS = "Cuentas del mes"


def accepted(ana: Person, luis: Person, titulo: str = "Cena") -> str:
    plan = ana.create_activity(titulo, today(), presupuesto=50)
    luis.answer(plan, "aceptado")
    return plan


def pay(by: Person, plan: str, payer: Person, importe: float, parte: int = 50) -> None:
    by.rpc(
        "anotar_pago", id=str(uuid.uuid4()), plan=plan, importe=importe,
        pagado_por=payer.id, parte=parte,
    )  # fmt: skip


def costs_of(window: Window) -> Locator:
    return window.page.get_by_role("region", name="Gastos")


def euros(text: str) -> str:
    return f"{text}\u00a0€"


async def test_c11_a_payment_is_written_down_by_keys_and_the_other_sees_it(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = accepted(ana, luis)
    hers = await windows.open(ana, f"/dashboard?plan={plan}")
    his = await windows.open(luis, f"/dashboard?plan={plan}")
    await expect(his.button("Añadir gasto")).to_be_visible()
    await hers.button("Añadir gasto").focus()
    keys = hers.page.keyboard
    await keys.press("Enter")
    await expect(hers.label("Importe")).to_be_focused()
    await keys.press("Enter")
    await expect(hers.label("Importe")).to_have_accessible_description("Escribe cuánto se pagó")
    await keys.type("40,01")
    await hers.page.get_by_role("radio", name="Luis").check()
    await hers.page.get_by_role("radio", name="Otro reparto").check()
    await hers.label("Parte de Luis").fill("101")
    await keys.press("Enter")
    await expect(hers.label("Parte de Luis")).to_have_accessible_description(
        "Escribe un número entero de 0 a 100"
    )
    await expect_clean(hers, axe_source)
    await hers.label("Parte de Luis").fill("25")
    await keys.press("Enter")
    await expect(hers.button("Añadir gasto")).to_be_focused()
    for window in (hers, his):
        await expect(costs_of(window)).to_contain_text(f"{euros('40,01')} pagó Luis, 25 % de Luis")
        await expect(costs_of(window)).to_contain_text(f"Gastado {euros('40,01')}")
    await his.button(f"Editar: {euros('40,01')}, pagó Luis").click()
    await his.page.get_by_role("radio", name="A medias").check()
    await his.button("Guardar").click()
    await expect(costs_of(hers)).to_contain_text("pagó Luis, a medias")
    await expect_clean(his, axe_source)
    await hers.button(f"Eliminar: {euros('40,01')}, pagó Luis").click()
    await expect(costs_of(his)).not_to_contain_text("40,01")


async def test_c12_a_payment_that_was_deleted_is_taken_back_as_it_was(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = accepted(ana, luis)
    pay(ana, plan, luis, 40.01, parte=25)
    hers = await windows.open(ana, f"/dashboard?plan={plan}")
    his = await windows.open(luis, f"/dashboard?plan={plan}")
    share = f"{euros('40,01')} pagó Luis, 25 % de Luis"
    await expect(costs_of(his)).to_contain_text(share)
    await hers.button(f"Eliminar: {euros('40,01')}, pagó Luis").click()
    await hers.expect_toast("Gasto eliminado", "success")
    await expect(costs_of(his)).not_to_contain_text("40,01")
    await hers.button("Deshacer").click()
    await hers.expect_toast("Gasto recuperado", "success")
    for window in (hers, his):
        await expect(costs_of(window)).to_contain_text(share)


async def test_c12_a_payment_of_a_settled_month_is_not_taken_back(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = accepted(ana, luis)
    pay(ana, plan, ana, 40)
    pay(ana, plan, ana, 10)
    window = await windows.open(ana, f"/dashboard?plan={plan}")
    window.expected.append("status of 400")
    await window.button(f"Eliminar: {euros('40,00')}, pagó Ana").click()
    await window.expect_toast("Gasto eliminado", "success")
    luis.rpc("saldar", id=str(uuid.uuid4()), mes=today()[:7], importe=500)  # cents
    await window.button("Deshacer").click()
    await window.expect_toast(
        "Las cuentas de ese mes ya están saldadas. Anuladlo para cambiarlas.", "error"
    )
    await expect(costs_of(window)).not_to_contain_text("40,00")


@pytest.mark.parametrize("width", [360, 1280])
async def test_c11_2_a_month_is_settled_by_one_and_settled_for_both(
    windows: Windows, axe_source: str, couple: tuple[Person, Person], width: int
):
    ana, luis = couple
    plan = accepted(ana, luis)
    pay(ana, plan, ana, 40)
    size = {"width": width, "height": 800}
    hers = await windows.open(ana, viewport=size)
    his = await windows.open(luis, viewport=size)
    for window in (hers, his):
        await window.text(ACCOUNTS).click()
        await expect(window.page.get_by_text(f"Luis debe {euros('20,00')} a Ana")).to_be_visible()
    await expect(his.figure("Presupuesto aceptado")).to_have_text(euros("50,00"))
    pay(luis, plan, luis, 10)
    await expect(hers.page.get_by_text(f"Luis debe {euros('15,00')} a Ana")).to_be_visible()
    await expect(hers.page.get_by_text(f"Gastado {euros('50,00')}")).to_be_visible()
    await hers.button("Saldar").click()
    for window in (hers, his):
        settled = window.page.get_by_text("Saldado el")
        await expect(settled).to_contain_text(f"(Luis debía {euros('15,00')} a Ana)")
    # Nothing is half under the button that stays above a phone's lower edge.
    await his.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    await expect_clean(his, axe_source)
    sheet = await windows.open(luis, f"/dashboard?plan={plan}", viewport=size)
    sheet.expected.append("status of 400")
    await sheet.button(f"Eliminar: {euros('10,00')}, pagó Luis").click()
    await sheet.expect_toast(
        "Las cuentas de ese mes ya están saldadas. Anuladlo para cambiarlas.", "error"
    )
    await his.button("Anular").click()
    await expect(hers.button("Saldar")).to_be_visible()


async def test_c11_3_what_was_paid_is_read_after_the_parting_and_not_changed(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = accepted(ana, luis)
    pay(ana, plan, ana, 40)
    ana.rpc("desvincular_pareja")
    window = await windows.open(ana, f"/dashboard?plan={plan}")
    await expect(costs_of(window)).to_contain_text(f"{euros('40,00')} pagó Ana")
    await expect(window.button("Añadir gasto")).to_have_count(0)
    await window.page.keyboard.press("Escape")
    await expect(window.page.get_by_text(ACCOUNTS)).to_have_count(0)


async def test_c11_a_proposal_has_no_costs(windows: Windows, couple: tuple[Person, Person]):
    ana, _ = couple
    plan = ana.create_activity("Cine", today())
    window = await windows.open(ana, f"/dashboard?plan={plan}")
    await expect(window.page.get_by_role("log")).to_be_visible()
    await expect(costs_of(window)).to_have_count(0)

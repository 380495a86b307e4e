"""What waits for my answer, proposing again, the month's money, jumps in the agenda."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.harness_browser import Windows, month_title, other_month, this_month, today
from tests.harness_couple import Person


async def test_te_toca_responder_counts_what_waits_for_me_in_all_months(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Este mes", this_month(9))
    ana.create_activity("Dentro de dos", other_month(2))
    ana.create_activity("También", other_month(2, 11))
    luis.create_activity("Mía, no cuenta", this_month(9))
    window = await windows.open(luis)
    strip = window.page.get_by_role("region", name=re.compile("^Te toca responder"))
    accept = strip.get_by_role("button", name=re.compile("^Aceptar la propuesta: "))
    await expect(strip.get_by_role("heading", level=2)).to_have_text("Te toca responder 3")
    await expect(accept).to_have_count(3)
    await window.page.set_viewport_size({"width": 768, "height": 900})
    await expect(accept).to_have_count(2)
    await window.button("Ver las 3").click()
    await expect(accept).to_have_count(3)
    await expect(window.page).to_have_title("(3) Tus planes · Planes en Pareja")


async def test_te_toca_responder_leads_to_the_proposal_in_another_month(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Dentro de dos", other_month(2))
    window = await windows.open(luis)
    waiting = window.page.get_by_role("region", name=re.compile("^Te toca responder"))
    await waiting.get_by_role("button", name=re.compile("Ver en el calendario$")).click()
    await expect(window.month_title()).to_have_text(month_title(other_month(2)))
    await expect(window.day(other_month(2))).to_be_focused()
    await expect(window.item("Dentro de dos")).to_be_visible()


async def test_te_toca_responder_follows_both_partners_live(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    hers, his = await windows.open(ana), await windows.open(luis)
    await expect(his.heading("Te toca responder")).to_have_count(0)
    await hers.propose("Cena", this_month(9))
    await expect(his.page).to_have_title("(1) Tus planes · Planes en Pareja")
    await his.button("Aceptar: Cena").click()
    await expect(his.page).to_have_title("Tus planes · Planes en Pareja")
    await expect(his.page.get_by_text("Te toca responder")).to_have_count(0)
    await expect(hers.page).to_have_title("Tus planes · Planes en Pareja")


async def test_volver_a_proponer_opens_the_form_with_everything_but_the_date(
    windows: Windows, couple: tuple[Person, Person]
):
    """The result is a new pending activity; the rejected one stays as it is."""
    ana, luis = couple
    rejected = ana.create_activity("Cena", this_month(9), descripcion="Puerto", presupuesto=12.5)
    luis.answer(rejected, "rechazado")
    hers, his = await windows.open(ana), await windows.open(luis)
    await his.choose("Cena", "Volver a proponer")
    await expect(his.label("Título")).to_have_value("Cena")
    await expect(his.label("Descripción")).to_have_value("Puerto")
    await expect(his.label("Presupuesto")).to_have_value("12,50")
    await expect(his.label("Fecha")).to_have_value("")
    await expect(his.label("Fecha")).to_be_focused()
    await his.label("Fecha").fill(this_month(16))
    await his.button("Crear actividad").click()
    await expect(hers.button("Aceptar: Cena")).to_be_visible()
    rows = {row["fecha"]: (row["estado"], row["creador_id"]) for row in ana.activities()}
    assert rows == {
        this_month(9): ("rechazado", ana.id),
        this_month(16): ("pendiente", luis.id),
    }


async def test_duplicar_is_offered_on_what_was_not_rejected(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    luis.answer(ana.create_activity("Cena", this_month(9)), "aceptado")
    window = await windows.open(ana)
    await window.button("Más acciones: Cena").click()
    await expect(window.menu_item("Volver a proponer")).to_have_count(0)
    await window.menu_item("Duplicar").click()
    await expect(window.label("Título")).to_have_value("Cena")
    await expect(window.label("Fecha")).to_have_value("")


async def test_the_month_money_line_has_what_is_accepted_and_what_is_to_be_confirmed(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    luis.answer(ana.create_activity("Una", this_month(3), presupuesto=20.1), "aceptado")
    luis.answer(ana.create_activity("Dos", this_month(4), presupuesto=0.2), "aceptado")
    luis.answer(ana.create_activity("Tres", this_month(4), presupuesto=99), "rechazado")
    luis.create_activity("Cuatro", this_month(5), presupuesto=7)
    luis.answer(ana.create_activity("Otro mes", other_month(1), presupuesto=1000), "aceptado")
    window = await windows.open(ana)
    line = window.page.get_by_role("region", name="Actividades de este mes").locator("p").first
    await expect(line).to_have_text("Aceptado 20,30\u00a0€Por confirmar 7,00\u00a0€")
    await window.button("Mes siguiente").click()
    await expect(line).to_have_text("Aceptado 1000,00\u00a0€Por confirmar 0,00\u00a0€")


async def test_six_months_of_accepted_spending_are_bars_with_their_amounts(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    for distance, euros in ((0, 50), (-1, 100), (-5, 25), (-6, 999)):
        activity = ana.create_activity("Plan", other_month(distance), presupuesto=euros)
        luis.answer(activity, "aceptado")
    ana.create_activity("Pendiente", this_month(4), presupuesto=500)
    window = await windows.open(ana)
    await window.page.locator("summary", has_text="Últimos seis meses").focus()
    await window.page.keyboard.press("Enter")
    rows = window.page.get_by_role("row").filter(has=window.page.get_by_role("rowheader"))
    await expect(rows).to_have_count(6)
    amounts = {0: "50,00", -1: "100,00", -2: "0,00", -5: "25,00"}
    for distance, amount in amounts.items():
        row = rows.filter(has_text=month_title(other_month(distance)))
        await expect(row).to_contain_text(f"{amount}\u00a0€")
    bars = rows.locator("[style]")
    widths = await bars.evaluate_all("bars => bars.map(bar => bar.style.width)")
    assert widths == ["25%", "100%", "50%"]


async def test_an_items_date_leads_to_its_day_and_the_day_back_to_the_item(
    windows: Windows, ana: Person
):
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    await window.date_of("Cena").click()
    await expect(window.day(this_month(9))).to_be_focused()
    await window.page.keyboard.press("Enter")
    await expect(window.dialog()).to_be_visible()
    await window.dialog().get_by_role("button", name="Cena", exact=True).click()
    await expect(window.dialog()).to_be_hidden()
    await expect(window.item("Cena")).to_be_focused()


async def test_the_dialog_says_what_the_day_holds_already(windows: Windows, ana: Person):
    ana.create_activity("Cena", today())
    window = await windows.open(ana)
    await window.open_form(today())
    await expect(window.text("Ese día ya hay")).to_be_visible()
    await window.label("Fecha").fill(other_month(1))
    await expect(window.text("Ese día ya hay")).to_have_count(0)

"""Editing a proposal that waits, and answering one with another date, by both partners.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

from datetime import date, timedelta

from playwright.async_api import expect

from tests.harness_browser import MONTHS, WEEKDAYS, Window, Windows, today
from tests.harness_couple import Person


def in_days(days: int) -> str:
    return (date.fromisoformat(today()) + timedelta(days=days)).isoformat()


def short(fecha: str) -> str:
    """«sáb 28 nov»."""
    day = date.fromisoformat(fecha)
    month = MONTHS[day.month - 1]
    return f"{WEEKDAYS[day.weekday()][:3]} {day.day} {'sept' if day.month == 9 else month[:3]}"


async def edit(window: Window, titulo: str, **fields: str) -> None:
    """Open the form on a proposal and change some fields; it is not saved."""
    await window.choose(titulo, "Editar")
    await expect(window.page.get_by_role("dialog", name="Editar propuesta")).to_be_visible()
    for label, value in fields.items():
        await window.label(label).fill(value)


async def test_c2_a_creator_edits_what_waits_and_the_partner_sees_it_at_once(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", today(), descripcion="Puerto", presupuesto=45.5)
    hers, his = await windows.open(ana), await windows.open(luis)
    await hers.choose("Cena", "Editar")
    await expect(hers.label("Título")).to_be_focused()
    for label, value in (("Título", "Cena"), ("Fecha", today()), ("Presupuesto", "45,50")):
        await expect(hers.label(label)).to_have_value(value)
    await hers.label("Presupuesto").fill("60")
    await hers.button("Guardar cambios").click()
    await hers.expect_toast("Propuesta actualizada", "success")
    await expect(his.item("Cena")).to_contain_text("60,00\u00a0€")
    await expect(his.text("¡Tu pareja actualizó una actividad!")).to_be_visible()
    await expect(hers.text("¡Tu pareja actualizó una actividad!")).to_have_count(0)
    await his.button("Más acciones: Cena").click()
    await expect(his.menu_item("Editar")).to_have_count(0)
    await his.page.keyboard.press("Escape")
    await his.button("Aceptar: Cena").click()
    await expect(hers.item("Cena")).to_contain_text("Aceptado")
    await hers.button("Más acciones: Cena").click()
    await expect(hers.menu_item("Duplicar")).to_be_visible()
    await expect(hers.menu_item("Editar")).to_have_count(0)


async def test_c2_2_nobody_accepts_what_was_edited_before_they_read_it(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today(), presupuesto=10)
    his = await windows.open(luis, "", fresh=True)
    await his.page.route_web_socket("**/realtime/v1/**", lambda _: None)
    await his.visit("/dashboard")
    await expect(his.item("Cena")).to_be_visible()
    his.expected.append(r"\[planes\] update")
    ana.rpc("editar_plan", plan=plan, revision=1, cambios={"presupuesto": 1000})
    await his.button("Aceptar: Cena").click()
    await his.expect_toast("Error al actualizar actividad", "error")
    await expect(his.item("Cena")).to_contain_text("1000,00\u00a0€")
    assert ana.activities()[0]["estado"] == "pendiente"
    await his.button("Aceptar: Cena").click()
    await expect(his.item("Cena")).to_contain_text("Aceptado")


async def test_c2_3_the_second_of_two_tabs_is_told_and_keeps_its_text(
    windows: Windows, ana: Person
):
    plan = ana.create_activity("Cena", today())
    window = await windows.open(ana)
    window.expected += ["status of 400", r"\[planes\] edit"]
    await edit(window, "Cena", Título="La mía")
    ana.rpc("editar_plan", plan=plan, revision=1, cambios={"titulo": "La otra"})
    await window.button("Guardar cambios").click()
    await window.expect_toast("Este plan ha cambiado mientras lo editabas. Revísalo.", "error")
    await expect(window.label("Título")).to_have_value("La mía")
    await window.button("Guardar cambios").click()
    await expect(window.item("La mía")).to_be_visible()
    (row,) = ana.activities()
    assert (row["titulo"], row["revision"]) == ("La mía", 3)


async def test_c2_another_date_answers_a_proposal_with_one_and_both_say_so(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", today(), presupuesto=45.5)
    hers, his = await windows.open(ana), await windows.open(luis)
    await his.choose("Cena", "Proponer otra fecha")
    dialog = his.page.get_by_role("dialog", name="Proponer otra fecha")
    await expect(his.label("Fecha")).to_be_focused()
    await his.button("Proponer").click()
    await expect(dialog.get_by_text("Elige otra fecha u otra hora", exact=True)).to_be_visible()
    await his.label("Fecha").fill(in_days(1))
    await his.button("Proponer").click()
    await his.expect_toast("Has propuesto otra fecha", "success")
    await expect(dialog).to_have_count(0)
    await hers.button("Agenda").click()
    became, instead = hers.item("Cena").first, hers.item("Cena").last
    await expect(became).to_contain_text(f"Se propuso otra fecha: {short(in_days(1))}")
    await expect(instead).to_contain_text(f"En lugar del {short(today())}")
    await expect(instead).to_contain_text("Propuesta de Luis")
    await hers.button("Aceptar: Cena").click()
    await expect(instead).to_contain_text("Aceptado")
    rows = {row["fecha"]: row["estado"] for row in ana.activities()}
    assert rows == {today(): "rechazado", in_days(1): "aceptado"}


async def test_c2_editing_and_another_date_work_by_keyboard_alone(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Suyo", today())
    luis.create_activity("Mío", today())
    window = await windows.open(luis)
    keys = window.page.keyboard
    await window.button("Más acciones: Mío").focus()
    for key in ("Enter", "e", "Enter"):
        await keys.press(key)
    await expect(window.label("Título")).to_be_focused()
    await keys.type("Nuestro")
    await keys.press("Enter")
    await expect(window.item("Nuestro")).to_be_visible()
    await window.button("Más acciones: Suyo").focus()
    for key in ("Enter", "p", "Enter"):
        await keys.press(key)
    await expect(window.label("Fecha")).to_be_focused()
    await keys.press("Escape")
    await expect(window.button("Más acciones: Suyo")).to_be_focused()

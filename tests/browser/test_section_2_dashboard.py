"""Section 2 of the specification: summary cards, list and creation dialog of /dashboard."""

from __future__ import annotations

from playwright.async_api import expect

from tests.harness_browser import Windows, other_month, this_month, today
from tests.harness_couple import Person


async def test_section_2_three_cards_count_pending_accepted_and_the_accepted_budget(
    windows: Windows, couple: tuple[Person, Person]
):
    """Web design, row e 7: over every activity the server returns, whatever its month."""
    ana, luis = couple
    ana.create_activity("Una", this_month(3), presupuesto=7)
    luis.create_activity("Dos", other_month(2), presupuesto=9)
    ana.create_activity("Tres", other_month(-3))
    luis.answer(ana.create_activity("Cuatro", this_month(4), presupuesto=1200.10), "aceptado")
    luis.answer(ana.create_activity("Cinco", other_month(1), presupuesto=0.2), "aceptado")
    luis.answer(ana.create_activity("Seis", this_month(6), presupuesto=5000), "rechazado")
    window = await windows.open(ana)
    await expect(window.figure("Actividades pendientes")).to_have_text("3")
    await expect(window.figure("Actividades aceptadas")).to_have_text("2")
    await expect(window.figure("Presupuesto aceptado")).to_have_text("1200,30\u00a0€")
    await expect(window.page.locator("dl > div")).to_have_count(3)


async def test_section_2_on_one_day_the_pending_ones_come_first(
    windows: Windows, couple: tuple[Person, Person]
):
    """Web design, row e 6."""
    ana, luis = couple
    luis.answer(ana.create_activity("Aceptada", this_month(8)), "aceptado")
    ana.create_activity("Espera", this_month(8))
    window = await windows.open(ana)
    await expect(window.page.get_by_role("article").get_by_role("heading")).to_have_text(
        ["Espera", "Aceptada"]
    )


async def test_section_2_an_answer_moves_nothing_else_of_its_day(
    windows: Windows, couple: tuple[Person, Person]
):
    """The database returns the rows of one date in no order of its own: an answered one moves last."""
    ana, luis = couple
    plans = [ana.create_activity(titulo, this_month(8)) for titulo in ("Uno", "Dos", "Tres")]
    window = await windows.open(ana)
    titles = window.page.get_by_role("article").get_by_role("heading")
    for activity in reversed(plans):
        luis.answer(activity, "aceptado")
        await expect(window.page.get_by_role("article").get_by_text("Aceptado")).to_have_count(
            len(plans) - plans.index(activity)
        )
    await expect(titles).to_have_text(["Uno", "Dos", "Tres"])


async def test_section_2_a_past_date_is_allowed_with_a_hint(windows: Windows, ana: Person):
    """Web design, row e 5b."""
    window = await windows.open(ana)
    await window.open_form()
    await window.label("Fecha").fill(other_month(-1))
    await expect(window.page.get_by_text("Esta fecha ya pasó")).to_be_visible()
    await window.label("Título").fill("Recuerdo")
    await window.button("Crear actividad").click()
    await window.expect_toast("¡Actividad creada!", "success")


async def test_section_2_dates_are_shown_in_the_spanish_locale(windows: Windows, ana: Person):
    ana.create_activity("Cena", "2027-03-03")
    window = await windows.open_at(ana, "2027-03-01T10:00:00")
    await expect(window.date_of("Cena")).to_have_accessible_name(
        "miércoles, 3 de marzo de 2027. Ver en el calendario"
    )
    await expect(window.date_of("Cena")).to_have_text("mié3mar")


async def test_section_2_an_empty_month_says_so_and_the_list_follows_the_open_month(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await expect(window.figure("Actividades pendientes")).to_have_text("0")
    await expect(window.figure("Actividades aceptadas")).to_have_text("0")
    await expect(window.figure("Presupuesto aceptado")).to_have_text("0,00\u00a0€")
    ana.create_activity("Del siguiente", other_month(1))
    await expect(window.figure("Actividades pendientes")).to_have_text("1")
    await expect(window.heading("Actividades de este mes")).to_be_visible()
    await expect(window.text("No hay actividades planeadas este mes")).to_be_visible()
    await window.button("Mes siguiente").click()
    await expect(window.item("Del siguiente")).to_be_visible()
    await window.button("Mes anterior").click()
    await expect(window.item("Del siguiente")).to_have_count(0)


async def test_section_2_items_show_their_plan_and_status_in_the_order_of_the_dates(
    windows: Windows, ana: Person
):
    """Web design, row e 13: no budget is nothing, and zero is not."""
    text = "En el puerto,\ncon vistas"
    ana.create_activity("Sin precio", this_month(20))
    ana.create_activity("Cena", this_month(2), descripcion=text, presupuesto=12345.67)
    ana.create_activity("Gratis", this_month(11), presupuesto=0)
    window = await windows.open(ana)
    titles = window.page.get_by_role("article").get_by_role("heading")
    await expect(titles).to_have_text(["Cena", "Gratis", "Sin precio"])
    item = window.item("Cena")
    await expect(item).to_contain_text("con vistas")
    await expect(item).to_contain_text("12.345,67\u00a0€")
    await expect(item.get_by_text("Pendiente", exact=True)).to_be_visible()
    await expect(item).to_contain_text("Propuesta por ti")
    await expect(item.locator("time")).to_have_attribute("datetime", this_month(2))
    await expect(window.item("Gratis")).to_contain_text("0,00\u00a0€")
    await expect(window.item("Sin precio")).not_to_contain_text("€")


async def test_section_2_the_partner_is_shown_the_answers_and_the_creator_deletion(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", this_month(3))
    hers, his = await windows.open(ana), await windows.open(luis)
    await expect(his.button("Aceptar: Cena")).to_have_text("Aceptar")
    await expect(his.button("Rechazar: Cena")).to_have_text("Rechazar")
    await expect(his.button("Eliminar: Cena")).to_have_count(0)
    await expect(hers.button("Eliminar: Cena")).to_have_text("Eliminar")
    await expect(hers.answer_buttons("Cena")).to_have_count(0)


async def test_section_2_nueva_actividad_opens_the_dialog_with_its_four_fields(
    windows: Windows, ana: Person
):
    """Web design, row e 5b: the date offered is today's, or the first of another month that is open."""
    window = await windows.open(ana)
    await window.button("Nueva Actividad").click()
    dialog = window.dialog()
    await expect(dialog.get_by_role("heading", name="Nueva Actividad")).to_be_visible()
    for label, name in (
        ("Título", "titulo"),
        ("Descripción", "descripcion"),
        ("Fecha", "fecha"),
        ("Presupuesto", "presupuesto"),
    ):
        await expect(dialog.get_by_label(label, exact=True)).to_have_attribute("name", name)
    await expect(dialog.get_by_label("Título", exact=True)).to_be_focused()
    await expect(window.button("Crear actividad")).to_be_visible()
    await expect(window.label("Fecha")).to_have_value(today())
    await window.button("Cancelar").click()
    await window.button("Mes siguiente").click()
    await window.open_form()
    await expect(window.label("Fecha")).to_have_value(other_month(1, 1))


async def test_section_2_what_was_typed_survives_closing_and_of_a_creation_stays_the_date(
    windows: Windows, ana: Person
):
    """Web design d.5."""
    window = await windows.open(ana)
    await window.open_form(this_month(9))
    await window.label("Título").fill("A medias")
    await window.label("Descripción").fill("Algo")
    await window.label("Presupuesto").fill("20")
    await window.page.keyboard.press("Escape")
    await expect(window.dialog()).to_be_hidden()
    await window.button("Nueva Actividad").click()
    await expect(window.label("Título")).to_have_value("A medias")
    await expect(window.label("Fecha")).to_have_value(this_month(9))
    await window.button("Crear actividad").click()
    await expect(window.item("A medias")).to_be_visible()
    await window.button("Nueva Actividad").click()
    await expect(window.label("Fecha")).to_have_value(this_month(9))
    for label in ("Título", "Descripción", "Presupuesto"):
        await expect(window.label(label)).to_have_value("")

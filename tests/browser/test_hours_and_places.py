"""Hours, several days, places and links of a plan, as both partners see them.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

from datetime import datetime

import pytest
from playwright.async_api import Route, expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Windows, today
from tests.harness_couple import Person

NOW = datetime(2027, 3, 11, 12).astimezone()


async def test_c3_a_plan_is_proposed_with_its_details_and_both_read_them(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    hers, his = await windows.open(ana), await windows.open(luis)
    await hers.open_form()
    await hers.label("Título").fill("Cena")
    await hers.button("Más detalles").click()
    await expect(hers.label("Hora")).to_be_focused()
    await hers.label("Hora").fill("21:30")
    await hers.label("Hasta").fill("20:00")
    await hers.label("Lugar").fill("La Tasquita")
    await hers.label("Último día").fill(today())
    await hers.button("Crear actividad").click()
    dialog = hers.page.get_by_role("dialog")
    await expect(dialog.get_by_text("El último día va después del primero")).to_be_visible()
    await hers.label("Último día").fill("")
    await hers.button("Crear actividad").click()
    await expect(hers.label("Hasta")).to_be_focused()
    await expect(hers.label("Hasta")).to_have_accessible_description(
        "La hora de fin va después de la de inicio"
    )
    await expect_clean(hers, axe_source)
    await hers.label("Hasta").fill("23:00")
    await hers.button("Crear actividad").click()
    await hers.expect_toast("¡Actividad creada!", "success")
    await expect(his.item("Cena")).to_contain_text("21:30–23:00")
    place = his.item("Cena").get_by_role("link", name="Ver en el mapa: La Tasquita")
    await expect(place).to_have_attribute("rel", "noopener noreferrer")
    assert "query=La%20Tasquita" in (await place.get_attribute("href") or "")
    (row,) = ana.activities()
    assert [row[name] for name in ("hora", "hora_fin", "fecha_fin", "lugar")] == [
        "21:30:00", "23:00:00", None, "La Tasquita",
    ]  # fmt: skip


async def test_0_1_a_form_without_details_sends_the_specifications_seven(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await window.open_form()
    await expect(window.button("Más detalles")).to_be_visible()
    await window.label("Título").fill("Cena")
    await window.button("Crear actividad").click()
    await expect(window.item("Cena")).to_be_visible()
    (call,) = window.sent("POST", "/actividades")
    assert set(call.payload) == {
        "titulo", "descripcion", "fecha", "presupuesto", "estado", "creador_id", "pareja_id",
    }  # fmt: skip


@pytest.mark.parametrize("width", [360, 1280])
async def test_c3_several_days_are_marked_each_and_counted_once(
    windows: Windows, axe_source: str, couple: tuple[Person, Person], width: int
):
    ana, luis = couple
    plan = ana.create_activity("Escapada", "2027-03-30", fecha_fin="2027-04-02", presupuesto=100)
    luis.answer(plan, "aceptado")
    window = await windows.open_at(luis, NOW, viewport={"width": width, "height": 800})
    await expect(window.item("Escapada")).to_contain_text("mar 30 mar – vie 2 abr")
    await expect(window.figure("Actividades aceptadas")).to_have_text("1")
    for day, number in (("2027-03-30", 1), ("2027-03-31", 2)):
        await expect(window.day(day).locator("[data-estado]")).to_have_count(1)
        name = await window.day(day).get_attribute("aria-label")
        assert name
        assert name.endswith(f"1 actividad: 1 aceptada, Escapada (día {number} de 4)")
    plans = window.page.get_by_role("region", name="Actividades de este mes")
    await expect(plans).to_contain_text("Aceptado 100,00\u00a0€")
    await window.button("Mes siguiente").click()
    await expect(window.item("Escapada")).to_be_visible()
    await expect(window.day("2027-04-02").locator("[data-estado]")).to_have_count(1)
    await expect(window.day("2027-04-03").locator("[data-estado]")).to_have_count(0)
    await expect(plans).not_to_contain_text("Aceptado 1")


async def test_c3_what_has_begun_and_goes_on_has_not_passed(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Ya pasó", "2027-03-10")
    plan = ana.create_activity("Escapada", "2027-03-09", fecha_fin="2027-03-12")
    luis.answer(plan, "aceptado")
    luis.answer(ana.create_activity("Cena", "2027-03-15", hora="21:30"), "aceptado")
    window = await windows.open_at(luis, NOW)
    await expect(window.text("Ya pasaron (1)")).to_be_visible()
    upcoming = window.page.get_by_role("region", name="Próximos planes")
    await expect(upcoming).to_contain_text("Escapada")
    await expect(upcoming).to_contain_text("Hoy")
    await expect(upcoming).to_contain_text("lun 15 mar")


async def test_c3_an_edit_shows_clears_and_keeps_the_details(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, _ = couple
    ana.create_activity("Cena", today(), hora="21:30", lugar="Casa")
    window = await windows.open(ana)
    await window.choose("Cena", "Editar")
    await expect(window.label("Hora")).to_have_value("21:30")
    await window.label("Hora").fill("")
    await window.button("Guardar cambios").click()
    await window.expect_toast("Propuesta actualizada", "success")
    (row,) = ana.activities()
    assert (row["hora"], row["lugar"]) == (None, "Casa")
    await window.button("Cena").click()
    sheet = window.page.get_by_role("dialog", name="Cena")
    await sheet.get_by_text("Historial", exact=True).click()
    await expect(sheet).to_contain_text("Tú cambiaste la hora: 21:30 → nada")


async def test_c3_another_hour_of_the_same_day_answers_a_proposal(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", today(), hora="21:30", hora_fin="23:00")
    window = await windows.open(luis)
    await window.choose("Cena", "Proponer otra fecha")
    await expect(window.label("Hora")).to_have_value("21:30")
    await window.button("Proponer").click()
    await expect(window.text("Elige otra fecha u otra hora")).to_be_visible()
    await window.label("Hora").fill("20:00")
    await window.label("Mensaje").fill("¿Algo antes?")
    await window.button("Proponer").click()
    await window.expect_toast("Has propuesto otra fecha", "success")
    (comment,) = ana.client.get("/rest/v1/comentarios?select=texto,actividades(fecha,hora)").json()
    assert comment["texto"] == "¿Algo antes?"
    assert comment["actividades"]["hora"] == "20:00:00"
    rows = {row["estado"]: row for row in ana.activities()}
    assert (rows["pendiente"]["hora"], rows["pendiente"]["hora_fin"]) == ("20:00:00", "21:30:00")


async def test_c3_2_a_description_links_what_leads_where_it_says_and_nothing_else(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    text = (
        "Mira (https://cine.es/hoy). javascript:alert(1) https://banco.es@malo.es https://аррlе.com"
    )
    ana.create_activity("Cine", today(), descripcion=text)
    window = await windows.open(luis)
    await expect(window.item("Cine")).to_contain_text(text)
    links = window.item("Cine").get_by_role("link")
    await expect(links).to_have_count(1)
    await expect(links).to_have_text("https://cine.es/hoy")
    await expect(links).to_have_attribute("rel", "noopener noreferrer")


async def test_c3_places_are_searched_for(windows: Windows, ana: Person):
    ana.create_activity("Cena", today(), lugar="La Tasquita")
    window = await windows.open(ana, "/dashboard?vista=agenda&q=tasquita")
    await expect(window.item("Cena")).to_be_visible()
    await expect(window.text("1 resultado")).to_be_visible()


async def test_c3_a_place_of_two_lines_lies_on_nothing_and_a_long_title_is_cut(
    windows: Windows, ana: Person
):
    place = "La Tasquita de Enfrente, calle de la Ballesta 6, Madrid"
    more = {"lugar": place, "hora": "21:30", "descripcion": "Con tiempo"}
    ana.create_activity("Cena " * 23, today(), **more)
    window = await windows.open(ana, viewport={"width": 360, "height": 740})
    item = window.page.get_by_role("article")
    title, hour, link, text = [
        await found.bounding_box()
        for found in (
            item.get_by_role("heading"),
            item.get_by_text("21:30", exact=True),
            item.get_by_text(place, exact=True),
            item.get_by_text("Con tiempo", exact=True),
        )
    ]
    assert title
    assert hour
    assert link
    assert text
    assert title["height"] < 60, "more than two lines"
    assert link["height"] > 30, "the place has one line: nothing is tried"
    assert hour["y"] + hour["height"] <= link["y"] + 1
    assert link["y"] + link["height"] <= text["y"] + 1


async def test_0_2_a_server_of_the_specification_alone_offers_no_details(
    windows: Windows, ana: Person
):
    """Its rows have the specification's fields, and it has none of the functions."""
    window = await windows.open(ana, "")
    window.expected.append("status of 404")
    ana.create_activity("Cena", today())

    async def missing(route: Route) -> None:
        await route.fulfill(status=404, json={"code": "PGRST202", "message": "no function"})

    later = ("hora", "hora_fin", "fecha_fin", "lugar", "revision", "editado_en", "origen_id")

    async def fields(route: Route) -> None:
        answer = await route.fetch()
        rows = [{k: v for k, v in row.items() if k not in later} for row in await answer.json()]
        await route.fulfill(response=answer, json=rows)

    await window.page.route("**/rest/v1/rpc/*", missing)
    await window.page.route("**/rest/v1/actividades?select=*&order*", fields)
    await window.visit("/dashboard")
    await expect(window.item("Cena")).to_be_visible()
    await window.open_form()
    await expect(window.label("Presupuesto")).to_be_visible()
    await expect(window.button("Más detalles")).to_have_count(0)
    await window.page.keyboard.press("Escape")
    await window.button("Más acciones: Cena").click()
    await expect(window.menu_item("Editar")).to_have_count(0)
    await expect(window.menu_item("Duplicar")).to_be_visible()

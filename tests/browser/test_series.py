"""Plans that repeat: proposed in the form, answered together, changed and deleted with a choice.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Window, Windows
from tests.harness_couple import Person

MARCH = "/dashboard?mes=2027-03"
PHONE = {"width": 360, "height": 740}
DANCE = {"titulo": "Clase de baile", "fecha": "2027-03-14", "presupuesto": 20, "hora": "20:00"}


def propose(person: Person, regla: str = "semanal", hasta: str = "2027-04-04") -> None:
    """On 14, 21 and 28 March and 4 April."""
    made = person.rpc("crear_serie", id=str(uuid.uuid4()), plan=DANCE, regla=regla, hasta=hasta)
    assert made == {"fechas": 4}


async def in_march(windows: Windows, person: Person, **options: Any) -> Window:
    window = await windows.open(person, MARCH, **options)
    await window.dashboard_is_ready()
    return window


def states(person: Person) -> list[str]:
    return [row["estado"] for row in sorted(person.activities(), key=lambda row: row["fecha"])]


async def test_c10_a_plan_that_repeats_is_proposed_by_keys_and_answered_as_one(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    hers = await in_march(windows, ana)
    his = await in_march(windows, luis, viewport=PHONE)
    await hers.open_form("2027-03-14")
    await hers.label("Título").fill("Clase de baile")
    await hers.label("Presupuesto").fill("20")
    await hers.button("Más detalles").press("Enter")
    await hers.label("Hora").fill("20:00")
    await hers.label("Se repite").select_option("Cada semana")
    until = hers.label("Repetir hasta")
    await until.fill("2028-03-14")
    await hers.button("Crear actividad").press("Enter")
    await expect(until).to_be_focused()
    await expect(until).to_have_accessible_description("Como mucho 52 fechas")
    await until.fill("2027-04-09")
    await expect(until).to_have_accessible_description("4 fechas, hasta el dom 4 abr")
    await expect_clean(hers, axe_source)
    await hers.button("Crear actividad").press("Enter")
    await hers.expect_toast("¡Actividad creada!", "success")
    # Each is a proposal in the calendar and in the list; what waits is one card.
    await expect(hers.figure("Actividades pendientes")).to_have_text("4")
    waiting = his.page.get_by_role("region", name=re.compile("^Te toca responder"))
    await expect(waiting.get_by_role("heading", name="Clase de baile")).to_have_count(1)
    await expect(waiting).to_contain_text("Cada semana")
    await expect(waiting).to_contain_text("4 fechas, hasta el dom 4 abr · 80,00\u00a0€ en total")
    await expect(his.marks("2027-03-28")).to_have_count(1)
    await expect(his.item("Clase de baile")).to_have_count(3)
    await waiting.get_by_text("Ver fechas").click()
    await expect(waiting.get_by_role("listitem")).to_contain_text(
        ["Clase de baile", "dom 14 mar", "dom 21 mar",
         "dom 28 mar", "dom 4 abr"]
    )  # fmt: skip
    await expect_clean(his, axe_source)
    await his.button("Aceptar las 4: Clase de baile").click()
    await his.expect_toast("¡4 fechas aceptadas!", "success")
    await expect(waiting).to_have_count(0)
    await expect(his.page.locator(":focus")).to_have_text("Próximos planes")
    # C10.2: four answers are one notification.
    await hers.expect_toast("¡Tu pareja actualizó una actividad!", "info")
    await expect(hers.figure("Actividades aceptadas")).to_have_text("4")
    assert states(ana) == ["aceptado"] * 4


async def test_c10_3_half_answered_the_rest_is_answered_together(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    propose(ana)
    first = min(ana.activities(), key=lambda row: row["fecha"])["id"]
    his = await in_march(windows, luis)
    luis.answer(first, "aceptado")
    await his.button("Rechazar las 3: Clase de baile").click()
    await his.expect_toast("3 fechas rechazadas", "success")
    assert states(ana) == ["aceptado", *["rechazado"] * 3]


async def test_c10_what_changed_meanwhile_is_not_accepted(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    propose(ana)
    his = await in_march(windows, luis)
    his.expected.append("status of 400")
    his.expected.append(r"\[planes\] series")
    plan = ana.activities()[0]["id"]

    async def edit_first(route: Any) -> None:
        ana.rpc("editar_plan", plan=plan, revision=1, cambios={"presupuesto": 500})
        await route.continue_()

    await his.page.route("**/rpc/responder_serie", edit_first, times=1)
    await his.button("Aceptar las 4: Clase de baile").click()
    await his.expect_toast("Alguna fecha ha cambiado mientras la leías. Revísala.", "error")
    assert states(ana) == ["pendiente"] * 4
    await expect(his.page.get_by_text("560,00\u00a0€ en total")).to_be_visible()
    await his.button("Aceptar las 4: Clase de baile").click()
    await his.expect_toast("¡4 fechas aceptadas!", "success")


async def test_c10_its_creator_changes_this_one_the_following_or_all(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, _ = couple
    propose(ana)
    hers = await in_march(windows, ana)
    await edit(hers, 1, "Esta y las siguientes", "Salsa")
    await expect(hers.item("Salsa")).to_have_count(2)
    await edit(hers, 0, None, "Tango")
    await expect(hers.item("Tango")).to_have_count(1)
    titles = [row["titulo"] for row in sorted(ana.activities(), key=lambda row: row["fecha"])]
    assert titles == ["Tango", "Salsa", "Salsa", "Salsa"]
    await open_edit(hers, 0)
    await expect_clean(hers, axe_source)
    await hers.page.get_by_role("radio", name="Todas las pendientes").check()
    await hers.label("Fecha").fill("2027-03-15")
    await hers.button("Guardar cambios").click()
    await expect(hers.day("2027-03-15").locator("[data-estado]")).to_have_count(1)
    await hers.expect_toast("Propuesta actualizada", "success")
    dates = [row["fecha"] for row in sorted(ana.activities(), key=lambda row: row["fecha"])]
    assert dates == ["2027-03-15", "2027-03-22", "2027-03-29", "2027-04-05"]


async def edit(window: Window, place: int, scope: str | None, titulo: str) -> None:
    await open_edit(window, place)
    await expect(window.page.get_by_role("radio", name="Solo esta")).to_be_checked()
    if scope:
        await window.page.get_by_role("radio", name=scope).check()
    await window.label("Título").fill(titulo)
    await window.button("Guardar cambios").click()
    await expect(window.page.get_by_role("dialog")).to_have_count(0)


async def open_edit(window: Window, place: int) -> None:
    item = window.page.get_by_role("article").nth(place)
    await item.get_by_role("button", name=re.compile("^Más acciones")).click()
    await window.menu_item("Editar").click()


@pytest.mark.parametrize(
    ("scope", "left"),
    [("Solo esta", 3), ("Esta y las siguientes", 1), ("Todas las pendientes", 1)],
)
async def test_c10_its_creator_deletes_this_one_the_following_or_what_waits_and_takes_it_back(
    windows: Windows, axe_source: str, couple: tuple[Person, Person], scope: str, left: int
):
    ana, luis = couple
    propose(ana)
    before = sorted(ana.activities(), key=lambda row: row["fecha"])
    luis.answer(before[0]["id"], "aceptado")
    hers = await in_march(windows, ana, viewport=PHONE)
    second = hers.page.get_by_role("article").nth(1)
    await second.get_by_role("button", name="Eliminar: Clase de baile").click()
    await expect(hers.question()).to_have_accessible_name(
        "¿Estás seguro de eliminar esta actividad?"
    )
    await hers.page.get_by_role("radio", name=scope).check()
    await expect_clean(hers, axe_source)
    await hers.question().get_by_role("button", name="Eliminar").click()
    await hers.expect_toast("Actividad eliminada", "success")
    assert len(ana.activities()) == left
    await hers.button("Deshacer").click()
    await hers.expect_toast("Plan recuperado", "success")
    assert states(ana) == ["aceptado", *["pendiente"] * 3]
    assert {row["id"] for row in luis.activities()} == {row["id"] for row in before}

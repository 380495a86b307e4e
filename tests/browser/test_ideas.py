"""«Algún día»: ideas without a date, liked by one or both, and given a date.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid

import pytest
from playwright.async_api import expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Windows, today
from tests.harness_couple import Person

EMPTY = "Apuntad aquí lo que os gustaría hacer algún día."


def note_down(person: Person, titulo: str, **more: object) -> str:
    identity = str(uuid.uuid4())
    person.rpc("guardar_idea", id=identity, titulo=titulo, **more)
    return identity


async def test_c8_an_idea_is_noted_by_keys_and_both_like_it(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    hers = await windows.open(ana)
    await hers.button("Algún día").click()
    await expect(hers.page).to_have_url(f"{windows.url}/dashboard?vista=ideas")
    await expect(hers.text(EMPTY)).to_be_visible()
    his = await windows.open(luis, "/dashboard?vista=ideas")
    await expect(his.text(EMPTY)).to_be_visible()
    await hers.button("Añadir idea").focus()
    keys = hers.page.keyboard
    await keys.press("Enter")
    await expect(hers.label("Título")).to_be_focused()
    await keys.press("Enter")
    await expect(hers.label("Título")).to_have_accessible_description("El título es requerido")
    await expect_clean(hers, axe_source)
    await keys.type("Lisboa en tren")
    await hers.label("Presupuesto").fill("300")
    await keys.press("Enter")
    await expect(his.item("Lisboa en tren")).to_contain_text("300,00\u00a0€")
    await his.button("Me apetece: Lisboa en tren").click()
    await expect(his.button("Me apetece: Lisboa en tren")).to_have_attribute("aria-pressed", "true")
    await expect(hers.heading("A los dos os apetece")).to_have_count(0)
    await expect(hers.item("Lisboa en tren")).to_contain_text("A Luis le apetece")
    await hers.button("Me apetece: Lisboa en tren").press("Enter")
    for window in (hers, his):
        await expect(window.heading("A los dos os apetece")).to_be_visible()
    # It stands in another list now.
    await expect(hers.button("Me apetece: Lisboa en tren")).to_be_focused()
    await expect_clean(his, axe_source)
    await expect(his.button("Eliminar: Lisboa en tren")).to_have_count(0)


async def test_c8_1_an_idea_with_a_date_is_a_proposal_and_an_idea_again_without_it(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    note_down(ana, "Lisboa", nota="En tren", presupuesto=300)
    window = await windows.open(luis, "/dashboard?vista=ideas")
    await window.button("Poner fecha: Lisboa").click()
    await expect(window.label("Fecha")).to_be_focused()
    await expect(window.label("Título")).to_have_value("Lisboa")
    await expect(window.label("Descripción")).to_have_value("En tren")
    await window.label("Fecha").fill(today())
    await window.button("Crear actividad").click()
    await window.expect_toast("¡Actividad creada!", "success")
    await expect(window.item("Lisboa")).to_have_count(0)
    await expect(window.text(EMPTY)).to_be_visible()
    (plan,) = luis.activities()
    assert (plan["titulo"], plan["presupuesto"], plan["creador_id"]) == ("Lisboa", 300, luis.id)
    luis.delete(plan["id"])
    await expect(window.item("Lisboa")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1280])
async def test_c8_2_ideas_of_before_are_ones_own_and_closed(
    windows: Windows, axe_source: str, couple: tuple[Person, Person], width: int
):
    ana, luis = couple
    note_down(ana, "Lisboa")
    note_down(luis, "Oporto")
    ana.rpc("desvincular_pareja")
    window = await windows.open(
        ana, "/dashboard?vista=ideas", viewport={"width": width, "height": 800}
    )
    await window.text("De antes, solo para ti (1)").click()
    await expect(window.item("Lisboa")).to_be_visible()
    await expect(window.button("Poner fecha: Lisboa")).to_have_count(0)
    await expect(window.page.get_by_text("Oporto")).to_have_count(0)
    await expect_clean(window, axe_source)
    for answer, focused in (("Cancelar", "Eliminar: Lisboa"), ("Eliminar", "Añadir idea")):
        await window.button("Eliminar: Lisboa").click()
        await expect(window.question()).to_have_accessible_name("¿Quieres eliminar esta idea?")
        await window.question().get_by_role("button", name=answer).click()
        await expect(window.question()).to_have_count(0)
        await expect(window.button(focused)).to_be_focused()
    await expect(window.page.get_by_text("Lisboa")).to_have_count(0)

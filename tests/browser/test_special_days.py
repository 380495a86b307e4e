"""Anniversaries and the like: in the calendar, before they come, and in the settings of both.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid
from datetime import datetime

import pytest
from playwright.async_api import expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Windows
from tests.harness_couple import Person

HOUR_MS = 3_600_000
NOW = datetime(2027, 3, 11, 12).astimezone()


def count_from(person: Person, titulo: str, fecha: str, *, cada_ano: bool = True) -> None:
    identity = str(uuid.uuid4())
    person.rpc("guardar_fecha_especial", id=identity, titulo=titulo, fecha=fecha, cada_ano=cada_ano)


async def test_c9_one_adds_it_by_keys_and_both_have_it_at_once(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    his = await windows.open_at(luis, NOW)
    hers = await windows.open_at(ana, NOW)
    await hers.button("Ajustes").click()
    await hers.button("Añadir fecha especial").focus()
    keys = hers.page.keyboard
    await keys.press("Enter")
    await expect(hers.label("¿Qué celebráis?")).to_be_focused()
    await keys.press("Enter")
    await expect(hers.label("¿Qué celebráis?")).to_have_accessible_description(
        "Escribe qué celebráis"
    )
    await expect_clean(hers, axe_source)
    await keys.type("Nuestro aniversario")
    await hers.label("Fecha").fill("2024-03-16")
    await hers.button("Guardar").click()
    await hers.page.clock.run_for(1000)
    await expect(hers.button("Eliminar: Nuestro aniversario")).to_be_visible()
    await his.page.clock.run_for(1000)
    await expect(his.text("En 5 días: Nuestro aniversario, 3 años")).to_be_visible()
    day = his.page.locator("[data-fecha='2027-03-16']")
    await expect(day).to_have_accessible_name(
        "martes, 16 de marzo de 2027, fecha especial: Nuestro aniversario, 3 años"
    )
    await expect(day.locator("[data-estado]")).to_have_count(0)
    await expect(his.figure("Actividades pendientes")).to_have_text("0")
    await hers.button("Editar: Nuestro aniversario").click()
    await hers.label("¿Qué celebráis?").fill("Nuestro día")
    await hers.button("Guardar").click()
    await his.page.clock.run_for(1000)
    await expect(his.text("En 5 días: Nuestro día, 3 años")).to_be_visible()
    await hers.page.clock.run_for(1000)
    await hers.button("Eliminar: Nuestro día").click()
    await his.page.clock.run_for(1000)
    await expect(his.page.get_by_text("Nuestro día")).to_have_count(0)
    await hers.page.clock.run_for(1000)
    await hers.expect_toast("Fecha especial eliminada", "success")
    await hers.button("Deshacer").click()
    await hers.page.clock.run_for(1000)
    await expect(hers.button("Eliminar: Nuestro día")).to_be_visible()
    await his.page.clock.run_for(1000)
    await expect(his.text("En 5 días: Nuestro día, 3 años")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1280])
async def test_c9_1_it_counts_down_over_midnight(
    windows: Windows, axe_source: str, couple: tuple[Person, Person], width: int
):
    ana, _ = couple
    count_from(ana, "Aniversario", "2026-03-12")
    count_from(ana, "Boda de Marta", "2027-03-25", cada_ano=False)
    window = await windows.open_at(ana, NOW, viewport={"width": width, "height": 800})
    await window.page.clock.run_for(1000)
    await expect(window.text("Mañana: Aniversario, 1 año")).to_be_visible()
    await expect(window.text("En 14 días: Boda de Marta")).to_be_visible()
    await expect_clean(window, axe_source)
    await window.page.clock.fast_forward(13 * HOUR_MS)
    await expect(window.text("Hoy: Aniversario, 1 año")).to_be_visible()


async def test_c9_who_parts_counts_nothing_of_the_couple(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    count_from(ana, "Aniversario", "2026-03-12")
    window = await windows.open_at(ana, NOW)
    await window.page.clock.run_for(1000)
    await expect(window.text("Mañana: Aniversario, 1 año")).to_be_visible()
    luis.rpc("desvincular_pareja")
    await window.page.clock.run_for(1000)
    await expect(window.page.get_by_text("Aniversario")).to_have_count(0)

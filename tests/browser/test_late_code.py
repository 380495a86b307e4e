"""Code that comes with its first use: a frame at once, the focus when it is there, and no crash without a network.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import asyncio

from playwright.async_api import Route, expect

from tests.harness_browser import Windows, today
from tests.harness_couple import Person


async def test_d3_a_press_before_its_code_opens_the_frame_and_then_its_first_field(
    windows: Windows, ana: Person
):
    window = await windows.open(ana, "")
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    await window.page.route("**/activity-form*.js", hold)
    await window.visit("/dashboard")
    await window.button("Nueva Actividad").click()
    dialog = window.page.get_by_role("dialog", name="Nueva Actividad")
    await expect(dialog.get_by_role("status")).to_have_text("Cargando...")
    held.set()
    await expect(window.label("Título")).to_be_focused()
    await expect(dialog.get_by_role("status")).to_have_count(0)


async def test_d7_code_that_cannot_come_says_so_and_is_tried_again(windows: Windows, ana: Person):
    ana.create_activity("Cena", today())
    window = await windows.open(ana, "")
    window.expected += ["net::ERR_", "Failed to load resource"]
    for name in ("activity-form", "settings", "plan-sheet", "agenda"):
        await window.page.route(f"**/{name}*.js", lambda route: route.abort())
    await window.visit("/dashboard")
    await expect(window.item("Cena")).to_be_visible()
    failed = window.page.get_by_role("alert").filter(has_text="No se ha podido cargar.")
    for name in ("Nueva Actividad", "Ajustes", "Cena"):
        await window.button(name).click()
        await expect(window.page.get_by_role("dialog")).to_contain_text("No se ha podido cargar.")
        await window.page.keyboard.press("Escape")
        await expect(window.page.get_by_role("dialog")).to_have_count(0)
    await window.button("Agenda").click()
    await expect(failed).to_be_visible()
    await window.page.unroute("**/agenda*.js")
    await window.button("Reintentar").click()
    await expect(window.item("Cena")).to_be_visible()

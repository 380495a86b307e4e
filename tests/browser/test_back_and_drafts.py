"""The browser's «back» with a dialog open, and what was typed and not sent."""

from __future__ import annotations

from playwright.async_api import expect

from tests.harness_browser import Windows, month_title, other_month, this_month
from tests.harness_couple import Person


async def test_back_closes_the_form_and_stays_on_the_page(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.open_form(this_month(9))
    await window.page.wait_for_function("() => history.state?.dialog === true")
    await window.page.go_back()
    await expect(window.dialog()).to_have_count(0)
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")
    await expect(window.day(this_month(9))).to_be_focused()


async def test_back_answers_no_to_a_question(windows: Windows, ana: Person):
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    await window.button("Eliminar: Cena").click()
    await expect(window.question()).to_be_visible()
    await window.page.wait_for_function("() => history.state?.dialog === true")
    await window.page.go_back()
    await expect(window.question()).to_have_count(0)
    await expect(window.item("Cena")).to_be_visible()


async def test_a_dialog_that_is_closed_otherwise_leaves_no_step_behind(
    windows: Windows, ana: Person
):
    window = await windows.open(ana, "/")
    await window.visit("/dashboard")
    await window.dashboard_is_ready()
    for _ in range(3):
        await window.open_form()
        await window.page.wait_for_function("() => history.state?.dialog === true")
        await window.page.keyboard.press("Escape")
        await expect(window.dialog()).to_have_count(0)
        await window.page.wait_for_function("() => history.state?.dialog !== true")
    await window.page.go_back()
    await expect(window.page).to_have_url(f"{windows.url}/")


async def test_to_repeat_a_plan_does_not_eat_a_draft(windows: Windows, ana: Person):
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    await window.open_form()
    await window.label("Título").fill("A medias")
    await window.page.keyboard.press("Escape")
    await window.choose("Cena", "Duplicar")
    await expect(window.label("Título")).to_have_value("Cena")
    await window.label("Fecha").fill(this_month(10))
    await window.button("Crear actividad").click()
    await expect(window.dialog()).to_have_count(0)
    await window.open_form()
    await expect(window.label("Título")).to_have_value("A medias")


async def test_a_reload_keeps_the_draft_and_the_month_and_signing_out_neither(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await window.button("Mes siguiente").click()
    await window.open_form()
    await window.label("Título").fill("A medias")
    await window.page.reload()
    title = month_title(other_month(1))
    await expect(window.heading(title)).to_be_visible()
    await window.open_form()
    await expect(window.label("Título")).to_have_value("A medias")
    await window.page.keyboard.press("Escape")
    await window.button("Salir").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    assert "A medias" not in await window.page.evaluate("JSON.stringify({...sessionStorage})")
    assert await window.page.evaluate("sessionStorage.getItem('planes.mes')") is None

"""What a dialog does to the page behind it: nothing that stays, and nothing that costs (web design d.5)."""

from __future__ import annotations

from playwright.async_api import expect

from tests.harness_browser import Window, Windows, this_month
from tests.harness_couple import Person


async def press_beside(window: Window) -> None:
    """Press the page next to the dialog that is open."""
    await window.page.mouse.click(5, 300)


async def test_a_press_beside_the_form_closes_it_and_one_beside_a_question_does_not(
    windows: Windows, ana: Person
):
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    await window.open_form()
    await press_beside(window)
    await expect(window.dialog()).to_be_hidden()
    await expect(window.button("Nueva Actividad")).to_be_focused()
    await window.button("Eliminar: Cena").click()
    await press_beside(window)
    await expect(window.question().get_by_role("button", name="Cancelar")).to_be_focused()
    await window.page.keyboard.press("Escape")
    await expect(window.button("Eliminar: Cena")).to_be_focused()


async def test_the_tab_key_goes_round_in_a_question_both_ways(windows: Windows, ana: Person):
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    for key in ("Tab", "Shift+Tab"):
        await window.button("Eliminar: Cena").click()
        await expect(window.question().get_by_role("button", name="Cancelar")).to_be_focused()
        for name in ("Eliminar", "Cancelar", "Eliminar"):
            await window.page.keyboard.press(key)
            await expect(window.question().get_by_role("button", name=name)).to_be_focused()
        await window.page.keyboard.press("Escape")
        await expect(window.question()).to_have_count(0)
        await window.page.wait_for_function("() => !history.state?.dialog")


async def test_the_page_behind_is_hidden_and_held_until_the_dialog_is_gone(
    windows: Windows, ana: Person
):
    for number in range(9):
        ana.create_activity(f"Plan {number}", this_month(9))
    window = await windows.open(ana, viewport={"width": 1280, "height": 500})
    await window.open_form(this_month(20))
    await expect(window.page.get_by_role("grid")).to_have_count(0)
    await expect(window.month_title()).to_have_count(0)
    held = await window.page.evaluate("scrollY")
    await window.page.mouse.move(5, 300)
    await window.page.mouse.wheel(0, -100)
    await window.button("Cancelar").click()
    await expect(window.page.get_by_role("grid")).to_have_count(1)
    assert await window.page.evaluate("scrollY") == held
    await window.page.mouse.wheel(0, -50)
    await window.page.wait_for_function("held => scrollY === held - 50", arg=held)


async def test_a_form_opened_again_has_forgotten_what_was_wrong_but_not_what_was_typed(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await window.open_form()
    await window.label("Descripción").fill("A las nueve")
    await window.button("Crear actividad").click()
    await expect(window.text("El título es requerido")).to_be_visible()
    await window.button("Cancelar").click()
    await window.open_form()
    await expect(window.text("El título es requerido")).to_have_count(0)
    await expect(window.label("Título")).to_be_focused()
    await expect(window.label("Descripción")).to_have_value("A las nueve")


async def test_a_notification_can_be_closed_while_a_dialog_is_open(windows: Windows, ana: Person):
    window = await windows.open(ana)
    window.expected += ["net::ERR_", r"\[planes\]"]
    await window.page.route(
        "**/rest/v1/actividades*",
        lambda route: route.abort() if route.request.method == "POST" else route.continue_(),
    )
    await window.open_form()
    await window.label("Título").fill("Cine")
    await window.button("Crear actividad").click()
    await window.expect_toast("Error al crear actividad", "error")
    await window.button("Cerrar notificación").click()
    await expect(window.toasts()).to_have_count(0)
    await expect(window.dialog()).to_be_visible()
    await window.page.keyboard.press("Tab")
    await expect(window.dialog().locator(":focus")).to_have_count(1)


async def test_opening_a_dialog_leaves_every_style_of_the_page_as_it_is(
    windows: Windows, ana: Person
):
    """An inherited style on the body costs a look at every element of a long month."""
    window = await windows.open(ana)
    style = "JSON.stringify(Object.entries(getComputedStyle(document.querySelector('#root'))))"
    before = await window.page.evaluate(style)
    await window.open_form()
    assert await window.page.evaluate(style) == before

"""A printed month's heading, the typeface, and money that has no history yet.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import asyncio

from playwright.async_api import Route, expect

from tests.harness_browser import Windows, this_month
from tests.harness_couple import Person


async def test_a13_a_printed_month_says_whose_plans_and_which_month(
    windows: Windows, couple: tuple[Person, Person]
):
    window = await windows.open(couple[0], color_scheme="dark")
    await expect(window.page.locator("header").first).to_contain_text("Ana y Luis")
    await window.page.emulate_media(media="print")
    heading = await window.page.evaluate(
        "getComputedStyle(document.querySelector('[data-print-title]'), '::before').content"
    )
    month = await window.month_title().text_content()
    assert month
    assert heading == f'"Planes de Ana y Luis · {month[0].upper()}{month[1:]}"'
    await expect(window.page.locator("header").first).to_be_hidden()


SHIFT = """() => new Promise(done => new PerformanceObserver(list => done(
    list.getEntries().reduce((sum, entry) => sum + entry.value, 0)
)).observe({type: 'layout-shift', buffered: true}) ?? setTimeout(() => done(0), 500))"""


async def test_a15_a_late_typeface_moves_next_to_nothing(windows: Windows, ana: Person):
    window = await windows.open(ana, "")
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    await window.page.route("**/*.woff2", hold)
    # The page counts as loaded with its typeface alone.
    await window.page.goto(f"{windows.url}/dashboard", wait_until="commit")
    await expect(window.text("No hay actividades planeadas este mes")).to_be_visible()
    loaded = "() => document.fonts.check('16px Figtree')"
    assert not await window.page.evaluate(loaded)
    before = await window.page.evaluate(SHIFT)
    held.set()
    await window.page.wait_for_function(loaded)
    await window.page.evaluate("new Promise(requestAnimationFrame)")
    assert await window.page.evaluate(SHIFT) - before <= 0.02


async def test_a_money_of_one_month_has_no_bars_yet(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    luis.answer(ana.create_activity("Cena", this_month(9), presupuesto=10), "aceptado")
    window = await windows.open(ana)
    await window.page.locator("summary", has_text="Últimos seis meses").click()
    sentence = "Cuando haya dos meses con gasto veréis aquí cómo cambia."
    await expect(window.text(sentence)).to_be_visible()
    await expect(window.page.get_by_role("rowheader")).to_have_count(0)


async def test_a_the_form_says_its_date_in_words(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.open_form()
    await window.label("Fecha").fill("2027-11-22")
    await expect(window.label("Fecha")).to_have_accessible_description(
        "lunes, 22 de noviembre de 2027"
    )

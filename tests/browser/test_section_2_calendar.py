"""Section 2 of the specification: the month calendar of /dashboard."""

from __future__ import annotations

from playwright.async_api import expect

from tests.harness_browser import Windows, long_date, month_title, other_month, this_month, today
from tests.harness_couple import Person

SIX_WEEKS = 6 * 7


async def test_section_2_the_grid_is_this_month_under_its_weekdays_with_today(
    windows: Windows, ana: Person
):
    """Sunday to Saturday; outside the month the places stay empty.

    The title's capital is drawn by the style sheet: the text itself stays as Spanish writes it.
    """
    window = await windows.open(ana)
    await expect(window.month_title()).to_have_text(month_title(today()))
    drawn = await window.month_title().evaluate(
        "title => getComputedStyle(title, '::first-letter').textTransform"
    )
    assert drawn == "uppercase"
    grid = window.page.get_by_role("grid")
    headers = grid.get_by_role("columnheader")
    await expect(headers).to_have_text(["Dom", "Lun", "Mar", "Mié", "Jue", "Vie", "Sáb"])
    cells: list[list[str | None]] = await grid.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.children].map("
        "cell => cell.querySelector('button')?.getAttribute('aria-label') ?? null))"
    )
    assert sum(len(row) for row in cells) == SIX_WEEKS
    names = ("domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado")
    for row in cells:
        for weekday, name in zip(names, row, strict=True):
            assert name is None or name.startswith(f"{weekday}, ")
    assert sum(name is not None for row in cells for name in row) in range(28, 32)
    await expect(window.page.locator("[aria-current=date]")).to_have_count(1)
    await expect(window.day(today())).to_have_attribute("aria-current", "date")
    await expect(window.day(today())).to_have_css("font-weight", "650")
    shadow = await window.day(today()).evaluate("day => getComputedStyle(day).boxShadow")
    assert "inset" in shadow


async def test_section_2_month_navigation_crosses_years_and_hoy_leads_back(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await expect(window.button("Hoy")).to_have_count(0)
    await window.button("Mes siguiente").click()
    await expect(window.month_title()).to_have_text(month_title(other_month(1)))
    for _ in range(13):
        await window.button("Mes anterior").click()
    await expect(window.month_title()).to_have_text(month_title(other_month(-12)))
    await window.button("Hoy").click()
    await expect(window.month_title()).to_have_text(month_title(today()))
    await expect(window.button("Hoy")).to_have_count(0)


async def test_section_2_a_day_shows_three_dots_at_most_and_the_remainder(
    windows: Windows, ana: Person
):
    for count in (1, 2, 3, 5):
        for number in range(count):
            ana.create_activity(f"Plan {number}", this_month(10 + count))
    window = await windows.open(ana)
    for count in (1, 2, 3):
        await expect(window.marks(this_month(10 + count))).to_have_count(count)
        await expect(window.day(this_month(10 + count))).not_to_contain_text("+")
    await expect(window.marks(this_month(15))).to_have_count(3)
    await expect(window.day(this_month(15)).get_by_text("+2", exact=True)).to_be_visible()


async def test_section_2_clicking_a_day_of_any_month_opens_creation_with_that_date(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await window.day(this_month(17)).click()
    await expect(window.dialog()).to_be_visible()
    await expect(window.label("Fecha")).to_have_value(this_month(17))
    await window.button("Cancelar").click()
    await window.button("Mes siguiente").click()
    await window.day(other_month(1, 5)).click()
    await expect(window.label("Fecha")).to_have_value(other_month(1, 5))


async def test_section_2_a_waiting_proposal_is_never_swallowed_by_the_remainder(
    windows: Windows, couple: tuple[Person, Person]
):
    """Web design d.3: pendiente, aceptado, rechazado is the order of the dots."""
    ana, luis = couple
    for number, estado in enumerate(("rechazado", "aceptado", "aceptado", "aceptado")):
        luis.answer(ana.create_activity(f"Plan {number}", this_month(12)), estado)
    ana.create_activity("La que espera", this_month(12))
    window = await windows.open(luis)
    estados = await window.marks(this_month(12)).evaluate_all(
        "marks => marks.map(mark => mark.dataset.estado)"
    )
    assert estados == ["pendiente", "aceptado", "aceptado"]


async def test_section_2_a_day_is_named_with_its_date_and_its_activities(
    windows: Windows, couple: tuple[Person, Person]
):
    """Web design d.5."""
    ana, luis = couple
    luis.answer(ana.create_activity("Cena", today()), "aceptado")
    ana.create_activity("Cine", today())
    window = await windows.open(ana)
    await expect(window.day(today())).to_have_accessible_name(
        f"{long_date(today())}, hoy, 2 actividades: 1 pendiente, 1 aceptada"
    )

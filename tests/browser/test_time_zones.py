"""Dates are the same everywhere, "today" is the device's (web design d.6 and row e 11)."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import expect

from tests.harness_browser import Windows, long_date, month_title
from tests.harness_clock import stay_within_a_day
from tests.harness_couple import Person

ZONES = ("Pacific/Kiritimati", "America/St_Johns", "Pacific/Pago_Pago", "Europe/Madrid")


def date_in(zone: str) -> str:
    """The calendar date of a zone now."""
    return datetime.now(ZoneInfo(zone)).date().isoformat()


@pytest.mark.parametrize("zone", ZONES)
async def test_today_is_the_devices_and_dates_stay_where_they_are(
    windows: Windows, ana: Person, zone: str
):
    """Identical marks, titles and items in every zone; what is clicked is what is stored."""
    stay_within_a_day(ZoneInfo(zone))
    today = date_in(zone)
    first, last = f"{today[:7]}-01", f"{today[:7]}-28"
    ana.create_activity("El primero", first)
    window = await windows.open(ana, timezone_id=zone)
    await expect(window.month_title()).to_have_text(month_title(today))
    current = window.page.locator("[aria-current=date]")
    await expect(current).to_have_accessible_name(re.compile(f"^{long_date(today)}, hoy"))
    await window.propose("El veintiocho", last)
    for titulo, fecha in (("El primero", first), ("El veintiocho", last)):
        await expect(window.marks(fecha)).to_have_count(1)
        label = re.compile(f"^{long_date(fecha)}")
        await expect(window.date_of(titulo)).to_have_accessible_name(label)
    await expect(window.page.get_by_role("grid").locator("[data-estado]")).to_have_count(2)
    assert [row["fecha"] for row in ana.activities()] == [first, last]


@pytest.mark.parametrize("zone", ZONES)
async def test_at_midnight_today_moves_on_without_a_reload(
    windows: Windows, ana: Person, zone: str
):
    """The end of a month, so that the open month moves on as well."""
    evening = datetime(2027, 2, 28, 20, tzinfo=ZoneInfo(zone))
    window = await windows.open_at(ana, evening, timezone_id=zone)
    await expect(window.day("2027-02-28")).to_have_attribute("aria-current", "date")
    await window.page.clock.fast_forward(5 * 3_600_000)
    await expect(window.month_title()).to_have_text("marzo de 2027")
    await expect(window.day("2027-03-01")).to_have_attribute("aria-current", "date")


async def test_coming_back_to_the_tab_after_midnight_finds_the_new_day(
    windows: Windows, ana: Person
):
    """Timers sleep in hidden tabs: the day is looked at again when the tab is seen."""
    window = await windows.open_at(ana, "2027-03-10T20:00:00")
    await window.page.clock.set_system_time("2027-03-11T08:00:00")
    await window.page.evaluate(
        "document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))"
    )
    await expect(window.day("2027-03-11")).to_have_attribute("aria-current", "date")

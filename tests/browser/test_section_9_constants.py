"""Section 9 of the specification: the constants that no other section has shown already.

Password length and budget steps are in section 5, dots and total in section 2.
"""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.harness_browser import Windows, month_title, other_month
from tests.harness_couple import Person


async def test_section_9_all_twelve_months_are_named_in_spanish(windows: Windows, ana: Person):
    window = await windows.open(ana)
    for distance in range(1, 13):
        await window.button("Mes siguiente").click()
        await expect(window.month_title()).to_have_text(month_title(other_month(distance)))


async def test_section_9_the_locale_is_spanish_whatever_the_browsers(windows: Windows, ana: Person):
    ana.create_activity("Cena", other_month(0), presupuesto=1234.5)
    window = await windows.open(ana, locale="en-US")
    await expect(window.month_title()).to_have_text(month_title(other_month(0)))
    await expect(window.item("Cena")).to_contain_text("1234,50\u00a0€")


async def test_section_9_a_session_with_more_than_ninety_seconds_left_is_not_refreshed(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    assert window.sent("POST", "/token") == []


async def test_section_9_the_session_is_checked_every_thirty_seconds_and_refreshed_at_ninety(
    windows: Windows, ana: Person
):
    """Untouched with more than five minutes left, refreshed by the tick after ninety seconds."""
    window = await windows.open(ana, "/otra")
    await window.install_clock()
    await window.visit("/dashboard")
    await window.page.clock.run_for(5000)
    await window.dashboard_is_ready()
    await window.page.clock.fast_forward((ana.session["expires_in"] - 360) * 1000)
    await window.page.clock.run_for(31_000)
    assert window.sent("POST", "/token") == []
    async with window.page.expect_response("**/auth/v1/token?grant_type=refresh_token") as answer:
        await window.page.clock.fast_forward(250_000)
    assert (await answer.value).status == 200


@pytest.mark.parametrize("path", ["/", "/auth", "/dashboard"])
async def test_section_9_the_session_persists_in_local_storage_across_browsers_starts(
    windows: Windows, ana: Person, path: str
):
    """A later start of the browser is a new context with the old local storage."""
    first = await windows.open(ana)
    state = await first.page.context.storage_state()
    assert state["origins"]
    later = await windows.open(ana, path, storage_state=state)
    if path == "/":
        await later.button("Comenzar Ahora").click()
    await expect(later.page).to_have_url(f"{windows.url}/dashboard")
    assert state["cookies"] == []

"""A session that was ended elsewhere, while its token is still good to this device."""

from __future__ import annotations

from datetime import datetime

from playwright.async_api import expect

from tests.harness_browser import Windows
from tests.harness_couple import Person


async def test_a_press_asks_for_the_session_and_not_every_press(
    windows: Windows, couple: tuple[Person, Person]
):
    _, luis = couple
    window = await windows.open_at(luis, datetime(2027, 3, 3, 12).astimezone())
    await window.button("Mes siguiente").click()
    assert window.sent("GET", "/auth/v1/user") == [], "a press in the first minute asks nothing"
    await window.page.clock.run_for(61_000)
    async with window.page.expect_request("**/auth/v1/user"):
        await window.button("Mes siguiente").click()


async def test_a_session_ended_elsewhere_is_said_without_a_press(
    windows: Windows, couple: tuple[Person, Person]
):
    _, luis = couple
    window = await windows.open(luis)
    await window.dashboard_is_ready()
    window.expected += ["status of 403"]
    assert luis.client.post("/auth/v1/logout?scope=global").is_success
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    await window.expect_toast("Tu sesión ha terminado. Vuelve a entrar.", "info")

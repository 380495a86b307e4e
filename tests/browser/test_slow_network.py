"""A network on which every answer takes seconds: presses are answered at once, and nothing happens twice."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Route, expect

from tests.harness_browser import Window, Windows, today
from tests.harness_couple import Person

# A train in a valley: half a second there and back, 50 KB a second.
SLOW = {"offline": False, "latency": 500, "downloadThroughput": 50e3, "uploadThroughput": 50e3}


async def slow_down(window: Window) -> None:
    session: Any = await window.page.context.new_cdp_session(window.page)
    await session.send("Network.enable")
    await session.send("Network.emulateNetworkConditions", SLOW)


async def test_on_a_slow_network_two_partners_plan_and_nothing_happens_twice(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    hers = await windows.open(ana, "", fresh=True, viewport={"width": 360, "height": 740})
    his = await windows.open(luis, "", fresh=True, viewport={"width": 1280, "height": 800})
    for window in (hers, his):
        await slow_down(window)
        await window.visit("/dashboard")
    # The first press comes long before the form's code.
    await hers.button("Nueva Actividad").click()
    await expect(hers.page.get_by_role("dialog", name="Nueva Actividad")).to_be_visible()
    await hers.label("Título").fill("Cena")
    create = hers.button("Crear actividad")
    await create.dblclick()
    await expect(create).to_have_attribute("aria-busy", "true")
    await hers.expect_toast("¡Actividad creada!", "success")
    accept = his.button("Aceptar la propuesta: Cena")
    await accept.dblclick()
    await his.expect_toast("¡Actividad aceptada!", "success")
    await expect(hers.item("Cena")).to_contain_text("Aceptado")
    assert len(hers.sent("POST", "/actividades")) == 1
    assert len(his.sent("PATCH", "/actividades")) == 1
    assert [row["fecha"] for row in ana.activities()] == [today()]


async def test_an_answer_that_is_on_its_way_says_so_and_an_answer_that_is_lost_too(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", today())
    his = await windows.open(luis)
    his.expected += ["ERR_FAILED", r"\[planes\] update"]

    async def lose(route: Route) -> None:
        """The server has it; its answer never comes."""
        await route.fetch()
        await route.abort()

    await his.page.route("**/rest/v1/actividades?*id=eq.*", lose, times=1)
    await his.button("Aceptar la propuesta: Cena").click()
    await his.expect_toast("Error al actualizar actividad", "error")
    # What is true is read again.
    await expect(his.item("Cena")).to_contain_text("Aceptado")

"""Reloads that a change is worth, and no more: bursts, a fast clock, one's own answers elsewhere."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, expect

from tests.harness_browser import Windows, this_month
from tests.harness_couple import Person, make_couple
from tests.harness_stack import ROOMY, start_stack

TWO_HOURS_FAST = """
const ahead = 2 * 3600 * 1000;
const Real = Date;
window.Date = class extends Real {
    constructor(...given) { if (given.length) super(...given); else super(Real.now() + ahead); }
    static now() { return Real.now() + ahead; }
};
"""


async def test_a_device_whose_clock_is_fast_does_not_reload_forever(
    windows: Windows, couple: tuple[Person, Person]
):
    """To it each token has expired: every request renews it, and every renewal is told to realtime."""
    window = await windows.open(couple[0], "")
    await window.run_first(TWO_HOURS_FAST)
    await window.visit("/dashboard")
    await window.dashboard_is_ready()
    before = len(window.sent("GET", "/actividades"))
    for _ in range(5):  # each forces a renewal, and with it a system message
        await window.page.evaluate("new Promise(done => setTimeout(done, 1000))")
    assert len(window.sent("GET", "/actividades")) - before <= 1


async def test_tokens_of_thirty_seconds_cost_no_reloads(browser: Browser, tmp_path: Path):
    """The client renews with 90 seconds left: here each of its requests renews."""
    stack = start_stack(tmp_path / "data", GOTRUE_JWT_EXP="30", **ROOMY)
    try:
        ana, luis = make_couple(stack)
        windows = Windows(browser, stack.url)
        window = await windows.open(luis)
        before = len(window.sent("GET", "/actividades"))
        for _ in range(5):
            await window.page.evaluate("new Promise(done => setTimeout(done, 1000))")
        assert len(window.sent("GET", "/actividades")) - before <= 1
        ana.create_activity("Cena", this_month(9))
        await expect(window.item("Cena")).to_be_visible()
        assert await windows.close() == []
    finally:
        stack.stop()


async def test_sixty_plans_at_once_are_not_sixty_lists(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    window = await windows.open(luis)
    before = len(window.sent("GET", "/actividades"))
    row = {
        "fecha": this_month(9), "estado": "pendiente", "creador_id": ana.id,
        "pareja_id": ana.profile["pareja_id"],
    }  # fmt: skip
    rows = [{**row, "titulo": f"Plan {n}"} for n in range(60)]
    assert ana.client.post("/rest/v1/actividades", json=rows).is_success
    await expect(window.figure("Actividades pendientes")).to_have_text("60")
    assert len(window.sent("GET", "/actividades")) - before <= 10


async def test_ones_own_answers_are_not_announced_as_the_partners_on_another_device(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    for titulo in ("Cena", "Cine"):
        ana.create_activity(titulo, this_month(9))
    phone, computer = await windows.open(luis), await windows.open(luis)
    await phone.button("Rechazar: Cena").click()
    await expect(computer.item("Cena").get_by_text("Rechazado", exact=True)).to_be_visible()
    await phone.button("Aceptar: Cine").click()
    await expect(computer.item("Cine").get_by_text("Aceptado", exact=True)).to_be_visible()
    await expect(computer.toasts()).to_have_count(0)

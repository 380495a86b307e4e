"""What of the budgets can be said without a clock; `make bench ARGS=web` prints the times.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import re
import subprocess

import pytest
from playwright.async_api import expect

from tests.harness_browser import Window, Windows, other_month, this_month
from tests.harness_couple import Person
from tests.harness_fork import ROOT
from tests.harness_programs import node

SHIFT = """
window.shift = 0;
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
}).observe({type: 'layout-shift', buffered: true});
"""
# The browser is never free: what waits for that does not come.
NEVER_IDLE = "window.requestIdleCallback = () => 0"
MOST_SHIFT = 0.02
IN_THE_MONTH = 500


def weights() -> dict[str, tuple[float, float]]:
    """Each part of the build: its KB of gzip, and its limit."""
    done = subprocess.run(
        [node(), "scripts/size.mjs"], cwd=ROOT / "web", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.findall(r"(?m)^(.+?) +([\d.]+) KB  of ([\d.]+)$", done.stdout)
    return {name: (float(size), float(limit)) for name, size, limit in found}


def test_d1_the_scripts_of_each_first_load_weigh_no_more_than_they_may():
    found = weights()
    limits = {"JS /": 91, "JS /auth": 166, "JS /dashboard": 185}
    assert {name: found[name][1] for name in limits} == limits


def test_d2_later_code_styles_typeface_and_worker_weigh_no_more_than_they_may():
    found = weights()
    limits = {"JS /dashboard, later": 90, "typeface": 21, "CSS, all": 18, "worker": 4}
    limits |= {f"CSS {path}, first": 11 for path in ("/auth", "/dashboard")}
    assert {name: found[name][1] for name in limits} == limits


def propose_many(person: Person, fecha: str) -> None:
    rows = [
        {"titulo": f"Plan {number}", "fecha": fecha, "creador_id": person.id,
         "pareja_id": person.id, "estado": "pendiente"}
        for number in range(IN_THE_MONTH)
    ]  # fmt: skip
    answer = person.client.post("/rest/v1/actividades", json=rows)
    assert answer.is_success, answer.text


async def test_d4_a_press_draws_what_the_screen_holds_however_much_the_month_has(
    windows: Windows, ana: Person
):
    propose_many(ana, other_month(1))
    window = await windows.open(path="/otra", fresh=True)
    await window.run_first(NEVER_IDLE)
    await sign_in(window, windows, ana)
    await window.button("Mes siguiente").click()
    await expect(window.marks(other_month(1))).to_have_count(3)
    articles = window.page.locator("article")
    await expect(articles.first).to_be_visible()
    assert await articles.count() < 20


async def sign_in(window: Window, windows: Windows, person: Person) -> None:
    """The dashboard in a tab that has scripts of its own."""
    await window.visit("/auth")
    await window.type_credentials(person.email, person.password)
    await window.submit_button().click()
    await expect(window.figure("Actividades pendientes")).not_to_have_text("–")


@pytest.mark.parametrize("width", [360, 1280])
async def test_d5_no_screen_shifts_while_it_loads(
    windows: Windows, couple: tuple[Person, Person], width: int
):
    ana, luis = couple
    luis.answer(ana.create_activity("Cena", this_month(12)), "aceptado")
    ana.create_activity("Cine", this_month(20))
    for path, person in (("/", None), ("/auth", None), ("/dashboard", luis)):
        window = await windows.open(
            person, "/otra", fresh=True, viewport={"width": width, "height": 780}
        )
        await window.run_first(SHIFT)
        await window.visit(path)
        if person:
            await window.dashboard_is_ready()
            await expect(window.button("Algún día")).to_be_visible()
        await window.page.wait_for_load_state("networkidle")
        assert await window.page.evaluate("shift") <= MOST_SHIFT, path

"""What a screen reader is given: who, what, when and which state, in order, and what is announced (D9).

Chromium's own accessibility tree is read from the top to the bottom, as a reader's cursor goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import expect

from tests.harness_browser import Window, Windows, long_date, today
from tests.harness_couple import Person

# What a reader says a role for; the rest is only text.
NAMED = {
    "heading", "button", "link", "textbox", "combobox", "checkbox", "radio", "switch", "dialog",
    "alertdialog", "region", "navigation", "grid", "columnheader", "gridcell", "article", "list",
    "menu", "menuitem", "alert", "status", "log", "searchbox", "Date", "InputTime", "group",
    "DisclosureTriangle", "term", "definition", "banner", "main", "img", "image",
}  # fmt: skip
SILENT = {"button", "link", "heading", "gridcell", "menuitem", "columnheader", "DisclosureTriangle"}


async def announced_lines(window: Window) -> list[str]:
    """Every line that a reader's cursor stops at: `role: name`, or a text by itself."""
    session: Any = await window.page.context.new_cdp_session(window.page)
    tree = await session.send("Accessibility.getFullAXTree")
    await session.detach()
    nodes = {node["nodeId"]: node for node in tree["nodes"]}
    return list(_lines(nodes, tree["nodes"][0]))


def _lines(nodes: dict[str, Any], node: dict[str, Any]) -> Iterator[str]:
    role = node.get("role", {}).get("value", "")
    name = node.get("name", {}).get("value", "").strip()
    quiet = False
    if not node.get("ignored"):
        if role == "StaticText" and name:
            yield name
            return
        if role in NAMED and (name or role in {"alert", "status", "log"}):
            yield f"{role}: {name}"
        quiet = role in SILENT  # its content is its name
    for child in node.get("childIds", ()):
        if child in nodes and not quiet:
            yield from _lines(nodes, nodes[child])


def in_order(lines: list[str], *wanted: str) -> list[str]:
    """What of the wanted lines does not come, in this order."""
    rest = iter(lines)
    return [line for line in wanted if not any(line == each for each in rest)]


async def test_d9_the_dashboard_is_read_in_the_order_in_which_it_is_seen(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = luis.create_activity(
        "Cena romántica", today(), presupuesto=45.5, hora="21:30", lugar="La Tasquita",
        descripcion="Con velas",
    )  # fmt: skip
    ana.answer(luis.create_activity("Cine", today(), presupuesto=9), "aceptado")
    window = await windows.open(ana, viewport={"width": 360, "height": 740})
    await expect(window.item("Cena romántica")).to_be_visible()
    announced = await announced_lines(window)
    date = f"button: {long_date(today())}. Ver en el calendario"
    missing = in_order(
        announced,
        "link: Saltar a la lista de actividades",
        "heading: Hola, Ana",
        "button: Ajustes",
        "button: Salir",
        "heading: Te toca responder 1",
        "heading: Cena romántica",
        "21:30",
        "link: Ver en el mapa: La Tasquita",
        "Propuesta de",
        "Luis",
        "45,50\u00a0€",
        "Pendiente",
        "button: Aceptar la propuesta: Cena romántica",
        "button: Rechazar la propuesta: Cena romántica",
        "heading: Próximos planes",
        "region: Resumen",
        "navigation: Vistas",
        "button: Mes",
        "heading: Actividades de este mes",
        "article: Cena romántica",
        date,
        "heading: Cena romántica",
        "21:30",
        "Con velas",
        "45,50\u00a0€",
        "Pendiente",
        "Propuesta de",
        "Luis",
        "button: Más acciones: Cena romántica",
        "button: Aceptar: Cena romántica",
        "button: Rechazar: Cena romántica",
    )
    assert missing == [], "\n".join(announced)
    announced = window.page.get_by_role("region", name=re.compile("^Notificaciones"))
    await expect(announced).to_have_attribute("aria-live", "polite")
    # Its sheet takes the reader in, and leaves the page behind it out.
    await window.item("Cena romántica").get_by_role("heading").click()
    await expect(window.page.get_by_role("log")).to_be_visible()
    ana.rpc("comentar", plan=plan, id=plan, texto="¿A las nueve?")
    await expect(window.page.get_by_role("log")).to_contain_text("¿A las nueve?")
    announced = await announced_lines(window)
    missing = in_order(
        announced,
        "dialog: Cena romántica",
        "heading: Cena romántica",
        long_date(today()).capitalize(),
        "45,50\u00a0€",
        "Pendiente",
        "21:30",
        "Propuesta de",
        "Luis",
        "Con velas",
        "log: Conversación",
        "¿A las nueve?",
        "button: Enviar",
        "button: Aceptar: Cena romántica",
        "button: Rechazar: Cena romántica",
    )
    assert missing == [], "\n".join(announced)
    assert "heading: Hola, Ana" not in announced


# Controls that are in the document and not on the screen, and names that begin with other words than
# are shown. Days of the grid show a number and are named by their date.
UNSEEN_OR_MISNAMED = """() => [...document.querySelectorAll('button, a, input:not([type=file])')]
    .filter(control => !control.closest('[role=grid], details:not([open])'))
    .filter(control => {
        const label = control.getAttribute('aria-label');
        const [word = ''] = control.innerText.trim().split(/\\s/);
        return !control.checkVisibility() || label && !label.startsWith(word);
    })
    .map(control => control.outerHTML)"""


@pytest.mark.parametrize("width", [360, 768, 1280])
async def test_0_9_every_control_is_seen_and_named_by_the_word_that_it_shows(
    windows: Windows, couple: tuple[Person, Person], width: int
):
    ana, luis = couple
    luis.create_activity("Cine", today(), descripcion="palabra " * 80)
    plan = ana.create_activity("Cena", today())
    luis.answer(plan, "aceptado")
    window = await windows.open(ana, viewport={"width": width, "height": 900})
    await expect(window.button("Algún día")).to_be_visible()
    assert await window.page.evaluate(UNSEEN_OR_MISNAMED) == []
    await window.visit(f"/dashboard?plan={plan}")
    sheet = window.page.get_by_role("dialog", name="Cena")
    await expect(sheet.get_by_role("button", name="Añadir gasto")).to_be_visible()
    assert await window.page.evaluate(UNSEEN_OR_MISNAMED) == []
    await window.visit("/dashboard?ajustes=cuenta")
    await expect(window.button("Descargar todo")).to_be_visible()
    assert await window.page.evaluate(UNSEEN_OR_MISNAMED) == []

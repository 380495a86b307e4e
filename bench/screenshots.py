"""Makes the README's pictures: `make screenshots` writes docs/screenshots/NAME-WIDTH-THEME.png."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path
from typing import Any

from playwright.async_api import ViewportSize, async_playwright, expect

from tests.harness_browser import Window, Windows, chromium_options
from tests.harness_couple import Person, make_couple, sign_up
from tests.harness_stack import ROOT, Stack, start_stack

FOLDER = ROOT / "docs" / "screenshots"
NOW = "2027-03-11T18:30:00"
DESKTOP: ViewportSize = {"width": 1280, "height": 960}
PHONE: ViewportSize = {"width": 360, "height": 780}

# Who proposes, what, the day of March 2027, euros, and the partner's answer.
PLANS = (
    ("Ana", "Cena en el puerto", "2027-03-05", 48, "aceptado"),
    ("Luis", "Ruta por la sierra", "2027-03-07", None, "aceptado"),
    ("Luis", "Concierto de Vetusta Morla", "2027-03-12", 76.5, "aceptado"),
    ("Ana", "Taller de cerámica", "2027-03-13", 60, "rechazado"),
    ("Luis", "Cine de verano", "2027-03-13", 17, "pendiente"),
    ("Ana", "Mercado de las flores", "2027-03-13", None, "aceptado"),
    ("Ana", "Desayuno con churros", "2027-03-13", 9.4, "aceptado"),
    ("Ana", "Escapada a Cadaqués", "2027-03-20", 240, "pendiente"),
    ("Luis", "Aniversario: cena con estrellas", "2027-03-26", 130, "pendiente"),
    ("Ana", "Museo de la Ciencia", "2027-04-03", 12, "aceptado"),
    ("Luis", "Fin de semana en Oporto", "2027-04-17", 310, "pendiente"),
    ("Luis", "Paseo en kayak", "2027-02-14", 54, "aceptado"),
    ("Ana", "Ópera en el Liceu", "2027-01-23", 118, "aceptado"),
    ("Ana", "Cesta de Navidad", "2026-12-19", 85, "aceptado"),
)
DETAILS = {
    "Concierto de Vetusta Morla": "Entradas compradas, quedamos a las nueve en la puerta.",
    "Aniversario: cena con estrellas": "Diez años. Yo reservo, tú eliges el vino.",
    "Cine de verano": "En la playa, con manta y bocadillos.",
}


def main() -> None:
    """Make every picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="screenshots-") as folder:
        stack = start_stack(Path(folder) / "data")
        try:
            asyncio.run(_make(stack))
        finally:
            stack.stop()


async def _make(stack: Stack) -> None:
    expect.set_options(timeout=30_000)
    ana, luis = make_couple(stack)
    _plan({"Ana": ana, "Luis": luis})
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**_spanish())
        windows = Windows(browser, stack.url)
        await _without_session(windows)
        await _keep(await _open(windows, sign_up(stack, "Ana")), "dashboard-empty-1280-light")
        for scheme in ("light", "dark"):
            window = await _open(windows, ana, viewport=DESKTOP, color_scheme=scheme)
            await _keep(window, f"dashboard-1280-{scheme}")
        phone = await _open(windows, ana, viewport=PHONE)
        await _keep(phone, "dashboard-360-light")
        await _with_dialog(await _open(windows, ana, viewport=DESKTOP), "dialog-1280-light")
        await _with_dialog(phone, "dialog-360-light")
        await browser.close()


def _spanish() -> dict[str, Any]:
    """Options of a browser whose own parts, such as the fields of dates, speak Spanish too.

    Debian's has no language but English without its package chromium-l10n.
    """
    options = chromium_options()
    return options | {
        "args": [*options["args"], "--lang=es"],
        "env": {**os.environ, "LANGUAGE": "es", "LANG": "es_ES.UTF-8"},
    }


async def _open(windows: Windows, person: Person, **options: Any) -> Window:
    """The dashboard with what comes when it is idle: the tab of ideas, a couple's accounts."""
    window = await windows.open_at(person, NOW, **options)
    await expect(window.button("Algún día")).to_be_visible()
    if person.profile["pareja_id"]:
        await expect(window.text("Cuentas del mes")).to_be_visible()
    return window


async def _without_session(windows: Windows) -> None:
    for scheme in ("light", "dark"):
        window = await windows.open(
            path="/", viewport={"width": 1280, "height": 800}, color_scheme=scheme
        )
        await _keep(window, f"landing-1280-{scheme}")
    await _keep(await windows.open(path="/", viewport=PHONE), "landing-360-light")
    window = await windows.open(path="/auth", viewport={"width": 1280, "height": 800})
    await expect(window.heading("Iniciar Sesión")).to_be_visible()
    await _keep(window, "auth-1280-light")


async def _with_dialog(window: Window, name: str) -> None:
    await window.open_form("2027-03-27")
    await window.label("Título").fill("Cata de quesos")
    await window.label("Descripción").fill("En la tienda nueva de la plaza. Cabemos los dos.")
    await window.label("Presupuesto").fill("36,50")
    await _keep(window, name)


async def _keep(window: Window, name: str) -> None:
    path = FOLDER / f"{name}.png"
    await window.page.wait_for_load_state("networkidle")
    await window.page.evaluate("document.fonts.ready.then(() => true)")
    await window.page.screenshot(path=path)
    print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1024:.0f} kB")


def _plan(people: dict[str, Person]) -> None:
    for who, titulo, fecha, euros, estado in PLANS:
        partner = people["Luis" if who == "Ana" else "Ana"]
        activity = people[who].create_activity(
            titulo, fecha, presupuesto=euros, descripcion=DETAILS.get(titulo)
        )
        if estado != "pendiente":
            partner.answer(activity, estado)


if __name__ == "__main__":
    main()

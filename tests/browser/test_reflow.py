"""200 % and 400 % zoom of a 1280 px screen, text spacing, targets (web design d.6, WCAG 1.4.10-12)."""

from __future__ import annotations

from playwright.async_api import expect

from tests.harness_browser import Window, Windows, other_month, this_month
from tests.harness_couple import Person

LONG = "Escapada larguísima a Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"
AS_IT_IS = ""
TEXT_SPACING = (
    "* { line-height: 1.5 !important; letter-spacing: 0.12em !important;"
    " word-spacing: 0.16em !important } p { margin-bottom: 2em !important }"
)
_ADD_STYLES = """css => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
}"""


async def expect_no_sideways_scroll(window: Window) -> None:
    """Neither the page nor an open dialog is wider than the screen, and nothing is cut off."""
    overflow = await window.page.evaluate(
        """() => {
            const wide = [document.documentElement, ...document.querySelectorAll('[role$=dialog]')]
                .filter(e => e.scrollWidth > e.clientWidth + 1);
            const out = [...document.querySelectorAll('button, a, input, textarea, h1, h2, h3, p')]
                .filter(e => !e.closest('[aria-hidden=true], [data-sonner-toaster]'))
                .filter(e => getComputedStyle(e).clipPath === 'none' && e.checkVisibility())
                .filter(e => {
                    const box = e.getBoundingClientRect();
                    return box.width > 1 && box.bottom > 0
                        && (box.left < -1 || box.right > innerWidth + 1);
                });
            return [...wide, ...out].map(e => e.outerHTML.slice(0, 160));
        }"""
    )
    assert overflow == []


async def expect_reflow(window: Window) -> None:
    """At 200 % and 400 % of a 1280 px screen, as it is and with the text spacing of WCAG 1.4.12."""
    for spacing in (TEXT_SPACING, AS_IT_IS):
        await window.page.evaluate(_ADD_STYLES, spacing)
        for width in (640, 320):
            await window.page.set_viewport_size({"width": width, "height": 512})
            await expect_no_sideways_scroll(window)


async def test_screens_without_a_session_reflow(windows: Windows):
    window = await windows.open(path="/")
    for path in ("/", "/auth", "/otra"):
        await window.visit(path)
        await expect(window.page.get_by_role("heading", level=1)).to_be_visible()
        if path == "/auth":
            await window.button("Crear Cuenta").click()
            await window.submit_button().click()
        await expect_reflow(window)


async def test_the_dashboard_and_its_dialogs_reflow(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    luis.answer(ana.create_activity(LONG, this_month(5), presupuesto=9999999999.99), "aceptado")
    luis.answer(ana.create_activity(LONG, other_month(-1), presupuesto=9999999999.99), "aceptado")
    luis.create_activity(LONG, this_month(5), descripcion="x" * 400, presupuesto=1234.5)
    for _ in range(12):
        ana.create_activity("Otra", this_month(5))
    window = await windows.open(ana)
    await expect(window.item(LONG).first).to_be_visible()
    await window.page.locator("summary", has_text="Últimos seis meses").click()
    await expect_reflow(window)
    await window.open_settings()
    await window.button("Suscribirse desde otro calendario").click()
    await expect(window.button("Copiar dirección")).to_be_visible()
    await expect_reflow(window)
    await window.close_settings()
    await window.open_form()
    await window.button("Crear actividad").click()
    await expect(window.text("El título es requerido")).to_be_visible()
    await expect_reflow(window)
    await expect(window.button("Crear actividad")).to_be_in_viewport()
    await window.page.keyboard.press("Escape")
    await window.button(f"Eliminar: {LONG}").click()
    await expect(window.question()).to_be_visible()
    await expect_reflow(window)


async def test_the_pairing_card_reflows(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.button("Crear código").click()
    await expect(window.text("Tu código de invitación")).to_be_visible()
    await expect_reflow(window)


async def test_targets_are_large_enough(windows: Windows, couple: tuple[Person, Person]):
    """Web design d.2: at least 44 × 44 px for buttons and day cells from 360 px."""
    couple[0].create_activity("Cena", this_month(5))
    couple[1].create_activity("Cine", this_month(5))
    window = await windows.open(couple[0])
    await expect(window.button("Aceptar: Cine")).to_be_visible()
    for width in (360, 768, 1280):
        await window.page.set_viewport_size({"width": width, "height": 800})
        small = await window.page.evaluate(
            """() => [...document.querySelectorAll('button')].filter(e => e.checkVisibility())
                .map(e => [e.getBoundingClientRect(), e.outerHTML.slice(0, 120)])
                .filter(([box]) => box.width < 43.5 || box.height < 43.5)
                .map(([box, html]) => `${box.width}×${box.height} ${html}`)"""
        )
        assert small == [], f"{width} px"


async def test_what_an_error_says_ends_before_the_button_that_closes_it(
    windows: Windows, ana: Person
):
    window = await windows.open(path="/auth", viewport={"width": 360, "height": 780})
    window.expected.append("400")
    await window.type_credentials(ana.email, "no-es-esta")
    await window.submit_button().click()
    await expect(window.toasts()).to_have_count(1)
    words = await window.toasts().locator("[data-title]").bounding_box()
    closes = await window.button("Cerrar notificación").bounding_box()
    assert words
    assert closes
    assert words["x"] + words["width"] <= closes["x"]

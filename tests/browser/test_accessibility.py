"""axe finds nothing on any screen, state and dialog: 360, 768, 1280 px, light and dark (web d.6, D8).

The states of each feature are checked in its own file, by `expect_clean`; 320 px by test_reflow.py.
"""

from __future__ import annotations

import re
from typing import Any

from playwright.async_api import expect

from tests.harness_browser import Window, Windows, other_month, this_month
from tests.harness_couple import Person

TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
WIDTHS = (360, 768, 1280)
SCHEMES = ("light", "dark")


# What another color scheme can change; the rest was checked in the first.
OF_COLORS = ("color-contrast", "link-in-text-block")

# Where a modal dialog is open, the last one: what it covers can be neither read nor used, and is
# checked without it.
_FIND = """
([chosen, isWhole]) => {
    const dialog = isWhole ? undefined : [...document.querySelectorAll('[role$=dialog]')].at(-1);
    return axe.run(dialog ?? document, {runOnly: chosen, resultTypes: ['violations']});
}
"""


async def violations(
    window: Window, axe_source: str, *, of_colors: bool = False, is_whole: bool = False
) -> list[str]:
    """What axe finds on the page as it is now, by every rule or by those of colors alone."""
    chosen = {"type": "rule", "values": OF_COLORS} if of_colors else {"type": "tag", "values": TAGS}
    if not await window.page.evaluate("'axe' in window"):
        await window.page.evaluate(axe_source)
    found: dict[str, Any] = await window.page.evaluate(_FIND, [chosen, is_whole])
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


async def expect_clean(window: Window, axe_source: str, *, is_whole: bool = False) -> None:
    """No violation at any width in either scheme, in an open dialog or else on the page.

    `is_whole` takes the page around a dialog too.
    """
    for scheme in SCHEMES:
        await window.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for width in WIDTHS:
            await window.page.set_viewport_size({"width": width, "height": 900})
            found = await violations(
                window, axe_source, of_colors=scheme != SCHEMES[0], is_whole=is_whole
            )
            assert found == [], f"{width} px, {scheme}"


def fill_dashboard(ana: Person, luis: Person) -> None:
    """Every status, both authors, a crowded day, long words and no words."""
    long = "Escapada larguísima a Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"
    ana.create_activity(long, this_month(5), descripcion="ñ" * 300, presupuesto=1234567.89)
    for number in range(5):
        luis.create_activity(f"Plan {number}", this_month(12), presupuesto=number)
    for estado in ("aceptado", "rechazado"):
        luis.answer(ana.create_activity(f"Cena {estado}", this_month(20), presupuesto=9), estado)
        ana.answer(luis.create_activity(f"Cine {estado}", this_month(21)), estado)
    luis.create_activity("Para más adelante", other_month(2))
    luis.answer(ana.create_activity("Hace un mes", other_month(-1), presupuesto=5), "aceptado")


async def test_d8_landing(windows: Windows, axe_source: str):
    await expect_clean(await windows.open(path="/"), axe_source)


async def test_d8_not_found(windows: Windows, axe_source: str):
    await expect_clean(await windows.open(path="/otra"), axe_source)


async def test_d8_auth_in_login_mode(windows: Windows, axe_source: str):
    window = await windows.open(path="/auth")
    await expect(window.heading("Iniciar Sesión")).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_auth_in_register_mode_and_with_errors(windows: Windows, axe_source: str):
    window = await windows.open(path="/auth?invitacion=ABCD-EFGH")
    await expect(window.heading("Crear Cuenta")).to_be_visible()
    await expect_clean(window, axe_source)
    await window.submit_button().click()
    await expect(window.text("Por favor ingresa tu nombre")).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_dashboard_empty_with_the_pairing_card(
    windows: Windows, axe_source: str, ana: Person
):
    await expect_clean(await windows.open(ana), axe_source)


async def test_d8_pairing_card_with_a_code_and_an_error(
    windows: Windows, axe_source: str, ana: Person
):
    window = await windows.open(ana)
    await window.button("Crear código").click()
    await expect(window.text("Tu código de invitación")).to_be_visible()
    await window.button("Ver invitación").click()
    await expect(window.text("El código tiene 8 letras o números")).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_offer_of_an_invitation_open(
    windows: Windows, axe_source: str, ana: Person, couple: tuple[Person, Person]
):
    couple[1].rpc("desvincular_pareja")
    code = couple[1].rpc("crear_invitacion")["codigo"]
    window = await windows.open(ana, f"/auth?invitacion={code}")
    await expect(window.question()).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_dashboard_full(windows: Windows, axe_source: str, couple: tuple[Person, Person]):
    fill_dashboard(*couple)
    window = await windows.open(couple[0])
    await expect(window.item("Cena aceptado")).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_colors_of_the_dark_theme_of_the_switch_in_a_light_system(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    fill_dashboard(*couple)
    window = await windows.open(couple[1])
    await window.open_settings()
    await window.label("Oscuro").check()
    await window.close_settings()
    found = await violations(window, axe_source, of_colors=True)  # its other rules: the test above
    assert found == []


async def test_d8_the_agenda_with_filters_and_a_plans_sheet(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    fill_dashboard(*couple)
    window = await windows.open(couple[0], "/dashboard?vista=agenda&q=cine&estado=rechazado")
    await expect(window.text("1 resultado")).to_be_visible()
    await expect_clean(window, axe_source)
    await window.button("Más acciones: Cine rechazado").click()
    await expect(window.menu_item("Volver a proponer")).to_be_visible()
    await expect_clean(window, axe_source)
    await window.page.keyboard.press("Escape")
    await (
        window.item("Cine rechazado")
        .get_by_role("button", name="Cine rechazado", exact=True)
        .click()
    )
    await expect(window.page.get_by_role("dialog", name="Cine rechazado")).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_the_extras_open_and_the_network_gone(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    """Six months of bars, the calendar's address, what waits, «Sin conexión»."""
    fill_dashboard(*couple)
    window = await windows.open(couple[0])
    await window.page.locator("summary", has_text="Últimos seis meses").click()
    strip = window.page.get_by_role("region", name=re.compile("^Te toca responder"))
    await expect(strip).to_be_visible()
    window.expected += ["net::ERR_", r"\[planes\]"]
    await window.page.context.set_offline(True)
    await expect(window.text("Sin conexión")).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_creation_dialog_open_and_with_errors(
    windows: Windows, axe_source: str, ana: Person
):
    window = await windows.open(ana)
    await window.open_form(other_month(0, 1))
    await expect_clean(window, axe_source, is_whole=True)
    await window.label("Presupuesto").fill("-1")
    await window.button("Crear actividad").click()
    await expect(window.text("El título es requerido")).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_the_dialogs_of_editing_and_of_another_date(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    couple[0].create_activity("Mía", this_month(9))
    couple[1].create_activity("Suya", this_month(9))
    window = await windows.open(couple[0])
    await window.choose("Mía", "Editar")
    await expect(window.button("Guardar cambios")).to_be_visible()
    await expect_clean(window, axe_source)
    await window.page.keyboard.press("Escape")
    await window.choose("Suya", "Proponer otra fecha")
    await window.button("Proponer").click()
    await expect(window.text("Elige otra fecha u otra hora")).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_confirmation_open(windows: Windows, axe_source: str, ana: Person):
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    await window.button("Eliminar: Cena").click()
    await expect(window.question()).to_be_visible()
    await expect_clean(window, axe_source, is_whole=True)


async def test_d8_settings_and_the_parting_confirmation_open(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    window = await windows.open(couple[0])
    await window.open_settings()
    await window.button("Suscribirse desde otro calendario").click()
    await expect(window.button("Copiar dirección")).to_be_visible()
    await expect_clean(window, axe_source)
    await window.button("Desvincular").click()
    await expect(window.question()).to_be_visible()
    await expect_clean(window, axe_source)


async def test_d8_notifications_visible(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    """One of each kind, kept on the screen by the pointer."""
    ana, luis = couple
    activity = ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana, fresh=True)
    await window.page.clock.install()
    luis.answer(activity, "aceptado")
    await window.expect_toast("¡Tu pareja actualizó una actividad!", "info")
    await window.propose("Cine", this_month(9))
    await window.expect_toast("¡Actividad creada!", "success")
    window.expected += ["net::ERR_", r"\[planes\]"]
    await window.page.route(
        "**/rest/v1/actividades*",
        lambda route: route.abort() if route.request.method == "POST" else route.continue_(),
    )
    await window.open_form()
    await window.label("Título").fill("Otro")
    await window.button("Crear actividad").click()
    await window.expect_toast("Error al crear actividad", "error")
    await window.button("Cancelar").click()
    await expect_clean(window, axe_source)


async def test_d8_loading(windows: Windows, axe_source: str, ana: Person):
    window = await windows.open(ana, "/otra")
    await window.page.route("**/rest/v1/profiles*", lambda route: None)
    await window.visit("/dashboard")
    await expect(window.text("Cargando...")).to_be_visible()
    await expect_clean(window, axe_source)

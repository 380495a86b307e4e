"""Name, address, password, the way out for good and all that is one's own, as people do it.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx2
import pytest
from playwright.async_api import Download, expect

from tests.browser.test_accessibility import expect_clean
from tests.browser.test_password_recovery import codes_to, links_to
from tests.harness_browser import Window, Windows, today
from tests.harness_couple import PASSWORD, Person
from tests.harness_stack import Stack

GONE = "Tu cuenta se ha eliminado"


async def open_account(windows: Windows, person: Person) -> Window:
    window = await windows.open(person, "/dashboard?ajustes=cuenta")
    await expect(window.page.get_by_role("heading", name="Cuenta")).to_be_focused()
    return window


async def text_of(download: Download) -> str:
    return await asyncio.to_thread(Path(await download.path()).read_text)


def token(stack: Stack, grant: str, **body: str) -> int:
    """The status of a request for a token."""
    key = stack.keys["SUPABASE_PUBLISHABLE_KEY"]
    path = f"{stack.url}/auth/v1/token?grant_type={grant}"
    return httpx2.post(path, json=body, headers={"apikey": key}).status_code


async def test_c5_1_a_new_name_is_the_partners_news_at_once(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", today())
    his = await windows.open(luis)
    await expect(his.item("Cena")).to_contain_text("Propuesta de Ana")
    hers = await open_account(windows, ana)
    keys = hers.page.keyboard
    await keys.press("Tab")
    await expect(hers.label("Nombre")).to_be_focused()
    await keys.press("Control+a")
    await keys.type("   ")
    await keys.press("Enter")
    await expect(hers.label("Nombre")).to_have_accessible_description("Por favor ingresa tu nombre")
    await keys.type("Anabel ")
    await keys.press("Enter")
    await hers.expect_toast("Nombre cambiado", "success")
    await expect(his.item("Cena")).to_contain_text("Propuesta de Anabel")
    await keys.press("Escape")
    await expect(hers.heading("Hola, Anabel")).to_be_visible()


async def test_c5_1_a_new_password_wants_the_old_one_and_ends_other_sessions(
    windows: Windows, axe_source: str, stack: Stack, ana: Person
):
    window = await open_account(windows, ana)
    window.expected.append("status of 400")
    await window.text("Cambiar la contraseña").focus()
    await window.page.keyboard.press("Enter")
    await window.label("Contraseña actual").fill("no-es-esta")
    await window.label("Nueva contraseña").fill("corta")
    await window.button("Guardar contraseña").click()
    await expect(window.label("Nueva contraseña")).to_be_focused()
    await expect_clean(window, axe_source)
    await window.label("Nueva contraseña").fill("otra-secreta-9")
    await window.button("Guardar contraseña").click()
    await expect(window.label("Contraseña actual")).to_be_focused()
    await expect(window.label("Contraseña actual")).to_have_accessible_description(
        "Esa no es tu contraseña actual"
    )
    await window.label("Contraseña actual").fill(PASSWORD)
    await window.page.keyboard.press("Enter")
    await window.expect_toast("Tu contraseña ha cambiado", "success")
    assert token(stack, "refresh_token", refresh_token=ana.session["refresh_token"]) == 400
    assert token(stack, "password", email=ana.email, password=PASSWORD) == 400
    assert token(stack, "password", email=ana.email, password="otra-secreta-9") == 200
    await window.page.reload()
    await expect(window.heading("Hola, Ana")).to_be_visible()


async def test_c5_1_a_new_address_is_confirmed_by_mail(windows: Windows, stack: Stack, ana: Person):
    window = await open_account(windows, ana)
    await window.text("Cambiar el correo").click()
    await expect(window.page.get_by_role("dialog")).to_contain_text(ana.email)
    await window.label("Correo nuevo").fill("nada")
    await window.button("Cambiar correo").click()
    await expect(window.label("Correo nuevo")).to_have_accessible_description(
        "Escribe un correo electrónico válido"
    )
    await window.label("Correo nuevo").fill(f"nueva-{ana.email}")
    await window.button("Cambiar correo").click()
    await window.expect_toast(
        "Te hemos enviado un correo a la dirección nueva y a la de ahora. Confirma los dos.",
        "success",
    )
    # Where addresses confirm themselves one of the two links is enough.
    (link,) = links_to(stack, f"nueva-{ana.email}")
    await window.page.goto(link)
    await window.expect_toast("Tu correo ha cambiado", "success")


async def test_c5_1_a_new_address_is_confirmed_by_the_mails_code(
    windows: Windows, stack: Stack, ana: Person
):
    window = await open_account(windows, ana)
    await window.text("Cambiar el correo").click()
    await window.label("Correo nuevo").fill(f"otra-{ana.email}")
    await window.button("Cambiar correo").click()
    await expect(window.label("Código del correo")).to_be_visible()
    (code,) = codes_to(stack, f"otra-{ana.email}")
    await window.label("Código del correo").fill(code)
    await window.button("Usar el código").click()
    await window.expect_toast("Tu correo ha cambiado", "success")
    await expect(window.page.get_by_role("dialog")).to_contain_text(f"Ahora es otra-{ana.email}")
    await expect(window.label("Código del correo")).to_have_count(0)


async def test_c5_2_an_account_goes_for_good_and_the_partners_page_is_true(
    windows: Windows, axe_source: str, stack: Stack, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", today())
    luis.answer(ana.create_activity("Museo", today()), "aceptado")
    ana.answer(luis.create_activity("Cine", today()), "aceptado")
    his, hers = await windows.open(luis), await open_account(windows, ana)
    await expect(his.item("Cena")).to_be_visible()
    # A wrong password; then what the page behind still asks, whose account is gone or, at last, session.
    hers.expected += ["status of 40[0136]", r"\[planes\]"]
    await hers.button("Eliminar cuenta").click()
    dialog = hers.page.get_by_role("dialog", name="¿Eliminar tu cuenta para siempre?")
    await expect(dialog).to_contain_text("Lo que propuso tu pareja lo conserva tu pareja.")
    await expect_clean(hers, axe_source)
    await dialog.get_by_label("Contraseña actual").fill("no-es-esta")
    await dialog.get_by_role("button", name="Eliminar para siempre").click()
    await expect(dialog).to_contain_text("Esa no es tu contraseña actual")
    await dialog.get_by_label("Contraseña actual").fill(PASSWORD)
    await dialog.get_by_role("button", name="Eliminar para siempre").click()
    await expect(hers.page.get_by_text(GONE)).to_be_visible()
    await expect(hers.page).to_have_url(f"{windows.url}/")
    kept = await hers.page.evaluate("Object.keys(localStorage).filter(k => !k.endsWith('version'))")
    assert kept == []
    await hers.page.reload()
    await expect(hers.heading("Planes en Pareja")).to_be_visible()
    await expect(hers.page.get_by_text(GONE)).to_have_count(0)
    for body in ({"email": ana.email, "password": PASSWORD},):
        assert token(stack, "password", **body) == 400
    assert token(stack, "refresh_token", refresh_token=ana.session["refresh_token"]) == 400
    await expect(his.item("Cena")).to_have_count(0)
    await expect(his.item("Museo")).to_have_count(0)
    await expect(his.heading("Planea con tu pareja")).to_be_visible()
    assert [row["titulo"] for row in luis.activities()] == ["Cine"]


async def test_c5_everything_is_taken_along_in_three_ways(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("=1+1", today(), presupuesto=45.5, lugar="Casa")
    luis.create_activity("Cine", today())
    window = await windows.open(ana, "/dashboard?ajustes=datos")
    await expect(window.page.get_by_role("heading", name="Tus datos")).to_be_focused()
    files: dict[str, str] = {}
    for name in ("Descargar todo", "Descargar una tabla (.csv)", "Descargar un calendario (.ics)"):
        async with window.page.expect_download() as waiting:
            await window.button(name).click()
        download = await waiting.value
        files[download.suggested_filename] = await text_of(download)
    everything = json.loads(files["planes.json"])
    assert {row["titulo"] for row in everything["actividades"]} == {"=1+1", "Cine"}
    assert f'{today()};;;;"\'=1+1";Casa;;45,50;Pendiente;Ana' in files["planes.csv"]
    assert files["planes.ics"].count("BEGIN:VEVENT") == 2


@pytest.mark.parametrize("width", [360, 1280])
async def test_c5_the_account_without_a_network_says_why_it_changes_nothing(
    windows: Windows, ana: Person, width: int
):
    window = await windows.open(ana, viewport={"width": width, "height": 740})
    window.expected += ["net::ERR_", r"\[planes\]"]
    await window.open_settings()
    await expect(window.button("Eliminar cuenta")).to_be_visible()  # its code is fetched later
    await window.page.context.set_offline(True)
    reason = "Sin conexión no se puede proponer ni responder"
    for name in ("Guardar nombre", "Eliminar cuenta"):
        await expect(window.button(name)).to_have_attribute("aria-disabled", "true")
        await expect(window.button(name)).to_have_attribute("title", reason)
    await window.label("Nombre").fill("Otra")
    await window.page.keyboard.press("Enter")
    assert ana.profile["nombre"] == "Ana"

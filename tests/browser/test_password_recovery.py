"""Password recovery (section 4, session events) through the local mailbox."""

from __future__ import annotations

import html
import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from playwright.async_api import expect

from tests.harness_browser import Window, Windows
from tests.harness_couple import Person
from tests.harness_stack import Stack

NEW_PASSWORD = "otra-distinta-9"
SENT = "Te hemos enviado un correo con un enlace para cambiar tu contraseña"


def links_to(stack: Stack, email: str) -> list[str]:
    """The links of the mails that a person got, oldest first."""
    found = [re.findall(r'href="([^"]+/verify[^"]+)"', body) for body in mails_to(stack, email)]
    return [html.unescape(link) for links in found for link in links]


def codes_to(stack: Stack, email: str) -> list[str]:
    """The codes of the mails that a person got, oldest first."""
    found = [re.findall(r"<strong>(\d{6,})</strong>", body) for body in mails_to(stack, email)]
    return [code for codes in found for code in codes]


def mails_to(stack: Stack, email: str) -> list[str]:
    """The bodies of the mails that a person got, oldest first."""
    found: list[str] = []
    for path in sorted(Path(stack.data_dir / "mailbox").glob("*.eml")):
        mail = message_from_bytes(path.read_bytes(), policy=policy.default)
        assert isinstance(mail, EmailMessage)
        body = mail.get_body(("html", "plain"))
        if mail["To"] == email and body is not None:
            found.append(body.get_content())
    return found


async def ask_for_mail(windows: Windows, person: Person) -> Window:
    """The window of somebody who forgot the password."""
    window = await windows.open(path="/auth")
    await window.label("Correo electrónico").fill(person.email)
    await window.button("¿Olvidaste tu contraseña?").click()
    await window.expect_toast(SENT, "success")
    return window


async def test_recovery_mails_a_link_that_asks_for_the_new_password(
    windows: Windows, stack: Stack, ana: Person
):
    window = await ask_for_mail(windows, ana)
    (link,) = links_to(stack, ana.email)
    await window.page.goto(link)
    await expect(window.heading("Nueva contraseña")).to_be_visible()
    assert window.page.url.startswith(f"{windows.url}/auth")
    await window.label("Nueva contraseña").fill(NEW_PASSWORD)
    await window.button("Guardar contraseña").click()
    await window.expect_toast("Tu contraseña ha cambiado", "success")
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")


async def test_the_mails_code_asks_for_the_new_password_too(
    windows: Windows, stack: Stack, ana: Person
):
    window = await ask_for_mail(windows, ana)
    window.expected.append("status of 40[03]")
    (code,) = codes_to(stack, ana.email)
    await window.button("Usar el código").click()
    await expect(window.label("Código del correo")).to_be_focused()
    await expect(window.text("Escribe los números del código")).to_be_visible()
    await window.label("Código del correo").fill("1" * 6 if code[0] != "1" else "2" * 6)
    await window.button("Usar el código").click()
    await expect(window.toasts().filter(has_not_text=SENT)).to_have_attribute("data-type", "error")
    await window.label("Código del correo").fill(f"{code[:3]} {code[3:]}")
    await window.page.keyboard.press("Enter")
    await expect(window.heading("Nueva contraseña")).to_be_visible()
    await window.label("Nueva contraseña").fill(NEW_PASSWORD)
    await window.button("Guardar contraseña").click()
    await window.expect_toast("Tu contraseña ha cambiado", "success")
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")


async def test_after_a_recovery_the_new_password_signs_in_and_the_old_one_does_not(
    windows: Windows, stack: Stack, ana: Person
):
    window = await ask_for_mail(windows, ana)
    await window.page.goto(links_to(stack, ana.email)[0])
    await window.label("Nueva contraseña").fill(NEW_PASSWORD)
    await window.button("Guardar contraseña").click()
    await window.dashboard_is_ready()
    later = await windows.open(path="/auth")
    later.expected += ["status of 400"]
    await later.type_credentials(ana.email, ana.password)
    await later.submit_button().click()
    await later.expect_toast("Correo o contraseña incorrectos", "error")
    await later.label("Contraseña").fill(NEW_PASSWORD)
    await later.submit_button().click()
    await expect(later.page).to_have_url(f"{windows.url}/dashboard")


async def test_the_new_password_has_at_least_six_characters(
    windows: Windows, stack: Stack, ana: Person
):
    window = await ask_for_mail(windows, ana)
    await window.page.goto(links_to(stack, ana.email)[0])
    await window.label("Nueva contraseña").fill("12345")
    await window.button("Guardar contraseña").click()
    await expect(window.text("La contraseña debe tener al menos 6 caracteres")).to_have_count(1)
    assert window.sent("PUT", "/auth/v1/user") == []


async def test_a_recovery_link_works_once(windows: Windows, stack: Stack, ana: Person):
    window = await ask_for_mail(windows, ana)
    (link,) = links_to(stack, ana.email)
    await window.page.goto(link)
    await expect(window.heading("Nueva contraseña")).to_be_visible()
    again = await windows.open(path="/otra")
    await again.page.goto(link)
    await again.expect_toast("El enlace no es válido o ha caducado. Pide otro.", "error")
    await expect(again.heading("Iniciar Sesión")).to_be_visible()


async def test_recovery_needs_an_email_address(windows: Windows):
    window = await windows.open(path="/auth")
    await window.button("¿Olvidaste tu contraseña?").click()
    await expect(window.text("Escribe un correo electrónico válido")).to_have_count(1)
    await expect(window.label("Correo electrónico")).to_be_focused()
    assert window.calls == []


async def test_recovery_does_not_tell_who_has_an_account(windows: Windows, ana: Person):
    window = await windows.open(path="/auth")
    await window.label("Correo electrónico").fill(ana.email.replace("ana", "desconocida"))
    await window.button("¿Olvidaste tu contraseña?").click()
    await window.expect_toast(SENT, "success")

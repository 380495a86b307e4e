"""Section 5 of the specification: every rule, its text exactly once, and nothing sent meanwhile."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.harness_browser import Window, Windows, session_key, this_month
from tests.harness_couple import Person

NOT_AN_EMAIL = "Escribe un correo electrónico válido"
SHORT_PASSWORD = "La contraseña debe tener al menos 6 caracteres"


async def refused(window: Window, label: str, text: str) -> None:
    """The text shows once, belongs to its field, which has the focus, and no toast says it too."""
    await expect(window.text(text)).to_have_count(1)
    field = window.label(label)
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_have_accessible_description(re.compile(rf"^{re.escape(text)}"))
    await expect(field).to_be_focused()
    await expect(window.toasts()).to_have_count(0)


async def register(windows: Windows, nombre: str, email: str, password: str) -> Window:
    """The form of sign-up, filled and sent."""
    window = await windows.open(path="/auth")
    await window.button("Crear Cuenta").click()
    await window.type_credentials(email, password, nombre)
    await window.submit_button().click()
    return window


async def test_section_5_a_refused_field_keeps_its_red_border_while_it_has_the_focus(
    windows: Windows,
):
    window = await windows.open(path="/auth")
    email = window.label("Correo electrónico")
    await email.focus()
    color = "e => getComputedStyle(e).borderTopColor"
    focused = await email.evaluate(color)
    await email.fill("nadie")
    await window.submit_button().click()
    await refused(window, "Correo electrónico", NOT_AN_EMAIL)
    red = await window.text(NOT_AN_EMAIL).evaluate("e => getComputedStyle(e).color")
    assert red != focused
    await expect(email).to_have_css("border-top-color", red)
    await expect(email).to_have_css("outline-style", "solid")


async def test_section_5_a_password_of_six_characters_is_enough(windows: Windows, ana: Person):
    window = await register(windows, "Ana", ana.email.replace("ana", "seis"), "123456")
    await window.expect_toast("¡Cuenta creada! Puedes iniciar sesión", "success")


async def test_section_5_a_new_activity_requires_a_signed_in_user(windows: Windows, ana: Person):
    """The session went away under the open form, as when the site's data are cleared."""
    window = await windows.open(ana)
    await window.open_form(this_month(9))
    await window.label("Título").fill("Cena")
    key = session_key(windows.url)
    window.expected.append("status of 401")  # of what the page reads meanwhile
    await window.page.evaluate("key => localStorage.removeItem(key)", key)
    await window.button("Crear actividad").click()
    await window.expect_toast("Debes iniciar sesión", "error")
    assert window.sent("POST", "/actividades") == []


async def test_section_5_presupuesto_is_a_number_and_empty_becomes_null(
    windows: Windows, ana: Person
):
    """Web design, row e 5c: Spanish phones type commas."""
    window = await windows.open(ana)
    amounts = {
        "": None, "0": 0, "12": 12, "12,50": 12.5, "12.5": 12.5, "0,01": 0.01, "1.234": 1234,
        "1.000.000": 1_000_000, ",5": 0.5,
    }  # fmt: skip
    for typed, stored in amounts.items():
        await window.propose(f"Por {typed or 'nada'}", this_month(9), presupuesto=typed)
        assert window.sent("POST", "/actividades")[-1].payload["presupuesto"] == stored
    await expect(window.page.get_by_role("article")).to_have_count(len(amounts))
    rows = {row["titulo"]: row["presupuesto"] for row in ana.activities()}
    assert rows == {f"Por {typed or 'nada'}": stored for typed, stored in amounts.items()}


async def test_section_5_the_longest_texts_fit_and_longer_ones_cannot_be_typed(
    windows: Windows, ana: Person
):
    """Web design, row e 19: title 120, description 2000."""
    window = await windows.open(ana)
    await window.open_form(this_month(9))
    await expect(window.label("Título")).to_have_attribute("maxlength", "120")
    await expect(window.label("Descripción")).to_have_attribute("maxlength", "2000")
    await window.label("Título").fill("á" * 120)
    await window.label("Descripción").fill("ñ" * 2000)
    await window.button("Crear actividad").click()
    await expect(window.item("á" * 120)).to_be_visible()


async def test_section_5_sign_up_requires_a_name_an_email_address_and_six_characters(
    windows: Windows,
):
    """A text goes away as soon as its field is mended."""
    window = await register(windows, "", "", "12345")
    missing = "Por favor ingresa tu nombre"
    for nombre in ("", "   "):
        await window.label("Nombre").fill(nombre)
        await window.submit_button().click()
        await refused(window, "Nombre", missing)
    await window.label("Nombre").fill("Ana")
    await expect(window.text(missing)).to_have_count(0)
    await expect(window.label("Nombre")).not_to_have_attribute("aria-invalid", "true")
    for email in ("", "nadie", "nadie@", "@example.com", "a b@example.com"):
        await window.label("Correo electrónico").fill(email)
        await window.submit_button().click()
        await refused(window, "Correo electrónico", NOT_AN_EMAIL)
    await window.label("Correo electrónico").fill("alguien@example.com")
    await expect(window.text(NOT_AN_EMAIL)).to_have_count(0)
    for password in ("", "12345"):
        await window.label("Contraseña").fill(password)
        await window.submit_button().click()
        await refused(window, "Contraseña", SHORT_PASSWORD)
    assert window.calls == []


async def test_section_5_login_requires_an_email_address_and_six_characters(windows: Windows):
    window = await windows.open(path="/auth")
    for email in ("", "nadie"):
        await window.type_credentials(email, "secreto")
        await window.submit_button().click()
        await refused(window, "Correo electrónico", NOT_AN_EMAIL)
    for password in ("", "12345"):
        await window.type_credentials("alguien@example.com", password)
        await window.submit_button().click()
        await refused(window, "Contraseña", SHORT_PASSWORD)
    assert window.calls == []


async def test_section_5_the_constraints_are_in_the_markup_as_well(windows: Windows):
    window = await windows.open(path="/auth")
    await window.button("Crear Cuenta").click()
    for label, name, value in (
        ("Nombre", "required", ""),
        ("Nombre", "maxlength", "60"),
        ("Correo electrónico", "type", "email"),
        ("Correo electrónico", "required", ""),
        ("Contraseña", "minlength", "6"),
        ("Contraseña", "required", ""),
    ):
        await expect(window.label(label)).to_have_attribute(name, value)


async def test_section_5_a_plan_has_a_title_a_date_and_a_budget_in_cents_or_none(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await window.open_form(this_month(9))
    for titulo in ("", "   ", "\u00a0"):
        await window.label("Título").fill(titulo)
        await window.button("Crear actividad").click()
        await refused(window, "Título", "El título es requerido")
    await window.label("Título").fill("Cena")
    for typed, text in (
        ("-1", "El presupuesto no puede ser negativo"),
        ("12,345", "Usa como mucho dos decimales"),
        ("mucho", "Escribe una cantidad, por ejemplo 12,50"),
        ("99999999999", "El presupuesto es demasiado grande"),
    ):
        await window.label("Presupuesto").fill(typed)
        await window.button("Crear actividad").click()
        await refused(window, "Presupuesto", text)
    await window.label("Presupuesto").fill("")
    await window.label("Fecha").fill("")
    await window.button("Crear actividad").click()
    await refused(window, "Fecha", "La fecha es requerida")
    await expect(window.dialog()).to_be_visible()
    assert window.sent("POST", "/actividades") == []


async def test_section_5_texts_are_sent_trimmed_and_an_empty_description_is_null(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    for typed, stored in (("  En el puerto \n", "En el puerto"), ("", None), ("   ", None)):
        await window.propose("  Cena  ", this_month(9), descripcion=typed)
        sent = window.sent("POST", "/actividades")[-1].payload
        assert (sent["titulo"], sent["descripcion"]) == ("Cena", stored)

"""Section 8 of the specification: every message, word for word, as the notification it is."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Route, expect

from tests.harness_browser import Window, Windows, other_month, this_month
from tests.harness_couple import PASSWORD, Person

GONE = ["net::ERR_", "Failed to fetch", r"\[planes\] (create|update|delete)"]


async def break_calls(window: Window, method: str, path: str) -> None:
    """From now on the network fails for the calls of a method to a path."""

    async def fail(route: Route) -> None:
        if route.request.method == method:
            await route.abort()
        else:
            await route.fallback()

    window.expected += GONE
    await window.page.route(f"**{path}*", fail)


@pytest.mark.parametrize(
    ("locale", "message"),
    [("es-ES", "Correo o contraseña incorrectos"), ("en-GB", "Invalid login credentials")],
)
async def test_section_8_sign_in_failure_shows_the_servers_message(
    windows: Windows, ana: Person, locale: str, message: str
):
    """Web design, row e 17: the client shows what the server says, who speaks Spanish if asked."""
    window = await windows.open(path="/auth", locale=locale)
    window.expected += ["status of 400"]
    await window.type_credentials(ana.email, "equivocada")
    await window.submit_button().click()
    await window.expect_toast(message, "error")
    await expect(window.page).to_have_url(f"{windows.url}/auth")


async def test_section_8_login_success(windows: Windows, ana: Person):
    window = await windows.open(path="/auth")
    await window.type_credentials(ana.email, ana.password)
    await window.submit_button().click()
    await window.expect_toast("¡Bienvenido de vuelta!", "success")
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")


async def test_section_8_an_update_that_comes_too_late_is_a_failure_and_shows_the_real_state(
    windows: Windows, couple: tuple[Person, Person]
):
    """Web design, row e 21: zero rows back."""
    ana, luis = couple
    activity = ana.create_activity("Cena", this_month(9))
    window = await windows.open(luis)
    window.expected += GONE
    sent, answered = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        if route.request.method != "PATCH":
            await route.fallback()
            return
        sent.set()
        await answered.wait()
        await route.continue_()

    await window.page.route("**/rest/v1/actividades*", hold)
    await window.button("Aceptar: Cena").click()
    await sent.wait()
    luis.answer(activity, "rechazado")
    answered.set()
    await window.expect_toast("Error al actualizar actividad", "error")
    await expect(window.item("Cena").get_by_text("Rechazado", exact=True)).to_be_visible()
    await expect(window.text("¡Actividad aceptada!")).to_have_count(0)


async def test_section_8_partner_change(windows: Windows, couple: tuple[Person, Person]):
    ana, luis = couple
    activity = ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    luis.answer(activity, "rechazado")
    await window.expect_toast("¡Tu pareja actualizó una actividad!", "info")


async def test_section_8_activity_load_failure_is_only_logged(windows: Windows, ana: Person):
    """The last good list stays on the screen."""
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    await break_calls(window, "GET", "/rest/v1/actividades")
    window.expected += [r"\[planes\] actividades"]
    async with window.page.expect_event(
        "console", lambda message: message.text.startswith("[planes] actividades")
    ):
        ana.create_activity("Otra", other_month(1))
    await expect(window.item("Cena")).to_be_visible()
    await expect(window.toasts()).to_have_count(0)


async def test_section_8_profile_load_failure_is_only_logged(windows: Windows, ana: Person):
    window = await windows.open(ana, "/")
    await break_calls(window, "GET", "/rest/v1/profiles")
    window.expected += [r"\[planes\] profile"]
    async with window.page.expect_event(
        "console", lambda message: message.text.startswith("[planes] profile")
    ):
        await window.visit("/dashboard")
    await expect(window.text("Cargando...")).to_be_visible()
    await expect(window.toasts()).to_have_count(0)


async def test_section_8_a_refresh_answered_503_is_tried_again(windows: Windows, ana: Person):
    """Requests answered 502, 503 or 504 are retried, with a backoff that starts at 200 ms."""
    window = await windows.open_nearly_expired(ana, seconds=60)
    window.expected += ["status of 50"]
    answers = iter((503, 502))

    async def unavailable_twice(route: Route) -> None:
        status = next(answers, None)
        if status is None:
            await route.continue_()
        else:
            await route.fulfill(status=status, body="")

    await window.page.route("**/auth/v1/token*", unavailable_twice)
    await window.visit("/dashboard")
    await window.dashboard_is_ready()
    assert len(window.sent("POST", "/token")) == 3
    session = await window.stored_session()
    assert session is not None
    assert session["refresh_token"] != ana.session["refresh_token"]


async def test_section_8_sign_up_failure_shows_the_servers_message_and_success_its_own(
    windows: Windows, ana: Person
):
    window = await windows.open(path="/auth")
    window.expected += ["status of 422"]
    await window.button("Crear Cuenta").click()
    await window.type_credentials(ana.email, PASSWORD, "Otra Ana")
    await window.submit_button().click()
    await window.expect_toast("El usuario ya está registrado", "error")
    await expect(window.heading("Crear Cuenta")).to_be_visible()
    await window.label("Correo electrónico").fill(ana.email.replace("ana", "otra"))
    await window.submit_button().click()
    await window.expect_toast("¡Cuenta creada! Puedes iniciar sesión", "success")
    await expect(window.heading("Iniciar Sesión")).to_be_visible()


async def test_section_8_without_a_message_of_the_server_it_is_ocurrio_un_error(windows: Windows):
    window = await windows.open(path="/auth")
    await break_calls(window, "POST", "/auth/v1/")
    for nombre in (None, "Ana"):
        if nombre:
            await window.visit("/auth")
            await window.button("Crear Cuenta").click()
            await window.label("Nombre").fill(nombre)
        await window.type_credentials("alguien@example.com", PASSWORD)
        await window.submit_button().click()
        await window.expect_toast("Ocurrió un error", "error")


async def test_section_8_answers_say_what_they_did_or_that_they_failed(
    windows: Windows, couple: tuple[Person, Person]
):
    for titulo in ("Cena", "Cine", "Ruta"):
        couple[0].create_activity(titulo, this_month(9))
    window = await windows.open(couple[1])
    await window.button("Aceptar: Cena").click()
    await window.expect_toast("¡Actividad aceptada!", "success")
    await window.button("Rechazar: Cine").click()
    await window.expect_toast("Actividad rechazada", "success")
    await break_calls(window, "PATCH", "/rest/v1/actividades")
    for word in ("Aceptar", "Rechazar"):
        await window.button(f"{word}: Ruta").click()
        await window.expect_toast("Error al actualizar actividad", "error")
        await expect(window.answer_buttons("Ruta")).to_have_count(2)


async def test_section_8_creation_and_deletion_say_what_they_did_or_that_they_failed(
    windows: Windows, ana: Person
):
    """What was typed is kept where it could not be sent."""
    window = await windows.open(ana)
    await window.propose("Cena", this_month(9))
    await window.expect_toast("¡Actividad creada!", "success")
    await window.propose("Cine", this_month(9))
    await window.button("Eliminar: Cena").click()
    question = window.question()
    await expect(question).to_have_accessible_name("¿Estás seguro de eliminar esta actividad?")
    await expect(question).to_have_accessible_description("Cena")
    await expect(question.get_by_role("button", name="Cancelar")).to_be_focused()
    await question.get_by_role("button", name="Eliminar").click()
    await window.expect_toast("Actividad eliminada", "success")
    await break_calls(window, "DELETE", "/rest/v1/actividades")
    await break_calls(window, "POST", "/rest/v1/actividades")
    await window.delete("Cine")
    await window.expect_toast("Error al eliminar actividad", "error")
    await expect(window.item("Cine")).to_be_visible()
    await window.open_form(this_month(9))
    await window.label("Título").fill("Ruta")
    await window.button("Crear actividad").click()
    await window.expect_toast("Error al crear actividad", "error")
    await expect(window.label("Título")).to_have_value("Ruta")

"""Section 2 of the specification: routes, landing page, /auth, not-found page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from playwright.async_api import Route, expect

from tests.harness_browser import Windows, session_key
from tests.harness_couple import PASSWORD, Person


async def test_section_2_landing_shows_its_texts_and_leads_to_auth(windows: Windows):
    window = await windows.open(path="/")
    await expect(window.page.get_by_role("heading", level=1)).to_have_text("Planes en Pareja")
    await expect(
        window.text(
            "La mejor forma de organizar actividades con tu pareja: calendario compartido,"
            " presupuestos y notificaciones en tiempo real."
        )
    ).to_be_visible()
    for feature in (
        "Calendario Compartido",
        "Control de Presupuesto",
        "Notificaciones Instantáneas",
    ):
        await expect(window.heading(feature)).to_be_visible()
    await window.button("Comenzar Ahora").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")


async def test_section_2_landing_stays_for_somebody_signed_in_and_leads_on(
    windows: Windows, ana: Person
):
    window = await windows.open(ana, "/")
    await window.button("Comenzar Ahora").click()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")


async def test_section_2_signed_in_visitor_of_auth_is_redirected_to_dashboard(
    windows: Windows, ana: Person
):
    window = await windows.open(ana, "/auth")
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")


async def test_section_2_login_goes_to_dashboard(windows: Windows, ana: Person):
    window = await windows.open(path="/auth")
    await window.type_credentials(ana.email, ana.password)
    await window.submit_button().click()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")
    await expect(window.text("Hola, Ana")).to_be_visible()


async def test_section_2_sign_up_switches_to_login_mode(windows: Windows, ana: Person):
    """Web design, row e 3: the e-mail stays, the password is next, and nobody is signed in."""
    window = await windows.open(path="/auth")
    await window.button("Crear Cuenta").click()
    email = ana.email.replace("ana", "nueva")
    await window.type_credentials(email, PASSWORD, "Nueva")
    await window.submit_button().click()
    await expect(window.heading("Iniciar Sesión")).to_be_visible()
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    await expect(window.label("Correo electrónico")).to_have_value(email)
    await expect(window.label("Contraseña")).to_have_value("")
    await expect(window.label("Contraseña")).to_be_focused()
    assert await window.stored_session() is None


async def test_section_2_unauthenticated_visitor_of_dashboard_is_redirected_to_auth(
    windows: Windows,
):
    window = await windows.open(path="/")
    await window.visit("/dashboard")
    await expect(window.page).to_have_url(f"{windows.url}/auth")


async def test_section_2_dashboard_says_cargando_while_the_profile_is_loading(
    windows: Windows, ana: Person
):
    window = await windows.open(ana, "/")
    answered = asyncio.Event()

    async def hold(route: Route) -> None:
        await answered.wait()
        await route.continue_()

    await window.page.route("**/rest/v1/profiles*", hold)
    await window.visit("/dashboard")
    await expect(window.text("Cargando...")).to_be_visible()
    await expect(window.text("Hola, Ana")).to_have_count(0)
    answered.set()
    await expect(window.text("Hola, Ana")).to_be_visible()
    await expect(window.text("Cargando...")).to_have_count(0)


async def test_section_2_without_a_profile_it_says_cargando_and_after_ten_seconds_offers_a_way_out(
    windows: Windows, ana: Person, remove_profile: Callable[[Person], None]
):
    """Web design d.4: nobody is locked in."""
    remove_profile(ana)
    window = await windows.open(ana, "/")
    window.expected += ["profile", "status of 406"]
    await window.install_clock()
    async with window.page.expect_response("**/rest/v1/profiles*"):
        await window.visit("/dashboard")
    await expect(window.text("Cargando...")).to_be_visible()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")
    await expect(window.button("Salir")).to_have_count(0)
    await window.page.clock.run_for(11_000)
    await window.button("Salir").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")


async def test_section_2_salir_signs_out_and_returns_to_auth(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.button("Salir").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    await expect(window.heading("Iniciar Sesión")).to_be_visible()
    left = await window.page.evaluate("key => localStorage.getItem(key)", session_key(window.url))
    assert left is None
    await window.visit("/dashboard")
    await expect(window.page).to_have_url(f"{windows.url}/auth")


async def test_section_2_auth_has_two_modes_with_their_fields_and_one_button_of_each_name(
    windows: Windows,
):
    """Web design, row e 14: one submit and one toggle."""
    window = await windows.open(path="/auth")
    modes = (
        ("Iniciar Sesión", "Crear Cuenta", 0),
        ("Crear Cuenta", "Iniciar Sesión", 1),
        ("Iniciar Sesión", "Crear Cuenta", 0),
    )
    for mode, other, names in modes:
        await expect(window.heading(mode)).to_be_visible()
        await expect(window.submit_button()).to_have_text(mode)
        await expect(window.label("Correo electrónico")).to_be_visible()
        await expect(window.label("Contraseña")).to_be_visible()
        await expect(window.label("Nombre")).to_have_count(names)
        await expect(window.button(mode)).to_have_count(1)
        await expect(window.button(other)).to_have_count(1)
        await window.button(other).click()


async def test_section_2_any_other_path_is_the_not_found_page(windows: Windows):
    """In Spanish, but for the sentence that the specification has in English."""
    window = await windows.open(path="/")
    for path in ("/otra", "/dashboard/nada", "/auth/nada", "/assets", "/auth/", "/Dashboard"):
        await window.visit(path)
        await expect(window.text("Oops! Page not found")).to_have_attribute("lang", "en")
        await expect(window.page.locator("html")).to_have_attribute("lang", "es")
        assert (await window.page.request.get(windows.url + path)).status == 404
    await window.page.get_by_role("link", name="Volver al inicio").click()
    await expect(window.page).to_have_url(f"{windows.url}/")
    await expect(window.heading("Planes en Pareja")).to_be_visible()

"""Section 3 of the specification: what an activity, a profile, a sign-up and a session carry."""

from __future__ import annotations

import httpx2
from playwright.async_api import expect

from tests.harness_browser import Windows, this_month
from tests.harness_couple import PASSWORD, Person
from tests.harness_stack import Stack


async def test_section_3_an_activity_keeps_every_field_of_the_form(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.propose("Cena", this_month(9), descripcion="En el puerto", presupuesto="20,50")
    (row,) = ana.activities()
    assert row.pop("id")
    assert row.pop("creado_en")
    assert row == {
        "titulo": "Cena",
        "descripcion": "En el puerto",
        "fecha": this_month(9),
        "presupuesto": 20.5,
        "estado": "pendiente",
        "creador_id": ana.id,
        "pareja_id": ana.id,
        "aceptado_por": None,
        "revision": 1,
        "editado_en": None,
        "origen_id": None,
        "hora": None,
        "hora_fin": None,
        "fecha_fin": None,
        "lugar": None,
        "idea_id": None,
        "serie_id": None,
        "regla": None,
    }


async def test_section_3_a_profile_has_the_user_id_the_name_and_the_couple(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    window = await windows.open(ana, "/")
    async with window.page.expect_response("**/rest/v1/profiles*") as answer:
        await window.visit("/dashboard")
    body = await (await answer.value).json()
    assert body == {"id": ana.id, "nombre": "Ana", "pareja_id": luis.profile["pareja_id"]}


async def test_section_3_sign_up_metadata_carries_nombre(
    windows: Windows, ana: Person, stack: Stack
):
    email = ana.email.replace("ana", "meta")
    window = await windows.open(path="/auth")
    await window.button("Crear Cuenta").click()
    await window.type_credentials(email, PASSWORD, "  María José  ")
    await window.submit_button().click()
    await window.expect_toast("¡Cuenta creada! Puedes iniciar sesión", "success")
    answer = httpx2.post(
        f"{stack.url}/auth/v1/token?grant_type=password",
        headers={"apikey": stack.keys["SUPABASE_PUBLISHABLE_KEY"]},
        json={"email": email, "password": PASSWORD},
    )
    assert answer.json()["user"]["user_metadata"]["nombre"] == "María José"


async def test_section_3_the_session_is_in_local_storage_with_all_its_fields(
    windows: Windows, ana: Person
):
    window = await windows.open(path="/auth")
    await window.type_credentials(ana.email, ana.password)
    await window.submit_button().click()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")
    session = await window.stored_session()
    assert session is not None
    fields = {"access_token", "refresh_token", "expires_in", "expires_at", "token_type", "user"}
    assert fields <= session.keys()
    assert session["token_type"] == "bearer"
    assert session["user"]["id"] == ana.id

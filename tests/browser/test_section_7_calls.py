"""Section 7 of the specification: the exact calls that leave the browser, and their payloads."""

from __future__ import annotations

from typing import Any

from playwright.async_api import expect

from tests.harness_browser import Call, Window, Windows, this_month
from tests.harness_couple import PASSWORD, Person


async def test_section_7_sign_up(windows: Windows, ana: Person):
    email = ana.email.replace("ana", "alta")
    window = await windows.open(path="/auth")
    await window.button("Crear Cuenta").click()
    await window.type_credentials(email, PASSWORD, "Alta")
    await window.submit_button().click()
    await expect(window.heading("Iniciar Sesión")).to_be_visible()
    (call,) = window.sent("POST", "/auth/v1/signup")
    assert call.query == {"redirect_to": f"{windows.url}/"}
    assert call.payload["email"] == email
    assert call.payload["password"] == PASSWORD
    assert call.payload["data"] == {"nombre": "Alta"}


async def test_section_7_reading_the_session_asks_nobody(windows: Windows, ana: Person):
    window = await windows.open(ana)
    assert [call for call in window.calls if call.path.startswith("/auth/")] == []


def joins(window: Window) -> list[list[Any]]:
    """The joins that a page sent: [join_ref, ref, topic, event, payload]."""
    return [frame for frame in window.frames if frame[3] == "phx_join"]


async def test_section_7_live_changes(windows: Windows, ana: Person):
    """Realtime channel 'actividades-changes', all events on actividades."""
    window = await windows.open(ana)
    join, *more = joins(window)
    assert join[2] == "realtime:actividades-changes"
    assert {other[2] for other in more} <= {"realtime:planes-extras"}
    changes = join[4]["config"]["postgres_changes"]
    assert {"event": "*", "schema": "public", "table": "actividades"} in changes


async def test_section_7_any_event_reloads_the_list_once_more(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    window = await windows.open(luis, patient=True)
    ana.create_activity("Cena", this_month(9))
    await expect(window.item("Cena")).to_be_visible()
    assert len(window.sent("GET", "/actividades")) == 2


async def test_section_7_there_are_no_other_calls(windows: Windows, ana: Person):
    """Section 9: the storage defaults are unused by the product, and so is storage."""
    window = await windows.open(ana)
    await window.propose("Cena", this_month(9))
    await expect(window.item("Cena")).to_be_visible()
    await window.page.wait_for_load_state("networkidle")
    assert {(call.method, call.path) for call in window.calls} == {
        ("GET", "/rest/v1/profiles"),
        ("GET", "/rest/v1/actividades"),
        ("POST", "/rest/v1/actividades"),
        ("POST", "/rest/v1/rpc/version_del_plan"),
        ("POST", "/rest/v1/rpc/resumen_conversacion"),
    }


async def test_section_7_sign_in_and_sign_out(windows: Windows, ana: Person):
    window = await windows.open(path="/auth")
    await window.type_credentials(ana.email, ana.password)
    await window.submit_button().click()
    await expect(window.page).to_have_url(f"{windows.url}/dashboard")
    (call,) = window.sent("POST", "/auth/v1/token")
    assert call.query == {"grant_type": "password"}
    assert (call.payload["email"], call.payload["password"]) == (ana.email, ana.password)
    await window.button("Salir").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    (call,) = window.sent("POST", "/auth/v1/logout")
    assert call.payload is None


async def test_section_7_the_profile_and_the_list_are_read_once(windows: Windows, ana: Person):
    """The list: select on actividades, all rows, ordered by fecha ascending."""
    window = await windows.open(ana, patient=True)
    await window.page.wait_for_load_state("networkidle")
    profile = Call("GET", "/rest/v1/profiles", {"select": "*", "id": f"eq.{ana.id}"}, None)
    assert window.sent("GET", "/profiles") == [profile]
    rows = Call("GET", "/rest/v1/actividades", {"select": "*", "order": "fecha.asc"}, None)
    assert window.sent("GET", "/actividades") == [rows]


async def test_section_7_create_and_delete(windows: Windows, couple: tuple[Person, Person]):
    ana, _luis = couple
    window = await windows.open(ana)
    await window.propose("Cena", this_month(9), descripcion="En el puerto", presupuesto="20,5")
    (call,) = window.sent("POST", "/actividades")
    assert call.path == "/rest/v1/actividades"
    assert call.payload == {
        "titulo": "Cena",
        "descripcion": "En el puerto",
        "fecha": this_month(9),
        "presupuesto": 20.5,
        "estado": "pendiente",
        "creador_id": ana.id,
        "pareja_id": ana.profile["pareja_id"],
    }
    (row,) = ana.activities()
    await window.delete("Cena")
    await expect(window.item("Cena")).to_have_count(0)
    (call,) = window.sent("DELETE", "/rest/v1/actividades")
    assert call.query["id"] == f"eq.{row['id']}"
    assert call.query.keys() <= {"id", "select"}
    assert call.payload is None


async def test_section_7_accept_and_reject(windows: Windows, couple: tuple[Person, Person]):
    ana, luis = couple
    window = await windows.open(luis)
    for word, payload in (
        ("Aceptar", {"estado": "aceptado", "aceptado_por": luis.id}),
        ("Rechazar", {"estado": "rechazado", "aceptado_por": None}),
    ):
        activity = ana.create_activity(word, this_month(9))
        await window.button(f"{word}: {word}").click()
        await expect(window.answer_buttons(word)).to_have_count(0)
        call = window.sent("PATCH", "/rest/v1/actividades")[-1]
        assert call.payload == payload
        assert call.query["id"] == f"eq.{activity}"
        assert call.query["revision"] == "eq.1"  # what was read: beyond the specification
        assert call.query.keys() <= {"id", "revision", "select"}
    assert len(window.sent("PATCH", "/rest/v1/actividades")) == 2

"""After parting, each keeps what they created, and sees nothing of the other's any more."""

from __future__ import annotations

import pytest

from tests.harness_couple import Person, import_person, make_couple
from tests.harness_stack import Stack

REST = "/rest/v1"


@pytest.fixture
def couple(stack: Stack) -> tuple[Person, Person]:
    return make_couple(stack)


def _titles(person: Person) -> set[str]:
    return {row["titulo"] for row in person.activities()}


def test_each_keeps_their_own(couple: tuple[Person, Person]) -> None:
    ana, luis = couple
    ana.create_activity("De Ana")
    accepted = luis.create_activity("De Luis")
    ana.answer(accepted, "aceptado")
    assert _titles(ana) == _titles(luis) == {"De Ana", "De Luis"}
    ana.rpc("desvincular_pareja")
    assert (_titles(ana), _titles(luis)) == ({"De Ana"}, {"De Luis"})
    assert ana.profile["pareja_id"] is luis.profile["pareja_id"] is None
    assert luis.client.get(f"{REST}/profiles?select=nombre").json() == [{"nombre": "Luis"}]


def test_an_open_proposal_can_no_longer_be_answered(couple: tuple[Person, Person]) -> None:
    ana, luis = couple
    activity = ana.create_activity("Pendiente")
    luis.rpc("desvincular_pareja")
    values = {"estado": "aceptado", "aceptado_por": luis.id}
    headers = {"prefer": "return=representation"}
    path = f"{REST}/actividades?id=eq.{activity}"
    assert luis.client.patch(path, json=values, headers=headers).json() == []
    assert ana.activities()[0]["estado"] == "pendiente"


def test_the_old_couple_takes_no_new_activity(couple: tuple[Person, Person]) -> None:
    ana, luis = couple
    old = ana.profile["pareja_id"]
    ana.rpc("desvincular_pareja")
    body = {"titulo": "x", "fecha": "2026-01-01", "creador_id": luis.id, "pareja_id": old}
    answer = luis.client.post(f"{REST}/actividades", json=body)
    assert (answer.status_code, answer.json()["code"]) == (403, "42501")


def test_a_new_partner_sees_nothing_of_the_old_couple(
    couple: tuple[Person, Person], stack: Stack
) -> None:
    ana, luis = couple
    ana.create_activity("Con Luis")
    luis.create_activity("De Luis")
    ana.rpc("desvincular_pareja")
    ana.create_activity("Sola")
    eva = import_person(stack, "Eva")
    eva.rpc("aceptar_invitacion", codigo=ana.rpc("crear_invitacion")["codigo"])
    ana.create_activity("Con Eva")
    assert _titles(eva) == {"Sola", "Con Eva"}
    assert _titles(ana) == {"Con Luis", "Sola", "Con Eva"}
    assert _titles(luis) == {"De Luis"}


def test_parting_twice_is_refused_in_words(couple: tuple[Person, Person]) -> None:
    ana, luis = couple
    ana.rpc("desvincular_pareja")
    answer = luis.client.post(f"{REST}/rpc/desvincular_pareja", json={})
    assert (answer.status_code, answer.json()["code"]) == (400, "P0001")
    assert answer.json()["message"] == "Ahora mismo no tienes pareja vinculada."


def test_a_deleted_account_leaves_the_other_free(
    couple: tuple[Person, Person], stack: Stack
) -> None:
    ana, luis = couple
    ana.create_activity("De Ana")
    luis.answer(activity := ana.create_activity("Aceptada"), "aceptado")
    key = stack.keys["SUPABASE_SECRET_KEY"]
    answer = ana.client.delete(
        f"/auth/v1/admin/users/{luis.id}", headers={"apikey": key, "authorization": f"Bearer {key}"}
    )
    assert answer.status_code == 200, answer.text
    assert ana.profile["pareja_id"] is None
    row = next(row for row in ana.activities() if row["id"] == activity)
    assert (row["estado"], row["aceptado_por"]) == ("pendiente", None)
    luis_again = luis.client.get("/auth/v1/user")
    assert (luis_again.status_code, luis_again.json()["error_code"]) == (403, "user_not_found")

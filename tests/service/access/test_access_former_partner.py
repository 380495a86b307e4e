"""Between parting and pairing again the former partner is an outsider; afterwards all is back.

The names begin with the rows of the planner's specification of pairing.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness_couple import Person, import_person, make_couple
from tests.harness_live import ALL_ACTIVITIES, open_socket
from tests.harness_stack import Stack

REST = "/rest/v1"
COUNT = {"prefer": "count=exact"}


@pytest.fixture
def parted(stack: Stack) -> tuple[Person, Person, str]:
    """Two who parted, and the id of a plan of Ana's that Luis had accepted."""
    ana, luis = make_couple(stack)
    plan = ana.create_activity("Cena secreta", "2026-12-24", descripcion="x", presupuesto=1234.5)
    luis.answer(plan, "aceptado")
    luis.create_activity("De Luis", "2026-12-25")
    ana.rpc("desvincular_pareja")
    return ana, luis, plan


def _titles(person: Person) -> list[str]:
    return [row["titulo"] for row in person.activities()]


def _pair(one: Person, other: Person) -> dict[str, Any]:
    return other.rpc("aceptar_invitacion", codigo=one.rpc("crear_invitacion")["codigo"])


def test_b1_pairing_again_brings_both_sides_back(parted: tuple[Person, Person, str]) -> None:
    ana, luis, plan = parted
    assert (_titles(ana), _titles(luis)) == (["Cena secreta"], ["De Luis"])
    code = ana.rpc("crear_invitacion")["codigo"]
    assert luis.rpc("ver_invitacion", codigo=code) == {"nombre": "Ana", "vuelven": 2}
    assert luis.rpc("aceptar_invitacion", codigo=code)["vuelven"] == 2
    assert _titles(ana) == _titles(luis) == ["Cena secreta", "De Luis"]
    assert luis.activities() == ana.activities()
    assert (ana.activities()[0]["id"], ana.activities()[0]["aceptado_por"]) == (plan, luis.id)


def test_b4_a_plan_from_before_takes_no_answer_and_no_change(
    parted: tuple[Person, Person, str], stack: Stack
) -> None:
    ana, luis, _ = parted
    eva = import_person(stack, "Eva")
    _pair(ana, eva)
    pending = luis.activities()[0]["id"]
    headers = {"prefer": "return=representation"}
    values = {"estado": "rechazado", "aceptado_por": None}
    for person in (ana, luis, eva):
        path = f"{REST}/actividades?id=eq.{pending}"
        assert person.client.patch(path, json=values, headers=headers).json() == []
    assert luis.activities()[0]["estado"] == "pendiente"
    assert (
        len(luis.client.delete(f"{REST}/actividades?id=eq.{pending}", headers=headers).json()) == 1
    )


@pytest.mark.parametrize(
    "query",
    [
        "select=*",
        "id=eq.{plan}",
        "pareja_id=eq.{couple}",
        "creador_id=eq.{ana}",
        "or=(id.eq.{plan},titulo.like.Cena*)",
        "aceptado_por=eq.{luis}",
    ],
)
def test_b10_the_former_partner_reads_and_counts_nothing_of_the_others(
    parted: tuple[Person, Person, str], query: str
) -> None:
    ana, luis, plan = parted
    couple = ana.activities()[0]["pareja_id"]
    filled = query.format(plan=plan, couple=couple, ana=ana.id, luis=luis.id)
    answer = luis.client.get(f"{REST}/actividades?{filled}", headers=COUNT)
    own = [row["titulo"] for row in answer.json()]
    assert set(own) <= {"De Luis"}
    assert answer.headers["content-range"].endswith(f"/{len(own)}")
    assert "Cena secreta" not in answer.text


def test_b10_neither_profile_nor_couple_is_reached_from_outside(
    parted: tuple[Person, Person, str],
) -> None:
    ana, luis, _ = parted
    assert luis.client.get(f"{REST}/profiles?id=eq.{ana.id}").json() == []
    for path in ("parejas?select=*", "profiles?select=*,parejas(*)", "calendarios?select=*"):
        answer = luis.client.get(f"{REST}/{path}")
        assert answer.status_code in {400, 401, 403}, answer.text
    key = {"authorization": ""}
    for path in ("parejas?select=*", "actividades?select=*", "profiles?select=*"):
        assert luis.client.get(f"{REST}/{path}", headers=key).status_code == 401


def test_b10_the_calendar_address_ends_and_does_not_come_back(stack: Stack) -> None:
    ana, luis = make_couple(stack)
    secret = ana.rpc("crear_calendario")["secreto"]
    feed = f"{REST}/rpc/calendario?secreto={secret}"
    assert luis.client.get(feed).status_code == 200
    luis.rpc("desvincular_pareja")
    assert luis.client.get(feed).status_code == 404
    _pair(ana, luis)
    assert luis.client.get(feed).status_code == 404


async def test_b10_the_former_partner_hears_no_change_until_they_pair_again(
    parted: tuple[Person, Person, str], stack: Stack
) -> None:
    ana, luis, plan = parted
    async with open_socket(stack.url, stack.keys["SUPABASE_PUBLISHABLE_KEY"]) as live:
        await live.subscribe("actividades-changes", luis.session["access_token"], ALL_ACTIVITIES)
        ana.delete(plan)
        own = luis.create_activity("Propia")
        await live.await_change(lambda data: (data.get("record") or {}).get("id") == own)
        assert live.changes == []
        _pair(ana, luis)
        shared = ana.create_activity("Otra vez juntos")
        await live.await_change(lambda data: (data.get("record") or {}).get("id") == shared)


def test_b12_a_proposal_of_a_page_from_before_the_pairing_is_common(stack: Stack) -> None:
    ana, luis = make_couple(stack)
    ana.create_activity("Página vieja", pareja_id=ana.id)
    assert _titles(luis) == ["Página vieja"]

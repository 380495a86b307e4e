"""Trash and history over HTTP: closed to outsiders, former partners and whoever is not signed in.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import pytest

from tests.harness_access import Cast
from tests.harness_couple import Person, make_couple
from tests.harness_stack import Stack

REST = "/rest/v1"
GONE = "Ese plan ya no se puede recuperar."
COUNT = {"prefer": "count=exact"}


@pytest.mark.parametrize(
    "query",
    [
        "historial?select=*",
        "historial?select=*&actividad_id=eq.{plan}",
        "historial?select=*,actividades(*)",
        "actividades?select=*,historial(*)&id=eq.{plan}",
        "historial?select=que&persona_id=eq.{ana}",
    ],
)
def test_c12_an_outsider_reads_and_counts_no_history(cast: Cast, query: str) -> None:
    path = f"{REST}/{query.format(plan=cast.activity, ana=cast.ana.id)}"
    answer = cast.eva.client.get(path, headers=COUNT)
    assert (answer.status_code, answer.json()) == (200, [])
    assert answer.headers["content-range"] == "*/0"
    assert cast.nobody.get(path).status_code == 401
    shown = cast.luis.client.get(path)
    assert shown.status_code == 200
    assert shown.json()


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
def test_c12_2_nobody_writes_history_by_rest(cast: Cast, method: str) -> None:
    for person in (cast.ana, cast.luis, cast.eva):
        path = f"{REST}/historial?actividad_id=eq.{cast.activity}"
        body = None if method == "DELETE" else {"actividad_id": cast.activity, "que": "aceptado"}
        answer = person.client.request(method, path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "42501")


def test_c12_nobody_but_its_creator_recovers_a_plan(stack: Stack, cast: Cast) -> None:
    ana, luis = make_couple(stack)
    plan = ana.create_activity("Secreto", "2026-12-24")
    ana.delete(plan)
    for person in (luis, cast.eva):
        answer = person.client.post(f"{REST}/rpc/recuperar_plan", json={"plan": plan})
        assert (answer.status_code, answer.json()["message"]) == (400, GONE)
        assert person.rpc("mis_borrados") == []
        person.rpc("vaciar_papelera")
    for function in ("mis_borrados", "vaciar_papelera", "recuperar_plan"):
        body = {"plan": plan} if function == "recuperar_plan" else {}
        answer = cast.nobody.post(f"{REST}/rpc/{function}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (401, "42501")
    assert [row["titulo"] for row in ana.rpc("mis_borrados")] == ["Secreto"]
    ana.rpc("recuperar_plan", plan=plan)


def test_c12_3_the_former_partner_sees_nothing_of_what_comes_back(stack: Stack) -> None:
    ana, luis = make_couple(stack)
    plan = ana.create_activity("Secreto", "2026-12-24")
    ana.delete(plan)
    luis.rpc("desvincular_pareja")
    ana.rpc("recuperar_plan", plan=plan)
    assert len(history_of(ana, plan)) == 2
    assert luis.activities() == history_of(luis, plan) == []


def history_of(person: Person, plan: str) -> list[object]:
    """What somebody is shown of a plan's past."""
    return person.client.get(f"{REST}/historial?actividad_id=eq.{plan}").json()

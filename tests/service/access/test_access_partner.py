"""What each of the couple may do, and no more: the creator deletes, the partner answers once."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.harness_access import Cast
from tests.harness_couple import Person

REST = "/rest/v1"


def _patch(person: Person, activity: str, **values: Any) -> httpx2.Response:
    headers = {"prefer": "return=representation"}
    return person.client.patch(f"{REST}/actividades?id=eq.{activity}", json=values, headers=headers)


def _row(person: Person, activity: str) -> dict[str, Any]:
    return next(row for row in person.activities() if row["id"] == activity)


def _is_refused(answer: httpx2.Response) -> bool:
    if answer.status_code == 200:
        return answer.json() == []
    return answer.status_code in {400, 403} and answer.json()["code"] in {"42501", "23514"}


@pytest.fixture
def plan(cast: Cast) -> str:
    return cast.ana.create_activity("Paseo")


@pytest.mark.parametrize(
    "values",
    [
        {"titulo": "Otro"},
        {"descripcion": "x"},
        {"fecha": "2027-01-01"},
        {"presupuesto": 1},
        {"creador_id": "{luis}"},
        {"pareja_id": "{luis}"},
        {"id": "00000000-0000-4000-8000-000000000000"},
        {"creado_en": "2020-01-01"},
        {"estado": "aceptado", "aceptado_por": "{luis}", "titulo": "Otro"},
    ],
)
def test_only_the_answer_can_be_changed(cast: Cast, plan: str, values: dict[str, Any]) -> None:
    before = _row(cast.ana, plan)
    filled = {
        k: v.format(luis=cast.luis.id) if isinstance(v, str) else v for k, v in values.items()
    }
    for person in (cast.ana, cast.luis):
        answer = _patch(person, plan, **filled)
        assert (answer.status_code, answer.json()["code"]) == (403, "42501")
    assert _row(cast.ana, plan) == before


@pytest.mark.parametrize(
    ("estado", "accepter"),
    [
        ("aceptado", None),
        ("aceptado", "ana"),
        ("aceptado", "eva"),
        ("rechazado", "luis"),
        ("pendiente", None),
        ("pendiente", "luis"),
        ("otro", None),
        ("", None),
        (None, None),
    ],
)
def test_an_answer_that_is_none_is_refused(
    cast: Cast, plan: str, estado: str | None, accepter: str | None
) -> None:
    who = {"ana": cast.ana, "luis": cast.luis, "eva": cast.eva}.get(accepter or "")
    answer = _patch(cast.luis, plan, estado=estado, aceptado_por=who and who.id)
    assert answer.status_code in {400, 403}, answer.text
    assert answer.json()["code"] in {"42501", "23514", "23502"}
    assert _row(cast.ana, plan)["estado"] == "pendiente"


@pytest.mark.parametrize(("estado", "own"), [("aceptado", True), ("rechazado", False)])
def test_the_creator_cannot_answer(cast: Cast, plan: str, estado: str, own: bool) -> None:
    answer = _patch(cast.ana, plan, estado=estado, aceptado_por=cast.ana.id if own else None)
    assert _is_refused(answer), answer.text
    assert _row(cast.ana, plan)["estado"] == "pendiente"


@pytest.mark.parametrize("first", ["aceptado", "rechazado"])
@pytest.mark.parametrize("second", ["aceptado", "rechazado", "pendiente"])
def test_an_answer_is_final(cast: Cast, plan: str, first: str, second: str) -> None:
    cast.luis.answer(plan, first)
    accepter = cast.luis.id if second == "aceptado" else None
    assert _is_refused(_patch(cast.luis, plan, estado=second, aceptado_por=accepter))
    assert _is_refused(_patch(cast.ana, plan, estado=second, aceptado_por=None))
    assert _row(cast.ana, plan)["estado"] == first


def test_only_the_creator_deletes(cast: Cast, plan: str) -> None:
    headers = {"prefer": "return=representation"}
    path = f"{REST}/actividades?id=eq.{plan}"
    assert cast.luis.client.delete(path, headers=headers).json() == []
    assert len(cast.ana.client.delete(path, headers=headers).json()) == 1


def test_an_unfiltered_delete_takes_only_ones_own(cast: Cast) -> None:
    theirs = cast.luis.create_activity("De Luis")
    extra = cast.ana.create_activity("De Ana")
    keep = f"{REST}/actividades?id=neq.{cast.activity}"
    assert cast.ana.client.delete(keep).status_code == 204
    ids = {row["id"] for row in cast.ana.activities()}
    assert theirs in ids
    assert extra not in ids
    assert cast.activity in ids


@pytest.mark.parametrize(
    "values",
    [
        {"estado": "aceptado"},
        {"estado": "rechazado"},
        {"aceptado_por": "{ana}"},
        {"estado": "aceptado", "aceptado_por": "{luis}"},
        {"estado": "aceptado", "aceptado_por": "{ana}"},
        {"creador_id": "{luis}"},
        {"creado_en": "2020-01-01"},
        {"id": "00000000-0000-4000-8000-000000000000"},
    ],
)
def test_a_new_activity_is_pending_and_ones_own(cast: Cast, values: dict[str, str]) -> None:
    filled = {k: v.format(ana=cast.ana.id, luis=cast.luis.id) for k, v in values.items()}
    body = {
        "titulo": "x",
        "fecha": "2026-01-01",
        "estado": "pendiente",
        "creador_id": cast.ana.id,
        "pareja_id": cast.ana.profile["pareja_id"],
    }
    answer = cast.ana.client.post(f"{REST}/actividades", json=body | filled)
    assert answer.status_code in {400, 403}, answer.text
    assert answer.json()["code"] in {"42501", "23514"}


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"titulo": ""}, "23514"),
        ({"titulo": " \t\u00a0"}, "23514"),
        ({"titulo": "x" * 121}, "23514"),
        ({"titulo": None}, "23502"),
        ({"descripcion": "x" * 2001}, "23514"),
        ({"presupuesto": -0.01}, "23514"),
        ({"presupuesto": 10**10}, "22003"),
        ({"presupuesto": "mucho"}, "22P02"),
        ({"presupuesto": "NaN"}, "23514"),
        ({"fecha": None}, "23502"),
        ({"fecha": "mañana"}, "22007"),
        ({"fecha": "2026-02-30"}, "22008"),
        ({"fecha": "infinity"}, "23514"),
    ],
)
def test_values_have_their_bounds(cast: Cast, values: dict[str, Any], code: str) -> None:
    body = {
        "titulo": "x",
        "fecha": "2026-01-01",
        "creador_id": cast.ana.id,
        "pareja_id": cast.ana.id,
    }
    answer = cast.ana.client.post(f"{REST}/actividades", json=body | values)
    assert (answer.status_code, answer.json()["code"]) == (400, code), answer.text


def test_the_bounds_themselves_are_allowed(cast: Cast) -> None:
    activity = cast.ana.create_activity(
        "ñ" * 120, "2026-02-28", descripcion="x" * 2000, presupuesto=9999999999.99
    )
    row = _row(cast.luis, activity)
    assert (len(row["titulo"]), len(row["descripcion"])) == (120, 2000)
    assert row["presupuesto"] == 9999999999.99


def test_a_name_is_ones_own_to_change(cast: Cast) -> None:
    path = f"{REST}/profiles?id=eq.{cast.luis.id}"
    headers = {"prefer": "return=representation"}
    assert cast.ana.client.patch(path, json={"nombre": "X"}, headers=headers).json() == []
    changed = cast.luis.client.patch(path, json={"nombre": "Luís"}, headers=headers).json()
    assert changed[0]["nombre"] == "Luís"
    for bad in ("", "   ", "x" * 61, None):
        answer = cast.luis.client.patch(path, json={"nombre": bad})
        assert answer.status_code == 400, bad
    assert cast.luis.profile["nombre"] == "Luís"

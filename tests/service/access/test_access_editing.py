"""Edits and other dates over HTTP: nobody outside the couple changes, sees or hears of them.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid
from typing import Any

import httpx2
import pytest

from tests.harness_access import Cast
from tests.harness_couple import Person, import_person, make_couple
from tests.harness_live import ALL_ACTIVITIES, open_socket
from tests.harness_stack import Stack

REST = "/rest/v1"
MISSING = "Ese plan no existe o no lo compartes."


def _edit(person: Person, plan: str, **changes: Any) -> httpx2.Response:
    body = {"plan": plan, "revision": 1, "cambios": changes}
    return person.client.post(f"{REST}/rpc/editar_plan", json=body)


def _other_date(person: Person, plan: str) -> httpx2.Response:
    body = {"plan": plan, "fecha": "2026-12-31"}
    return person.client.post(f"{REST}/rpc/proponer_otra_fecha", json=body)


def test_c2_1_an_outsider_is_told_of_a_plan_what_is_told_of_none(cast: Cast) -> None:
    for plan in (cast.activity, str(uuid.uuid4())):
        for answer in (_edit(cast.eva, plan, titulo="x"), _other_date(cast.eva, plan)):
            assert (answer.status_code, answer.json()["message"]) == (400, MISSING)
    (row,) = cast.ana.activities()
    assert (row["titulo"], row["revision"], row["estado"]) == ("Viaje secreto", 1, "pendiente")


@pytest.mark.parametrize(
    "values", [{"titulo": "x"}, {"revision": 2}, {"origen_id": None}, {"editado_en": None}]
)
@pytest.mark.parametrize("who", ["ana", "luis", "eva"])
def test_c2_1_no_other_column_is_changed_by_rest(
    cast: Cast, who: str, values: dict[str, Any]
) -> None:
    person: Person = getattr(cast, who)
    path = f"{REST}/actividades?id=eq.{cast.activity}"
    answer = person.client.patch(path, json=values)
    assert (answer.status_code, answer.json()["code"]) == (403, "42501")


@pytest.mark.parametrize("values", [{"revision": 7}, {"origen_id": str(uuid.uuid4())}])
def test_c2_1_a_proposal_brings_no_revision_and_no_origin(
    cast: Cast, values: dict[str, Any]
) -> None:
    row = {
        "titulo": "x", "fecha": "2026-12-24", "estado": "pendiente",
        "creador_id": cast.eva.id, "pareja_id": cast.eva.id, **values,
    }  # fmt: skip
    answer = cast.eva.client.post(f"{REST}/actividades", json=row)
    assert (answer.status_code, answer.json()["code"]) == (403, "42501")


async def test_c2_the_couple_hears_of_an_edit_and_of_another_date_and_nobody_else(
    stack: Stack,
) -> None:
    ana, luis = make_couple(stack)
    former, eva = import_person(stack, "Marta"), import_person(stack, "Eva")
    luis.rpc("desvincular_pareja")
    former.rpc("aceptar_invitacion", codigo=ana.rpc("crear_invitacion")["codigo"])
    ana.rpc("desvincular_pareja")
    luis.rpc("aceptar_invitacion", codigo=ana.rpc("crear_invitacion")["codigo"])
    plan = ana.create_activity("Secreto", "2026-12-24")
    key = stack.keys["SUPABASE_PUBLISHABLE_KEY"]
    async with (
        open_socket(stack.url, key) as partners,
        open_socket(stack.url, key) as formers,
        open_socket(stack.url, key) as evas,
    ):
        for person, live in ((luis, partners), (former, formers), (eva, evas)):
            await live.subscribe(
                "actividades-changes", person.session["access_token"], ALL_ACTIVITIES
            )
        assert _edit(ana, plan, titulo="Otro secreto").is_success
        made = _other_date(luis, plan).json()["id"]
        await partners.await_change(lambda data: data["record"].get("origen_id") == plan)
        assert [data["type"] for data in partners.changes] == ["UPDATE", "UPDATE"]
        for outsider, live in ((former, formers), (eva, evas)):
            own = outsider.create_activity("Propia")
            await live.await_change(lambda data, own=own: data["record"].get("id") == own)
            assert live.changes == []
            path = f"{REST}/actividades?select=*,origen:origen_id(*)&id=in.({plan},{made})"
            assert outsider.client.get(path).json() == []

"""Whoever is not signed in has no right at all, and learns nothing from the refusals."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness_access import Cast

REST = "/rest/v1"
NO_PLAN = "00000000-0000-0000-0000-000000000000"


_BODIES = {
    "actividades": {"estado": "aceptado"},
    "profiles": {"nombre": "x"},
    "parejas": {"creada_en": "2026-01-01"},
    "invitaciones": {"caduca_en": "2026-01-01"},
}


@pytest.mark.parametrize("table", sorted(_BODIES))
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
def test_every_table_refuses(cast: Cast, table: str, method: str) -> None:
    body = _BODIES[table] if method in {"POST", "PATCH"} else None
    answer = cast.nobody.request(method, f"{REST}/{table}", json=body)
    assert answer.status_code == 401, answer.text
    assert answer.json()["code"] == "42501"
    assert answer.headers["www-authenticate"] == "Bearer"


def test_counting_without_rows_refuses(cast: Cast) -> None:
    answer = cast.nobody.head(f"{REST}/actividades", headers={"prefer": "count=exact"})
    assert answer.status_code == 401
    assert "content-range" not in answer.headers


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("crear_invitacion", {}),
        ("ver_invitacion", {"codigo": "ABCDEFGH"}),
        ("aceptar_invitacion", {"codigo": "ABCDEFGH"}),
        ("desvincular_pareja", {}),
        ("editar_plan", {"plan": NO_PLAN, "revision": 1, "cambios": {}}),
        ("proponer_otra_fecha", {"plan": NO_PLAN, "fecha": "2026-12-24"}),
    ],
)
def test_every_function_refuses(cast: Cast, function: str, arguments: dict[str, Any]) -> None:
    answer = cast.nobody.post(f"{REST}/rpc/{function}", json=arguments)
    assert (answer.status_code, answer.json()["code"]) == (401, "42501")


def test_the_description_of_the_api_names_no_table(cast: Cast) -> None:
    answer = cast.nobody.get(f"{REST}/")
    assert answer.status_code == 200
    assert answer.json().get("definitions", {}) == {}


def test_a_users_row_cannot_be_read_at_the_auth_service(cast: Cast) -> None:
    assert cast.nobody.get("/auth/v1/user").status_code in {401, 403}
    answer = cast.eva.client.get(f"/auth/v1/admin/users/{cast.ana.id}")
    assert (answer.status_code, answer.json()["error_code"]) == (403, "not_admin")


def test_the_mailbox_is_closed_to_other_hosts(cast: Cast) -> None:
    for headers in ({"host": "planes.example"}, {"x-forwarded-for": "203.0.113.9"}):
        assert cast.nobody.get("/mailbox", headers=headers).status_code == 404

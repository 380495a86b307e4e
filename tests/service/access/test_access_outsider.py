"""Somebody outside the couple can neither read, change, guess nor count the couple's rows by REST."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import asyncpg
import httpx2
import pytest

from tests.harness_access import Cast
from tests.harness_couple import Person
from tests.harness_stack import Stack

REST = "/rest/v1"
SECRETS = ("Viaje secreto", "Nadie lo sabe", "1234.5")


def _error(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.mark.parametrize(
    "query",
    [
        "select=*",
        "select=*&id=eq.{activity}",
        "select=titulo&creador_id=eq.{ana}",
        "select=id&pareja_id=eq.{pareja}",
        "select=id&titulo=like.Viaje*",
        "select=id&titulo=match.secreto",
        "select=id&titulo=fts.secreto",
        "select=id&presupuesto=gt.1000",
        "select=id&or=(id.eq.{activity},titulo.ilike.*secreto*)",
        "select=id&not.and=(titulo.is.null,fecha.is.null)",
        "select=id&id=in.({activity})",
        "select=id&id=not.eq.00000000-0000-0000-0000-000000000000",
        "select=id&order=presupuesto.desc.nullslast&limit=1",
        "select=titulo::text,fecha::text",
        "select=*&offset=0&limit=1000",
    ],
)
def test_reading_shows_nothing(cast: Cast, query: str) -> None:
    text = query.format(
        activity=cast.activity, ana=cast.ana.id, pareja=cast.ana.profile["pareja_id"]
    )
    answer = cast.eva.client.get(f"{REST}/actividades?{text}")
    assert (answer.status_code, answer.json()) == (200, [])


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_exact_count_counts_nothing(cast: Cast, method: str) -> None:
    answer = cast.eva.client.request(
        method,
        f"{REST}/actividades?select=id&id=eq.{cast.activity}",
        headers={"prefer": "count=exact"},
    )
    assert answer.headers["content-range"] == "*/0"


def test_csv_has_no_row(cast: Cast) -> None:
    answer = cast.eva.client.get(f"{REST}/actividades", headers={"accept": "text/csv"})
    assert answer.status_code == 200
    assert answer.text.strip() == ""


def test_a_plan_is_not_shown(cast: Cast) -> None:
    accept = "application/vnd.pgrst.plan+json; options=analyze"
    answer = cast.eva.client.get(f"{REST}/actividades", headers={"accept": accept})
    assert _error(answer) == (406, "PGRST107")


@pytest.mark.parametrize(
    "query",
    [
        "profiles?select=*,actividades(*)",
        "actividades?select=*,profiles(*)",
        "profiles?select=*,users(*)",
        "profiles?select=*,invitaciones(*)",
    ],
)
def test_there_is_no_embedding_around_the_policies(cast: Cast, query: str) -> None:
    assert _error(cast.eva.client.get(f"{REST}/{query}")) == (400, "PGRST200")


@pytest.mark.parametrize("table", ["parejas", "invitaciones"])
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
def test_couples_and_invitations_are_closed(cast: Cast, table: str, method: str) -> None:
    body = None if method == "GET" else {"id": str(uuid.uuid4())}
    if table == "invitaciones" and body:
        body = {"codigo": "ABCDEFGH"}
    answer = cast.eva.client.request(method, f"{REST}/{table}", json=body)
    assert _error(answer) == (403, "42501")


def test_couples_cannot_be_embedded(cast: Cast) -> None:
    answer = cast.ana.client.get(f"{REST}/profiles?select=*,parejas(*)")
    assert _error(answer) == (403, "42501")


@pytest.mark.parametrize("schema", ["auth", "planes", "realtime", "extensions", "pg_catalog"])
def test_other_schemas_are_not_exposed(cast: Cast, schema: str) -> None:
    answer = cast.eva.client.get(f"{REST}/users", headers={"accept-profile": schema})
    assert _error(answer) == (406, "PGRST106")


@pytest.mark.parametrize("function", ["mi_pareja", "disolver", "codigo_nuevo", "invitacion_valida"])
def test_inner_functions_cannot_be_called(cast: Cast, function: str) -> None:
    assert _error(cast.eva.client.post(f"{REST}/rpc/{function}", json={})) == (404, "PGRST202")


def test_strangers_profiles_are_hidden(cast: Cast) -> None:
    rows = cast.eva.client.get(f"{REST}/profiles?select=id,nombre").json()
    assert rows == [{"id": cast.eva.id, "nombre": "Eva"}]


_PEEK: list[tuple[str, str, Any, dict[str, str]]] = [
    ("GET", "actividades?id=eq.{row}", None, {}),
    ("HEAD", "actividades?id=eq.{row}", None, {"prefer": "count=exact"}),
    ("GET", "actividades?id=eq.{row}", None, {"accept": "application/vnd.pgrst.object+json"}),
    ("GET", "actividades?id=eq.{row}&titulo=match.[", None, {}),
    ("GET", "actividades?id=eq.{row}&select=titulo::int", None, {}),
    ("PATCH", "actividades?id=eq.{row}", {"estado": "rechazado", "aceptado_por": None}, {}),
    ("PATCH", "actividades?id=eq.{row}", {"estado": "aceptado"}, {"prefer": "return=representation"}),
    ("PATCH", "actividades?id=eq.{row}", {"estado": "nonsense"}, {"prefer": "count=exact"}),
    ("PATCH", "actividades?id=eq.{row}", {"titulo": "Mío"}, {}),
    ("PATCH", "actividades?id=eq.{row}", {"estado": "rechazado"}, {"prefer": "handling=strict,max-affected=0"}),
    ("DELETE", "actividades?id=eq.{row}", None, {}),
    ("DELETE", "actividades?id=eq.{row}", None, {"prefer": "return=representation,count=exact"}),
    ("DELETE", "actividades?id=eq.{row}", None, {"accept": "application/vnd.pgrst.object+json"}),
    ("POST", "actividades", {"id": "{row}", "titulo": "x", "fecha": "2026-01-01", "creador_id": "{eva}", "pareja_id": "{eva}"}, {}),
    ("POST", "actividades?on_conflict=id", {"id": "{row}", "titulo": "x", "fecha": "2026-01-01", "creador_id": "{eva}", "pareja_id": "{eva}"}, {"prefer": "resolution=merge-duplicates"}),
    ("POST", "actividades", {"id": "{row}", "titulo": "x", "fecha": "2026-01-01", "creador_id": "{eva}", "pareja_id": "{eva}"}, {"prefer": "resolution=ignore-duplicates"}),
    ("PUT", "actividades?id=eq.{row}", {"id": "{row}", "titulo": "x", "fecha": "2026-01-01", "creador_id": "{eva}", "pareja_id": "{eva}"}, {}),
]  # fmt: skip
_CHANGING = ("date", "content-location", "content-length", "server-timing", "x-request-id")


def _fill(value: Any, **names: str) -> Any:
    if isinstance(value, dict):
        return {key: _fill(inner, **names) for key, inner in value.items()}
    return value.format(**names) if isinstance(value, str) else value


def _answer(cast: Cast, request: tuple[str, str, Any, dict[str, str]], row: str) -> Any:
    method, path, body, headers = request
    answer = cast.eva.client.request(
        method,
        f"{REST}/{path.format(row=row)}",
        json=_fill(body, row=row, eva=cast.eva.id),
        headers=headers,
    )
    seen = {name: text for name, text in answer.headers.items() if name not in _CHANGING}
    return answer.status_code, seen, answer.text.replace(row, "ROW")


@pytest.mark.parametrize("request_", _PEEK, ids=lambda r: f"{r[0]} {r[3]}")
def test_0_4_an_existing_row_answers_like_a_missing_one(cast: Cast, request_: Any) -> None:
    existing = _answer(cast, request_, cast.activity)
    missing = _answer(cast, request_, str(uuid.uuid4()))
    assert existing == missing
    assert existing[0] < 500
    assert not any(secret in existing[2] for secret in SECRETS)
    assert cast.ana.activities()[0]["estado"] == "pendiente"


def test_a_foreign_couple_answers_like_a_missing_one(cast: Cast) -> None:
    answers = []
    for pareja in (cast.ana.profile["pareja_id"], cast.ana.id, str(uuid.uuid4())):
        body = {
            "titulo": "Intrusa",
            "fecha": "2026-01-01",
            "creador_id": cast.eva.id,
            "pareja_id": pareja,
        }
        answer = cast.eva.client.post(f"{REST}/actividades", json=body)
        answers.append((answer.status_code, answer.text.replace(pareja, "PAREJA")))
    assert len(set(answers)) == 1
    assert answers[0][0] == 403


def test_nobody_creates_in_another_name(cast: Cast) -> None:
    answers = []
    for somebody in (cast.ana.id, str(uuid.uuid4())):
        body = {
            "titulo": "x",
            "fecha": "2026-01-01",
            "creador_id": somebody,
            "pareja_id": cast.eva.id,
        }
        answer = cast.eva.client.post(f"{REST}/actividades", json=body)
        answers.append((answer.status_code, answer.text))
    assert len(set(answers)) == 1
    assert answers[0][0] == 403


def test_one_foreign_row_keeps_a_bulk_insert_out(cast: Cast) -> None:
    mine = {
        "titulo": "Mía",
        "fecha": "2026-01-01",
        "creador_id": cast.eva.id,
        "pareja_id": cast.eva.id,
    }
    foreign = {**mine, "pareja_id": cast.ana.profile["pareja_id"]}
    assert _error(cast.eva.client.post(f"{REST}/actividades", json=[mine, foreign])) == (
        403,
        "42501",
    )
    assert "Mía" not in [row["titulo"] for row in cast.eva.activities()]


@pytest.mark.parametrize(
    "values", [{"pareja_id": "{pareja}"}, {"id": "{ana}"}, {"nombre": "X", "pareja_id": "{pareja}"}]
)
def test_nobody_joins_a_couple_by_their_own_profile(cast: Cast, values: dict[str, str]) -> None:
    body = _fill(values, pareja=cast.ana.profile["pareja_id"], ana=cast.ana.id)
    answer = cast.eva.client.patch(f"{REST}/profiles?id=eq.{cast.eva.id}", json=body)
    assert _error(answer) == (403, "42501")
    assert cast.eva.profile["pareja_id"] is None


def test_a_strangers_name_stays(cast: Cast) -> None:
    answer = cast.eva.client.patch(
        f"{REST}/profiles?id=eq.{cast.ana.id}",
        json={"nombre": "Otra"},
        headers={"prefer": "return=representation"},
    )
    assert (answer.status_code, answer.json()) == (200, [])
    assert cast.ana.profile["nombre"] == "Ana"


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_profiles_are_neither_made_nor_deleted(cast: Cast, method: str) -> None:
    answer = cast.eva.client.request(
        method, f"{REST}/profiles?id=eq.{cast.eva.id}", json={"id": cast.eva.id, "nombre": "x"}
    )
    assert _error(answer) == (403, "42501")


def _estimate(person: Person, titulo: str) -> str:
    answer = person.client.get(
        f"{REST}/actividades?select=id&titulo=eq.{titulo}", headers={"prefer": "count=planned"}
    )
    assert answer.json() == []
    return answer.headers["content-range"]


def test_an_estimated_count_does_not_betray_a_title(cast: Cast, stack: Stack) -> None:
    rows = [
        {"titulo": "Repetida", "fecha": "2026-05-05", "creador_id": cast.ana.id, "pareja_id": cast.ana.profile["pareja_id"]}
    ] * 400  # fmt: skip
    answer = cast.ana.client.post(f"{REST}/actividades", json=rows)
    assert answer.status_code == 201, answer.text
    try:
        asyncio.run(_analyze(stack.keys["DATABASE_URL"]))
        assert _estimate(cast.eva, "Repetida") == _estimate(cast.eva, "Inexistente")
    finally:
        cast.ana.client.delete(f"{REST}/actividades?titulo=eq.Repetida")


async def _analyze(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("analyze public.actividades")
    finally:
        await connection.close()


def test_a_forged_token_is_refused(cast: Cast) -> None:
    head, payload, signature = cast.ana.session["access_token"].split(".")
    for token in (f"{head}.{payload}.{signature[:-4]}AAAA", f"{head}.{payload}.", "a.b.c"):
        answer = cast.nobody.get(
            f"{REST}/actividades", headers={"authorization": f"Bearer {token}"}
        )
        assert _error(answer) == (401, "PGRST301"), token

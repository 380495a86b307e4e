"""The planner's calls with stock supabase-py, and the example script as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from postgrest import APIError
from supabase import Client, ClientOptions, create_client

from tests.harness_stack import ROOT, Stack

PASSWORD = "secreto-123"


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    with httpx.Client() as opened:
        yield opened


def _sign_up(stack: Stack, http: httpx.Client, nombre: str) -> tuple[Client, str]:
    options = ClientOptions(httpx_client=http, auto_refresh_token=False)
    client = create_client(stack.url, stack.keys["SUPABASE_ANON_KEY"], options)
    answer = client.auth.sign_up(
        {
            "email": f"{nombre.lower()}-{uuid.uuid4()}@example.com",
            "password": PASSWORD,
            "options": {"data": {"nombre": nombre}, "email_redirect_to": f"{stack.url}/"},
        }
    )
    assert answer.user is not None
    return client, answer.user.id


def _profile(client: Client, user_id: str) -> Any:
    return client.table("profiles").select("*").eq("id", user_id).single().execute().data


def _list(client: Client) -> Any:
    return client.table("actividades").select("*").order("fecha").execute().data


def test_two_partners_plan_together(stack: Stack, http: httpx.Client) -> None:
    (ana, ana_id), (luis, luis_id) = (_sign_up(stack, http, name) for name in ("Ana", "Luis"))
    code = ana.rpc("crear_invitacion", {}).execute().data["codigo"]
    assert luis.rpc("ver_invitacion", {"codigo": code}).execute().data["nombre"] == "Ana"
    pareja_id = luis.rpc("aceptar_invitacion", {"codigo": code}).execute().data["pareja_id"]
    assert _profile(ana, ana_id) == {"id": ana_id, "nombre": "Ana", "pareja_id": pareja_id}
    row = {
        "titulo": "Cena",
        "descripcion": None,
        "fecha": "2026-12-24",
        "presupuesto": 12.5,
        "estado": "pendiente",
        "creador_id": ana_id,
        "pareja_id": pareja_id,
    }
    ana.table("actividades").insert(row).execute()
    [seen] = _list(luis)
    assert {key: seen[key] for key in row} == row
    answer = {"estado": "aceptado", "aceptado_por": luis_id}
    luis.table("actividades").update(answer).eq("id", seen["id"]).execute()
    assert _list(ana)[0]["aceptado_por"] == luis_id
    assert luis.table("actividades").delete().eq("id", seen["id"]).execute().data == []
    assert len(ana.table("actividades").delete().eq("id", seen["id"]).execute().data) == 1
    assert _list(ana) == _list(luis) == []
    ana.auth.sign_out()
    with pytest.raises(APIError) as refused:
        _list(ana)
    assert refused.value.code == "42501"


def _run_example(stack: Stack, email: str, titulo: str) -> list[str]:
    script = ROOT / "examples" / "planner.py"
    ended = subprocess.run(
        [sys.executable, str(script), email, PASSWORD, titulo, "2026-12-24", "--once"],
        env={"PATH": os.environ["PATH"], **stack.keys},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    return ended.stdout.splitlines()


def test_the_example_signs_up_creates_lists_and_listens(stack: Stack) -> None:
    email = f"ejemplo-{uuid.uuid4()}@example.com"
    [listed, change] = _run_example(stack, email, "Cena en casa")
    assert listed == "2026-12-24  pendiente  Cena en casa"
    assert change.startswith("INSERT: ")
    assert "Cena en casa" in change


def test_the_example_signs_in_the_second_time(stack: Stack) -> None:
    email = f"ejemplo-{uuid.uuid4()}@example.com"
    _run_example(stack, email, "Una")
    assert len(_run_example(stack, email, "Otra")) == 3

"""However much is logged, no password, token or key is in it."""

from __future__ import annotations

import time
import uuid

import httpx2

from tests.harness_live import open_socket
from tests.harness_stack import Stack

PASSWORD = f"clave-{uuid.uuid4()}"
SECONDS = 60


def _await_line(stack: Stack, marker: str) -> str:
    """Everything logged up to the line that names the marker."""
    deadline = time.monotonic() + SECONDS
    while marker not in (logged := "".join(stack.output)):
        assert time.monotonic() < deadline, f"{marker} is not in the log"
        time.sleep(0.02)
    return logged


async def test_no_secret_is_logged(project_stack: Stack) -> None:
    keys = project_stack.keys
    headers = {"apikey": keys["SUPABASE_SECRET_KEY"]}
    email = f"secreta-{uuid.uuid4()}@example.com"
    with httpx2.Client(base_url=project_stack.url, headers=headers, timeout=60) as client:
        credentials = {"email": email, "password": PASSWORD}
        client.post("/auth/v1/admin/users", json={**credentials, "email_confirm": True})
        client.post("/auth/v1/signup", json=credentials)
        client.post("/auth/v1/signup", content=f'{{"password": "{PASSWORD}",')
        client.post(
            "/auth/v1/token?grant_type=password", json={**credentials, "email": f"x{email}"}
        )
        answer = client.post("/auth/v1/token?grant_type=password", json=credentials)
        session = answer.json()
        user = {"authorization": f"Bearer {session['access_token']}"}
        client.put("/auth/v1/user", json={"password": PASSWORD}, headers=user)
        refresh = {"refresh_token": session["refresh_token"]}
        renewed = client.post("/auth/v1/token?grant_type=refresh_token", json=refresh).json()
        client.get("/rest/v1/diary", headers=user)
        client.get("/rest/v1/diary?owner=eq.x", headers=user)
        client.get("/rest/v1/diary", headers={"authorization": f"Bearer {PASSWORD}.a.b"})
        client.get(f"/rest/v1/items?select=id&apikey={keys['SUPABASE_PUBLISHABLE_KEY']}")
        async with open_socket(project_stack.url, keys["SUPABASE_PUBLISHABLE_KEY"]) as live:
            token = renewed["access_token"]
            change = {"event": "*", "schema": "public", "table": "diary"}
            await live.subscribe("x", session["access_token"], change)
            await live.push("realtime:x", "access_token", {"access_token": token})
            await live.push("realtime:y", "phx_join", {"access_token": f"{PASSWORD}.a.b"})
            await live.settle()
        marker = f"marker_{uuid.uuid4().hex}"
        client.post(f"/rest/v1/rpc/{marker}", json={})
    logged = _await_line(project_stack, marker)
    secrets = {
        "the password": PASSWORD,
        "an access token": session["access_token"].rpartition(".")[2],
        "a renewed token": renewed["access_token"].rpartition(".")[2],
        "a refresh token": renewed["refresh_token"],
        "the JWT secret": keys["JWT_SECRET"],
        "the secret key": keys["SUPABASE_SECRET_KEY"],
        "the service token": keys["SUPABASE_SERVICE_ROLE_KEY"].rpartition(".")[2],
    }
    assert [name for name, secret in secrets.items() if secret in logged] == []

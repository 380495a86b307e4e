"""Tokens of another issuer, and a project's own signing keys, in a stack that serves both."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from tests.harness_live import open_socket
from tests.harness_oidc import Provider, open_provider
from tests.harness_stack import Stack, start_stack

CONFIG = """
project_id = "guests"
[auth]
signing_keys_path = "./signing_keys.json"
[auth.third_party.workos]
enabled = true
issuer_url = "env(WORKOS_ISSUER)"
[storage.buckets.notes]
"""
MIGRATION = """
create table notes (id int primary key, owner text default auth.jwt() ->> 'sub');
alter table notes enable row level security;
create policy own on notes to authenticated using (owner = (select auth.jwt() ->> 'sub'));
grant all on notes to authenticated;
alter publication supabase_realtime add table notes;
create policy own on storage.objects to authenticated
  using (bucket_id = 'notes' and owner_id = (select auth.jwt() ->> 'sub'));
"""


def signing_keys() -> str:
    key = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1())))
    return json.dumps([{**key, "kid": "of-the-project", "alg": "ES256", "use": "sig"}])


@pytest.fixture(scope="module")
async def issuer() -> AsyncIterator[Provider]:
    async with open_provider() as provider:
        yield provider


@pytest.fixture(scope="module")
async def served(
    issuer: Provider, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stack]:
    folder = tmp_path_factory.mktemp("guests") / "supabase"
    (folder / "migrations").mkdir(parents=True)
    (folder / "config.toml").write_text(CONFIG)
    (folder / "signing_keys.json").write_text(signing_keys())
    (folder / "migrations/1_notes.sql").write_text(MIGRATION)
    stack = await asyncio.to_thread(
        start_stack, tmp_path_factory.mktemp("data") / "data", SUPABASE_DIR=str(folder),
        DATABASE_PORT="0", WORKOS_ISSUER=issuer.issuer, GOTRUE_EGRESS_ALLOW_LIST="127.0.0.1",
    )  # fmt: skip
    yield stack
    await asyncio.to_thread(stack.stop)


def client(stack: Stack, token: str) -> httpx2.AsyncClient:
    headers = {"apikey": stack.keys["SUPABASE_ANON_KEY"], "authorization": f"Bearer {token}"}
    return httpx2.AsyncClient(base_url=stack.url, headers=headers, trust_env=False)


def token_of(issuer: Provider, person: str, **more: Any) -> str:
    return issuer.id_token("guests", sub=person, **{"role": "authenticated"} | more)


async def test_rest_knows_whom_another_issuer_names(served: Stack, issuer: Provider) -> None:
    async with client(served, token_of(issuer, "user_2ana")) as ana:
        assert (await ana.post("/rest/v1/notes", json={"id": 1})).status_code == 201
        assert (await ana.get("/rest/v1/notes")).json() == [{"id": 1, "owner": "user_2ana"}]
    async with client(served, token_of(issuer, "user_2bea")) as bea:
        assert (await bea.get("/rest/v1/notes")).json() == []


async def test_live_changes_are_for_whom_it_names(served: Stack, issuer: Provider) -> None:
    token = token_of(issuer, "user_2leo")
    async with (
        open_socket(served.url, served.keys["SUPABASE_ANON_KEY"]) as live,
        client(served, token) as leo,
    ):
        await live.subscribe(
            "notes", token, {"event": "INSERT", "schema": "public", "table": "notes"}
        )
        await leo.post("/rest/v1/notes", json={"id": 2})
        change = await live.await_change(lambda data: data["record"]["id"] == 2)
        assert change["record"]["owner"] == "user_2leo"


async def test_files_are_theirs_whom_it_names(served: Stack, issuer: Provider) -> None:
    async with client(served, token_of(issuer, "user_2ana")) as ana:
        stored = await ana.post("/storage/v1/object/notes/a.txt", content=b"hello")
        assert stored.status_code == 200, stored.text
        assert (await ana.get("/storage/v1/object/notes/a.txt")).text == "hello"
    async with client(served, token_of(issuer, "user_2bea")) as bea:
        assert (await bea.get("/storage/v1/object/notes/a.txt")).status_code == 400


async def test_a_token_that_the_same_key_signed_for_another_project_counts_for_nothing(
    served: Stack, issuer: Provider
) -> None:
    foreign = token_of(issuer, "user_2ana", role="service_role", iss=f"{issuer.issuer}/other")
    async with client(served, foreign) as nobody:
        assert (await nobody.get("/rest/v1/notes")).status_code == 401
        assert (await nobody.get("/storage/v1/bucket")).status_code == 400
    async with open_socket(served.url, served.keys["SUPABASE_ANON_KEY"]) as live:
        joining = {"config": {}, "access_token": foreign}
        assert (await live.reply("realtime:notes", "phx_join", joining))["status"] == "error"


async def test_a_key_that_the_issuer_does_not_publish_counts_for_nothing(
    served: Stack, issuer: Provider
) -> None:
    stranger = Provider(issuer=issuer.issuer)
    async with client(served, token_of(stranger, "user_2ana")) as nobody:
        assert (await nobody.get("/rest/v1/notes")).status_code == 401
    async with client(served, token_of(issuer, "user_2ana", exp=1)) as late:
        assert (await late.get("/rest/v1/notes")).status_code == 401


async def test_a_new_key_of_the_issuer_counts_at_once_and_its_old_one_no_more(
    served: Stack, issuer: Provider
) -> None:
    old = token_of(issuer, "user_2ana")
    async with client(served, old) as ana:
        assert (await ana.get("/rest/v1/notes")).status_code == 200
        issuer.key, issuer.kid = Provider().key, "two"
        async with client(served, token_of(issuer, "user_2ana")) as with_new:
            assert (await with_new.get("/rest/v1/notes")).status_code == 200
            listed = await with_new.post("/storage/v1/object/list/notes", json={"prefix": ""})
            assert listed.status_code == 200, listed.text
        assert (await ana.get("/rest/v1/notes")).status_code == 401


async def test_the_auth_service_takes_its_own_tokens_alone(served: Stack, issuer: Provider) -> None:
    async with client(served, token_of(issuer, "user_2ana")) as ana:
        assert (await ana.get("/auth/v1/user")).status_code == 403


async def test_users_tokens_are_signed_by_the_projects_own_key(served: Stack) -> None:
    async with client(served, served.keys["SUPABASE_ANON_KEY"]) as anyone:
        body = {"email": "ana@example.com", "password": "a long password"}
        session = (await anyone.post("/auth/v1/signup", json=body)).json()
        published = (await anyone.get("/auth/v1/.well-known/jwks.json")).json()["keys"]
    assert jwt.get_unverified_header(session["access_token"])["kid"] == "of-the-project"
    assert [key["kid"] for key in published] == ["of-the-project"]
    async with client(served, session["access_token"]) as ana:
        assert (await ana.get("/rest/v1/notes")).status_code == 200

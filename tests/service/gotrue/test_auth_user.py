"""The user of a token, read and updated: auth reference 1.12, 3.4."""

from __future__ import annotations

import time

import pytest

from tests.harness_auth import (
    Auth,
    admin_token,
    problem,
    user_token,
)  # fmt: skip


async def test_get_user_shows_the_database_not_the_token(auto: Auth, email: str):
    signed = await auto.signed_up(email)
    await auto.rows("update auth.users set role = 'other' where email = $1", email)
    answer = await auto.get("/user", token=signed["access_token"])
    assert answer.json()["role"] == "other"
    assert answer.json()["confirmed_at"]


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        (None, (401, "no_authorization", "This endpoint requires a valid Bearer token")),
        (
            "nonsense",
            (403, "bad_jwt", "invalid JWT: unable to parse or verify signature, token is malformed: token contains an invalid number of segments"),
        ),
        (
            user_token(sub="x", exp=int(time.time()) - 10),
            (403, "bad_jwt", "invalid JWT: unable to parse or verify signature, token has invalid claims: token is expired"),
        ),
        (admin_token("anon"), (403, "bad_jwt", "invalid claim: missing sub claim")),
        (user_token(sub="me"), (400, "bad_jwt", "invalid claim: sub claim must be a UUID")),
        (
            user_token(sub="7f5b5b3e-0c5e-4f0e-9f3e-000000000000"),
            (403, "user_not_found", "User from sub claim in JWT does not exist"),
        ),
    ],
)  # fmt: skip
async def test_tokens_that_do_not_pass(auth: Auth, token, expected):
    assert problem(await auth.get("/user", token=token)) == expected


async def test_a_token_of_another_secret_does_not_pass(auth: Auth):
    import jwt

    forged = jwt.encode({"sub": "x"}, "x" * 40, algorithm="HS256")
    status, code, text = problem(await auth.get("/user", token=forged))
    assert (status, code) == (403, "bad_jwt")
    assert text.startswith("invalid JWT: unable to parse or verify signature, token signature is")
    unsigned = jwt.encode({"sub": "x", "role": "service_role"}, "", algorithm="none")
    assert (await auth.get("/admin/users", token=unsigned)).status_code == 403


async def test_update_merges_data_and_deletes_by_null(auto: Auth, email: str):
    token = (await auto.signed_up(email, data={"a": 1, "b": {"c": 1}}))["access_token"]
    body = (await auto.put("/user", {"data": {"a": None, "b": {"d": 2}}}, token=token)).json()
    assert "a" not in body["user_metadata"]
    assert body["user_metadata"]["b"] == {"d": 2}


async def test_users_cannot_change_application_metadata_nor_take_addresses(auto: Auth, email: str):
    await auto.signed_up("taken@example.com")
    token = (await auto.signed_up(email))["access_token"]
    assert problem(await auto.put("/user", {"app_metadata": {"x": 1}}, token=token)) == (
        403, "not_admin", "Updating app_metadata requires admin privileges",
    )  # fmt: skip
    assert problem(await auto.put("/user", {"email": "taken@example.com"}, token=token)) == (
        422, "email_exists", "A user with this email address has already been registered",
    )  # fmt: skip

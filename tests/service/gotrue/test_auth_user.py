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


async def test_a_taken_address_is_told_before_what_is_wrong_with_a_challenge(
    auto: Auth, email: str
):
    await auto.signed_up("owner@example.com")
    token = (await auto.signed_up(email))["access_token"]
    body = {"email": "owner@example.com", "code_challenge": "c" * 43}
    assert problem(await auto.put("/user", body, token=token))[1] == "email_exists"


async def test_half_a_challenge_counts_for_nothing_where_no_mail_is_sent(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    body = {"data": {"a": 1}, "code_challenge": "short"}
    assert (await auto.put("/user", body, token=token)).json()["user_metadata"]["a"] == 1
    change = {"email": f"new-{email}", "code_challenge_method": "s256"}
    assert (await auto.put("/user", change, token=token)).status_code == 200
    assert not auto.mailbox.token(f"new-{email}").startswith("pkce_")


async def test_a_password_change_ends_every_pending_change(auth: Auth, email: str):
    made = {"email": email, "password": "first one", "email_confirm": True}
    await auth.post("/admin/users", made, token=admin_token())
    token = (await auth.sign_in(email, "first one")).json()["access_token"]
    changed = await auth.put("/user", {"email": f"new-{email}"}, token=token)
    assert changed.json()["email_change_sent_at"]
    after = (await auth.put("/user", {"password": "second one"}, token=token)).json()
    assert after["new_email"] == f"new-{email}"
    assert "email_change_sent_at" not in after


async def test_a_first_password_gives_an_email_identity_where_that_is_set(open_with, email: str):
    auth = await open_with(GOTRUE_EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED="true")
    for number, password in enumerate(["by the user", "by an admin"]):
        address = f"{number}-{email}"
        body = {"email": address, "email_confirm": True}
        user = (await auth.post("/admin/users", body, token=admin_token())).json()
        await auth.rows("update auth.users set encrypted_password = null where email = $1", address)
        await auth.rows(
            "update auth.identities set provider = 'github' where user_id = $1::uuid", user["id"]
        )
        body = {"type": "magiclink", "email": address}
        link = (await auth.post("/admin/generate_link", body, token=admin_token())).json()
        proof = {"type": "magiclink", "token_hash": link["hashed_token"]}
        token = (await auth.post("/verify", proof)).json()["access_token"]
        if number == 0:
            changed = await auth.put("/user", {"password": password}, token=token)
        else:
            path = f"/admin/users/{user['id']}"
            changed = await auth.put(path, {"password": password}, token=admin_token())
        assert changed.status_code == 200, changed.text
        after = (await auth.get(f"/admin/users/{user['id']}", token=admin_token())).json()
        assert {i["provider"] for i in after["identities"]} == {"github", "email"}
        assert sorted(after["app_metadata"]["providers"]) == ["email", "github"]


async def test_an_administrator_among_users_changes_application_metadata(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    await auto.rows("update auth.users set role = 'admin' where email = $1", email)
    changed = await auto.put("/user", {"app_metadata": {"x": 1}}, token=token)
    assert changed.json()["app_metadata"]["x"] == 1

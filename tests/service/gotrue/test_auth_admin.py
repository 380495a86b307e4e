"""The administrator's API: auth reference 7."""

from __future__ import annotations

import base64
import hashlib
import re
from uuid import uuid4

import pytest

from tests.harness_auth import AUTO, PASSWORD, Auth, admin_token, claims_of, location, problem

ADMIN = admin_token()


async def test_other_roles_are_not_allowed(auth: Auth):
    answer = await auth.get("/admin/users", token=admin_token("authenticated"))
    assert problem(answer) == (403, "not_admin", "User not allowed")
    assert (await auth.get("/admin/users")).status_code == 401


async def test_users_are_listed_newest_first_in_pages(auto: Auth):
    for number in range(5):
        await auto.signed_up(f"page{number}@example.com", data={"full_name": f"Persona {number}"})
    answer = await auto.get("/admin/users?page=1&per_page=2&filter=persona", token=ADMIN)
    body = answer.json()
    assert [user["email"] for user in body["users"]] == ["page4@example.com", "page3@example.com"]
    assert body["users"][0]["identities"] is None
    assert body["aud"] == "authenticated"
    assert answer.headers["x-total-count"] == "5"
    assert answer.headers["link"] == (
        '</admin/users?filter=persona&page=2&per_page=2>; rel="next", '
        '</admin/users?filter=persona&page=3&per_page=2>; rel="last"'
    )
    last = await auto.get("/admin/users?page=3&per_page=2&filter=page", token=ADMIN)
    assert "next" not in last.headers["link"]
    empty = await auto.get("/admin/users?page=&per_page=", token=ADMIN)
    assert empty.status_code == 200
    oldest = await auto.get("/admin/users?sort=created_at%20asc&filter=page", token=ADMIN)
    assert oldest.json()["users"][0]["email"] == "page0@example.com"
    for query, start in (("page=x", "Bad Pagination"), ("sort=email%20asc", "Bad Sort")):
        status, code, text = problem(await auto.get(f"/admin/users?{query}", token=ADMIN))
        assert (status, code) == (400, "validation_failed")
        assert text.startswith(f"{start} Parameters: ")


async def test_users_by_cursor(open_with):
    cursors = await open_with(**AUTO, GOTRUE_EXPERIMENTAL_CURSOR_PAGINATION_ENABLED="true")
    for number in range(3):
        await cursors.signed_up(f"cursor{number}@example.com")
    first = (await cursors.get("/admin/users?limit=2&filter=cursor", token=ADMIN)).json()
    assert first["pagination"]["has_more"] is True
    cursor = first["pagination"]["next_cursor"]
    page = await cursors.get("/admin/users?limit=2&filter=cursor", token=ADMIN)
    assert page.headers["link"] == (
        f'</admin/users?cursor={cursor}&filter=cursor&limit=2>; rel="next"'
    )
    ascending = "/admin/users?limit=1&filter=cursor&sort=created_at+asc"
    seen = (await cursors.get(ascending, token=ADMIN)).json()
    place = seen["pagination"]["next_cursor"]
    after = (await cursors.get(f"{ascending}&cursor={place}", token=ADMIN)).json()
    assert [seen["users"][0]["email"], after["users"][0]["email"]] == [
        "cursor0@example.com", "cursor1@example.com",
    ]  # fmt: skip
    rest = await cursors.get(f"/admin/users?limit=2&filter=cursor&cursor={cursor}", token=ADMIN)
    assert [user["email"] for user in rest.json()["users"]] == ["cursor0@example.com"]
    assert rest.json()["pagination"] == {"has_more": False}


async def test_a_user_is_made_as_told(auth: Auth, email: str):
    wanted = str(uuid4())
    answer = await auth.post(
        "/admin/users",
        {
            "id": wanted, "email": email, "phone": "+34600123456", "password": "x",
            "email_confirm": True, "user_metadata": {"a": 1}, "app_metadata": {"plan": "pro"},
            "role": " supervisor ",
        },
        token=ADMIN,
    )  # fmt: skip
    user = answer.json()
    assert answer.status_code == 200
    assert (user["id"], user["role"], user["phone"]) == (wanted, "supervisor", "34600123456")
    assert user["user_metadata"] == {"a": 1, "email_verified": True}
    assert "confirmed_at" not in user
    assert user["app_metadata"] == {
        "provider": "email", "providers": ["email", "phone"], "plan": "pro",
    }  # fmt: skip
    assert {identity["provider"] for identity in user["identities"]} == {"email", "phone"}
    assert (await auth.sign_in(email, "x")).status_code == 200
    assert auth.mailbox.mails == [] or auth.mailbox.mails[-1].recipient != email


async def test_imported_hashes_sign_in(auth: Auth):
    import argon2
    import bcrypt

    for number, stored in enumerate(
        (
            bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode(),
            argon2.PasswordHasher(1, 8, 1).hash(PASSWORD),
        )
    ):
        body = {
            "email": f"import{number}@example.com", "password_hash": stored, "email_confirm": True,
        }  # fmt: skip
        assert (await auth.post("/admin/users", body, token=ADMIN)).status_code == 200
        assert (await auth.sign_in(body["email"])).status_code == 200
        assert (await auth.sign_in(body["email"], "wrong")).status_code == 400


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, (400, "Cannot create a user without either an email or phone")),
        ({"email": "p@b.c", "password": "x", "password_hash": "y"}, (400, "Only a password or a password hash should be provided")),
        ({"email": "p@b.c", "id": "5"}, (400, "ID must conform to the uuid v4 format")),
        ({"email": "p@b.c", "id": "0" * 32}, (400, "ID cannot be a nil uuid")),
        ({"email": "p@b.c", "password": "x" * 73}, (400, "Password cannot be longer than 72 characters")),
        ({"email": "p@b.c", "ban_duration": "soon"}, (400, 'invalid format for ban duration: time: invalid duration "soon"')),
    ],
)  # fmt: skip
async def test_making_users_refusals(auth: Auth, body, expected):
    status, code, text = problem(await auth.post("/admin/users", body, token=ADMIN))
    assert (status, text) == expected
    assert code == "validation_failed"


async def test_an_address_that_is_taken(auth: Auth, auto: Auth, email: str):
    await auto.signed_up(email)
    answer = await auth.post("/admin/users", {"email": email}, token=ADMIN)
    assert problem(answer)[:2] == (422, "email_exists")


async def test_users_are_read_changed_and_banned(auto: Auth, email: str):
    signed = await auto.signed_up(email)
    path = f"/admin/users/{signed['user']['id']}"
    assert (await auto.get(path, token=ADMIN)).json()["email"] == email
    body = {
        "email": f"n-{email}", "user_metadata": {"a": 1, "sub": None}, "ban_duration": "1h30m",
        "password": "a new password",
    }  # fmt: skip
    user = (await auto.put(path, body, token=ADMIN)).json()
    assert user["email"] == f"n-{email}"
    assert user["identities"][0]["email"] == email, "identities are answered as they were found"
    again = (await auto.get(path, token=ADMIN)).json()
    assert again["identities"][0]["email"] == f"n-{email}"
    assert user["user_metadata"]["a"] == 1
    assert "sub" not in user["user_metadata"]
    assert user["banned_until"]
    sessions = await auto.rows("select 1 from auth.sessions where user_id = $1", user["id"])
    assert sessions == []
    free = (await auto.put(path, {"ban_duration": "none"}, token=ADMIN)).json()
    assert "banned_until" not in free
    await auto.signed_up(email)
    taken = await auto.put(path, {"email": email}, token=ADMIN)
    assert problem(taken) == (500, "unexpected_failure", "Error updating user")
    old = await auto.put(path, {"email": email}, token=ADMIN, old=True)
    assert (old.status_code, old.headers["x-sb-error-code"]) == (500, "unexpected_failure")
    assert old.json() == {
        "code": "23505",
        "message": 'duplicate key value violates unique constraint "users_email_partial_key"',
        "detail": f"Key (email)=({email}) already exists.",
    }


async def test_users_that_are_not_there(auth: Auth):
    assert problem(await auth.get("/admin/users/5", token=ADMIN)) == (
        404, "validation_failed", "user_id must be an UUID",
    )  # fmt: skip
    nobody = f"/admin/users/{uuid4()}"
    for method, path in (
        ("GET", nobody), ("PUT", nobody), ("DELETE", nobody), ("PUT", f"{nobody}/factors/{uuid4()}"),
    ):  # fmt: skip
        answer = await auth.call(method, path, b"{", token=ADMIN)  # looked for before the body
        assert problem(answer) == (404, "user_not_found", "User not found")


async def test_users_are_deleted_whole_or_softly(auto: Auth, email: str):
    whole = (await auto.signed_up(email))["user"]["id"]
    answer = await auto.delete(f"/admin/users/{whole}", token=ADMIN)
    assert (answer.status_code, answer.json()) == (200, {})
    assert await auto.rows("select 1 from auth.users where id = $1", whole) == []
    soft = (await auto.signed_up(email))["user"]["id"]
    await auto.rows(
        "insert into auth.webauthn_credentials (id, user_id, credential_id, public_key)"
        " values (gen_random_uuid(), $1::uuid, 'a'::bytea, 'b'::bytea)", soft,
    )  # fmt: skip
    body = {"should_soft_delete": True}
    assert (await auto.delete(f"/admin/users/{soft}", body, token=ADMIN)).json() == {}
    [row] = await auto.rows(
        "select email, phone, raw_user_meta_data::text as meta, deleted_at, encrypted_password"
        " from auth.users where id = $1", soft,
    )  # fmt: skip
    assert re.fullmatch(r"[\w-]{43}", row["email"])
    assert re.fullmatch(r"[\w-]{15}", row["phone"])
    assert (row["meta"], row["encrypted_password"]) == ("{}", None)
    [identity] = await auto.rows("select * from auth.identities where user_id = $1", soft)
    hashed = hashlib.sha256(f"{soft}email:{soft}".encode()).digest()
    assert identity["provider_id"] == base64.urlsafe_b64encode(hashed).decode().rstrip("=")
    passkeys = "select 1 from auth.webauthn_credentials where user_id = $1"
    assert await auto.rows(passkeys, soft) == []
    assert row["deleted_at"]
    assert (await auto.signed_up(email))["user"]["id"] != soft


async def test_an_imported_hash_without_metadata_leaves_them_null(auto: Auth, email: str):
    body = {"email": email, "password_hash": f"$2y$10${'a' * 53}"}
    made = await auto.post("/admin/users", body, token=ADMIN)
    assert (made.status_code, made.json()["user_metadata"]) == (200, None)
    found = await auto.get(f"/admin/users/{made.json()['id']}", token=ADMIN)
    assert found.json()["user_metadata"] == {}


async def test_an_id_that_somebody_has_is_told_as_the_original_does(auto: Auth, email: str):
    taken = (await auto.signed_up(email))["user"]["id"]
    body = {"email": f"other-{email}", "id": taken}
    answer = await auto.post("/admin/users", body, token=ADMIN)
    assert problem(answer)[2] == "Database error creating new user"


async def test_an_invitation_is_mailed_and_leads_to_its_page(auth: Auth, email: str):
    body = {"email": email, "data": {"nombre": "Iván"}}
    answer = await auth.post("/invite?redirect_to=http://localhost:3000/hi", body, token=ADMIN)
    user = answer.json()
    assert user["invited_at"]
    assert user["user_metadata"] == {"nombre": "Iván"}
    assert auth.mailbox.last(email).kind == "invite"
    redirect = await auth.get(auth.mailbox.link(email).removeprefix("http://localhost:9999"))
    place, _, fragment = location(redirect)
    assert (place, fragment["type"]) == ("http://localhost:3000/hi", "invite")
    again = await auth.post("/invite", body, token=ADMIN)
    assert problem(again)[:2] == (422, "email_exists")


@pytest.mark.parametrize("kind", ["signup", "invite", "magiclink", "recovery"])
async def test_links_without_mail(auth: Auth, email: str, kind: str):
    if kind == "recovery":
        await auth.post("/admin/users", {"email": email, "email_confirm": True}, token=ADMIN)
    body = {
        "type": kind, "email": email, "password": PASSWORD, "data": {"a": 1},
        "redirect_to": "https://app.example.com/back",
    }  # fmt: skip
    answer = await auth.post("/admin/generate_link", body, token=ADMIN)
    link = answer.json()
    assert answer.status_code == 200, answer.text
    expected = "signup" if kind == "magiclink" else kind
    assert link["verification_type"] == expected
    assert link["redirect_to"] == "https://app.example.com/back"
    assert link["action_link"] == (
        f"http://localhost:9999/verify?token={link['hashed_token']}&type={expected}"
        "&redirect_to=https://app.example.com/back"
    )
    assert re.fullmatch(r"\d{6}", link["email_otp"])
    if kind != "recovery":
        assert link["user_metadata"] == {"a": 1}
    verified = await auth.post(
        "/verify", {"type": expected, "email": email, "token": link["email_otp"]}
    )
    assert verified.status_code == 200


async def test_links_of_a_change_of_address(auth: Auth, email: str):
    await auth.post("/admin/users", {"email": email, "email_confirm": True}, token=ADMIN)
    for kind in ("email_change_current", "email_change_new"):
        body = {"type": kind, "email": email, "new_email": f"n-{email}"}
        link = (await auth.post("/admin/generate_link", body, token=ADMIN)).json()
        assert link["new_email"] == f"n-{email}"
        assert "type=email_change&" in link["action_link"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"type": "recovery", "email": "no@b.c"}, (404, "user_not_found", "User with this email not found")),
        ({"type": "odd", "email": "no@b.c"}, (400, "validation_failed", "Invalid email action link type requested: odd")),
        ({"type": "signup", "email": "no@b.c"}, (400, "validation_failed", "Signup requires a valid password")),
    ],
)  # fmt: skip
async def test_link_refusals(auth: Auth, body, expected):
    assert problem(await auth.post("/admin/generate_link", body, token=ADMIN)) == expected


async def test_the_audit_log_is_listed_and_searched(auto: Auth, email: str):
    await auto.signed_up(email)
    answer = await auto.get(f"/admin/audit?query=author:{email[:20]}", token=ADMIN)
    entries = answer.json()
    assert {entry["payload"]["action"] for entry in entries} >= {"user_signedup", "login"}
    assert entries[0]["payload"]["actor_via_sso"] is False
    assert set(entries[0]) == {"id", "payload", "created_at", "ip_address"}
    assert all(entry["ip_address"] for entry in entries)
    assert answer.headers["x-total-count"]
    only = await auto.get("/admin/audit?query=action:user_signedup&per_page=1", token=ADMIN)
    assert [entry["payload"]["log_type"] for entry in only.json()] == ["team"]
    assert (await auto.get("/admin/audit?query=what", token=ADMIN)).status_code == 400


async def test_an_administrator_ends_a_users_sessions_with_the_users_token(auto: Auth, email: str):
    session = await auto.signed_up(email)
    answer = await auto.post("/logout?scope=global", token=session["access_token"])
    assert answer.status_code == 204
    assert problem(await auto.post("/logout", token="garbage"))[:2] == (403, "bad_jwt")


async def test_an_administrators_token_ends_with_its_session(open_with, email: str):
    auth = await open_with(**AUTO, GOTRUE_SESSIONS_TIMEBOX="1h")
    body = {
        "email": email, "password": PASSWORD, "email_confirm": True, "role": "service_role",
    }  # fmt: skip
    await auth.post("/admin/users", body, token=ADMIN)
    token = (await auth.sign_in(email)).json()["access_token"]
    assert (await auth.get("/admin/users", token=token)).status_code == 200
    session = claims_of(token)["session_id"]
    await auth.rows(
        "update auth.sessions set created_at = now() - interval '2 hours' where id = $1::uuid",
        session,
    )
    assert problem(await auth.get("/admin/users", token=token)) == (
        403, "session_expired", "Session is no longer valid",
    )  # fmt: skip
    assert (await auth.post("/logout", token=token)).status_code == 204
    assert problem(await auth.get("/admin/users", token=token)) == (
        403, "session_not_found", "Session from session_id claim in JWT does not exist",
    )  # fmt: skip


async def test_a_confirmation_is_shown_with_the_generated_column_as_it_was(auth: Auth, email: str):
    made = (await auth.post("/admin/users", {"email": email}, token=ADMIN)).json()
    path = f"/admin/users/{made['id']}"
    changed = (await auth.put(path, {"email_confirm": True}, token=ADMIN)).json()
    assert "email_confirmed_at" in changed
    assert "confirmed_at" not in changed
    assert "confirmed_at" in (await auth.get(path, token=ADMIN)).json()

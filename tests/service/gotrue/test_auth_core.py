"""Password and refresh grants, the user, sign-out: auth reference 1.11, 1.12, 3.2 to 3.5, 5."""

from __future__ import annotations

import asyncio
import time
from uuid import uuid4

import pytest

from tests.harness_auth import (
    PASSWORD,
    SECRET,
    Auth,
    admin_token,
    claims_of,
    problem,
    user_token,
)  # fmt: skip


async def test_a_password_opens_a_session(auto: Auth, email: str):
    await auto.signed_up(email)
    answer = await auto.sign_in(email.upper())
    body = answer.json()
    assert answer.status_code == 200
    assert body["weak_password"] is None
    assert body["user"]["last_sign_in_at"]
    assert body["user"]["confirmed_at"]
    entries = await auto.rows(
        "select payload->>'action' as action from auth.audit_log_entries "
        "where payload->>'actor_username' = $1 order by created_at", email,
    )  # fmt: skip
    assert [entry["action"] for entry in entries] == ["user_signedup", "login", "login"]
    await auto.refresh(body["refresh_token"])
    listed = await auto.get("/admin/audit?per_page=2", token=admin_token())
    newest = [entry["payload"]["action"] for entry in listed.json()]
    assert newest == ["token_revoked", "token_refreshed"]


async def test_a_weak_but_right_password_signs_in_and_is_reported(auto: Auth, open_with, email):
    await auto.signed_up(email)
    strict = await open_with(
        GOTRUE_PASSWORD_MIN_LENGTH="20", GOTRUE_PASSWORD_REQUIRED_CHARACTERS="abc:123"
    )
    weak = (await strict.sign_in(email)).json()["weak_password"]
    assert weak == {
        "message": "Password should be at least 20 characters. Password should contain at least "
        "one character of each: abc, 123.",
        "reasons": ["length", "characters"],
    }


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"email": "who@example.com", "password": "x"}, (400, "invalid_credentials", "Invalid login credentials")),
        ({"password": "x"}, (400, "validation_failed", "missing email or phone")),
        ({"email": "a@b.c", "phone": "1"}, (400, "validation_failed", "Only an email address or phone number should be provided on login.")),
        ({"phone": "34600"}, (422, "phone_provider_disabled", "Phone logins are disabled")),
    ],
)  # fmt: skip
async def test_password_refusals(auth: Auth, body, expected):
    assert problem(await auth.post("/token?grant_type=password", body)) == expected


async def test_a_wrong_password_and_an_unconfirmed_address_are_told_apart(auth: Auth, email: str):
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(await auth.sign_in(email, "wrong password")) == (
        400, "invalid_credentials", "Invalid login credentials",
    )  # fmt: skip
    assert problem(await auth.sign_in(email)) == (
        400, "email_not_confirmed", "Email not confirmed",
    )  # fmt: skip


@pytest.mark.parametrize("grant", ["", "?grant_type=magic"])
async def test_an_unknown_grant_is_refused(auth: Auth, grant: str):
    answer = await auth.post(f"/token{grant}", {})
    assert problem(answer) == (400, "invalid_credentials", "unsupported_grant_type")


async def test_refresh_rotates_and_keeps_session_and_methods(auto: Auth, email: str):
    first = await auto.signed_up(email)
    answer = await auto.refresh(first["refresh_token"])
    second = answer.json()
    assert answer.status_code == 200
    assert "weak_password" not in second
    assert second["refresh_token"] != first["refresh_token"]
    old, new = claims_of(first["access_token"]), claims_of(second["access_token"])
    assert (old["session_id"], old["amr"]) == (new["session_id"], new["amr"])
    rows = await auto.rows(
        "select token, revoked, parent from auth.refresh_tokens where session_id = $1::uuid "
        "order by id", new["session_id"],
    )  # fmt: skip
    assert [(row["revoked"], row["parent"]) for row in rows] == [
        (True, None), (False, first["refresh_token"]),
    ]  # fmt: skip
    assert answer.headers["Sb-Auth-Refresh-Token-Reuse"] == "false"


async def test_the_parent_of_the_active_token_gives_that_token_again(auto: Auth, email: str):
    first = await auto.signed_up(email)
    second = (await auto.refresh(first["refresh_token"])).json()
    again = await auto.refresh(first["refresh_token"])
    assert again.status_code == 200
    assert again.json()["refresh_token"] == second["refresh_token"]
    assert "Sb-Auth-Refresh-Token-Reuse" not in again.headers  # nothing was rotated


async def test_a_refresh_writes_the_users_row_as_triggers_of_projects_expect(
    auto: Auth, email: str
):
    signed_in = await auto.signed_up(email)
    await auto.rows("create table public.noted (id uuid, updated_at timestamptz)")
    await auto.rows(
        "create function public.note_user() returns trigger language plpgsql security definer as $$"
        " begin insert into public.noted values (new.id, new.updated_at); return new; end $$"
    )
    await auto.rows(
        "create trigger note_user after update of last_sign_in_at on auth.users"
        " for each row execute function public.note_user()"
    )
    try:
        answer = (await auto.refresh(signed_in["refresh_token"])).json()
        again = await auto.refresh(signed_in["refresh_token"])  # the parent of the active token
        noted = await auto.rows("select id::text, updated_at from public.noted")
    finally:
        await auto.rows("drop trigger note_user on auth.users")
    assert again.status_code == 200
    assert [row["id"] for row in noted] == [signed_in["user"]["id"]]
    assert answer["user"]["updated_at"] > signed_in["user"]["updated_at"]
    assert answer["user"]["last_sign_in_at"] == signed_in["user"]["last_sign_in_at"]
    [row] = await auto.rows("select updated_at from auth.users where email = $1", email)
    assert row["updated_at"] == noted[0]["updated_at"]


async def test_reuse_of_a_grandparent_revokes_the_family_and_keeps_the_session(auto: Auth, email):
    first = await auto.signed_up(email)
    second = (await auto.refresh(first["refresh_token"])).json()
    third = (await auto.refresh(second["refresh_token"])).json()
    expected = (
        400, "refresh_token_already_used", "Invalid Refresh Token: Already Used",
    )  # fmt: skip
    assert problem(await auto.refresh(first["refresh_token"])) == expected
    assert problem(await auto.refresh(third["refresh_token"])) == expected
    assert (await auto.get("/user", token=third["access_token"])).status_code == 200


async def test_within_the_reuse_interval_a_used_token_gives_a_new_child(open_with, email: str):
    lenient = await open_with(
        GOTRUE_MAILER_AUTOCONFIRM="true", GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL="10"
    )
    first = await lenient.signed_up(email)
    second = (await lenient.refresh(first["refresh_token"])).json()
    third = (await lenient.refresh(second["refresh_token"])).json()
    again = await lenient.refresh(first["refresh_token"])
    assert again.status_code == 200
    assert again.json()["refresh_token"] not in {
        first["refresh_token"], second["refresh_token"], third["refresh_token"],
    }  # fmt: skip


async def test_fifty_refreshes_of_one_token_give_one_child(auto: Auth, email: str):
    first = await auto.signed_up(email)
    answers = await asyncio.gather(*(auto.refresh(first["refresh_token"]) for _ in range(50)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["refresh_token"] for answer in answers}) == 1
    session = claims_of(first["access_token"])["session_id"]
    rows = await auto.rows("select 1 from auth.refresh_tokens where session_id = $1::uuid", session)
    assert len(rows) == 2


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("short", (400, "validation_failed", "Refresh token is not valid")),
        ("ABCDEFGHIJKL", (400, "validation_failed", "Refresh token is not valid")),
        ("a" * 40, (400, "validation_failed", "Refresh token is not valid")),
        (
            "abcdefghijkl",
            (400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found"),
        ),
    ],
)
async def test_refresh_refusals(auth: Auth, token: str, expected):
    assert problem(await auth.refresh(token)) == expected


async def test_counted_tokens_refresh_reuse_and_end_their_session(open_with, email: str):
    counted = await open_with(
        GOTRUE_MAILER_AUTOCONFIRM="true", GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION="2"
    )
    first = await counted.signed_up(email)
    assert len(first["refresh_token"]) > 12
    second = (await counted.refresh(first["refresh_token"])).json()
    again = (await counted.refresh(first["refresh_token"])).json()
    assert again["refresh_token"] == second["refresh_token"]
    third = (await counted.refresh(second["refresh_token"])).json()
    assert problem(await counted.refresh(first["refresh_token"]))[1] == "refresh_token_already_used"
    assert problem(await counted.refresh(third["refresh_token"]))[1] == "refresh_token_not_found"
    forged = third["refresh_token"][:-6] + "AAAAAA"
    assert problem(await counted.refresh(forged))[1] == "validation_failed"


async def test_sessions_end_by_timebox_inactivity_and_newer_login(open_with, email: str):
    limited = await open_with(
        GOTRUE_MAILER_AUTOCONFIRM="true", GOTRUE_SESSIONS_TIMEBOX="1h",
        GOTRUE_SESSIONS_INACTIVITY_TIMEOUT="30m", GOTRUE_SESSIONS_SINGLE_PER_USER="true",
    )  # fmt: skip
    first = await limited.signed_up(email)
    second = (await limited.sign_in(email)).json()
    assert problem(await limited.refresh(first["refresh_token"])) == (
        400, "session_expired",
        "Invalid Refresh Token: Session Expired (Revoked by Newer Login)",
    )  # fmt: skip
    session = claims_of(second["access_token"])["session_id"]
    age = "update auth.sessions set created_at = now() - interval '{}' where id = $1::uuid"
    await limited.rows(age.format("45 minutes"), session)
    await limited.rows(
        "update auth.refresh_tokens set updated_at = now() - interval '45 minutes' "
        "where session_id = $1::uuid", session,
    )  # fmt: skip
    assert problem(await limited.refresh(second["refresh_token"]))[2].endswith("(Inactivity)")
    await limited.rows(age.format("2 hours"), session)
    assert problem(await limited.refresh(second["refresh_token"]))[2] == (
        "Invalid Refresh Token: Session Expired"
    )


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


async def test_a_session_that_ended_and_a_ban_refuse_the_token(auto: Auth, email: str):
    signed = await auto.signed_up(email)
    await auto.rows(
        "update auth.users set banned_until = now() + interval '1h' where email = $1", email
    )
    token = signed["access_token"]
    assert problem(await auto.get("/user", token=token)) == (403, "user_banned", "User is banned")
    assert problem(await auto.sign_in(email)) == (400, "user_banned", "User is banned")
    assert problem(await auto.refresh(signed["refresh_token"])) == (
        400, "user_banned", "Invalid Refresh Token: User Banned",
    )  # fmt: skip
    await auto.rows("update auth.users set banned_until = null where email = $1", email)
    await auto.rows("delete from auth.sessions")
    assert problem(await auto.get("/user", token=token)) == (
        403, "session_not_found", "Session from session_id claim in JWT does not exist",
    )  # fmt: skip


async def test_the_user_of_a_token_is_looked_for_before_its_session(auto: Auth, email: str):
    unknown = user_token(sub=str(uuid4()), session_id="x")
    assert problem(await auto.get("/user", token=unknown))[1] == "user_not_found"
    signed = await auto.signed_up(email)
    known = user_token(sub=signed["user"]["id"], session_id="x")
    assert problem(await auto.get("/user", token=known)) == (
        403, "bad_jwt", "invalid claim: session_id claim must be a UUID",
    )  # fmt: skip


async def test_names_in_a_body_are_found_in_any_case(auto: Auth, email: str):
    body = {"Email": email, "PASSWORD": PASSWORD, "data": {"Kept": 1}}
    user = (await auto.post("/signup", body)).json()["user"]
    assert (user["email"], user["user_metadata"]["Kept"]) == (email, 1)
    both = {"EMAIL": "other@example.com", "email": email, "password": PASSWORD}
    assert (await auto.post("/token?grant_type=password", both)).status_code == 200


async def test_update_merges_data_and_deletes_by_null(auto: Auth, email: str):
    token = (await auto.signed_up(email, data={"a": 1, "b": {"c": 1}}))["access_token"]
    body = (await auto.put("/user", {"data": {"a": None, "b": {"d": 2}}}, token=token)).json()
    assert "a" not in body["user_metadata"]
    assert body["user_metadata"]["b"] == {"d": 2}


async def test_a_new_password_ends_the_other_sessions(auto: Auth, email: str):
    first = await auto.signed_up(email)
    second = (await auto.sign_in(email)).json()
    token = second["access_token"]
    assert problem(await auto.put("/user", {"password": PASSWORD}, token=token)) == (
        422, "same_password", "New password should be different from the old password.",
    )  # fmt: skip
    weak = await auto.put("/user", {"password": "12"}, token=token)
    assert weak.status_code == 422
    assert weak.json() == {
        "code": "weak_password", "message": "Password should be at least 6 characters.",
        "weak_password": {"reasons": ["length"]},
    }  # fmt: skip
    assert (await auto.put("/user", {"password": "brand new one"}, token=token)).status_code == 200
    assert problem(await auto.get("/user", token=first["access_token"]))[1] == "session_not_found"
    assert (await auto.get("/user", token=token)).status_code == 200
    assert (await auto.sign_in(email, "brand new one")).status_code == 200


async def test_users_cannot_change_application_metadata_nor_take_addresses(auto: Auth, email: str):
    await auto.signed_up("taken@example.com")
    token = (await auto.signed_up(email))["access_token"]
    assert problem(await auto.put("/user", {"app_metadata": {"x": 1}}, token=token)) == (
        403, "not_admin", "Updating app_metadata requires admin privileges",
    )  # fmt: skip
    assert problem(await auto.put("/user", {"email": "taken@example.com"}, token=token)) == (
        422, "email_exists", "A user with this email address has already been registered",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scope", "left"), [("", (0, 0)), ("?scope=local", (1, 0)), ("?scope=others", (0, 1))]
)
async def test_sign_out_scopes(auto: Auth, email: str, scope: str, left: tuple[int, int]):
    other = await auto.signed_up(email)
    mine = (await auto.sign_in(email)).json()
    answer = await auto.post(f"/logout{scope}", token=mine["access_token"])
    assert (answer.status_code, answer.content) == (204, b"")
    statuses = [
        (await auto.get("/user", token=session["access_token"])).status_code == 200
        for session in (other, mine)
    ]
    assert tuple(map(int, statuses)) == left
    if scope == "":
        assert problem(await auto.refresh(mine["refresh_token"]))[1] == "refresh_token_not_found"


async def test_an_unknown_sign_out_scope_is_refused(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    answer = await auto.post("/logout?scope=some", token=token)
    assert problem(answer) == (400, "validation_failed", 'Unsupported logout scope "some"')


async def test_both_error_bodies(auth: Auth):
    new = await auth.post("/signup", {"email": "a@b.c", "password": "1"})
    assert new.json() == {
        "code": "weak_password", "message": "Password should be at least 6 characters.",
        "weak_password": {"reasons": ["length"]},
    }  # fmt: skip
    assert new.headers["X-Supabase-Api-Version"] == "2024-01-01"
    old = await auth.post("/signup", {"email": "a@b.c", "password": "1"}, old=True)
    assert old.json() == {
        "code": 422, "error_code": "weak_password",
        "msg": "Password should be at least 6 characters.",
        "weak_password": {"reasons": ["length"]},
    }  # fmt: skip
    assert "X-Supabase-Api-Version" not in old.headers
    plain = await auth.get("/user", old=True)
    assert plain.json() == {
        "code": 401, "error_code": "no_authorization",
        "msg": "This endpoint requires a valid Bearer token",
    }  # fmt: skip
    assert plain.headers["X-Sb-Error-Code"] == "no_authorization"


async def test_spanish_readers_get_spanish_texts_with_the_same_code(auth: Auth):
    answer = await auth.call(
        "POST", "/token?grant_type=password", {"email": "nadie@example.com", "password": "x"},
        headers={"Accept-Language": "es-ES,es;q=0.9,en;q=0.8"},
    )  # fmt: skip
    assert problem(answer) == (
        400, "invalid_credentials", "Correo o contraseña incorrectos",
    )  # fmt: skip


async def test_bodies_that_are_no_json(auth: Auth):
    """How each is worded: tests/unit/gotrue/http/test_json_body."""
    for body in (
        b"",
        b"[1]",
        b'{"email": 5}',
        b"\xff",
        b'{"data":' + b'{"\\u0061":' * 900 + b"1" + b"}" * 901,
    ):
        status, code, text = problem(await auth.post("/signup", body))
        assert (status, code) == (400, "bad_json")
        assert text.startswith("Could not parse request body as JSON: ")


async def test_json_is_read_whatever_the_content_type_says(auto: Auth, email: str):
    await auto.signed_up(email)
    body = f'{{"email": "{email}", "password": "{PASSWORD}", "code_challenge": null}}'.encode()
    answer = await auto.call(
        "POST", "/token?grant_type=password", body, headers={"content-type": "text/plain"}
    )
    assert answer.status_code == 200


async def test_unknown_paths_wrong_methods_and_large_bodies(auth: Auth):
    missing = await auth.get("/nowhere")
    assert (missing.status_code, missing.text.strip()) == (404, "404 page not found")
    assert missing.headers["content-type"].startswith("text/plain")
    assert missing.headers["x-content-type-options"] == "nosniff"
    for path in ("/admin/custom-providers/%00", "/oauth/authorizations/x%00"):
        assert (await auth.get(path, token=admin_token())).status_code == 404
    wrong = await auth.delete("/signup")
    assert (wrong.status_code, wrong.content, wrong.headers["allow"]) == (405, b"", "POST")
    large = await auth.post("/signup", b'{"x":"' + b"a" * 1_100_000 + b'"}')
    assert problem(large) == (
        413, "request_entity_too_large", "Request body too large (max 1048576 bytes)",
    )  # fmt: skip


async def test_browsers_of_other_origins_may_call_with_an_apikey(auth: Auth):
    answer = await auth.call(
        "OPTIONS", "/token",
        headers={
            "Origin": "http://localhost:5173", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "apikey,content-type,x-client-info",
        },
    )  # fmt: skip
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "apikey" in answer.headers["access-control-allow-headers"]
    plain = await auth.call("GET", "/health", headers={"Origin": "http://localhost:5173"})
    assert plain.headers["access-control-allow-origin"] == "*"
    assert "X-Total-Count" in plain.headers["access-control-expose-headers"]


async def test_discovery(auth: Auth):
    assert (await auth.get("/health")).json() == {
        "version": "v2.196.0", "name": "GoTrue",
        "description": "GoTrue is a user registration and authentication API",
    }  # fmt: skip
    settings = (await auth.get("/settings")).json()
    assert len(settings["external"]) == 26
    assert settings["external"]["email"] is True
    assert settings["external"]["google"] is False
    assert settings["mailer_autoconfirm"] is False
    keys = await auth.get("/.well-known/jwks.json")
    assert keys.json() == {"keys": []}
    assert keys.headers["cache-control"] == "public, max-age=600"
    told = (await auth.get("/.well-known/openid-configuration")).json()
    assert list(told)[5:7] == ["scopes_supported", "response_types_supported"]
    assert told["id_token_signing_alg_values_supported"] == ["RS256", "HS256", "ES256"]


async def test_without_a_database_the_service_answers_503(open_with):
    away = await open_with(DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    answer = await away.post("/token?grant_type=password", {"email": "a@b.c", "password": "x"})
    assert answer.status_code == 503
    assert (await away.get("/health")).status_code == 200
    assert SECRET not in str(away.observations)


async def test_without_a_free_connection_the_service_answers_503(open_with, auto: Auth):
    """503 is what clients try again; a 500 would say that trying again is of no use."""
    await auto.rows("alter role supabase_auth_admin connection limit 0")
    try:
        full = await open_with()
        answer = await full.post("/recover", {"email": "a@b.es"})
    finally:
        await auto.rows("alter role supabase_auth_admin connection limit -1")
    assert answer.status_code == 503
    assert (await full.post("/recover", {"email": "a@b.es"})).status_code == 200

"""POST /signup: auth reference 3.1."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from gotrue_compat.adapters.hashing import COST
from tests.harness_auth import PASSWORD, Auth, admin_token, claims_of, problem


async def test_sign_up_where_addresses_confirm_themselves_gives_a_session(auto: Auth, email: str):
    answer = await auto.post(
        "/signup", {"email": email, "password": PASSWORD, "data": {"nombre": "Ana"}}
    )
    body = answer.json()
    assert answer.status_code == 200
    assert list(body) == [
        "access_token", "token_type", "expires_in", "expires_at", "refresh_token", "user",
    ]  # fmt: skip
    assert (body["token_type"], body["expires_in"]) == ("bearer", 3600)
    assert len(body["refresh_token"]) == 12
    user = body["user"]
    assert user["user_metadata"] == {
        "nombre": "Ana", "sub": user["id"], "email": email, "email_verified": True,
        "phone_verified": False,
    }  # fmt: skip
    assert user["app_metadata"] == {"provider": "email", "providers": ["email"]}
    assert user["role"] == user["aud"] == "authenticated"
    assert user["phone"] == ""
    assert user["is_anonymous"] is False
    assert "confirmed_at" not in user
    assert "factors" not in user
    [identity] = user["identities"]
    assert identity["id"] == identity["user_id"] == user["id"]
    assert identity["identity_data"] == user["user_metadata"]
    stored = (await auto.get("/user", token=body["access_token"])).json()
    assert stored["confirmed_at"]
    assert stored["identities"][0]["identity_data"]["email_verified"] is False
    assert identity["provider"] == "email"
    assert identity["identity_data"]["nombre"] == "Ana"
    claims = claims_of(body["access_token"])
    assert claims["amr"] == [{"method": "password", "timestamp": claims["iat"]}]
    assert claims["session_id"] == answer.headers["Sb-Auth-Session-Id"]
    assert claims["aal"] == "aal1"
    assert claims["exp"] - claims["iat"] == 3600
    assert "iss" not in claims


async def test_sign_up_that_needs_confirmation_gives_a_bare_user_and_a_mail(auth: Auth, email: str):
    answer = await auth.post("/signup", {"email": email.upper(), "password": PASSWORD})
    body = answer.json()
    assert answer.status_code == 200
    assert body["email"] == email
    assert "confirmation_sent_at" in body
    assert "email_confirmed_at" not in body
    assert "access_token" not in body
    assert auth.mailbox.last(email).kind == "confirmation"
    assert auth.mailbox.link(email).startswith("http://localhost:9999/verify?token=")
    assert auth.mailbox.link(email).endswith("&type=signup&redirect_to=http://localhost:3000")


async def test_the_trigger_of_a_project_sees_the_metadata_at_the_insert(auto: Auth, email: str):
    await auto.rows("create table if not exists public.seen (id uuid, meta jsonb);")
    await auto.rows("grant all on public.seen to supabase_auth_admin")
    await auto.rows(
        "create or replace function public.see() returns trigger language plpgsql security definer "
        "set search_path = '' as $$ begin insert into public.seen values (new.id, "
        "new.raw_user_meta_data); return new; end $$"
    )
    await auto.rows(
        "create trigger see after insert on auth.users for each row execute function public.see()"
    )
    try:
        signed = await auto.signed_up(email, data={"nombre": "Luz"})
        seen = await auto.rows("select meta from public.seen where id = $1", signed["user"]["id"])
        assert seen[0]["meta"] == '{"nombre": "Luz"}'
    finally:
        await auto.rows("drop trigger see on auth.users")


async def test_a_raising_trigger_takes_the_sign_up_back(auto: Auth, email: str):
    await auto.rows(
        "create or replace function public.refuse() returns trigger language plpgsql as "
        "$$ begin raise exception 'not you'; end $$"
    )
    await auto.rows(
        "create trigger refuse after insert on auth.users for each row "
        "execute function public.refuse()"
    )
    try:
        answer = await auto.post("/signup", {"email": email, "password": PASSWORD})
        assert problem(answer) == (500, "unexpected_failure", "Database error saving new user")
        old = await auto.post("/signup", {"email": email, "password": PASSWORD}, old=True)
        assert old.status_code == 500
        assert old.json() == {"code": "P0001", "message": "not you"}
    finally:
        await auto.rows("drop trigger refuse on auth.users")
    assert await auto.rows("select 1 from auth.users where email = $1", email) == []


KEEP = (
    "create or replace function public.keep() returns trigger language plpgsql as "
    "$$ begin raise exception 'as it is'; end $$"
)


async def test_a_raising_trigger_is_told_by_what_it_kept_from_being_done(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    await auto.rows(KEEP)
    await auto.rows(
        "create trigger keep before update on auth.users for each row execute function public.keep()"
    )
    await auto.rows(
        "create trigger keep before delete on auth.sessions for each row "
        "execute function public.keep()"
    )
    try:
        for answer, text in (
            (await auto.sign_in(email), "Database error granting user"),
            (await auto.put("/user", {"data": {"a": 1}}, token=token), "Error updating user"),
            (await auto.post("/logout", token=token), "Error logging out user"),
            (await auto.post("/recover", {"email": email}), "Error sending recovery email"),
        ):
            assert problem(answer) == (500, "unexpected_failure", text)
            assert answer.headers["x-sb-error-code"] == "unexpected_failure"
    finally:
        await auto.rows("drop trigger keep on auth.users")
        await auto.rows("drop trigger keep on auth.sessions")


async def test_what_a_trigger_raises_is_shown_where_the_service_has_words_of_its_own(
    auto: Auth, email: str
):
    token = (await auto.signed_up(email))["refresh_token"]
    await auto.rows(KEEP)
    await auto.rows(
        "create trigger keep before insert on auth.refresh_tokens for each row "
        "execute function public.keep()"
    )
    try:
        body = {"email": f"other-{email}", "password": PASSWORD}
        worded = await auto.post("/signup", body, old=True)
        renewed = {"refresh_token": token}
        hidden = await auto.post("/token?grant_type=refresh_token", renewed, old=True)
    finally:
        await auto.rows("drop trigger keep on auth.refresh_tokens")
    assert worded.json() == {"code": "P0001", "message": "as it is"}
    assert worded.headers["x-sb-error-code"] == "unexpected_failure"
    assert hidden.json() == {
        "code": 500, "error_code": "unexpected_failure",
        "msg": "Unexpected failure, please check server logs for more information",
    }  # fmt: skip


async def test_an_identity_that_a_trigger_refuses(auto: Auth, email: str):
    await auto.rows(KEEP)
    await auto.rows(
        "create trigger keep before insert on auth.identities for each row "
        "execute function public.keep()"
    )
    body = {"email": email, "password": PASSWORD}
    try:
        answer = await auto.post("/signup", body)
        made = await auto.post("/admin/users", body, token=admin_token(), old=True)
    finally:
        await auto.rows("drop trigger keep on auth.identities")
    assert problem(answer) == (500, "unexpected_failure", "Error creating identity")
    assert made.json()["msg"] == "Database error creating new user"


async def test_an_unconfirmed_user_gets_the_mail_again_and_keeps_the_password(
    auth: Auth, email: str
):
    first = (await auth.post("/signup", {"email": email, "password": PASSWORD})).json()
    before = len(auth.mailbox.mails)
    again = await auth.post(
        "/signup", {"email": email, "password": "another password", "data": {"x": 1}}
    )
    assert again.json()["id"] == first["id"]
    assert "x" not in again.json()["user_metadata"]
    assert len(auth.mailbox.mails) == before + 1


async def test_a_confirmed_user_is_told_where_addresses_confirm_themselves(auto: Auth, email: str):
    await auto.signed_up(email)
    answer = await auto.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(answer) == (422, "user_already_exists", "User already registered")


async def test_a_confirmed_user_is_hidden_behind_a_look_alike(auth: Auth, auto: Auth, email: str):
    real = (await auto.signed_up(email))["user"]
    answer = await auth.post(
        "/signup", {"email": email, "password": PASSWORD, "data": {"nombre": "Eva"}}
    )
    body = answer.json()
    assert answer.status_code == 200
    assert body["id"] != real["id"]
    assert (body["role"], body["identities"]) == ("", [])
    assert body["user_metadata"] == {"nombre": "Eva"}
    assert body["app_metadata"] == {"provider": "email", "providers": ["email"]}
    assert "confirmation_sent_at" in body
    assert "last_sign_in_at" not in body


async def test_a_confirmed_user_is_not_told_by_the_time_that_a_sign_up_takes(
    open_with, auto: Auth, email: str
):
    await auto.signed_up(email)
    auth: Auth = await open_with(hash_cost=COST)

    async def cost(address: str) -> float:
        began = time.process_time()
        answer = await auth.post("/signup", {"email": address, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        return time.process_time() - began

    assert await cost(email) > await cost(f"other-{email}") / 2  # a hash is nearly all of it


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"email": "a@b.c"}, (400, "validation_failed", "Signup requires a valid password")),
        (
            {"email": "no-mail", "password": "123"},
            (422, "weak_password", "Password should be at least 6 characters."),
        ),
        (
            {"email": "a@b.c", "password": "x" * 73},
            (400, "validation_failed", "Password cannot be longer than 72 characters"),
        ),
        (
            {"email": "a@b.c", "phone": "34600", "password": "123456"},
            (
                400, "validation_failed",
                "Only an email address or phone number should be provided on signup.",
            ),
        ),
        (
            {"email": "no-mail", "password": "123456"},
            (400, "validation_failed", "Unable to validate email address: invalid format"),
        ),
        (
            {"phone": "34600000000", "password": "123456"},
            (400, "phone_provider_disabled", "Phone signups are disabled"),
        ),
        (
            {"email": "a@b.c", "password": "123456", "code_challenge": "x" * 43},
            (
                400, "validation_failed",
                "PKCE flow requires code_challenge_method and code_challenge",
            ),
        ),
        ({}, (422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled")),
    ],
)  # fmt: skip
async def test_sign_up_refusals(auth: Auth, body, expected):
    assert problem(await auth.post("/signup", body)) == expected


async def test_sign_up_is_refused_where_it_is_disabled(open_with, email: str):
    closed = await open_with(GOTRUE_DISABLE_SIGNUP="true")
    answer = await closed.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(answer) == (422, "signup_disabled", "Signups not allowed for this instance")


async def test_fifty_sign_ups_of_one_address_make_one_user(auto: Auth, email: str):
    answers = await asyncio.gather(
        *(auto.post("/signup", {"email": email, "password": PASSWORD}) for _ in range(50))
    )
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1
    assert statuses.count(422) == 49
    users = await auto.rows("select id from auth.users where email = $1", email)
    assert len(users) == 1
    sessions = await auto.rows("select 1 from auth.sessions where user_id = $1", users[0]["id"])
    assert len(sessions) == 1


async def test_a_mail_that_fails_takes_the_sign_up_back(open_with, email: str):
    class Broken:
        async def send(self, _mail):
            from gotrue_compat.ports import DeliveryError

            raise DeliveryError("refused")

    broken = await open_with(mailer=Broken())
    answer = await broken.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(answer) == (500, "unexpected_failure", "Error sending confirmation email")
    assert await broken.rows("select 1 from auth.users where email = $1", email) == []


async def test_a_number_that_confirms_itself_is_noted_with_its_channel(open_with):
    auth = await open_with(GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_AUTOCONFIRM="true")
    answer = await auth.post("/signup", {"phone": "34600999888", "password": PASSWORD})
    assert answer.json()["user"]["phone_confirmed_at"], answer.text
    entries = await auth.rows(
        "select payload->>'traits' as traits from auth.audit_log_entries "
        "where payload->>'actor_username' = '34600999888' order by created_at"
    )
    assert [json.loads(entry["traits"]) for entry in entries] == [
        {"provider": "phone", "channel": "sms"}, {"provider": "phone"},
    ]  # fmt: skip


async def test_who_was_made_by_an_administrator_signs_up_with_its_identity_as_stored(
    auto: Auth, email: str
):
    await auto.post("/admin/users", {"email": email}, token=admin_token())
    shown = (await auto.signed_up(email))["user"]
    assert shown["user_metadata"]["email_verified"] is True
    assert shown["identities"][0]["identity_data"]["email_verified"] is False

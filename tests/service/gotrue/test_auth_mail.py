"""Mails and what they are exchanged for: auth reference 3.6 to 3.8, 4."""

from __future__ import annotations

import asyncio
import hashlib
import re

import pytest

from tests.harness_auth import (
    AUTO,
    PASSWORD,
    SITE,
    Auth,
    admin_token,
    claims_of,
    location,
    pkce_pair,
    problem,
)  # fmt: skip


async def _sign_up(auth: Auth, email: str, **more):
    answer = await auth.post("/signup", {"email": email, "password": PASSWORD, **more})
    assert answer.status_code == 200
    return answer.json()


async def _confirmed(auth: Auth, email: str) -> dict:
    await _sign_up(auth, email)
    body = {"type": "signup", "email": email, "token": auth.mailbox.otp(email)}
    answer = await auth.post("/verify", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_code_of_a_mail_confirms_and_signs_in(auth: Auth, email: str):
    session = await _confirmed(auth, email)
    user = session["user"]
    assert user["email_confirmed_at"]
    assert user["confirmed_at"]
    assert user["user_metadata"]["email_verified"] is True
    assert user["identities"][0]["identity_data"]["email_verified"] is True
    assert claims_of(session["access_token"])["amr"][0]["method"] == "otp"


async def test_the_stored_hash_is_that_of_the_reference(auth: Auth, email: str):
    await _sign_up(auth, email)
    otp = auth.mailbox.otp(email)
    expected = hashlib.sha224((email + otp).encode()).hexdigest()
    link = auth.mailbox.token(email)
    rows = await auth.rows(
        "select t.token_hash, u.confirmation_token from auth.one_time_tokens t "
        "join auth.users u on u.id = t.user_id where u.email = $1", email,
    )  # fmt: skip
    assert rows == [{"token_hash": link, "confirmation_token": expected}]
    assert link != expected  # which anybody makes of the address and a guessed code
    assert re.fullmatch("[0-9a-f]{56}", link)


async def test_the_link_of_a_mail_redirects_with_a_session_and_works_once(auth: Auth, email: str):
    await auth.post(
        "/signup?redirect_to=https://app.example.com/welcome?x=1",
        {"email": email, "password": PASSWORD},
    )
    link = auth.mailbox.link(email)
    assert link.endswith("&redirect_to=https%3A%2F%2Fapp.example.com%2Fwelcome%3Fx%3D1")
    answer = await auth.get(link.removeprefix("http://localhost:9999"))
    assert answer.status_code == 303
    place, query, fragment = location(answer)
    assert (place, query) == ("https://app.example.com/welcome", {"x": "1"})
    assert list(fragment) == [
        "access_token", "expires_at", "expires_in", "refresh_token", "sb", "token_type", "type",
    ]  # fmt: skip
    assert fragment["type"] == "signup"
    shown = answer.headers["location"].replace("&", "&amp;")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text == f'<a href="{shown}">See Other</a>.\n\n'
    again = await auth.get(link.removeprefix("http://localhost:9999"))
    place, query, fragment = location(again)
    assert query == {"x": "1"}
    assert fragment == {
        "error": "access_denied", "error_code": "otp_expired",
        "error_description": "Email link is invalid or has expired", "sb": "",
    }  # fmt: skip


async def test_parallel_verifications_of_one_code_have_one_winner(auth: Auth, email: str):
    await _sign_up(auth, email)
    body = {"type": "signup", "email": email, "token": auth.mailbox.otp(email)}
    answers = await asyncio.gather(*(auth.post("/verify", body) for _ in range(20)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200, *[403] * 19]
    rows = await auth.rows(
        "select 1 from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1",
        email,
    )
    assert len(rows) == 1


async def test_parallel_uses_of_one_hash_have_one_winner(auth: Auth, email: str):
    await _sign_up(auth, email)
    body = {"type": "email", "token_hash": auth.mailbox.token(email)}
    answers = await asyncio.gather(*(auth.post("/verify", body) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [200, *[403] * 19]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, (400, "validation_failed", "Verify requires a verification type")),
        ({"type": "signup"}, (400, "validation_failed", "Verify requires either a token or a token hash")),
        ({"type": "signup", "token_hash": "x", "email": "a@b.c"}, (400, "validation_failed", "Only the token_hash and type should be provided")),
        ({"type": "signup", "token": "1"}, (400, "validation_failed", "Only an email address or phone number should be provided on verify")),
        ({"type": "sms", "token": "1", "phone": "0"}, (400, "validation_failed", "Invalid phone number format (E.164 required)")),
        ({"type": "signup", "token": "1", "email": "a@b.c"}, (403, "otp_expired", "Token has expired or is invalid")),
        ({"type": "signup", "token": "1", "email": "nope"}, (422, "validation_failed", "Invalid email format")),
        ({"type": "signup", "token_hash": "x"}, (403, "otp_expired", "Email link is invalid or has expired")),
        ({"type": "signup", "token": "1", "phone": "34600111222"}, (403, "otp_expired", "Token has expired or is invalid")),
        ({"type": "sms", "token": "1", "email": "a@b.c"}, (403, "otp_expired", "Token has expired or is invalid")),
        ({"type": "odd", "token": "1", "email": "a@b.c"}, (403, "otp_expired", "Token has expired or is invalid")),
        ({"type": "odd", "token_hash": "x"}, (400, "validation_failed", "Invalid email verification type")),
        ({"type": "sms", "token": "123456", "phone": "34600111222"}, (403, "otp_expired", "Token has expired or is invalid")),
    ],
)  # fmt: skip
async def test_verify_refusals(auth: Auth, body, expected):
    assert problem(await auth.post("/verify", body)) == expected


async def test_a_link_without_token_is_a_json_error(auth: Auth):
    answer = await auth.get("/verify?type=signup")
    assert problem(answer) == (400, "validation_failed", "Verify requires a token or a token hash")


async def test_an_old_code_has_expired(open_with, email: str):
    brief = await open_with(GOTRUE_MAILER_OTP_EXP="60")
    await _sign_up(brief, email)
    await brief.rows(
        "update auth.users set confirmation_sent_at = now() - interval '2 minutes' where email = $1",
        email,
    )
    body = {"type": "signup", "email": email, "token": brief.mailbox.otp(email)}
    assert problem(await brief.post("/verify", body))[1] == "otp_expired"


async def test_recovery_mails_a_link_and_tells_nothing_of_unknown_addresses(auth: Auth, email: str):
    await _confirmed(auth, email)
    answer = await auth.post("/recover", {"email": email})
    assert (answer.status_code, answer.json()) == (200, {})
    assert auth.mailbox.last(email).kind == "recovery"
    redirect = await auth.get(auth.mailbox.link(email).removeprefix("http://localhost:9999"))
    place, _, fragment = location(redirect)
    assert place.rstrip("/") == SITE
    assert fragment["type"] == "recovery"
    before = len(auth.mailbox.mails)
    unknown = await auth.post("/recover", {"email": "unknown@example.com"})
    assert (unknown.status_code, unknown.json()) == (200, {})
    assert len(auth.mailbox.mails) == before
    assert problem(await auth.post("/recover", {})) == (
        400, "validation_failed", "Password recovery requires an email",
    )  # fmt: skip


async def test_a_second_mail_too_soon_is_refused(open_with, email: str):
    slow = await open_with(GOTRUE_SMTP_MAX_FREQUENCY="1h")
    await _sign_up(slow, email)
    status, code, text = problem(await slow.post("/signup", {"email": email, "password": PASSWORD}))
    assert (status, code) == (429, "over_email_send_rate_limit")
    found = re.fullmatch(
        r"For security purposes, you can only request this after (\d+) seconds\.", text
    )
    assert found is not None, text
    assert 3000 < int(found[1]) <= 3600  # a slow machine takes no ten minutes
    assert (await slow.post("/resend", {"type": "signup", "email": email})).status_code == 429
    challenge = {"code_challenge": "a" * 43, "code_challenge_method": "s256"}
    assert (await slow.post("/otp", {"email": email} | challenge)).status_code == 429
    of_user = (
        "select f.id from auth.flow_state f join auth.users u on u.id = user_id where email = $1"
    )
    assert not await slow.rows(of_user, email)


async def test_the_servers_mail_limit(open_with, email: str):
    none = await open_with(GOTRUE_RATE_LIMIT_EMAIL_SENT="0")
    answer = await none.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(answer) == (429, "over_email_send_rate_limit", "email rate limit exceeded")
    few = await open_with(GOTRUE_RATE_LIMIT_EMAIL_SENT="1/1h")
    await _sign_up(few, email)
    assert (await few.post("/signup", {"email": email, "password": PASSWORD})).status_code == 429


async def test_resend(auth: Auth, email: str):
    await _sign_up(auth, email)
    answer = await auth.post("/resend", {"type": "signup", "email": email})
    assert (answer.status_code, answer.json()) == (200, {})
    body = {"type": "signup", "email": email, "token": auth.mailbox.otp(email)}
    assert (await auth.post("/verify", body)).status_code == 200
    before = len(auth.mailbox.mails)
    assert (await auth.post("/resend", {"type": "signup", "email": email})).json() == {}
    assert len(auth.mailbox.mails) == before


async def test_what_a_code_was_asked_by_is_told_when_it_is_exchanged(auth: Auth, email: str):
    _, challenge = pkce_pair()
    requested = {"code_challenge": challenge, "code_challenge_method": "s256"}
    for path, kind in (("/signup", "email"), ("/resend", "email/signup")):
        body = {"email": email, "password": PASSWORD, "type": "signup", **requested}
        assert (await auth.post(path, body)).status_code == 200
        (row,) = await auth.rows(
            "select f.provider_type from auth.flow_state f join auth.users u on u.id = f.user_id "
            "where u.email = $1 order by f.created_at desc limit 1",
            email,
        )
        assert row["provider_type"] == kind


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "Missing one of these types: signup, email_change, sms, phone_change"),
        ({"type": "signup"}, "Type provided requires an email address"),
        ({"type": "sms"}, "Type provided requires a phone number"),
        (
            {"type": "signup", "email": "a@b.c", "phone": "346"},
            "Only an email address or phone number should be provided.",
        ),
    ],
)
async def test_resend_refusals(auth: Auth, body, text: str):
    assert problem(await auth.post("/resend", body)) == (400, "validation_failed", text)


async def test_a_change_of_address_needs_both_confirmations(auth: Auth, email: str):
    new = f"new-{email}"
    session = await _confirmed(auth, email)
    answer = await auth.put("/user", {"email": new}, token=session["access_token"])
    body = answer.json()
    assert (body["email"], body["new_email"]) == (email, new)
    first = await auth.get(auth.mailbox.link(new).removeprefix("http://localhost:9999"))
    _, _, fragment = location(first)
    assert fragment == {
        "message": "Confirmation link accepted. Please proceed to confirm link sent to the other "
        "email",
        "sb": "",
    }
    body = {"type": "email_change", "email": email, "token": auth.mailbox.otp(email)}
    second = await auth.post("/verify", body)
    user = second.json()["user"]
    assert user["email"] == new
    assert "new_email" not in user
    assert user["user_metadata"]["email"] == email
    assert user["identities"][0]["identity_data"]["email"] == new
    assert user["identities"][0]["email"] == new
    assert (await auth.sign_in(new)).status_code == 200


async def test_the_first_confirmation_by_code_is_told_in_json(auth: Auth, email: str):
    session = await _confirmed(auth, email)
    await auth.put("/user", {"email": f"n-{email}"}, token=session["access_token"])
    body = {"type": "email_change", "token_hash": auth.mailbox.token(email)}
    answer = await auth.post("/verify", body)
    assert answer.json()["code"] == "200"
    assert (await auth.post("/verify", body)).status_code == 403


async def test_one_confirmation_is_enough_where_addresses_confirm_themselves(auto: Auth, email):
    session = await auto.signed_up(email)
    await auto.put("/user", {"email": f"n-{email}"}, token=session["access_token"])
    body = {"type": "email_change", "token_hash": auto.mailbox.token(f"n-{email}")}
    assert (await auto.post("/verify", body)).json()["user"]["email"] == f"n-{email}"


async def test_sign_up_by_pkce(auth: Auth, email: str):
    verifier, challenge = pkce_pair()
    await _sign_up(auth, email, code_challenge=challenge, code_challenge_method="s256")
    assert auth.mailbox.token(email).startswith("pkce_")
    answer = await auth.get(auth.mailbox.link(email).removeprefix("http://localhost:9999"))
    _, query, fragment = location(answer)
    assert list(query) == ["code"]
    assert fragment == {}
    wrong = {"auth_code": query["code"], "code_verifier": "w" * 64}
    assert problem(await auth.post("/token?grant_type=pkce", wrong)) == (
        400, "bad_code_verifier",
        "code challenge does not match previously saved code verifier",
    )  # fmt: skip
    body = {"auth_code": query["code"], "code_verifier": verifier}
    answers = await asyncio.gather(*(auth.post("/token?grant_type=pkce", body) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 404, 404, 404, 404]
    session = next(answer for answer in answers if answer.status_code == 200).json()
    assert claims_of(session["access_token"])["amr"][0]["method"] == "email/signup"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, (400, "validation_failed", "invalid request: both auth code and code verifier should be non-empty")),
        ({"auth_code": "x", "code_verifier": "y"}, (404, "flow_state_not_found", "invalid flow state, no valid flow state found")),
    ],
)  # fmt: skip
async def test_pkce_refusals(auth: Auth, body, expected):
    assert problem(await auth.post("/token?grant_type=pkce", body)) == expected


async def test_an_old_flow_has_expired(auth: Auth, email: str):
    verifier, challenge = pkce_pair()
    await _sign_up(auth, email, code_challenge=challenge, code_challenge_method="plain")
    answer = await auth.get(auth.mailbox.link(email).removeprefix("http://localhost:9999"))
    code = location(answer)[1]["code"]
    await auth.rows(
        "update auth.flow_state set created_at = now() - interval '10 minutes' where auth_code = $1",
        code,
    )
    body = {"auth_code": code, "code_verifier": verifier}
    assert problem(await auth.post("/token?grant_type=pkce", body)) == (
        422, "flow_state_expired", "invalid flow state, flow state has expired",
    )  # fmt: skip


async def test_a_pkce_link_that_failed_tells_it_in_query_and_fragment(auth: Auth):
    answer = await auth.get("/verify?type=signup&token=pkce_nothing&redirect_to=https://evil.org")
    place, query, fragment = location(answer)
    assert place.rstrip("/") == SITE
    assert query == {
        "error": "access_denied", "error_code": "otp_expired",
        "error_description": "Email link is invalid or has expired",
    }  # fmt: skip
    assert fragment == {**query, "sb": ""}


async def test_a_magic_link_signs_in_who_is_known_and_signs_up_who_is_not(auth: Auth, email: str):
    answer = await auth.post("/otp", {"email": email, "data": {"nombre": "Sol"}})
    assert (answer.status_code, answer.json()) == (200, {})
    assert auth.mailbox.last(email).kind == "confirmation"
    body = {"type": "email", "email": email, "token": auth.mailbox.otp(email)}
    session = (await auth.post("/verify", body)).json()
    assert session["user"]["user_metadata"]["nombre"] == "Sol"
    await auth.post("/otp", {"email": email})
    assert auth.mailbox.last(email).kind == "magic_link"
    assert "type=magiclink" in auth.mailbox.link(email)
    body = {"type": "email", "email": email, "token": auth.mailbox.otp(email)}
    assert (await auth.post("/verify", body)).status_code == 200


async def test_a_magic_link_by_pkce(auth: Auth, email: str):
    verifier, challenge = pkce_pair()
    await _confirmed(auth, email)
    pair = {"code_challenge": challenge, "code_challenge_method": "s256"}
    await auth.post("/otp", {"email": email, **pair})
    answer = await auth.get(auth.mailbox.link(email).removeprefix("http://localhost:9999"))
    body = {"auth_code": location(answer)[1]["code"], "code_verifier": verifier}
    session = (await auth.post("/token?grant_type=pkce", body)).json()
    assert claims_of(session["access_token"])["amr"][0]["method"] == "magiclink"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, (400, "validation_failed", "One of email or phone must be set")),
        ({"email": "a@b.c", "channel": "sms"}, (400, "validation_failed", "Channel should only be specified with Phone OTP")),
        ({"email": "none@b.c", "create_user": False}, (422, "otp_disabled", "Signups not allowed for otp")),
        ({"phone": "34600"}, (400, "phone_provider_disabled", "Unsupported phone provider")),
    ],
)  # fmt: skip
async def test_otp_refusals(auth: Auth, body, expected):
    assert problem(await auth.post("/otp", body)) == expected


async def test_reauthentication_sends_a_nonce_that_a_password_change_spends(open_with, email: str):
    careful = await open_with(
        **AUTO, GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION="true"
    )
    token = (await careful.signed_up(email))["access_token"]
    assert (await careful.put("/user", {"password": "second one"}, token=token)).status_code == 200
    await careful.rows("update auth.sessions set created_at = now() - interval '25 hours'")
    late = await careful.put("/user", {"password": "third one"}, token=token)
    assert problem(late) == (
        400, "reauthentication_needed", "Password update requires reauthentication",
    )  # fmt: skip
    assert (await careful.get("/reauthenticate", token=token)).json() == {}
    assert careful.mailbox.last(email).kind == "reauthentication"
    wrong = await careful.put("/user", {"password": "third one", "nonce": "000000"}, token=token)
    assert problem(wrong)[:2] == (422, "reauthentication_not_valid")
    nonce = careful.mailbox.otp(email)
    body = {"password": "third one", "nonce": nonce}
    assert (await careful.put("/user", body, token=token)).status_code == 200


async def test_the_current_password_is_asked_for_where_that_is_set(open_with, email: str):
    careful = await open_with(
        **AUTO, GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD="true"
    )
    token = (await careful.signed_up(email))["access_token"]
    text = "Current password required when setting new password."
    first = await careful.put("/user", {"password": "second one"}, token=token)
    assert problem(first) == (400, "current_password_required", text)
    body = {"password": "second one", "current_password": "wrong"}
    assert problem(await careful.put("/user", body, token=token)) == (
        400, "current_password_invalid", text,
    )  # fmt: skip
    body = {"password": "second one", "current_password": PASSWORD}
    assert (await careful.put("/user", body, token=token)).status_code == 200


async def test_spanish_readers_get_spanish_mails(auth: Auth, email: str):
    await auth.call(
        "POST", "/signup", {"email": email, "password": PASSWORD},
        headers={"Accept-Language": "es"},
    )  # fmt: skip
    assert auth.mailbox.last(email).subject == "Confirma tu correo electrónico"


async def test_subjects_and_templates_of_a_deployment(open_with, email: str):
    from gotrue_compat.ports import HttpAnswer

    class Web:
        async def send(self, call):
            assert call.url == "https://t.example/confirm.html"
            return HttpAnswer(200, {}, b"<p>{{ .Data.nombre }} {{ .Token }} {{ .TokenHash }}</p>")

    own = await open_with(
        http=Web(), GOTRUE_MAILER_SUBJECTS_CONFIRMATION="Hola {{ .Email }}",
        GOTRUE_MAILER_TEMPLATES_CONFIRMATION="https://t.example/confirm.html",
    )  # fmt: skip
    await _sign_up(own, email, data={"nombre": "<b>Ana</b>"})
    mail = own.mailbox.last(email)
    assert mail.subject == f"Hola {email}"
    assert mail.html.startswith("<p>&lt;b&gt;Ana&lt;/b&gt; ")


async def test_a_template_knows_of_its_own_mail_alone(open_with, email: str):
    """A change that waits is told of in no other mail, and a nonce has no link."""
    shown = "[{{ .NewEmail }}|{{ .SendingTo }}|{{ .TokenHash }}|{{ .Email }}]"
    own = await open_with(
        GOTRUE_SMTP_MAX_FREQUENCY="1ns", GOTRUE_MAILER_SUBJECTS_RECOVERY=shown,
        GOTRUE_MAILER_SUBJECTS_REAUTHENTICATION=shown, GOTRUE_MAILER_SUBJECTS_EMAIL_CHANGE=shown,
        GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED="false",
    )  # fmt: skip
    await _sign_up(own, email)
    verified = {"type": "signup", "email": email, "token": own.mailbox.otp(email)}
    token = (await own.post("/verify", verified)).json()["access_token"]
    await own.put("/user", {"email": f"new-{email}"}, token=token)
    assert own.mailbox.last(f"new-{email}").subject.startswith(f"[new-{email}|new-{email}|")
    await own.get("/reauthenticate", token=token)
    assert own.mailbox.last(email).subject == f"[|||{email}]"
    await own.post("/recover", {"email": email})
    assert own.mailbox.last(email).subject.startswith("[||")


async def test_a_link_of_type_email_tells_what_its_token_was_for(auth: Auth, email: str):
    await _sign_up(auth, email)
    answer = await auth.get(f"/verify?token={auth.mailbox.token(email)}&type=email")
    assert location(answer)[2]["type"] == "signup"
    await auth.post("/magiclink", {"email": email})
    answer = await auth.get(f"/verify?token={auth.mailbox.token(email)}&type=email")
    session = location(answer)[2]
    assert session["type"] == "magiclink"
    claims = claims_of(session["access_token"])
    assert answer.headers["sb-auth-user-id"] == claims["sub"]
    assert answer.headers["sb-auth-session-id"] == claims["session_id"]
    assert answer.headers["sb-auth-refresh-token-prefix"] == session["refresh_token"][:5]


async def test_a_servers_failure_is_told_by_a_redirect_too(open_with, email: str):
    auth = await open_with(
        GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED="true",
        GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI="pg-functions://postgres/public/no_such_hook",
    )
    await _sign_up(auth, email)
    answer = await auth.get(f"/verify?token={auth.mailbox.token(email)}&type=signup")
    assert answer.status_code == 303
    assert location(answer)[2]["error"] == "server_error"
    [user] = await auth.rows("select email_confirmed_at from auth.users where email = $1", email)
    assert user["email_confirmed_at"] is None  # and the link still works


async def test_an_invitee_loses_every_pending_token_with_the_first_password(auth: Auth, email: str):
    await auth.post("/invite", {"email": email}, token=admin_token())
    # as of a user who was imported without a password, and invited
    await auth.rows("update auth.users set encrypted_password = '' where email = $1", email)
    answer = await auth.get(f"/verify?token={auth.mailbox.token(email)}&type=invite")
    token = location(answer)[2]["access_token"]
    user = (await auth.get("/user", token=token)).json()
    assert user["invited_at"]
    assert "confirmation_sent_at" not in user


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", "EOF"),
        (b"{", "unexpected EOF"),
        (b"[]", "json: cannot unmarshal array into Go value of type api.MagicLinkParams"),
        (b'{"email": 1}', "json: cannot unmarshal number into Go struct field MagicLinkParams.email of type string"),
    ],
)  # fmt: skip
async def test_a_magic_link_has_words_of_its_own_for_a_bad_body(auth: Auth, body: bytes, text: str):
    assert problem(await auth.post("/magiclink", body)) == (
        400, "bad_json", f"Could not read verification params: {text}",
    )  # fmt: skip


async def test_a_magic_link_reads_what_it_needs_and_no_more(auth: Auth, email: str):
    body = f'{{"email": "{email}", "create_user": "no", "phone": 1}} more'.encode()
    assert (await auth.post("/magiclink", body)).json() == {}
    assert auth.mailbox.last(email).kind == "confirmation"


async def test_magic_links_that_are_off_are_refused_before_the_body(open_with):
    auth = await open_with(GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED="false")
    assert problem(await auth.post("/magiclink", b"{")) == (
        422, "email_provider_disabled", "Login with magic link is disabled",
    )  # fmt: skip

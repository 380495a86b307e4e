"""How sessions end, and what their tokens are worth then: auth reference 1.12, 3.5, 5.8."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.harness_auth import (
    PASSWORD,
    Auth,
    claims_of,
    problem,
    user_token,
)  # fmt: skip


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
    await limited.rows(
        "with used as (update auth.sessions set refreshed_at = now() at time zone 'utc' - interval "
        "'40 minutes' where id = $1::uuid returning id) update auth.refresh_tokens t "
        "set updated_at = now() from used where t.session_id = used.id", session,
    )  # fmt: skip
    assert problem(await limited.refresh(second["refresh_token"]))[2].endswith("(Inactivity)"), (
        "of a session that was refreshed only that counts"
    )
    await limited.rows(age.format("2 hours"), session)
    assert problem(await limited.refresh(second["refresh_token"]))[2] == (
        "Invalid Refresh Token: Session Expired"
    )


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

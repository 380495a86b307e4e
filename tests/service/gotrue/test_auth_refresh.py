"""Rotation, reuse and concurrency of refresh tokens: auth reference 3.3, 5."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from tests.harness_auth import AUTO, Auth, claims_of, problem
from tests.service.gotrue.conftest import OpenAuth


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


@pytest.mark.parametrize("data", [{"full_name": "Ana"}, {"full_name": None}, {}])
async def test_every_way_of_rotating_leaves_the_same_audit_entries(
    auto: Auth, open_with: OpenAuth, email: str, data: dict[str, object]
):
    """One statement rotates where no limit must be judged, several do elsewhere."""
    by_locks = await open_with(**AUTO, GOTRUE_SESSIONS_SINGLE_PER_USER="true")
    left: list[list[object]] = []
    for auth in (auto, by_locks):
        session = await auth.signed_up(f"{len(left)}{email}", data=data)
        await auth.refresh(session["refresh_token"])
        rows = await auth.rows(
            "select payload::jsonb - 'actor_id' - 'actor_username' as payload, ip_address,"
            " payload ->> 'actor_id' = $1 and payload ->> 'actor_username' = $2 as is_right"
            " from auth.audit_log_entries where payload ->> 'log_type' = 'token'"
            " and payload ->> 'actor_id' = $1 order by created_at",
            session["user"]["id"], session["user"]["email"],
        )  # fmt: skip
        left.append([dict(row) for row in rows])
    assert left[0] == left[1]
    assert len(left[0]) == 2


@pytest.mark.parametrize(
    "change",
    [
        "update auth.sessions set not_after = now() + '1 hour' where user_id = $1",
        "update auth.users set banned_until = now() - interval '1 second' where id = $1",
        "update auth.users set raw_user_meta_data = '[\"full_name\"]' where id = $1",
        "update auth.users set raw_user_meta_data = null, email = null, phone = '' where id = $1",
    ],
)
async def test_what_is_not_against_a_refresh_does_not_stop_it(auto: Auth, email: str, change: str):
    signed_in = await auto.signed_up(email)
    await auto.rows(change, UUID(signed_in["user"]["id"]))
    answer = await auto.refresh(signed_in["refresh_token"])
    assert (answer.status_code, answer.headers["Sb-Auth-Refresh-Token-Reuse"]) == (200, "false")


async def test_the_parent_of_the_active_token_gives_that_token_again(auto: Auth, email: str):
    first = await auto.signed_up(email)
    second = (await auto.refresh(first["refresh_token"])).json()
    again = await auto.refresh(first["refresh_token"])
    assert again.status_code == 200
    assert again.json()["refresh_token"] == second["refresh_token"]
    assert "Sb-Auth-Refresh-Token-Reuse" not in again.headers  # nothing was rotated


async def test_refreshes_at_one_time_do_not_fail_for_one_of_them(auto: Auth, email: str):
    people = [await auto.signed_up(f"{number}-{email}") for number in range(6)]
    broken = people[2]["user"]["id"]
    await auto.rows(
        "create function public.refuse() returns trigger language plpgsql as"
        " $$ begin raise exception 'not this one'; end $$"
    )
    await auto.rows(
        "create trigger refuse before update on auth.users for each row"
        f" when (new.id = '{broken}') execute function public.refuse()"
    )
    try:
        answers = await asyncio.gather(*(auto.refresh(one["refresh_token"]) for one in people))
    finally:
        await auto.rows("drop trigger refuse on auth.users")
    assert [answer.status_code for answer in answers] == [200, 200, 500, 200, 200, 200]
    shown = [answer.json()["user"]["id"] for answer in answers if answer.status_code == 200]
    assert shown == [one["user"]["id"] for one in people if one["user"]["id"] != broken]
    assert (await auto.refresh(people[2]["refresh_token"])).status_code == 200


async def test_sessions_of_one_user_refresh_at_one_time(auto: Auth, email: str):
    await auto.signed_up(email)
    sessions = [(await auto.sign_in(email)).json() for _ in range(4)]
    answers = await asyncio.gather(*(auto.refresh(one["refresh_token"]) for one in sessions))
    assert [answer.status_code for answer in answers] == [200] * 4
    tokens = {answer.json()["refresh_token"] for answer in answers}
    assert len(tokens) == 4
    again = await asyncio.gather(*map(auto.refresh, tokens))
    assert [answer.status_code for answer in again] == [200] * 4


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
    lost = await counted.refresh(first["refresh_token"])
    again = lost.json()
    assert again["refresh_token"] == second["refresh_token"]
    assert lost.headers["sb-auth-refresh-token-reuse-cause"] == "fail-to-save"
    third = (await counted.refresh(second["refresh_token"])).json()
    reused = await counted.refresh(first["refresh_token"])
    assert problem(reused)[1] == "refresh_token_already_used"
    assert reused.headers["sb-auth-refresh-token-rotated"] == "true"
    assert reused.headers["sb-auth-user-id"] == first["user"]["id"]
    assert problem(await counted.refresh(third["refresh_token"]))[1] == "refresh_token_not_found"
    forged = third["refresh_token"][:-6] + "AAAAAA"
    assert problem(await counted.refresh(forged))[1] == "validation_failed"


async def test_a_refused_refresh_names_user_and_session_for_logs(auto: Auth, email: str):
    tokens = [await auto.signed_up(email)]
    for _ in range(2):
        tokens.append((await auto.refresh(tokens[-1]["refresh_token"])).json())
    refused = await auto.refresh(tokens[0]["refresh_token"])
    assert problem(refused)[1] == "refresh_token_already_used"
    claims = claims_of(tokens[0]["access_token"])
    assert refused.headers["sb-auth-user-id"] == claims["sub"]
    assert refused.headers["sb-auth-session-id"] == claims["session_id"]
    assert "sb-auth-refresh-token-rotated" not in refused.headers

"""Exchanges of a code for a session, alone and at one time: auth reference 4.5, 5, 15.4."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from tests.harness_auth import Auth, claims_of, location, pkce_pair, problem

TIMES = 20  # that each code is sent at one time
PROFILE = {"data": {"full_name": "Sol Ríos"}}


async def _code(auth: Auth, email: str, challenge: str, method: str) -> str:
    """What a magic link that was asked for with this challenge ends in."""
    body = {"email": email, "code_challenge": challenge, "code_challenge_method": method}
    assert (await auth.post("/otp", body)).status_code == 200
    link = auth.mailbox.link(email).removeprefix("http://localhost:9999")
    return location(await auth.get(link))[1]["code"]


async def _exchange(auth: Auth, code: str, verifier: str):
    return await auth.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": verifier})


async def _left(auth: Auth, session: dict[str, Any]) -> dict[str, Any]:
    """What an exchange leaves in the database, without what differs from one to the next."""
    claims = claims_of(session["access_token"])
    [opened] = await auth.rows(
        "select s.aal, s.user_agent, host(s.ip) as ip, s.not_after, s.refreshed_at,"
        " a.authentication_method, t.revoked, t.parent, t.token, u.last_sign_in_at = s.created_at"
        " and s.created_at = a.created_at and s.created_at = t.created_at as at_one_time"
        " from auth.sessions s join auth.mfa_amr_claims a on a.session_id = s.id"
        " join auth.refresh_tokens t on t.session_id = s.id join auth.users u on u.id = s.user_id"
        " where s.id = $1::uuid",
        claims["session_id"],
    )
    assert opened.pop("token") == session["refresh_token"]
    [entry] = await auth.rows(
        "select payload::text, ip_address from auth.audit_log_entries"
        " where payload->>'actor_id' = $1 and payload->>'action' = 'login'"
        " and payload->'traits'->>'provider_type' is not null order by created_at desc limit 1",
        claims["sub"],
    )
    claimed = {name: claims[name] for name in ("aal", "role", "email", "user_metadata")}
    return {**opened, **entry, **claimed, "method": claims["amr"][0]["method"]}


async def test_a_code_is_exchanged_alike_whatever_way_its_challenge_was_made(
    auto: Auth, email: str
):
    await auto.signed_up(email, **PROFILE)
    left: list[dict[str, Any]] = []
    for method in ("s256", "plain"):
        verifier, challenge = pkce_pair()
        challenge = challenge if method == "s256" else verifier
        answer = await _exchange(auto, await _code(auto, email, challenge, method), verifier)
        assert answer.status_code == 200, answer.text
        left.append(await _left(auto, answer.json()))
    assert left[0]["at_one_time"]
    assert '"actor_name":"Sol Ríos"' in left[0]["payload"].replace(" : ", ":")
    assert [_words(one) for one in left] == [_words(left[0])] * 2


def _words(left: dict[str, Any]) -> dict[str, Any]:
    """The same with the blanks left out that PostgreSQL's JSON has."""
    return {**left, "payload": left["payload"].replace(" : ", ":").replace(", ", ",")}


async def test_of_exchanges_at_one_time_each_code_counts_once(auto: Auth, email: str):
    await auto.signed_up(email)
    verifier, challenge = pkce_pair()
    codes = [await _code(auto, email, challenge, "s256") for _ in range(3)]
    exchanges = (_exchange(auto, code, verifier) for code in codes * TIMES)
    answers = await asyncio.gather(*exchanges)
    assert Counter(answer.status_code for answer in answers) == {200: 3, 404: 3 * (TIMES - 1)}
    sessions = {
        claims_of(answer.json()["access_token"])["session_id"]
        for answer in answers
        if answer.status_code == 200
    }
    assert len(sessions) == 3


async def test_the_user_of_a_code_may_be_banned_meanwhile(auto: Auth, email: str):
    session = await auto.signed_up(email)
    verifier, challenge = pkce_pair()
    code = await _code(auto, email, challenge, "s256")
    await auto.rows(
        "update auth.users set banned_until = now() + interval '1 day' where id = $1::uuid",
        session["user"]["id"],
    )
    assert problem(await _exchange(auto, code, verifier)) == (
        403, "user_banned", "User is banned",
    )  # fmt: skip

"""Requests that race, within one process and between two on one database: auth reference 5, 15.

An instance of the service has its own connections and its own turns, so two of them race as two
processes do.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle, islice
from typing import Any

import asyncpg
import httpx2
import pytest
import pytest_asyncio

from tests.conftest import Server
from tests.harness_auth import (
    AUTO,
    PASSWORD,
    Auth,
    admin_token,
    claims_of,
    location,
    open_auth,
    problem,
)  # fmt: skip
from tests.harness_oidc import Provider, open_provider

Pair = tuple[Auth, Auth]
OpenPair = Callable[..., Awaitable[Pair]]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def two(open_with) -> Pair:
    """Two instances whose addresses must be confirmed by mail."""
    return await open_with(), await open_with()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def two_auto(open_with) -> Pair:
    """Two instances where addresses confirm themselves."""
    return await open_with(**AUTO), await open_with(**AUTO)


@pytest_asyncio.fixture(loop_scope="session")
async def pair_with(server: Server, services_database: str) -> AsyncIterator[OpenPair]:
    """Opens two instances with variables of the test's choice, closed after it."""
    url = server.url(services_database, "supabase_auth_admin")
    async with AsyncExitStack() as stack:

        async def opened(**variables: str) -> Pair:
            contexts = [open_auth(url, server.url(services_database), **variables) for _ in "ab"]
            first, second = [await stack.enter_async_context(context) for context in contexts]
            return first, second

        yield opened


async def _race(
    pair: Pair, times: int, refresh: Callable[[Auth], Awaitable[httpx2.Response]]
) -> list[httpx2.Response]:
    """The answers to as many equal requests at once, by turns to each instance."""
    answers = await asyncio.gather(*(refresh(auth) for auth in islice(cycle(pair), times)))
    assert [answer.text for answer in answers if answer.status_code >= 500] == []
    return answers


class Requests:
    """Requests under way, and in the end their answers."""

    def __init__(self) -> None:
        self.tasks: list[asyncio.Future[httpx2.Response]] = []
        self.answers: list[httpx2.Response] = []

    def __call__(self, request: Awaitable[httpx2.Response]) -> None:
        self.tasks.append(asyncio.ensure_future(request))


@asynccontextmanager
async def _held(auth: Auth, user_id: str, waiting: int) -> AsyncIterator[Requests]:
    """Somebody holds a user's row until so many of the block's requests wait for it."""
    requests = Requests()
    connection = await asyncpg.connect(auth.url)
    try:
        async with connection.transaction():
            await connection.execute(
                "select 1 from auth.users where id = $1::uuid for update", user_id
            )
            yield requests
            async with asyncio.timeout(60):
                while len(await _waiting(auth)) < waiting:  # noqa: ASYNC110 — a lock has no event
                    await asyncio.sleep(0.01)
    finally:
        await connection.close()
    requests.answers = await asyncio.gather(*requests.tasks)


async def _waiting(auth: Auth) -> list[dict[str, Any]]:
    return await auth.rows(
        "select pid from pg_stat_activity"
        " where wait_event_type = 'Lock' and datname = current_database()"
    )


def _statuses(answers: list[httpx2.Response]) -> dict[int, int]:
    return dict(Counter(answer.status_code for answer in answers))


async def _tokens(auth: Auth, session: dict[str, Any]) -> list[dict[str, Any]]:
    session_id = claims_of(session["access_token"])["session_id"]
    return await auth.rows(
        "select token, revoked from auth.refresh_tokens where session_id = $1::uuid order by id",
        session_id,
    )


async def test_fifty_refreshes_of_one_token_give_one_child(two_auto: Pair, email: str):
    first = await two_auto[0].signed_up(email)
    answers = await _race(two_auto, 50, lambda auth: auth.refresh(first["refresh_token"]))
    assert _statuses(answers) == {200: 50}
    [child] = {answer.json()["refresh_token"] for answer in answers}
    assert await _tokens(two_auto[0], first) == [
        {"token": first["refresh_token"], "revoked": True}, {"token": child, "revoked": False},
    ]  # fmt: skip


async def test_fifty_refreshes_of_one_counted_token_count_once(pair_with, email: str):
    variables = AUTO | {"GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION": "2"}
    pair = await pair_with(**variables)
    first = await pair[0].signed_up(email)
    answers = await _race(pair, 50, lambda auth: auth.refresh(first["refresh_token"]))
    assert _statuses(answers) == {200: 50}
    assert len({answer.json()["refresh_token"] for answer in answers}) == 1
    [row] = await pair[0].rows(
        "select refresh_token_counter from auth.sessions where id = $1::uuid",
        claims_of(first["access_token"])["session_id"],
    )
    assert row == {"refresh_token_counter": 1}


async def test_a_reused_token_ends_the_family_whoever_races_it(two_auto: Pair, email: str):
    old = await two_auto[0].signed_up(email)
    middle = (await two_auto[0].refresh(old["refresh_token"])).json()
    new = (await two_auto[0].refresh(middle["refresh_token"])).json()
    stolen, own = old["refresh_token"], new["refresh_token"]
    tokens = cycle((stolen, own))
    answers = await _race(two_auto, 40, lambda auth: auth.refresh(next(tokens)))
    texts = {problem(answer)[2] for answer in answers if answer.status_code != 200}
    assert texts == {"Invalid Refresh Token: Already Used"}
    assert all(row["revoked"] for row in await _tokens(two_auto[0], old))
    assert (await two_auto[1].refresh(own)).status_code == 400


async def test_refreshes_beside_a_sign_out_fail_or_succeed_whole(two_auto: Pair, email: str):
    session = await two_auto[0].signed_up(email)
    token = session["access_token"]

    async def refresh(auth: Auth) -> httpx2.Response:
        return await auth.refresh(session["refresh_token"])

    out = asyncio.ensure_future(two_auto[1].post("/logout", token=token))
    answers = await _race(two_auto, 20, refresh)
    assert (await out).status_code == 204
    assert set(_statuses(answers)) <= {200, 400}
    assert await _tokens(two_auto[0], session) == []


async def test_fifty_sign_ups_of_one_address_make_one_user(two_auto: Pair, email: str):
    body = {"email": email, "password": PASSWORD}
    answers = await _race(two_auto, 50, lambda auth: auth.post("/signup", body))
    assert _statuses(answers) == {200: 1, 422: 49}
    assert {problem(a)[1] for a in answers if a.status_code == 422} == {"user_already_exists"}
    [user] = await two_auto[0].rows(
        "select (select count(*) from auth.identities i where i.user_id = u.id) as identities,"
        " (select count(*) from auth.sessions s where s.user_id = u.id) as sessions"
        " from auth.users u where u.email = $1",
        email,
    )
    assert user == {"identities": 1, "sessions": 1}


@pytest.mark.parametrize("path", ["/signup", "/otp"])
async def test_without_a_gap_every_sign_up_gets_its_mail(two, path, email):
    body = {"email": email, "password": PASSWORD} if path == "/signup" else {"email": email}
    answers = await _race(two, 50, lambda auth: auth.post(path, body))
    assert _statuses(answers) == {200: 50}
    sent = [mail for auth in two for mail in auth.mailbox.mails if mail.recipient == email]
    assert len(sent) == 50
    assert len(await two[0].rows("select 1 from auth.users where email = $1", email)) == 1
    verified = [
        await two[0].post("/verify", {"type": "signup", "email": email, "token": auth.mailbox.otp(email)})
        for auth in two
    ]  # fmt: skip
    assert sum(answer.status_code == 200 for answer in verified) == 1


async def test_with_a_gap_one_sign_up_gets_its_mail(pair_with, email: str):
    pair = await pair_with(GOTRUE_SMTP_MAX_FREQUENCY="60s")
    body = {"email": email, "password": PASSWORD}
    answers = await _race(pair, 20, lambda auth: auth.post("/signup", body))
    assert _statuses(answers) == {200: 1, 429: 19}
    for answer in answers:
        if answer.status_code == 429:
            _, code, text = problem(answer)
            assert code == "over_email_send_rate_limit"
            assert "after 60 seconds" in text or "after 59 seconds" in text


@pytest.mark.parametrize("path", ["/recover", "/otp", "/resend"])
async def test_without_a_gap_every_mail_goes(two: Pair, path, email: str):
    await two[0].post("/signup", {"email": email, "password": PASSWORD})
    body = {"email": email, **({"type": "signup"} if path == "/resend" else {})}
    answers = await _race(two, 30, lambda auth: auth.post(path, body))
    assert _statuses(answers) == {200: 30}


@pytest.mark.parametrize("form", ["token", "token_hash"])
async def test_a_code_is_verified_once(two: Pair, form: str, email: str):
    await two[0].post("/signup", {"email": email, "password": PASSWORD})
    body = {"type": "signup", "email": email, "token": two[0].mailbox.otp(email)}
    if form == "token_hash":
        body = {"type": "signup", "token_hash": two[0].mailbox.token(email)}
    answers = await _race(two, 40, lambda auth: auth.post("/verify", body))
    assert _statuses(answers) == {200: 1, 403: 39}
    sessions = await two[0].rows(
        "select 1 from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1",
        email,
    )
    assert len(sessions) == 1


async def test_invitations_and_links_of_one_new_address_make_one_user(two: Pair, email: str):
    asks = cycle([("/invite", {"email": email}), ("/admin/generate_link", {"type": "invite", "email": email}),
                  ("/admin/users", {"email": email})])  # fmt: skip
    answers = await _race(two, 18, lambda auth: auth.post(*next(asks), token=admin_token()))
    assert set(_statuses(answers)) <= {200, 422}
    assert {problem(a)[1] for a in answers if a.status_code == 422} <= {"email_exists"}
    [user] = await two[0].rows(
        "select (select count(*) from auth.identities i where i.user_id = u.id) as identities"
        " from auth.users u where u.email = $1",
        email,
    )
    assert user == {"identities": 1}


async def test_the_last_identity_stays_whoever_races(pair_with, email: str):
    on = AUTO | {"GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true"}
    pair = await pair_with(**on)
    session = await pair[0].signed_up(email)
    await pair[0].rows(
        "insert into auth.identities (provider_id, user_id, identity_data, provider, created_at)"
        " values ($1::text, $2::uuid, jsonb_build_object('sub', $1::text, 'email', $3::text), 'github', now())",
        email, session["user"]["id"], email,
    )  # fmt: skip
    token = session["access_token"]
    identities = (await pair[0].get("/user", token=token)).json()["identities"]
    async with _held(pair[0], session["user"]["id"], waiting=2) as requests:
        for auth, identity in zip(pair, identities, strict=True):
            requests(auth.delete(f"/user/identities/{identity['identity_id']}", token=token))
    assert _statuses(requests.answers) == {200: 1, 422: 1}
    left = (await pair[0].get("/user", token=token)).json()
    assert len(left["identities"]) == 1
    assert left["app_metadata"]["providers"] == [left["identities"][0]["provider"]]


async def test_no_more_factors_than_allowed_whoever_races(two_auto: Pair, email: str):
    token = (await two_auto[0].signed_up(email))["access_token"]
    names = iter(range(100))

    async def enroll(auth: Auth) -> httpx2.Response:
        body = {"factor_type": "totp", "friendly_name": f"key {next(names)}"}
        return await auth.post("/factors", body, token=token)

    answers = await _race(two_auto, 30, enroll)
    assert _statuses(answers) == {200: 10, 422: 20}


async def test_one_of_two_users_gets_an_address(two_auto: Pair, email: str):
    sessions = [await two_auto[0].signed_up(f"{n}-{email}") for n in range(2)]
    tokens = cycle(session["access_token"] for session in sessions)
    for token in islice(tokens, 2):
        assert (await two_auto[0].put("/user", {"email": email}, token=token)).status_code == 200
    changes = await two_auto[0].rows(
        "select token_hash as hash from auth.one_time_tokens where relates_to = $1"
        " and token_type = 'email_change_token_new'",
        email,
    )
    hashes = cycle(row["hash"] for row in changes)
    answers = await _race(
        two_auto, 8,
        lambda auth: auth.post("/verify", {"type": "email_change", "token_hash": next(hashes)}),
    )  # fmt: skip
    assert _statuses(answers)[200] == 1
    assert set(_statuses(answers)) <= {200, 403, 422}
    assert len(await two_auto[0].rows("select 1 from auth.users where email = $1", email)) == 1


async def test_sign_ins_beside_a_deletion_fail_or_succeed_whole(two_auto: Pair, email: str):
    user = (await two_auto[0].signed_up(email))["user"]["id"]
    gone = asyncio.ensure_future(two_auto[1].delete(f"/admin/users/{user}", token=admin_token()))
    answers = await _race(two_auto, 12, lambda auth: auth.sign_in(email))
    assert (await gone).status_code == 200
    assert set(_statuses(answers)) <= {200, 400}
    left = await two_auto[0].rows("select 1 from auth.sessions where user_id = $1::uuid", user)
    assert left == []


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def provider():
    async with open_provider() as opened:
        yield opened


async def test_a_new_person_of_a_provider_becomes_one_user(pair_with, provider: Provider, email):
    variables = {
        "GOTRUE_EXTERNAL_KEYCLOAK_ENABLED": "true",
        "GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID": "client-1",
        "GOTRUE_EXTERNAL_KEYCLOAK_SECRET": "secret-1",
        "GOTRUE_EXTERNAL_KEYCLOAK_REDIRECT_URI": "http://localhost:9999/callback",
        "GOTRUE_EXTERNAL_KEYCLOAK_URL": provider.issuer,
    }
    pair = await pair_with(**variables)
    provider.person = {"sub": email, "email": email, "email_verified": True}
    backs: list[str] = []
    async with httpx2.AsyncClient() as browser:
        for _ in range(12):
            started = await pair[0].get("/authorize?provider=keycloak")
            sent = await browser.get(started.headers["location"])
            backs.append(sent.headers["location"].removeprefix("http://localhost:9999"))
    path = iter(backs)
    answers = await _race(pair, 12, lambda auth: auth.get(next(path)))
    fragments = [location(answer)[2] for answer in answers]
    assert [f for f in fragments if "access_token" not in f] == []
    assert len(await pair[0].rows("select 1 from auth.users where email = $1", email)) == 1
    assert len(await pair[0].rows("select 1 from auth.identities where email = $1", email)) == 1

"""What a request says beside its body: time, audience, address, host: auth reference 1, 6, 13."""

from __future__ import annotations

from tests.harness_auth import AUTO, PASSWORD, Auth, claims_of, problem


async def test_a_request_that_takes_too_long(open_with, email: str):
    hook = "GOTRUE_HOOK_BEFORE_USER_CREATED_"
    slow = await open_with(
        **AUTO, GOTRUE_API_MAX_REQUEST_DURATION="400ms",
        **{f"{hook}ENABLED": "true", f"{hook}URI": "pg-functions://postgres/public/slow_hook"},
    )  # fmt: skip
    await slow.rows(
        "create or replace function public.slow_hook(event jsonb) returns jsonb language plpgsql as "
        "$$ begin perform pg_sleep(1.5); return '{}'; end $$"
    )
    answer = await slow.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(answer) == (
        504, "request_timeout",
        "Processing this request timed out, please retry after a moment.",
    )  # fmt: skip
    assert await slow.rows("select 1 from auth.users where email = $1", email) == []
    assert (await slow.get("/health")).status_code == 200


async def test_the_audience_of_a_request(auto: Auth, email: str):
    body = {"email": email, "password": PASSWORD}
    other = await auto.call("POST", "/signup", body, headers={"X-JWT-AUD": "other"})
    assert other.json()["user"]["aud"] == "other"
    token = other.json()["access_token"]
    assert (await auto.get("/user", token=token)).status_code == 200
    wrong = await auto.get("/user", token=token, headers={"X-JWT-AUD": "third"})
    assert problem(wrong) == (
        400, "validation_failed", "Token audience doesn't match request audience",
    )  # fmt: skip
    assert (await auto.sign_in(email)).status_code == 400


async def test_the_address_of_a_client(auto: Auth, email: str):
    answer = await auto.call(
        "POST", "/signup", {"email": email, "password": PASSWORD},
        headers={"X-Forwarded-For": "unknown, 203.0.113.7, 10.0.0.1", "User-Agent": "Probe/1"},
    )  # fmt: skip
    session = claims_of(answer.json()["access_token"])["session_id"]
    [row] = await auto.rows(
        "select host(ip) as ip, user_agent from auth.sessions where id = $1::uuid", session
    )
    assert row == {"ip": "203.0.113.7", "user_agent": "Probe/1"}


async def test_only_authorised_addresses_get_mail(open_with):
    auth = await open_with(GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES="team@example.com")
    body = {"email": "team+label@example.com", "password": PASSWORD}
    assert (await auth.post("/signup", body)).status_code == 200
    answer = await auth.post("/signup", {**body, "email": "else@example.com"})
    assert problem(answer) == (
        400, "email_address_not_authorized",
        'Email address "else@example.com" cannot be used as it is not authorized',
    )  # fmt: skip


async def test_links_name_the_host_that_was_asked_where_that_is_allowed(open_with, email: str):
    auth = await open_with(GOTRUE_MAILER_EXTERNAL_HOSTS="auth.other.example,auth.third.example")
    body = {"email": email, "password": PASSWORD}
    for host, start in (
        ("auth.other.example", "https://auth.other.example/verify?"),
        ("auth.evil.example", "http://localhost:9999/verify?"),
    ):
        answer = await auth.post("/signup", body, headers={"X-Forwarded-Host": host})
        assert answer.status_code == 200
        assert auth.mailbox.link(email).startswith(start)

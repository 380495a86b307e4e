"""Guessing: what is counted, for whom, for how long, and whom it never stops.

Source: auth reference 10.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from typing import Any

import httpx2
import pytest
from pyotp import TOTP

from compat_base.postgres.database import DatabaseSettings, open_database
from compat_stack.services.variables import LIMITS
from gotrue_compat.adapters.hashing import COST
from gotrue_compat.store.rate_limits import DatabaseBuckets
from tests.harness_auth import AUTO, PASSWORD, Auth, problem

NAMED = {"GOTRUE_RATE_LIMIT_HEADER": "x-forwarded-for", **LIMITS}
SHARED = {**NAMED, "GOTRUE_RATE_LIMIT_STORE": "database"}
STORES = {"memory": NAMED, "database": SHARED}
_PATH = (("search_path", "auth"),)
TOO_MANY = (429, "over_request_rate_limit", "Request rate limit reached")
EXPIRED = (403, "otp_expired", "Token has expired or is invalid")


def at(address: str) -> dict[str, dict[str, str]]:
    return {"headers": {"X-Forwarded-For": address}}


async def sign_in(auth: Auth, email: str, password: str, address: str) -> httpx2.Response:
    body = {"email": email, "password": password}
    return await auth.post("/token?grant_type=password", body, **at(address))


async def statuses(tries: int, answer: Any) -> Counter[int]:
    return Counter([(await answer()).status_code for _ in range(tries)])


@pytest.mark.parametrize("store", STORES)
async def test_wrong_passwords_of_one_address_end_and_others_go_on(
    open_with, email: str, store: str
):
    auth = await open_with(**AUTO, **STORES[store])
    await auth.signed_up(email)
    guess = lambda: sign_in(auth, email, "wrong", "203.0.113.1")  # noqa: E731
    assert await statuses(12, guess) == {400: 10, 429: 2}
    refused = await sign_in(auth, email, PASSWORD, "203.0.113.1")
    assert problem(refused) == TOO_MANY
    assert 1 <= int(refused.headers["retry-after"]) <= 30
    assert (await sign_in(auth, email, PASSWORD, "203.0.113.2")).status_code == 200


@pytest.mark.parametrize("store", STORES)
async def test_right_passwords_are_not_counted(open_with, email: str, store: str):
    auth = await open_with(
        **AUTO, **STORES[store] | {"GOTRUE_RATE_LIMIT_WRONG_CREDENTIALS": "3/5m"}
    )
    await auth.signed_up(email)
    answer = lambda: sign_in(auth, email, PASSWORD, "203.0.113.3")  # noqa: E731
    assert await statuses(5, answer) == {200: 5}


async def test_one_address_guesses_thirty_times_whatever_the_account(open_with, email: str):
    # over a day: a slow machine regains no try meanwhile
    auth = await open_with(**NAMED | {"GOTRUE_RATE_LIMIT_WRONG_CREDENTIALS": "30/24h"})
    answers = [await sign_in(auth, f"{n}-{email}", "x", "203.0.113.4") for n in range(32)]
    assert [answer.status_code for answer in answers] == [*[400] * 30, 429, 429]


async def test_a_site_of_ipv6_is_one_caller(open_with, email: str):
    auth = await open_with(**NAMED)
    answers = [await sign_in(auth, email, "x", f"2001:db8:1:2::{n:x}") for n in range(11)]
    assert [answer.status_code for answer in answers] == [*[400] * 10, 429]
    assert (await sign_in(auth, email, "x", "2001:db8:1:3::1")).status_code == 400


async def test_an_account_that_many_addresses_guess_at_stays_open_to_its_owner(
    open_with, email: str
):
    auth = await open_with(**AUTO, **NAMED | {"GOTRUE_RATE_LIMIT_WRONG_PASSWORD_ACCOUNT": "5/15m"})
    body = {"email": email, "password": PASSWORD}
    home = "198.51.100.1"
    assert (await auth.post("/signup", body, **at(home))).status_code == 200
    answers = [await sign_in(auth, email, "wrong", f"203.0.113.{n}") for n in range(20, 27)]
    assert [answer.status_code for answer in answers] == [*[400] * 5, 429, 429]
    assert (await sign_in(auth, email, PASSWORD, "203.0.113.90")).status_code == 429
    assert (await sign_in(auth, email, PASSWORD, home)).status_code == 200


async def test_the_current_password_is_not_guessed_from_many_addresses_with_a_token(
    open_with, email: str
):
    auth = await open_with(
        **AUTO,
        **NAMED | {"GOTRUE_RATE_LIMIT_WRONG_PASSWORD_ACCOUNT": "5/15m"},
        GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD="true",
    )
    session = await auth.signed_up(email)
    wanted = {"password": "another password", "current_password": "wrong"}
    answers = [
        await auth.put("/user", wanted, token=session["access_token"], **at(f"203.0.113.{n}"))
        for n in range(20, 27)
    ]
    assert [answer.status_code for answer in answers] == [*[400] * 5, 429, 429]


async def test_accounts_that_nobody_has_are_refused_alike(open_with, email: str):
    auth = await open_with(**AUTO, **NAMED | {"GOTRUE_RATE_LIMIT_WRONG_PASSWORD_ACCOUNT": "5/15m"})
    await auth.signed_up(email)
    seen = {}
    for account in (email, f"nobody-{email}"):
        places = [f"203.0.114.{n}" for n in (*range(7), *[99] * 12)]
        answers = [await sign_in(auth, account, "wrong", place) for place in places]
        seen[account] = [problem(answer) for answer in answers]
    assert seen[email] == seen[f"nobody-{email}"]


def guess_of(email: str, token: str, kind: str = "email") -> dict[str, str]:
    return {"type": kind, "email": email, "token": token}


async def guesses(auth: Auth, email: str, count: int, kind: str = "email") -> list[Any]:
    """What wrong codes are answered, each from an address of its own."""
    right = auth.mailbox.otp(email)
    wrong = "111111" if right != "111111" else "222222"
    return [
        problem(await auth.post("/verify", guess_of(email, wrong, kind), **at(f"203.0.115.{n}")))
        for n in range(count)
    ]


async def test_a_code_dies_after_ten_wrong_tries_whatever_the_address(open_with, email: str):
    auth = await open_with(**NAMED)
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert await guesses(auth, email, 10) == [EXPIRED] * 10
    right = guess_of(email, auth.mailbox.otp(email))
    assert problem(await auth.post("/verify", right, **at("198.51.100.2"))) == EXPIRED
    restarted = await open_with(**NAMED)
    assert problem(await restarted.post("/verify", right)) == EXPIRED


async def test_nine_wrong_tries_leave_the_code_alive_and_a_new_code_begins_anew(
    open_with, email: str
):
    auth = await open_with(**NAMED)
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    await guesses(auth, email, 10)
    await auth.post("/resend", {"type": "signup", "email": email})
    await guesses(auth, email, 9)
    right = guess_of(email, auth.mailbox.otp(email))
    assert (await auth.post("/verify", right)).status_code == 200


async def test_tries_made_at_once_count_each(open_with, email: str):
    auth = await open_with(**NAMED)
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    right = auth.mailbox.otp(email)
    wrong = [f"{n:06}" for n in range(41) if f"{n:06}" != right][:40]
    calls = [
        auth.post("/verify", guess_of(email, token), **at(f"203.0.116.{n}"))
        for n, token in enumerate(wrong)
    ]
    await asyncio.gather(*calls)
    [row] = await auth.rows(
        "select max(tries) as tries from auth.code_tries where last_at > now() - interval '9s'"
    )
    assert row["tries"] == 10
    assert problem(await auth.post("/verify", guess_of(email, right))) == EXPIRED


async def test_codes_of_addresses_that_nobody_has_are_answered_alike(open_with, email: str):
    auth = await open_with(**NAMED)
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    known = await guesses(auth, email, 12)
    unknown = [
        problem(await auth.post("/verify", guess_of(f"no-{email}", "1"), **at(f"203.0.117.{n}")))
        for n in range(12)
    ]
    assert known == unknown


async def test_a_link_cannot_be_made_of_an_address_and_a_guessed_code(open_with, email: str):
    auth = await open_with(**NAMED)
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    derived = hashlib.sha224((email + auth.mailbox.otp(email)).encode()).hexdigest()
    answer = await auth.post("/verify", {"type": "signup", "token_hash": derived})
    assert problem(answer) == (403, "otp_expired", "Email link is invalid or has expired")
    await guesses(auth, email, 12)
    link = {"type": "signup", "token_hash": auth.mailbox.token(email)}
    assert (await auth.post("/verify", link)).status_code == 200


async def test_both_codes_of_a_change_of_address_die(open_with, email: str):
    auth = await open_with(**NAMED)
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    body = guess_of(email, auth.mailbox.otp(email))
    token = (await auth.post("/verify", body)).json()["access_token"]
    new = f"new-{email}"
    await auth.put("/user", {"email": new}, token=token)
    for address in (email, new):
        await guesses(auth, address, 10, "email_change")
        right = guess_of(address, auth.mailbox.otp(address), "email_change")
        assert problem(await auth.post("/verify", right)) == EXPIRED


async def test_a_code_by_message_dies(open_with):
    phone = "34600000077"
    auth = await open_with(
        **NAMED, GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_TEST_OTP=f"{phone}:123456"
    )
    await auth.post("/otp", {"phone": phone})
    body = {"type": "sms", "phone": phone}
    for n in range(10):
        answer = await auth.post("/verify", {**body, "token": "000000"}, **at(f"203.0.118.{n}"))
        assert problem(answer) == EXPIRED
    right = {**body, "token": "123456"}
    assert problem(await auth.post("/verify", right)) == EXPIRED
    await auth.post("/otp", {"phone": phone})
    assert (await auth.post("/verify", right)).status_code == 200


async def test_a_nonce_dies_after_ten_wrong_tries(open_with, email: str):
    auth = await open_with(**NAMED, GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION="true")
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    body = guess_of(email, auth.mailbox.otp(email))
    token = (await auth.post("/verify", body)).json()["access_token"]
    await auth.rows("update auth.sessions set created_at = now() - interval '2 days'")
    await auth.call("GET", "/reauthenticate", token=token)
    nonce = auth.mailbox.otp(email)
    change = {"password": "another horse", "nonce": "x"}
    for _ in range(10):
        assert (await auth.put("/user", change, token=token)).status_code == 422
    answer = await auth.put("/user", change | {"nonce": nonce}, token=token)
    assert problem(answer) == (
        422, "reauthentication_not_valid", "Nonce has expired or is invalid",
    )  # fmt: skip


async def enrolled(auth: Auth, email: str) -> tuple[str, str, TOTP]:
    """A user's token, the factor's id and its codes."""
    token = (await auth.signed_up(email))["access_token"]
    factor = (await auth.post("/factors", {"factor_type": "totp"}, token=token)).json()
    return token, factor["id"], TOTP(factor["totp"]["secret"])


async def test_a_challenge_dies_after_ten_wrong_codes(open_with, email: str):
    auth = await open_with(**AUTO)
    token, factor, codes = await enrolled(auth, email)
    path = f"/factors/{factor}"
    challenge = (await auth.post(f"{path}/challenge", {}, token=token)).json()["id"]
    wrong = {"challenge_id": challenge, "code": "no"}
    for _ in range(10):
        answer = await auth.post(f"{path}/verify", wrong, token=token)
        assert answer.json()["code"] == "mfa_verification_failed"
    answer = await auth.post(f"{path}/verify", wrong | {"code": codes.now()}, token=token)
    assert answer.json()["code"] == "mfa_challenge_expired"


async def test_wrong_codes_of_a_factor_end_whatever_challenge_and_address(open_with, email: str):
    auth = await open_with(**AUTO, **NAMED | {"GOTRUE_RATE_LIMIT_WRONG_FACTOR_CODE": "3/5m"})
    token, factor, _ = await enrolled(auth, email)
    seen = []
    for n in range(5):
        more = {"token": token, **at(f"203.0.119.{n}")}
        made = await auth.post(f"/factors/{factor}/challenge", {}, **more)
        body = {"challenge_id": made.json()["id"], "code": "no"}
        seen.append((await auth.post(f"/factors/{factor}/verify", body, **more)).status_code)
    assert seen == [422, 422, 422, 429, 429]


async def test_one_address_has_thirty_codes_sent_whatever_the_way(open_with, email: str):
    auth = await open_with(**NAMED)
    paths = ("/recover", "/otp", "/magiclink")
    seen = Counter[int]()
    for n in range(33):
        body = {"email": f"{n}-{email}", "create_user": False}
        answer = await auth.post(paths[n % 3], body, **at("203.0.113.40"))
        seen[answer.status_code == 429] += 1
    assert seen == {False: 30, True: 3}


async def test_both_ways_to_verify_share_one_budget(open_with):
    auth = await open_with(**NAMED | {"GOTRUE_RATE_LIMIT_WRONG_CREDENTIALS": "off"})
    seen = []
    for n in range(31):
        if n % 2:
            answer = await auth.get("/verify?type=signup&token=x", **at("203.0.113.41"))
        else:
            body = {"type": "signup", "token_hash": "x"}
            answer = await auth.post("/verify", body, **at("203.0.113.41"))
        seen.append(answer.status_code)
    assert seen[:2] == [403, 303]
    assert 429 not in seen[:30]
    assert seen[30] == 429


async def test_two_services_on_one_database_share_a_budget(open_with, email: str):
    two = [await open_with(**SHARED), await open_with(**SHARED)]
    answers = [await sign_in(two[n % 2], email, "x", "203.0.113.50") for n in range(12)]
    assert [answer.status_code for answer in answers] == [*[400] * 10, 429, 429]


async def test_retry_after_says_when_it_may_be_tried_again(open_with, email: str):
    auth = await open_with(**SHARED)
    for _ in range(10):
        await sign_in(auth, email, "x", "203.0.113.51")
    refused = await sign_in(auth, email, "x", "203.0.113.51")
    seconds = int(refused.headers["retry-after"])
    pass_time = "update auth.rate_limits set full_at = full_at - make_interval(secs => $1)"
    await auth.rows(pass_time, seconds - 15.0)
    assert (await sign_in(auth, email, "x", "203.0.113.51")).status_code == 429
    await auth.rows(pass_time, 15.0)
    assert (await sign_in(auth, email, "x", "203.0.113.51")).status_code == 400


async def test_a_clock_that_is_set_back_keeps_nobody_out(open_with, email: str):
    auth = await open_with(**SHARED)
    for _ in range(10):
        await sign_in(auth, email, "x", "203.0.113.56")
    assert (await sign_in(auth, email, "x", "203.0.113.56")).status_code == 429
    await auth.rows("update auth.rate_limits set full_at = full_at + interval '1 day'")
    answers = [await sign_in(auth, email, "x", "203.0.113.56") for _ in range(11)]
    assert [answer.status_code for answer in answers] == [*[400] * 10, 429]


async def test_a_page_of_another_origin_may_read_when_to_try_again(open_with):
    auth = await open_with(**NAMED | {"GOTRUE_RATE_LIMIT_SEND": "0"})
    headers = {"X-Forwarded-For": "203.0.113.52", "Origin": "https://app.example.com"}
    answer = await auth.post("/recover", {"email": "a@example.com"}, headers=headers)
    assert answer.status_code == 429
    assert "Retry-After" in answer.headers["access-control-expose-headers"]


async def test_limits_that_cannot_be_counted_let_nobody_in(open_with):
    nowhere = "postgresql://supabase_auth_admin@127.0.0.1:1/none"
    auth = await open_with(**SHARED, DATABASE_URL=nowhere)
    answer = await sign_in(auth, "a@example.com", "x", "203.0.113.53")
    assert answer.status_code == 503


async def test_full_buckets_are_swept(open_with, email: str):
    auth = await open_with(**SHARED)
    await sign_in(auth, email, "x", "203.0.113.54")
    await auth.rows("update auth.rate_limits set full_at = '2000-01-01'")
    await sign_in(auth, email, "x", "203.0.113.55")
    async with open_database(DatabaseSettings(auth.url, server_settings=_PATH)) as database:
        await DatabaseBuckets(database).sweep()
    [row] = await auth.rows(
        "select count(*) as rows, count(*) filter (where full_at = '2000-01-01') as full"
        " from auth.rate_limits"
    )
    assert (row["rows"] > 0, row["full"]) == (True, 0)


async def test_a_flood_of_sign_ins_does_not_hold_another_up(open_with, email: str):
    auth = await open_with(
        hash_cost=COST,
        **AUTO,
        **NAMED | {
            "GOTRUE_RATE_LIMIT_WRONG_CREDENTIALS": "off", "GOTRUE_RATE_LIMIT_WRONG_PASSWORD": "off",
            "GOTRUE_RATE_LIMIT_WRONG_PASSWORD_ACCOUNT": "off", "GOTRUE_RATE_LIMIT_HASH_QUEUE": "60",
            "GOTRUE_RATE_LIMIT_HASH_QUEUE_CALLER": "40",
        },
    )  # fmt: skip
    await auth.signed_up(email)
    order: list[str] = []

    async def status_of(name: str, password: str, address: str) -> int:
        answer = await sign_in(auth, email, password, address)
        order.append(name)
        return answer.status_code

    async with asyncio.TaskGroup() as group:
        flood = [group.create_task(status_of("flood", "wrong", "203.0.113.60")) for _ in range(30)]
        await asyncio.sleep(0)
        honest = group.create_task(status_of("honest", PASSWORD, "203.0.113.61"))
    assert honest.result() == 200
    assert {task.result() for task in flood} == {400}
    assert order.index("honest") < 15  # in its turn, not behind the thirty


async def test_beyond_the_queue_sign_ins_are_refused_at_once(open_with, email: str):
    auth = await open_with(**NAMED | {
        "GOTRUE_RATE_LIMIT_WRONG_CREDENTIALS": "off", "GOTRUE_RATE_LIMIT_WRONG_PASSWORD": "off",
        "GOTRUE_RATE_LIMIT_WRONG_PASSWORD_ACCOUNT": "off",
        "GOTRUE_RATE_LIMIT_HASH_QUEUE_CALLER": "4",
    })  # fmt: skip
    calls = [sign_in(auth, email, "x", "203.0.113.62") for _ in range(60)]
    answers = await asyncio.gather(*calls)
    seen = Counter(answer.status_code for answer in answers)
    assert set(seen) == {400, 429}
    assert seen[429] > 20
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert int(refused.headers["retry-after"]) >= 1


@pytest.mark.parametrize("name", ["\ud800@example.com", "a\0b@example.com", "x" * 500_000])
async def test_odd_names_of_accounts_are_counted_like_others(open_with, name: str):
    auth = await open_with(**NAMED)
    place = f"198.51.100.{len(name) % 200}"
    body = json.dumps({"email": name, "password": "x"}).encode()
    answers = [await auth.post("/token?grant_type=password", body, **at(place)) for _ in range(2)]
    assert {answer.status_code for answer in answers} <= {400, 422}

"""Tokens: who is asking, what is refused and how, row-level security by role."""

import asyncio
import time

import pytest

from tests.harness_rest import serving, token


@pytest.mark.parametrize(
    ("claims", "code", "message"),
    [
        ({"exp": 1}, "PGRST303", "JWT expired"),
        ({"exp": 1.5}, "PGRST303", "JWT expired"),
        ({"exp": "x"}, "PGRST303", "The JWT 'exp' claim must be a number"),
        ({"nbf": 9999999999}, "PGRST303", "JWT not yet valid"),
        ({"iat": 9999999999}, "PGRST303", "JWT issued at future"),
        ({"aud": 5}, "PGRST303", "The JWT 'aud' claim must be a string or an array of strings"),
    ],
)
async def test_claims_that_do_not_hold_are_refused(api, claims, code, message):
    response = await api(
        "GET", "/emp", Authorization=f"Bearer {token(role='rest_member', **claims)}"
    )
    assert (response.status_code, response.json()["code"], response.json()["message"]) == (
        401,
        code,
        message,
    )
    assert response.headers["www-authenticate"] == (
        f'Bearer error="invalid_token", error_description="{message}"'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Empty JWT is sent in Authorization header"),
        ("a.b", "Expected 3 parts in JWT; got 2"),
        ("a.b.c", "JWT cryptographic operation failed"),
        ("eyJhbGciOiJub25lIn0.e30.", "Wrong or unsupported encoding algorithm"),
    ],
)
async def test_what_is_no_token_is_refused(api, text, message):
    response = await api("GET", "/emp", Authorization=f"Bearer {text}")
    assert (response.status_code, response.json()["message"]) == (401, message)


async def test_a_foreign_signature_is_refused(api):
    good = token(role="rest_member")
    response = await api("GET", "/emp", Authorization=f"Bearer {good[:-6]}AAAAAA")
    assert response.json()["details"] == "None of the keys was able to decode the JWT"


async def test_a_few_seconds_of_skew_are_forgiven(api):
    soon = token(role="rest_member", exp=int(time.time()) - 20)
    assert (await api("GET", "/emp", Authorization=f"Bearer {soon}")).status_code == 200


@pytest.mark.parametrize(("role", "name"), [(5, "5"), (None, "null"), ("", "")])
async def test_a_role_is_whatever_the_claim_says(api, role, name):
    response = await api("GET", "/emp", Authorization=f"Bearer {token(role=role)}")
    assert (response.status_code, response.json()["code"]) == (401, "22023")
    assert response.json()["message"] == f'role "{name}" does not exist'


async def test_roles_without_rights_are_told_apart_from_strangers(api):
    response = await api("GET", "/note", role=None)
    assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
    response = await api("POST", "/emp", body={"name": "x"}, role="rest_anon")
    assert response.status_code == 401
    response = await api("GET", "/emp", role="nobody_at_all")
    assert (response.status_code, response.json()["code"]) == (401, "22023")
    response = await api("GET", "/emp", role="rest_stranger")
    assert (response.status_code, response.json()["code"]) == (403, "42501")


async def test_rows_are_those_the_policy_lets_through(api):
    assert (await api("POST", "/secret", body={"id": 1, "owner": "rest_member"})).status_code == 201
    assert len((await api("GET", "/secret")).json()) == 1
    assert (await api("GET", "/secret", role=None)).status_code == 401


async def test_callers_at_once_never_see_each_others_claims(api):
    async def claimed(number: int) -> None:
        text = token(role="rest_member", n=number)
        response = await api("GET", "/rpc/claims", Authorization=f"Bearer {text}")
        assert response.json()["n"] == number

    await asyncio.gather(*(claimed(number) for number in range(60)))


async def test_without_an_anonymous_role_a_token_is_required(server, rest_database):
    async with serving(server, rest_database, DB_ANON_ROLE="") as api:
        response = await api("GET", "/emp", role=None)
        assert (response.status_code, response.json()["code"]) == (401, "PGRST302")


async def test_without_a_secret_no_token_can_be_read(server, rest_database):
    async with serving(server, rest_database, JWT_SECRET="") as api:
        response = await api("GET", "/emp")
        assert (response.status_code, response.json()["code"]) == (500, "PGRST300")


async def test_the_role_stands_where_the_path_says(server, rest_database):
    async with serving(server, rest_database, JWT_ROLE_CLAIM_KEY="$.app.roles[1]") as api:
        text = token(app={"roles": ["x", "rest_member"]})
        response = await api("GET", "/rpc/facts", Authorization=f"Bearer {text}")
        assert response.json()["role"] == "rest_member"


async def test_the_audience_must_be_ours_where_one_is_set(server, rest_database):
    async with serving(server, rest_database, JWT_AUD="us") as api:
        for audience, status in (("us", 200), (["them", "us"], 200), ([], 200), ("them", 401)):
            text = token(role="rest_member", aud=audience)
            response = await api("GET", "/emp", Authorization=f"Bearer {text}")
            assert response.status_code == status

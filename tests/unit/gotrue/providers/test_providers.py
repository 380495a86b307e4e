"""Profiles of identity providers, by samples of what they answer: auth reference 9.1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compat_base.values.settings import Secret
from gotrue_compat.ports import HttpAnswer, HttpCall, ProviderError
from gotrue_compat.providers.definition import Access, ProviderSettings, TokenResponse
from gotrue_compat.providers.registry import PROVIDERS
from gotrue_compat.providers.transport import Api

SETTINGS = ProviderSettings(True, ("client",), Secret("secret"), "http://x/callback")

PROFILES: dict[str, tuple[dict[str, Any], tuple[str, str, bool, str]]] = {
    # provider → answers by the end of the path; id, address, whether verified, name
    "github": (
        {
            "/user": {"id": 7, "login": "ana", "name": "Ana"},
            "/user/emails": [
                {"email": "a@b.es", "primary": True, "verified": True},
                {"email": "other@b.es", "primary": False, "verified": False},
            ],
        },
        ("7", "a@b.es", True, "Ana"),
    ),
    "gitlab": (
        {
            "/user": {"id": 7, "email": "a@b.es", "confirmed_at": "2020", "name": "Ana"},
            "/user/emails": [],
        },
        ("7", "a@b.es", True, "Ana"),
    ),
    "bitbucket": (
        {
            "/user": {"uuid": "{7}", "display_name": "Ana"},
            "/user/emails": {"values": [{"email": "a@b.es", "is_primary": True, "is_confirmed": True}]},
        },
        ("{7}", "a@b.es", True, "Ana"),
    ),
    "discord": (
        {"/users/@me": {"id": "7", "email": "a@b.es", "verified": True, "username": "ana",
                        "discriminator": "1", "avatar": "a_x"}},
        ("7", "a@b.es", True, "ana#1"),
    ),
    "facebook": (
        {"/me": {"id": "7", "email": "a@b.es", "first_name": "Ana", "last_name": "Ruiz"}},
        ("7", "a@b.es", True, "Ana Ruiz"),
    ),
    "figma": (
        {"/me": {"id": "7", "email": "a@b.es", "handle": "Ana"}}, ("7", "a@b.es", True, "Ana"),
    ),
    "fly": ({"/info": {"user_id": "7", "email": "a@b.es", "user_name": "Ana"}}, ("7", "a@b.es", True, "")),
    "kakao": (
        {"/me": {"id": 7, "kakao_account": {
            "email": "a@b.es", "is_email_valid": True, "is_email_verified": True,
            "profile": {"nickname": "Ana"}}}},
        ("7", "a@b.es", True, "Ana"),
    ),
    "linkedin": (
        {
            "/v2/me": {
                "id": "7",
                "firstName": {"localized": {"es_ES": "Ana"}, "preferredLocale": {"language": "es", "country": "ES"}},
                "lastName": {"localized": {"es_ES": "Ruiz"}, "preferredLocale": {"language": "es", "country": "ES"}},
            },
            "/v2/emailAddress": {"elements": [{"handle~": {"emailAddress": "a@b.es"}}]},
        },
        ("7", "a@b.es", True, "Ana Ruiz"),
    ),
    "notion": (
        {"/users/me": {"bot": {"owner": {"user": {
            "id": "7", "name": "Ana", "person": {"email": "a@b.es"}}}}}},
        ("7", "a@b.es", True, "Ana"),
    ),
    "snapchat": (
        {"/v1/me": {"data": {"me": {"externalId": "7", "displayName": "Ana", "email": "a@b.es"}}}},
        ("7", "a@b.es", True, "Ana"),
    ),
    "spotify": (
        {"/me": {"id": "7", "email": "a@b.es", "display_name": "Ana", "images": []}},
        ("7", "a@b.es", False, "Ana"),
    ),
    "slack": (
        {"/openid.connect.userInfo": {"https://slack.com/user_id": "7", "email": "a@b.es", "name": "Ana"}},
        ("7", "a@b.es", True, "Ana"),
    ),
    "slack_oidc": (
        {"/openid.connect.userInfo": {"https://slack.com/user_id": "7", "email": "a@b.es",
                                      "email_verified": False, "name": "Ana"}},
        ("7", "a@b.es", False, "Ana"),
    ),
    "twitch": (
        {"/helix/users": {"data": [{"id": "7", "email": "a@b.es", "login": "ana"}]}},
        ("7", "a@b.es", True, "ana"),
    ),
    "workos": ({}, ("7", "a@b.es", True, "Ana Ruiz")),
    "x": (
        {"/2/users/me": {"data": {"id": "7", "confirmed_email": "a@b.es", "name": "Ana", "username": "ana"}}},
        ("7", "a@b.es", True, "Ana"),
    ),
    "zoom": (
        {"/users/me": {"id": "7", "email": "a@b.es", "first_name": "Ana", "last_name": "Ruiz",
                       "login_type": "100", "verified": 0}},
        ("7", "a@b.es", False, "Ana Ruiz"),
    ),
}  # fmt: skip


class Answers:
    """The provider's API: each path's end has an answer."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers

    async def send(self, call: HttpCall) -> HttpAnswer:
        path = call.url.partition("?")[0]
        assert call.headers["authorization"] == "Bearer access"
        found = max((end for end in self.answers if path.endswith(end)), key=len)
        return HttpAnswer(200, {}, json.dumps(self.answers[found]).encode())


@pytest.mark.parametrize("name", sorted(PROFILES))
async def test_a_profile_becomes_an_identity(name: str):
    answers, expected = PROFILES[name]
    profile = {"id": "7", "email": "a@b.es", "first_name": "Ana", "last_name": "Ruiz"}
    granted = TokenResponse("access", "", "", {"profile": profile})
    access = Access(SETTINGS, granted, Api(Answers(answers), "access"), None, {})
    define = PROVIDERS[name].define
    assert define is not None
    identity = await define(SETTINGS).read(access)
    chosen = identity.email
    assert chosen is not None
    found = (identity.provider_id, chosen.email, chosen.verified, identity.data.get("name", ""))
    assert found == expected
    assert identity.data["provider_id"] == identity.data["sub"] == identity.provider_id


async def test_what_twitch_does_not_tell_is_empty():
    answers, _ = PROFILES["twitch"]
    define = PROVIDERS["twitch"].define
    assert define is not None
    granted = TokenResponse("access", "", "", {})
    access = Access(SETTINGS, granted, Api(Answers(answers), "access"), None, {})
    claims = (await define(SETTINGS).read(access)).data["custom_claims"]
    assert (claims["description"], claims["view_count"]) == ("", 0)


async def test_a_profile_or_list_of_another_kind_is_refused_and_null_is_an_empty_one():
    answers: dict[str, Any] = {"/none": None, "/list": ["x"], "/text": "x", "/object": {"a": 1}}
    answers["/long"] = {"custom_claims": [1e300] * 7_000}  # two megabytes in the database
    api = Api(Answers(answers), "access")
    assert (await api.get("https://a/none"), await api.get_list("https://a/none")) == ({}, [])
    assert await api.get("https://a/object") == {"a": 1}
    for fetch in (api.get("https://a/list"), api.get("https://a/text"), api.get("https://a/long"),
                  api.get_list("https://a/object"), api.get_list("https://a/list")):  # fmt: skip
        with pytest.raises(ProviderError):
            await fetch


def test_every_provider_is_defined_and_uses_https():
    assert [name for name, provider in PROVIDERS.items() if provider.define is None] == ["twitter"]
    for name, provider in PROVIDERS.items():
        if name != "keycloak" and provider.define is not None:
            definition = provider.define(SETTINGS)
            assert definition.authorize_url.startswith("https://")
            assert definition.token_url.startswith("https://")

"""Every identity provider by name, through the whole flow, against a server that answers as it does.

What a provider tells becomes identity_data: the keys of auth reference 9.1.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import httpx2
import pytest
import pytest_asyncio

from gotrue_compat.ports import HttpAnswer, HttpCall
from tests.harness_auth import Auth, admin_token, location, problem
from tests.harness_oidc import Provider, open_provider

PICTURE = "https://pictures.example/ana.png"
NAMED = {"name": "Ana Ruiz", "full_name": "Ana Ruiz"}
SHOWN = {"picture": PICTURE, "avatar_url": PICTURE}
HERE = "<the provider's address>"


@dataclass(frozen=True)
class Case:
    """What a provider answers by the end of a path (or in its id token), and what becomes of it.

    `email` stands for the test's address in both; `form` is posted with the code.
    """

    data: dict[str, Any]
    answers: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] | None = None
    token: dict[str, Any] = field(default_factory=dict)
    form: dict[str, str] = field(default_factory=dict)
    scope: str = ""
    basic: bool = True
    verified: bool = True
    sent: dict[str, str] = field(default_factory=dict)
    subject: str = "7"


CLAIMS = {
    "sub": "7",
    "email": "email",
    "email_verified": True,
    "name": "Ana Ruiz",
    "picture": PICTURE,
}
CASES = {
    "apple": Case(
        claims={"sub": "7", "email": "email", "email_verified": "true",
                "is_private_email": "true", "auth_time": 1_700_000_000},
        form={"user": '{"name": {"firstName": "Ana", "lastName": "Ruiz"}}'},
        data={**NAMED, "iss": HERE,
              "custom_claims": {"auth_time": 1_700_000_000, "is_private_email": True}},
        scope="email name", basic=False, sent={"response_mode": "form_post"},
    ),
    "azure": Case(
        claims={**CLAIMS, "email_verified": False, "xms_edov": "1", "preferred_username": "ana@x"},
        data={"full_name": "Ana Ruiz", "iss": HERE, "preferred_username": "ana@x",
              "custom_claims": {"email": "email", "email_verified": False, "picture": PICTURE,
                                "xms_edov": "1"}},
        scope="openid",
    ),
    "bitbucket": Case(
        answers={
            "/2.0/user": {"uuid": "7", "display_name": "Ana Ruiz",
                          "links": {"avatar": {"href": PICTURE}}},
            "/2.0/user/emails": {"values": [
                {"email": "other@b.es", "is_primary": False, "is_confirmed": True},
                {"email": "email", "is_primary": True, "is_confirmed": True}]},
        },
        data={**NAMED, **SHOWN, "iss": f"{HERE}/2.0"},
        scope="account email",
    ),
    "discord": Case(
        answers={"/api/users/@me": {"id": "7", "email": "email", "verified": True, "username": "ana",
                                    "discriminator": "1234", "avatar": "x", "global_name": "Ana"}},
        data={"iss": f"{HERE}/api", "name": "ana#1234", "full_name": "ana",
              "picture": "https://cdn.discordapp.com/avatars/7/x.png",
              "avatar_url": "https://cdn.discordapp.com/avatars/7/x.png",
              "custom_claims": {"global_name": "Ana"}},
        scope="email identify",
    ),
    "facebook": Case(
        answers={"/me": {"id": "7", "email": "email", "first_name": "Ana", "last_name": "Ruiz",
                         "name": "Anita", "picture": {"data": {"url": PICTURE}}}},
        data={**NAMED, **SHOWN, "nickname": "Anita", "slug": "Anita",
              "iss": f"{HERE}/me?fields=email,first_name,last_name,name,picture"},
        scope="email", basic=False,
    ),
    "figma": Case(
        answers={"/v1/me": {"id": "7", "email": "email", "handle": "Ana Ruiz", "img_url": PICTURE}},
        data={**NAMED, "avatar_url": PICTURE, "iss": HERE},
        scope="current_user:read",
    ),
    "fly": Case(
        answers={"/oauth/token/info": {"user_id": "7", "email": "email", "user_name": "Ana Ruiz",
                                       "resource_owner_id": "r", "scope": ["read"]}},
        data={"full_name": "Ana Ruiz", "iss": HERE, "custom_claims": {
            "resource_owner_id": "r", "organizations": None, "application": None,
            "scope": ["read"], "created_at": None}},
        scope="read",
    ),
    "github": Case(
        answers={
            "/api/v3/user": {"id": 7, "login": "ana", "name": "Ana Ruiz", "avatar_url": PICTURE},
            "/api/v3/user/emails": [
                {"email": "other@b.es", "primary": False, "verified": True},
                {"email": "email", "primary": True, "verified": True}],
        },
        data={**NAMED, "avatar_url": PICTURE, "iss": f"{HERE}/api/v3", "user_name": "ana",
              "preferred_username": "ana"},
        scope="user:email",
    ),
    "gitlab": Case(
        answers={
            "/api/v4/user": {"id": 7, "email": "email", "confirmed_at": "2020-01-01",
                             "name": "Ana Ruiz", "avatar_url": PICTURE},
            "/api/v4/user/emails": [],
        },
        data={**NAMED, **SHOWN, "iss": HERE},
        scope="read_user",
    ),
    "google": Case(
        claims={**CLAIMS, "hd": "b.es", "given_name": "Ana"},
        data={**NAMED, **SHOWN, "iss": HERE, "custom_claims": {"hd": "b.es"}},
        scope="email profile",
    ),
    "kakao": Case(
        answers={"/v2/user/me": {"id": 7, "kakao_account": {
            "email": "email", "is_email_valid": True, "is_email_verified": True,
            "profile": {"nickname": "Ana Ruiz", "profile_image_url": PICTURE}}}},
        data={**NAMED, "avatar_url": PICTURE, "iss": HERE, "user_name": "Ana Ruiz",
              "preferred_username": "Ana Ruiz"},
        scope="account_email profile_image profile_nickname", basic=False,
    ),
    "keycloak": Case(
        answers={"/protocol/openid-connect/userinfo": CLAIMS | {"groups": ["a"]}},
        data={**NAMED, "iss": HERE, "custom_claims": {"picture": PICTURE, "groups": ["a"]}},
        scope="profile email",
    ),
    "linkedin": Case(
        answers={
            "/v2/me": {
                "id": "7",
                "firstName": {"localized": {"es_ES": "Ana"},
                              "preferredLocale": {"language": "es", "country": "ES"}},
                "lastName": {"localized": {"es_ES": "Ruiz"},
                             "preferredLocale": {"language": "es", "country": "ES"}},
                "profilePicture": {"displayImage~": {"elements": [
                    {"identifiers": [{"identifier": PICTURE}]}]}},
            },
            "/v2/emailAddress": {"elements": [{"handle~": {"emailAddress": "email"}}]},
        },
        data={**NAMED, **SHOWN, "iss": HERE},
        scope="r_emailaddress r_liteprofile", basic=False,
    ),
    "linkedin_oidc": Case(
        claims={**CLAIMS, "email_verified": "true", "locale": "es_ES", "given_name": "Ana", "family_name": "Ruiz"},
        data={"name": "Ana Ruiz", "given_name": "Ana", "family_name": "Ruiz", "picture": PICTURE,
              "iss": HERE, "locale": "es_ES"},
        scope="openid email profile", basic=False,
    ),
    "notion": Case(
        answers={"/v1/users/me": {"bot": {"owner": {"user": {
            "id": "7", "name": "Ana Ruiz", "avatar_url": PICTURE, "person": {"email": "email"}}}}}},
        data={**NAMED, **SHOWN, "iss": HERE},
    ),
    "snapchat": Case(
        answers={"/v1/me": {"data": {"me": {"externalId": "7", "displayName": "Ana Ruiz",
                                            "email": "email", "bitmoji": {"avatar": PICTURE}}}}},
        data={**NAMED, **SHOWN, "slug": "Ana Ruiz",
              "iss": "https://accounts.snapchat.com/accounts/oauth2/token"},
        scope=" ".join("https://auth.snapchat.com/oauth2/api/user." + name
                       for name in ("external_id", "display_name", "bitmoji.avatar")),
    ),
    "spotify": Case(
        answers={"/me": {"id": "7", "email": "email", "display_name": "Ana Ruiz", "images": [
            {"url": "https://pictures.example/small.png", "height": 64, "width": 64},
            {"url": PICTURE, "height": 300, "width": 300}]}},
        data={**NAMED, **SHOWN, "iss": HERE},
        scope="user-read-email", verified=False,
    ),
    "slack": Case(
        answers={"/api/openid.connect.userInfo": {
            "https://slack.com/user_id": "7", "https://slack.com/team_id": "T1",
            "email": "email", "name": "Ana Ruiz", "picture": PICTURE}},
        data={**NAMED, **SHOWN, "iss": f"{HERE}/api",
              "custom_claims": {"https://slack.com/team_id": "T1"}},
        scope="profile email openid",
    ),
    "slack_oidc": Case(
        answers={"/api/openid.connect.userInfo": {
            "https://slack.com/user_id": "7", "https://slack.com/team_id": "T1", "email": "email",
            "email_verified": True, "name": "Ana Ruiz", "picture": PICTURE}},
        data={**NAMED, **SHOWN, "iss": f"{HERE}/api",
              "custom_claims": {"https://slack.com/team_id": "T1"}},
        scope="profile email openid",
    ),
    "twitch": Case(
        answers={"/helix/users": {"data": [{
            "id": "7", "email": "email", "login": "ana", "display_name": "Ana Ruiz",
            "profile_image_url": PICTURE, "description": "hola"}]}},
        data={"name": "ana", "full_name": "ana", **SHOWN, "iss": HERE, "nickname": "Ana Ruiz",
              "slug": "Ana Ruiz", "custom_claims": {
                  "broadcaster_type": "", "description": "hola", "type": "",
                  "offline_image_url": "", "view_count": 0}},
        scope="user:read:email", basic=False,
    ),
    "vercel_marketplace": Case(
        claims={"sub": "8", "global_user_id": "7", "user_email": "email",
                "user_name": "Ana Ruiz", "user_avatar_url": PICTURE},
        data={"name": "Ana Ruiz", "picture": PICTURE, "iss": HERE},
        subject="global_user_id:7",
    ),
    "workos": Case(
        token={"profile": {"id": "7", "email": "email", "first_name": "Ana", "last_name": "Ruiz",
                           "connection_id": "c", "organization_id": "o"}},
        data={**NAMED, "iss": HERE,
              "custom_claims": {"connection_id": "c", "organization_id": "o"}},
        basic=False,
    ),
    "x": Case(
        answers={"/2/users/me": {"data": {
            "id": "7", "confirmed_email": "email", "name": "Ana Ruiz", "username": "ana",
            "profile_image_url": PICTURE, "url": "https://ana.example", "created_at": "2020"}}},
        data={**NAMED, **SHOWN, "iss": HERE, "preferred_username": "ana", "user_name": "ana",
              "profile": "https://x.com/ana", "website": "https://ana.example",
              "custom_claims": {"created_at": "2020"}},
        scope="users.email tweet.read users.read offline.access",
        sent={"code_challenge_method": "S256"},
    ),
    "zoom": Case(
        answers={"/v2/users/me": {"id": "7", "email": "email", "first_name": "Ana",
                                  "last_name": "Ruiz", "login_type": 1, "pic_url": PICTURE}},
        data={**NAMED, **SHOWN, "iss": f"{HERE}/v2"},
    ),
}  # fmt: skip


@dataclass
class Profiles(Provider):
    """A server that answers as one case's provider does, for one person."""

    case: Case = field(default_factory=lambda: Case({}))
    email: str = ""
    logins: list[str] = field(default_factory=list)

    def answer(self, path: str, query: dict[str, str], body: bytes, headers: dict[str, str]):
        if path.endswith(("/authorize", "/auth", "/authorization", "/oauth")):
            return super().answer("/authorize", query, body, headers)
        if path.endswith(("/token", "Token", "_token", ".token", ".access")):
            self.logins.append("basic" if "authorization" in headers else "form")
            status, extra, tokens = super().answer("/token", query, body, headers)
            tokens |= self.filled(self.case.token)
            if self.case.claims is None:
                tokens.pop("id_token", None)
            return status, extra, tokens
        found = [end for end in self.case.answers if path.endswith(end)]
        if not found:
            return super().answer(path, query, body, headers)
        if headers.get("authorization") != "Bearer access-of-user":
            return 401, [], {}
        return 200, [], self.filled(self.case.answers[max(found, key=len)])

    def filled(self, value: Any) -> Any:
        """The value with the person's address in place of `email`."""
        if isinstance(value, dict):
            return {name: self.filled(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.filled(member) for member in value]
        return self.email if value == "email" else value


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def profiles() -> AsyncIterator[Profiles]:
    """The server, whose case and person each test sets."""
    async with open_provider(Profiles()) as opened:
        assert isinstance(opened, Profiles)
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def auth(open_with, profiles: Profiles) -> Auth:
    """An instance where every provider is switched on and lives at the server."""
    variables = {}
    for name in (*CASES, "twitter"):
        prefix = f"GOTRUE_EXTERNAL_{name.upper()}_"
        variables |= {
            f"{prefix}ENABLED": "true", f"{prefix}CLIENT_ID": "client-1",
            f"{prefix}SECRET": "secret-1", f"{prefix}URL": profiles.issuer,
            f"{prefix}REDIRECT_URI": "http://localhost:9999/callback",
        }  # fmt: skip
    return await open_with(GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS="true", **variables)


@pytest.mark.parametrize("name", CASES)
async def test_a_provider_signs_in_and_its_profile_becomes_the_identity(
    auth: Auth, profiles: Profiles, name: str, email: str
):
    case = CASES[name]
    email = f"{name}@{email.partition('@')[2]}"
    profiles.case, profiles.email = case, email
    profiles.person = profiles.filled(case.claims or {})
    started = await auth.get(f"/authorize?provider={name}")
    assert started.status_code == 302, started.text
    async with httpx2.AsyncClient() as browser:
        sent = await browser.get(started.headers["location"])
    requested = profiles.seen[-1]
    assert requested.get("scope", "") == case.scope
    assert {key: requested.get(key) for key in case.sent} == case.sent
    back = sent.headers["location"].removeprefix("http://localhost:9999")
    if case.form:
        path, _, query = back.partition("?")
        answer = await auth.client.post(path, data={**dict(parse_qsl(query)), **case.form})
    else:
        answer = await auth.get(back)
    _, _, fragment = location(answer)
    assert "access_token" in fragment, fragment
    assert profiles.logins[-1] == ("basic" if case.basic else "form")
    user = (await auth.get("/user", token=fragment["access_token"])).json()
    assert user["email"] == email
    assert ("email_confirmed_at" in user) is case.verified
    [identity] = user["identities"]
    assert (identity["provider"], identity["id"]) == (name, case.subject)
    iss = case.data["iss"].replace(HERE, profiles.issuer)
    assert identity["identity_data"] == {
        **profiles.filled(case.data), "iss": iss,
        "sub": case.subject, "provider_id": case.subject, "email": email,
        "email_verified": case.verified, "phone_verified": False,
    }  # fmt: skip


class Birds(Profiles):
    """Twitter's three calls, each of which checks its signature (RFC 5849)."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets = {"": ""}
        self.callback = ""

    def answer(self, path: str, query: dict[str, str], body: bytes, headers: dict[str, str]):
        if path == "/oauth/authenticate":
            back = f"{self.callback}&{urlencode({'oauth_token': query['oauth_token'], 'oauth_verifier': 'ok'})}"
            return 302, [(b"location", back.encode())], {}
        method = "GET" if path.startswith("/1.1") else "POST"
        signed = self._signed(method, path, query, headers)
        if signed is None:
            return 401, [], {}
        if path == "/oauth/request_token":
            self.callback = signed["oauth_callback"]
            return self._pair("request")
        if path == "/oauth/access_token":
            return self._pair("granted") if signed.get("oauth_verifier") == "ok" else (401, [], {})
        return 200, [], {
            "id_str": "7", "name": "Ana Ruiz", "screen_name": "ana", "email": self.email,
            "profile_image_url_https": PICTURE,
        }  # fmt: skip

    def _pair(self, name: str):
        self.secrets[name] = f"secret of {name}"
        return 200, [], urlencode({"oauth_token": name, "oauth_token_secret": self.secrets[name]})

    def _signed(
        self, method: str, path: str, query: dict[str, str], headers: dict[str, str]
    ) -> dict[str, str] | None:
        parts = headers.get("authorization", "").removeprefix("OAuth ").split(", ")
        signed = {
            name: unquote(value.strip('"')) for name, _, value in (p.partition("=") for p in parts)
        }
        signature = signed.pop("oauth_signature", "")
        pairs = sorted(
            (quote(k, safe="~"), quote(v, safe="~")) for k, v in {**signed, **query}.items()
        )
        normal = "&".join(f"{k}={v}" for k, v in pairs)
        base = "&".join(quote(part, safe="~") for part in (method, self.issuer + path, normal))
        key = f"secret-1&{quote(self.secrets[signed.get('oauth_token', '')], safe='~')}"
        digest = hmac.new(key.encode(), base.encode(), hashlib.sha1).digest()
        return signed if base64.b64encode(digest).decode() == signature else None


async def test_twitter_signs_in_by_signed_calls(open_with, email: str):
    async with open_provider(Birds()) as birds:
        assert isinstance(birds, Birds)
        birds.email = email
        prefix = "GOTRUE_EXTERNAL_TWITTER_"
        auth = await open_with(**{
            f"{prefix}ENABLED": "true", f"{prefix}CLIENT_ID": "client-1",
            f"{prefix}SECRET": "secret-1", f"{prefix}URL": birds.issuer,
            f"{prefix}REDIRECT_URI": "http://localhost:9999/callback",
        })  # fmt: skip
        started = await auth.get("/authorize?provider=twitter")
        async with httpx2.AsyncClient() as browser:
            sent = await browser.get(started.headers["location"])
        answer = await auth.get(sent.headers["location"].removeprefix("http://localhost:9999"))
        _, _, fragment = location(answer)
        assert fragment["provider_token"] == "granted"
        user = (await auth.get("/user", token=fragment["access_token"])).json()
        assert user["identities"][0]["identity_data"] == {
            "iss": f"{birds.issuer}/1.1/account/verify_credentials.json", "sub": "7",
            **NAMED, **SHOWN, "preferred_username": "ana", "user_name": "ana",
            "provider_id": "7", "email": email, "email_verified": True, "phone_verified": False,
        }  # fmt: skip


class Acme(Profiles):
    """A provider of an administrator's choice, which the service reaches as https://id.acme.example."""

    def __init__(self) -> None:
        super().__init__(issuer="https://id.acme.example")
        self.calls: list[str] = []
        self.userinfo: dict[str, Any] | None = None

    async def send(self, call: HttpCall) -> HttpAnswer:
        """Answer as the HTTP port of the service would."""
        self.calls.append(call.url)
        parts = urlsplit(call.url)
        status, _, content = self.answer(
            parts.path, dict(parse_qsl(parts.query)), call.body, dict(call.headers)
        )
        if parts.path.endswith("/userinfo") and self.userinfo is not None:
            content = self.userinfo
        return HttpAnswer(
            status, {"content-type": "application/json"}, json.dumps(content).encode()
        )


@pytest.fixture(scope="module")
def acme() -> Acme:
    return Acme()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def choosing(open_with, acme: Acme) -> Auth:
    """An instance whose outside world is that provider."""
    return await open_with(http=acme)


async def _added(auth: Auth, name: str, **more: Any) -> str:
    body = {
        "identifier": f"custom:{name}", "name": "Acme", "client_id": "client-1",
        "client_secret": "secret-1", **more,
    }  # fmt: skip
    made = await auth.post("/admin/custom-providers", body, token=admin_token())
    assert made.status_code == 201, made.text
    return made.json()["identifier"]


async def _entered(auth: Auth, acme: Acme, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """What the provider was asked at its page, and the fragment of the way back."""
    started = await auth.get(f"/authorize?provider={name}&scopes=more")
    assert started.status_code == 302, started.text
    address = urlsplit(started.headers["location"])
    requested = dict(parse_qsl(address.query))
    _, [(_, back)], _ = acme.answer(address.path, requested, b"", {})
    answer = await auth.get(back.decode().removeprefix("http://localhost:9999"))
    return requested, location(answer)[2]


async def test_a_custom_oidc_provider_signs_in_by_its_id_token(choosing, acme, email: str):
    name = await _added(
        choosing, "oidc", provider_type="oidc", issuer=acme.issuer, scopes=["email"],
        attribute_mapping={"name": "display"}, custom_claims_allowlist=["team"],
        authorization_params={"prompt": "login"},
    )  # fmt: skip
    acme.email, acme.userinfo = email, None
    acme.case = Case({}, claims={})
    acme.person = {
        "sub": "7", "email": email, "email_verified": True, "display": "Ana Ruiz", "team": "azul",
        "secret": "no",
    }  # fmt: skip
    requested, fragment = await _entered(choosing, acme, name)
    # the caller's scopes stand in place of the provider's, but for openid
    assert (requested["scope"], requested["prompt"]) == ("openid more", "login")
    assert requested["code_challenge_method"] == "S256"
    assert requested["redirect_uri"] == "http://localhost:9999/callback"
    user = (await choosing.get("/user", token=fragment["access_token"])).json()
    assert user["app_metadata"]["provider"] == name
    data = user["identities"][0]["identity_data"]
    assert data.pop("exp") - data.pop("iat") == 300  # as the token tells, like everything else
    assert data == {
        "iss": acme.issuer, "sub": "7", "aud": ["client-1"], "name": "Ana Ruiz", "email": email,
        "email_verified": True, "phone_verified": False, "custom_claims": {"team": "azul"},
    }  # fmt: skip
    assert f"{acme.issuer}/userinfo" not in acme.calls


@pytest.mark.parametrize(("subject", "passes"), [("8", True), ("9", False)])
async def test_userinfo_fills_an_id_token_of_the_same_subject(
    choosing, acme, email, subject, passes
):
    name = f"custom:half-{subject}"
    await _added(choosing, f"half-{subject}", provider_type="oidc", issuer=acme.issuer)
    acme.case, acme.person = Case({}, claims={}), {"sub": "8"}
    acme.userinfo = {"sub": subject, "email": email, "email_verified": True}
    _, fragment = await _entered(choosing, acme, name)
    assert ("access_token" in fragment) is passes
    if not passes:
        assert fragment["error_code"] == "unexpected_failure"


async def test_a_custom_oauth_provider_signs_in_by_its_profile(choosing, acme, email: str):
    name = await _added(
        choosing, "plain", provider_type="oauth2", pkce_enabled=False, scopes=["read"],
        authorization_url=f"{acme.issuer}/authorize", token_url=f"{acme.issuer}/token",
        userinfo_url=f"{acme.issuer}/me", attribute_mapping={"email": "mail"},
    )  # fmt: skip
    acme.case = Case({}, answers={"/me": {"id": 11, "mail": email, "email_verified": True}})
    requested, fragment = await _entered(choosing, acme, name)
    assert requested["scope"] == "more"
    assert "code_challenge" not in requested
    user = (await choosing.get("/user", token=fragment["access_token"])).json()
    assert (user["email"], user["identities"][0]["id"]) == (email, "11")
    grant = {"provider": name, "id_token": "eyJhbGciOiJub25lIn0.e30."}
    assert problem(await choosing.post("/token?grant_type=id_token", grant)) == (
        400, "validation_failed", f'Provider "{name}" is not an OIDC provider',
    )  # fmt: skip
    off = await choosing.put(
        f"/admin/custom-providers/{name}", {"enabled": False}, token=admin_token()
    )
    assert off.json()["enabled"] is False
    assert problem(await choosing.post("/token?grant_type=id_token", grant)) == (
        400, "provider_disabled", f'Custom provider "{name}" is disabled',
    )  # fmt: skip
    assert problem(await choosing.get(f"/authorize?provider={name}")) == (
        400, "validation_failed", f"Unsupported provider: custom provider {name} is disabled",
    )  # fmt: skip

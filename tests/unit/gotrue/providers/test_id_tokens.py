"""Who an id token tells of, by whose token it is: auth reference 9.1, 9.4."""

from __future__ import annotations

from typing import Any

import pytest

from gotrue_compat.model.external_identity import ExternalEmail
from gotrue_compat.ports import ProviderError
from gotrue_compat.providers.definition import Access, ProviderSettings, TokenResponse
from gotrue_compat.providers.oidc import identity_of_claims
from gotrue_compat.providers.registry import PROVIDERS, identity_of_token

EMAIL = {"email": "a@b.es"}
AZURE = "https://login.microsoftonline.com/tenant/v2.0"
VERSION_1 = "https://sts.windows.net/tenant/"


@pytest.mark.parametrize(
    ("name", "claims", "verified"),
    [
        ("apple", EMAIL, True),
        ("facebook", EMAIL, True),
        ("kakao", EMAIL, True),
        ("snapchat", EMAIL | {"email_verified": False}, True),
        ("vercel_marketplace", {"user_email": "a@b.es"}, True),
        ("linkedin_oidc", EMAIL | {"email_verified": "true"}, True),
        ("linkedin_oidc", EMAIL | {"email_verified": "0"}, False),
        ("linkedin_oidc", EMAIL | {"email_verified": True}, True),
        ("google", EMAIL, False),
        ("google", EMAIL | {"verified_email": True}, True),
        ("keycloak", EMAIL, False),
        ("keycloak", EMAIL | {"email_verified": True}, True),
        ("azure", EMAIL | {"iss": AZURE}, True),
        ("azure", EMAIL | {"iss": AZURE, "xms_edov": "1"}, True),
        ("azure", EMAIL | {"iss": AZURE, "xms_edov": False}, False),
        ("azure", EMAIL | {"iss": AZURE, "xms_edov": ["1"]}, False),
        ("azure", EMAIL | {"iss": VERSION_1}, False),
        ("azure", EMAIL | {"iss": VERSION_1, "email_verified": True}, True),
    ],
)  # fmt: skip
def test_whose_addresses_count_as_verified(name: str, claims: dict[str, Any], verified: bool):
    identity = PROVIDERS[name].read_claims({"sub": "7", **claims})
    assert [(email.email, email.verified) for email in identity.emails] == [("a@b.es", verified)]


@pytest.mark.parametrize("claims", [{}, {"email_verified": "yes"}, {"email_verified": 1}])
def test_linkedin_says_in_a_word_whether_an_address_is_verified(claims: dict[str, Any]):
    with pytest.raises(ProviderError):
        PROVIDERS["linkedin_oidc"].read_claims(EMAIL | claims)


@pytest.mark.parametrize("name", ["apple", "linkedin_oidc"])
async def test_who_is_told_by_no_id_token_is_nobody(name: str):
    none: Any = None
    define = PROVIDERS[name].define
    assert define is not None
    granted = TokenResponse("token", "", "", {"access_token": "token"})
    access = Access(ProviderSettings(), granted, none, none, {})
    assert (await define(ProviderSettings()).read(access)).email is None


@pytest.mark.parametrize("name", ["apple", "vercel_marketplace"])
def test_who_hides_the_address_is_taken_without_one(name: str):
    identity = PROVIDERS[name].read_claims({"sub": "7"})
    assert identity.email == ExternalEmail("", verified=True, primary=True)


def test_google_without_its_scheme_is_read_as_any_other_issuer():
    claims = {"iss": "accounts.google.com", "sub": "7", "name": "Ana"}
    assert PROVIDERS["google"].read_claims(claims).data == claims


def test_what_azure_tells_beside_is_kept_without_the_claims_of_the_protocol():
    claims = {
        "iss": AZURE, "sub": "7", "aud": "client", "exp": 1, "ver": "2.0", "name": "Ana",
        "preferred_username": "ana@x", "tid": "tenant", "email": "a@b.es",
    }  # fmt: skip
    assert PROVIDERS["azure"].read_claims(claims).data == {
        "iss": AZURE, "sub": "7", "provider_id": "7", "full_name": "Ana",
        "preferred_username": "ana@x", "custom_claims": {"tid": "tenant", "email": "a@b.es"},
    }  # fmt: skip


def test_a_version_1_token_of_azure_is_read_as_any_other_issuers():
    claims = {"iss": VERSION_1, "sub": "7", "aud": "client", "iat": 1, "exp": 2, "name": "Ana"}
    assert PROVIDERS["azure"].read_claims(claims).data == claims | {"aud": ["client"]}


def test_apple_tells_no_name_in_its_tokens():
    claims = {"iss": "https://appleid.apple.com", "sub": "7", "is_private_email": "false"}
    found = PROVIDERS["apple"].read_claims(claims | {"name": "x", "transfer_sub": "8"})
    assert found.data == {
        "iss": claims["iss"], "sub": "7", "provider_id": "7",
        "custom_claims": {"is_private_email": False, "transfer_sub": "8"},
    }  # fmt: skip
    assert "custom_claims" not in PROVIDERS["apple"].read_claims({"sub": "7"}).data


def test_vercel_knows_somebody_under_one_name_everywhere():
    claims = {"sub": "7", "user_name": "Ana", "user_avatar_url": "https://p.example/a.png"}
    assert PROVIDERS["vercel_marketplace"].read_claims(claims).provider_id == "7"
    found = PROVIDERS["vercel_marketplace"].read_claims(claims | {"global_user_id": "9"})
    assert (found.provider_id, found.data["provider_id"]) == ("global_user_id:9",) * 2
    assert (found.data["name"], found.data["picture"]) == ("Ana", "https://p.example/a.png")


def test_standard_claims_become_the_identity_as_they_are():
    claims = {
        "iss": "https://i.example", "sub": "7", "aud": ["a", "b"], "iat": 1, "exp": 2,
        "given_name": "Ana", "zoneinfo": "", "updated_at": 1_700_000_000, "nickname": None,
        "user_name": "ana", "anything": "else",
    }  # fmt: skip
    assert identity_of_claims(claims).data == {
        "iss": "https://i.example", "sub": "7", "aud": ["a", "b"], "iat": 1, "exp": 2,
        "given_name": "Ana", "user_name": "ana", "updated_at": "2023-11-14T22:13:20Z",
    }  # fmt: skip


@pytest.mark.parametrize(
    "claims",
    [
        {"email": ["a@b.es"]}, {"name": 1}, {"sub": {}}, {"picture": True},
        {"email_verified": "true"}, {"phone_verified": 1},
    ],
)  # fmt: skip
def test_a_claim_of_another_type_makes_a_bad_token(claims: dict[str, Any]):
    with pytest.raises(ProviderError):
        identity_of_claims({"sub": "7", **claims})


def test_google_tells_in_booleans_alone_whether_an_address_is_verified():
    claims = {"iss": "https://accounts.google.com", "sub": "7", "email": "a@b.es"}
    read = PROVIDERS["google"].read_claims
    for flag, is_verified in ({"email_verified": None}, False), ({"verified_email": True}, True):
        (address,) = read(claims | flag).emails
        assert address.verified is is_verified
    with pytest.raises(ProviderError):
        read(claims | {"email_verified": "true"})


@pytest.mark.parametrize(
    ("claims", "custom"),
    [
        ({"is_private_email": "T"}, {"is_private_email": True}),
        ({"is_private_email": None, "auth_time": None}, None),
        ({"is_private_email": False, "auth_time": 0}, {"is_private_email": False, "auth_time": 0}),
    ],
)
def test_what_apple_tells_of_an_address(claims: dict[str, Any], custom: object):
    found = PROVIDERS["apple"].read_claims({"sub": "7", **claims})
    assert found.data.get("custom_claims") == custom


@pytest.mark.parametrize(
    "claims", [{"is_private_email": "yes"}, {"is_private_email": 1}, {"auth_time": "1"}]
)
def test_what_apple_tells_in_another_type_makes_a_bad_token(claims: dict[str, Any]):
    with pytest.raises(ProviderError):
        PROVIDERS["apple"].read_claims({"sub": "7", **claims})


@pytest.mark.parametrize("moment", [1e30, True, [], "2023-11-14T22:13:20Z", -1e300])
def test_any_moment_is_told_or_left_out(moment: object):
    shown = identity_of_claims({"sub": "7", "updated_at": moment}).data.get("updated_at")
    assert shown in {None, "2023-11-14T22:13:20Z"}


def test_a_token_of_any_issuer_is_read_as_its_issuers():
    google = {"iss": "https://accounts.google.com", "sub": "7", "hd": "b.es"}
    assert identity_of_token(google).data["custom_claims"] == {"hd": "b.es"}
    assert identity_of_token({"iss": AZURE, "sub": "7", "tid": "t"}).data["custom_claims"] == {
        "tid": "t"
    }
    assert identity_of_token({"iss": [], "sub": "7"} | {"iss": "x"}).data == {
        "iss": "x",
        "sub": "7",
    }

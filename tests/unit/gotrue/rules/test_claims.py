"""Claims and linking: auth reference 5.10, 9.1."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from gotrue_compat.model.session import AmrClaim, Session
from gotrue_compat.model.user import Factor, Identity, User
from gotrue_compat.rules import identities
from gotrue_compat.rules.claims import Issue, access_claims, expiry_of
from gotrue_compat.settings import read_settings
from gotrue_compat.settings.access import SessionSettings

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SETTINGS = read_settings(
    {
        "GOTRUE_SITE_URL": "http://x", "GOTRUE_JWT_SECRET": "s", "API_EXTERNAL_URL": "http://x",
        "DATABASE_URL": "postgresql://x", "GOTRUE_JWT_ISSUER": "http://issuer",
    }
)  # fmt: skip
USER = User(
    UUID(int=5), "authenticated", "authenticated", "a@b.es", "", NOW, None, "", None, "", None, "",
    "", None, None, {"provider": "email"}, {"nombre": "Ana"}, NOW, NOW, "", None, "", "", None, NOW,
    "", 0, None, "", None, False, None, False,
)  # fmt: skip
SESSION = Session(
    UUID(int=6), USER.id, NOW, NOW, None, "aal1", None, None, "", None, None, None, None, None, None,
    (AmrClaim("password", NOW), AmrClaim("totp", NOW + timedelta(seconds=5))),
)  # fmt: skip
FACTOR = Factor(
    UUID(int=7), USER.id, "f", "totp", "verified", NOW, NOW, "", None, None, None, None, None
)
LIMITS = SessionSettings(None, None, None, False, ())


def test_claims_in_the_order_of_the_original():
    claims = access_claims(Issue(USER, SESSION, NOW), SETTINGS.jwt, LIMITS)
    assert list(claims) == [
        "iss", "sub", "aud", "exp", "iat", "email", "phone", "app_metadata", "user_metadata",
        "role", "aal", "amr", "session_id", "is_anonymous",
    ]  # fmt: skip
    assert claims["aal"] == "aal2"
    assert [entry["method"] for entry in claims["amr"]] == ["totp", "password"]
    assert claims["exp"] == claims["iat"] + 3600


def test_methods_of_one_second_are_the_newest_first():
    second = (AmrClaim("password", NOW), AmrClaim("totp", NOW + timedelta(seconds=0.5)))
    issue = Issue(USER, replace(SESSION, amr=second), NOW)
    entries = access_claims(issue, SETTINGS.jwt, LIMITS)["amr"]
    assert [entry["method"] for entry in entries] == ["totp", "password"]


def test_sso_names_the_provider_of_a_users_only_identity():
    saml = replace(SESSION, amr=(AmrClaim("sso/saml", NOW),))
    sso, email = (
        Identity(UUID(int=8), "1", USER.id, {}, name, NOW, NOW, NOW, None)
        for name in ("sso:idp", "email")
    )
    for found, named in (((sso,), "idp"), ((), None), ((email,), None), ((sso, email), None)):
        issue = Issue(replace(USER, identities=found), saml, NOW)
        [entry] = access_claims(issue, SETTINGS.jwt, LIMITS)["amr"]
        assert entry.get("provider") == named


def test_who_owes_a_second_factor_gets_no_more_than_the_grace():
    owing = replace(USER, factors=(FACTOR,))
    low = replace(SESSION, amr=SESSION.amr[:1])
    limits = replace(LIMITS, low_aal=900.0)
    assert expiry_of(Issue(owing, low, NOW), SETTINGS.jwt, limits) == NOW + timedelta(minutes=15)
    assert expiry_of(Issue(owing, SESSION, NOW), SETTINGS.jwt, limits) == NOW + timedelta(hours=1)


def _identity(provider: str) -> Identity:
    return Identity(UUID(int=9), "p", USER.id, {}, provider, NOW, NOW, NOW, "a@b.es")


def test_the_oldest_identity_names_the_provider():
    user = replace(USER, identities=(_identity("google"), _identity("email"), _identity("google")))
    assert identities.app_metadata(user) == {
        "provider": "google", "providers": ["google", "email"],
    }  # fmt: skip


def test_which_providers_link_with_one_another():
    assert identities.linking_domain("sso:1", {}) == "sso:1"
    assert identities.linking_domain("google", {"google": "social"}) == "social"
    assert identities.linking_domain("google", {}, frozenset({"google"})) == "google"

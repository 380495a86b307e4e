"""Google: the id token where there is one, else userinfo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.ports import ExpectedClaims
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    identity,
    named,
)
from gotrue_compat.providers.oidc import email_of_claims, flag_of, identity_of_claims, text_of

ISSUER = "https://accounts.google.com"
_USERINFO = "https://www.googleapis.com/userinfo/v2/me"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Google."""
    authorize, token = f"{ISSUER}/o/oauth2/v2/auth", "https://oauth2.googleapis.com/token"
    if settings.url:
        authorize, token = f"{settings.url}/o/oauth2/v2/auth", f"{settings.url}/token"
    return Definition(authorize, token, ("email", "profile"), _read)


async def _read(access: Access) -> ExternalIdentity:
    issuer = access.settings.url or ISSUER
    if access.granted.id_token:
        expected = ExpectedClaims(issuer, access.settings.client_ids[:1])
        claims = await access.id_tokens.verify(access.granted.id_token, expected)
        return google_identity(claims)
    place = access.settings.api_url or _USERINFO
    user = await access.api.get(place)
    emails = email_of_claims(user, verified=_is_verified(user))
    return identity(user.get("id"), emails, place, **named(user.get("name"), user.get("picture")))


def google_identity(claims: Mapping[str, Any]) -> ExternalIdentity:
    """The identity of an id token; the domain of a company's account is a claim of its own.

    A token whose issuer has no scheme is read as any other issuer's, as by the original.
    """
    if claims.get("iss") == ISSUER.removeprefix("https://"):
        return identity_of_claims(claims)
    hosted = text_of(claims, "hd")
    more = {"custom_claims": {"hd": hosted}} if hosted else {}
    return identity(
        text_of(claims, "sub"),
        email_of_claims(claims, verified=_is_verified(claims)),
        text_of(claims, "iss"),
        **named(text_of(claims, "name"), text_of(claims, "picture")),
        **more,
    )


def _is_verified(claims: Mapping[str, Any]) -> bool:
    flags = [flag_of(claims, name) for name in ("email_verified", "verified_email")]
    return any(flags)

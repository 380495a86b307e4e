"""LinkedIn by OpenID Connect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.ports import ExpectedClaims
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
)
from gotrue_compat.providers.oidc import email_of_claims, text_of

ISSUER = "https://www.linkedin.com/oauth"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with LinkedIn."""
    host = base(settings.url, "api.linkedin.com")
    return Definition(
        f"{host}/oauth/v2/authorization",
        f"{host}/oauth/v2/accessToken",
        ("openid", "email", "profile"),
        _read,
        basic=False,
    )


async def _read(access: Access) -> ExternalIdentity:
    expected = ExpectedClaims(access.settings.url or ISSUER, access.settings.client_ids[:1])
    claims = await access.id_tokens.verify(access.granted.id_token, expected)
    return linkedin_identity(claims)


def linkedin_identity(claims: Mapping[str, Any]) -> ExternalIdentity:
    """Who an id token tells of."""
    names = {key: text_of(claims, key) for key in ("given_name", "family_name")}
    return identity(
        text_of(claims, "sub"),
        email_of_claims(claims),
        text_of(claims, "iss"),
        name=" ".join(filter(None, names.values())),
        locale=claims.get("locale"),
        picture=text_of(claims, "picture"),
        **names,
    )

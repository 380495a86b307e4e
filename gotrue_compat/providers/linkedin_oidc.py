"""LinkedIn by OpenID Connect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.ports import ExpectedClaims, ProviderError
from gotrue_compat.providers.definition import (
    NOBODY,
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
)
from gotrue_compat.providers.oidc import email_of_claims, text_of, worded_flag_of

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
    if access.tells_nobody:
        return NOBODY
    expected = ExpectedClaims(access.settings.url or ISSUER, access.settings.client_ids[:1])
    claims = await access.id_tokens.verify(access.granted.id_token, expected)
    return linkedin_identity(claims)


def linkedin_identity(claims: Mapping[str, Any]) -> ExternalIdentity:
    """Who an id token tells of; LinkedIn says in a word whether the address is verified."""
    verified = worded_flag_of(claims, "email_verified")
    if verified is None:
        raise ProviderError("the claim email_verified is missing")
    names = {key: text_of(claims, key) for key in ("given_name", "family_name")}
    return identity(
        text_of(claims, "sub"),
        email_of_claims(claims, verified=verified),
        text_of(claims, "iss"),
        name=" ".join(filter(None, names.values())),
        locale=claims.get("locale"),
        picture=text_of(claims, "picture"),
        **names,
    )

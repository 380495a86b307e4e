"""Vercel's marketplace: the profile is the id token's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
from gotrue_compat.ports import ExpectedClaims
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
)
from gotrue_compat.providers.oidc import text_of

ISSUER = "https://marketplace.vercel.com"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in from Vercel's marketplace."""
    host = base(settings.url, "api.vercel.com")
    return Definition(f"{host}/oauth/v2/authorization", f"{host}/oauth/v2/accessToken", (), _read)


async def _read(access: Access) -> ExternalIdentity:
    expected = ExpectedClaims(access.settings.url or ISSUER, access.settings.client_ids[:1])
    return vercel_identity(await access.id_tokens.verify(access.granted.id_token, expected))


def vercel_identity(claims: Mapping[str, Any]) -> ExternalIdentity:
    """The identity of an id token: the same for all installations if it names a global user."""
    everywhere = text_of(claims, "global_user_id")
    # Added where it is empty too: the original accepts users without an address
    email = ExternalEmail(text_of(claims, "user_email"), verified=True, primary=True)
    return identity(
        f"global_user_id:{everywhere}" if everywhere else text_of(claims, "sub"),
        (email,),
        text_of(claims, "iss"),
        name=text_of(claims, "user_name"),
        picture=text_of(claims, "user_avatar_url"),
    )

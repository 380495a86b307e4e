"""Vercel's marketplace: the id token tells everything."""

from __future__ import annotations

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.ports import ExpectedClaims
from gotrue_compat.providers.definition import Access, Definition, ProviderSettings, base
from gotrue_compat.providers.oidc import identity_of_claims

ISSUER = "https://marketplace.vercel.com"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in from Vercel's marketplace."""
    host = base(settings.url, "api.vercel.com")
    return Definition(f"{host}/oauth/v2/authorization", f"{host}/oauth/v2/accessToken", (), _read)


async def _read(access: Access) -> ExternalIdentity:
    expected = ExpectedClaims(access.settings.url or ISSUER, access.settings.client_ids[:1])
    claims = await access.id_tokens.verify(access.granted.id_token, expected)
    return identity_of_claims(claims, verified=True)

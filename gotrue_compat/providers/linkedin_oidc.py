"""LinkedIn by OpenID Connect."""

from __future__ import annotations

from gotrue_compat.ports import Expected
from gotrue_compat.providers.definition import Access, Definition, base
from gotrue_compat.providers.oidc import identity_of_claims
from gotrue_compat.rules.identities import ExternalIdentity
from gotrue_compat.settings.federation import ProviderSettings

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
    expected = Expected(access.settings.url or ISSUER, access.settings.client_ids[:1])
    claims = await access.id_tokens.verify(access.granted.id_token, expected)
    return identity_of_claims(claims)

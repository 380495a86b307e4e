"""Google: the id token where there is one, else userinfo."""

from __future__ import annotations

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.ports import ExpectedClaims
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    identity,
    named,
    only_email,
)
from gotrue_compat.providers.oidc import identity_of_claims

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
        return identity_of_claims(claims)
    user = await access.api.get(access.settings.api_url or _USERINFO)
    emails = only_email(user.get("email"), verified=bool(user.get("verified_email")))
    claims = named(user.get("name"), user.get("picture"))
    return identity(user.get("id"), emails, issuer, **claims)

"""Keycloak, and any realm that speaks like one: the configured address is the realm's."""

from __future__ import annotations

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    identity,
    only_email,
)

_STANDARD = frozenset({"name", "sub", "email", "email_verified"})


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with a Keycloak realm."""
    realm = f"{settings.url}/protocol/openid-connect"
    return Definition(f"{realm}/auth", f"{realm}/token", ("profile", "email"), _read)


async def _read(access: Access) -> ExternalIdentity:
    realm = access.settings.url
    user = await access.api.get(f"{realm}/protocol/openid-connect/userinfo")
    emails = only_email(user.get("email"), verified=bool(user.get("email_verified")))
    name = user.get("name")
    custom = {claim: value for claim, value in user.items() if claim not in _STANDARD}
    return identity(user.get("sub"), emails, realm, name=name, full_name=name, custom_claims=custom)

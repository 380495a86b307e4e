"""Snapchat: the profile is a GraphQL query."""

from __future__ import annotations

from urllib.parse import urlencode

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.model.rows import json_object
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
    named,
    only_email,
)

ISSUER = "https://accounts.snapchat.com/accounts/oauth2/token"
_SCOPE = "https://auth.snapchat.com/oauth2/api/user."
_QUERY = "{me { externalId displayName bitmoji { avatar id } email } }"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Snapchat."""
    host = base(settings.url, "accounts.snapchat.com")
    scopes = tuple(_SCOPE + name for name in ("external_id", "display_name", "bitmoji.avatar"))
    return Definition(
        f"{host}/accounts/oauth2/auth", f"{host}/accounts/oauth2/token", scopes, _read
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "kit.snapchat.com")
    answer = await access.api.get(f"{api}/v1/me?{urlencode({'query': _QUERY})}")
    user = json_object(json_object(answer.get("data")).get("me"))
    name = user.get("displayName")
    picture = json_object(user.get("bitmoji")).get("avatar")
    emails = only_email(user.get("email"), verified=True)
    claims = named(name, picture) | {"slug": name}
    return identity(user.get("externalId"), emails, ISSUER, **claims)

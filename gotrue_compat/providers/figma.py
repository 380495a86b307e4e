"""Figma."""

from __future__ import annotations

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
    named,
    only_email,
)


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Figma."""
    return Definition(
        base(settings.url, "www.figma.com") + "/oauth",
        base(settings.url, "api.figma.com") + "/v1/oauth/token",
        ("current_user:read",),
        _read,
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "api.figma.com")
    user = await access.api.get(f"{api}/v1/me")
    claims = named(user.get("handle")) | {"avatar_url": user.get("img_url")}
    emails = only_email(user.get("email"), verified=True)
    return identity(user.get("id"), emails, api, **claims)

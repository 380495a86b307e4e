"""Spotify: addresses are never verified."""

from __future__ import annotations

from typing import Any

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
    """Sign-in with Spotify."""
    host = base(settings.url, "accounts.spotify.com")
    return Definition(f"{host}/authorize", f"{host}/api/token", ("user-read-email",), _read)


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "api.spotify.com/v1")
    user = await access.api.get(f"{api}/me")
    images: list[dict[str, Any]] = user.get("images") or [{}]
    largest = max(images, key=lambda image: (image.get("height") or 0) * (image.get("width") or 0))
    emails = only_email(user.get("email"), verified=False)
    claims = named(user.get("display_name"), largest.get("url"))
    return identity(user.get("id"), emails, api, **claims)

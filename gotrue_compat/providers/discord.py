"""Discord."""

from __future__ import annotations

from collections.abc import Mapping
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
    """Sign-in with Discord."""
    api = base(settings.url, "discord.com") + "/api"
    return Definition(
        f"{api}/oauth2/authorize", f"{api}/oauth2/token", ("email", "identify"), _read
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "discord.com") + "/api"
    user = await access.api.get(f"{api}/users/@me")
    name = user.get("username")
    claims = named(f"{name}#{user.get('discriminator')}", _picture(user)) | {
        "full_name": name, "custom_claims": {"global_name": user.get("global_name") or ""},
    }  # fmt: skip
    emails = only_email(user.get("email"), verified=bool(user.get("verified")))
    return identity(user.get("id"), emails, api, **claims)


def _picture(user: Mapping[str, Any]) -> str:
    """An own picture, animated where its hash says so, else the one of the discriminator."""
    avatar = str(user.get("avatar") or "")
    if not avatar:
        digits = str(user.get("discriminator") or "0")
        number = int(digits) % 5 if digits.isdecimal() else 0
        return f"https://cdn.discordapp.com/embed/avatars/{number}.png"
    extension = "gif" if avatar.startswith("a_") else "png"
    return f"https://cdn.discordapp.com/avatars/{user.get('id')}/{avatar}.{extension}"

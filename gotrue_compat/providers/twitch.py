"""Twitch: calls name the client."""

from __future__ import annotations

from typing import Any

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.ports import ProviderError
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
    named,
    only_email,
)

_CUSTOM = {
    "broadcaster_type": "",
    "description": "",
    "type": "",
    "offline_image_url": "",
    "view_count": 0,
}  # fmt: skip — the value of each where Twitch sends none


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Twitch."""
    host = base(settings.url, "id.twitch.tv")
    return Definition(
        f"{host}/oauth2/authorize", f"{host}/oauth2/token", ("user:read:email",), _read, basic=False
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "api.twitch.tv")
    answer = await access.api.get(f"{api}/helix/users", client_id=access.settings.client_ids[0])
    users: list[dict[str, Any]] = answer.get("data") or []
    if not users:
        raise ProviderError("twitch knows nobody by this token")
    user = users[0]
    display = user.get("display_name")
    claims = named(user.get("login"), user.get("profile_image_url")) | {
        "nickname": display, "slug": display,
        "custom_claims": {name: user.get(name) or none for name, none in _CUSTOM.items()},
    }  # fmt: skip
    emails = only_email(user.get("email"), verified=True)
    return identity(user.get("id"), emails, api, **claims)

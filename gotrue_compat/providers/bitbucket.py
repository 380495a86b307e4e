"""Bitbucket."""

from __future__ import annotations

from typing import Any

from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
from gotrue_compat.model.rows import json_object
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
    named,
)


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Bitbucket."""
    host = base(settings.url, "bitbucket.org")
    return Definition(
        f"{host}/site/oauth2/authorize",
        f"{host}/site/oauth2/access_token",
        ("account", "email"),
        _read,
        takes_scopes=False,
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "api.bitbucket.org") + "/2.0"
    user = await access.api.get(f"{api}/user")
    values: list[dict[str, Any]] = (await access.api.get(f"{api}/user/emails")).get("values") or []
    emails = tuple(
        ExternalEmail(
            str(value["email"]), bool(value.get("is_confirmed")), bool(value.get("is_primary"))
        )
        for value in values
        if value.get("email")
    )
    links = json_object(user.get("links"))
    picture = json_object(links.get("avatar") or user.get("avatar")).get("href")
    return identity(user.get("uuid"), emails, api, **named(user.get("display_name"), picture))

"""Notion: the token belongs to a bot, whose owner is the user."""

from __future__ import annotations

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


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Notion."""
    host = base(settings.url, "api.notion.com")
    return Definition(
        f"{host}/v1/oauth/authorize", f"{host}/v1/oauth/token", (), _read, takes_scopes=False
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "api.notion.com")
    answer = await access.api.get(f"{api}/v1/users/me", notion_version="2021-08-16")
    owner = json_object(json_object(answer.get("bot")).get("owner"))
    user = json_object(owner.get("user"))
    emails = only_email(json_object(user.get("person")).get("email"), verified=True)
    return identity(user.get("id"), emails, api, **named(user.get("name"), user.get("avatar_url")))

"""Slack by OpenID Connect."""

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
    """Sign-in with Slack."""
    host = base(settings.url, "slack.com")
    return Definition(
        f"{host}/openid/connect/authorize",
        f"{host}/api/openid.connect.token",
        ("profile", "email", "openid"),
        _read,
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "slack.com") + "/api"
    user = await access.api.get(f"{api}/openid.connect.userInfo")
    team = "https://slack.com/team_id"
    emails = only_email(user.get("email"), verified=bool(user.get("email_verified")))
    claims = named(user.get("name"), user.get("picture")) | {
        "custom_claims": {team: user.get(team) or ""}
    }
    return identity(user.get("https://slack.com/user_id"), emails, api, **claims)

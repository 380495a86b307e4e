"""X by OAuth 2.0, which wants a proof key of us."""

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

_FIELDS = "id,name,username,confirmed_email,profile_image_url,url,created_at"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with X."""
    return Definition(
        base(settings.url, "x.com") + "/i/oauth2/authorize",
        base(settings.url, "api.x.com") + "/2/oauth2/token",
        ("users.email", "tweet.read", "users.read", "offline.access"),
        _read,
        pkce=True,
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "api.x.com")
    answer = await access.api.get(f"{api}/2/users/me?user.fields={_FIELDS}")
    user = json_object(answer.get("data"))
    name = user.get("username")
    claims = named(user.get("name"), user.get("profile_image_url")) | {
        "preferred_username": name, "user_name": name, "profile": f"https://x.com/{name}",
        "website": user.get("url"), "custom_claims": {"created_at": user.get("created_at")},
    }  # fmt: skip
    emails = only_email(user.get("confirmed_email"), verified=True)
    return identity(user.get("id"), emails, api, **claims)

"""GitHub, also an enterprise server."""

from __future__ import annotations

from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
from gotrue_compat.providers.definition import Access, Definition, ProviderSettings, base, identity

_API = "https://api.github.com"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with GitHub."""
    host = base(settings.url, "github.com")
    return Definition(
        f"{host}/login/oauth/authorize",
        f"{host}/login/oauth/access_token",
        ("user:email",),
        _read,
    )


async def _read(access: Access) -> ExternalIdentity:
    api = f"{access.settings.url}/api/v3" if access.settings.url else _API
    user = await access.api.get(f"{api}/user")
    emails = tuple(
        ExternalEmail(str(value["email"]), bool(value.get("verified")), bool(value.get("primary")))
        for value in await access.api.get_list(f"{api}/user/emails")
        if value.get("email")
    )
    claims = {
        "name": user.get("name"), "full_name": user.get("name"),
        "preferred_username": user.get("login"), "user_name": user.get("login"),
        "avatar_url": user.get("avatar_url"),
    }  # fmt: skip
    return identity(user.get("id"), emails, api, **claims)

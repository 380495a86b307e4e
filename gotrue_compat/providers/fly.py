"""Fly.io."""

from __future__ import annotations

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
    only_email,
)

_CUSTOM = ("resource_owner_id", "organizations", "application", "scope", "created_at")


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Fly."""
    host = base(settings.url, "api.fly.io")
    return Definition(f"{host}/oauth/authorize", f"{host}/oauth/token", ("read",), _read)


async def _read(access: Access) -> ExternalIdentity:
    host = base(access.settings.url, "api.fly.io")
    user = await access.api.get(f"{host}/oauth/token/info")
    emails = only_email(user.get("email"), verified=True)
    custom = {name: user.get(name) for name in _CUSTOM}
    return identity(
        user.get("user_id"), emails, host, full_name=user.get("user_name"), custom_claims=custom
    )

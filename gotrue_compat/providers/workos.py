"""WorkOS: the profile comes with the token."""

from __future__ import annotations

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.model.rows import json_object
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
    only_email,
)


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in by a connection of WorkOS."""
    host = base(settings.url, "api.workos.com")
    return Definition(
        f"{host}/sso/authorize", f"{host}/sso/token", (), _read, basic=False, takes_scopes=False
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "api.workos.com")
    user = json_object(access.granted.answer.get("profile"))
    name = f"{user.get('first_name') or ''} {user.get('last_name') or ''}".strip()
    custom = {key: user.get(key) or "" for key in ("connection_id", "organization_id")}
    emails = only_email(user.get("email"), verified=True)
    return identity(user.get("id"), emails, api, name=name, full_name=name, custom_claims=custom)

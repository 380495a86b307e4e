"""Zoom: only users with a Zoom password can have an unverified address."""

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

_ZOOM_LOGIN = "100"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Zoom."""
    host = base(settings.url, "zoom.us") + "/oauth"
    return Definition(f"{host}/authorize", f"{host}/token", (), _read, takes_scopes=False)


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "api.zoom.us") + "/v2"
    user = await access.api.get(f"{api}/users/me")
    is_verified = str(user.get("login_type")) != _ZOOM_LOGIN or bool(user.get("verified"))
    name = f"{user.get('first_name') or ''} {user.get('last_name') or ''}".strip()
    emails = only_email(user.get("email"), verified=is_verified)
    return identity(user.get("id"), emails, api, **named(name, user.get("pic_url")))

"""GitLab, also a server of one's own."""

from __future__ import annotations

from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
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
    """Sign-in with GitLab."""
    host = base(settings.url, "gitlab.com")
    return Definition(f"{host}/oauth/authorize", f"{host}/oauth/token", ("read_user",), _read)


async def _read(access: Access) -> ExternalIdentity:
    host = base(access.settings.url, "gitlab.com")
    user = await access.api.get(f"{host}/api/v4/user")
    others = tuple(
        ExternalEmail(str(value["email"]), verified=False)
        for value in await access.api.get_list(f"{host}/api/v4/user/emails")
        if value.get("email")
    )
    own = only_email(user.get("email"), verified=bool(user.get("confirmed_at")))
    claims = named(user.get("name"), user.get("avatar_url"))
    return identity(user.get("id"), (*others, *own), host, **claims)

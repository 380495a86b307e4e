"""Facebook: calls are signed with the client's secret."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

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
from gotrue_compat.providers.oidc import email_of_claims, text_of

ISSUER = "https://www.facebook.com"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Facebook."""
    return Definition(
        base(settings.url, "www.facebook.com") + "/dialog/oauth",
        base(settings.url, "graph.facebook.com") + "/oauth/access_token",
        ("email",),
        _read,
        basic=False,
    )


async def _read(access: Access) -> ExternalIdentity:
    secret, token = access.settings.secret.reveal(), access.granted.access_token
    proof = hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()
    profile = base(access.settings.url, "graph.facebook.com") + (
        "/me?fields=email,first_name,last_name,name,picture"
    )
    user = await access.api.get(f"{profile}&appsecret_proof={proof}")
    picture = json_object(json_object(user.get("picture")).get("data")).get("url")
    name = f"{user.get('first_name', '')} {user.get('last_name', '')}".strip()
    alias = user.get("name")
    claims = named(name, picture) | {"nickname": alias, "slug": alias}
    emails = only_email(user.get("email"), verified=True)
    return identity(user.get("id"), emails, profile, **claims)


def facebook_identity(claims: Mapping[str, Any]) -> ExternalIdentity:
    """The identity of an id token of Limited Login, whose addresses are verified."""
    return identity(
        text_of(claims, "sub"),
        email_of_claims(claims, verified=True),
        text_of(claims, "iss"),
        name=text_of(claims, "name"),
        picture=text_of(claims, "picture"),
    )

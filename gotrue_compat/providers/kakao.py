"""Kakao."""

from __future__ import annotations

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
    only_email,
)
from gotrue_compat.providers.oidc import email_of_claims, text_of

ISSUER = "https://kauth.kakao.com"


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Kakao."""
    host = base(settings.url, "kauth.kakao.com")
    scopes = ("account_email", "profile_image", "profile_nickname")
    return Definition(f"{host}/oauth/authorize", f"{host}/oauth/token", scopes, _read, basic=False)


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "kapi.kakao.com")
    user = await access.api.get(f"{api}/v2/user/me")
    account = json_object(user.get("kakao_account"))
    profile = json_object(account.get("profile"))
    is_verified = bool(account.get("is_email_verified") and account.get("is_email_valid"))
    name = profile.get("nickname")
    claims = {
        "name": name, "full_name": name, "preferred_username": name, "user_name": name,
        "avatar_url": profile.get("profile_image_url"),
    }  # fmt: skip
    emails = only_email(account.get("email"), verified=is_verified)
    return identity(user.get("id"), emails, api, **claims)


def kakao_identity(claims: Mapping[str, Any]) -> ExternalIdentity:
    """The identity of an id token; its addresses are verified."""
    name = text_of(claims, "nickname")
    return identity(
        text_of(claims, "sub"),
        email_of_claims(claims, verified=True),
        text_of(claims, "iss"),
        name=name,
        preferred_username=name,
        picture=text_of(claims, "picture"),
    )

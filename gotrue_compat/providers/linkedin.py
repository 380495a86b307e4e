"""LinkedIn's older API."""

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
    named,
    only_email,
)


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with LinkedIn, as it was before OpenID Connect."""
    host = base(settings.url, "api.linkedin.com")
    return Definition(
        f"{host}/oauth/v2/authorization",
        f"{host}/oauth/v2/accessToken",
        ("r_emailaddress", "r_liteprofile"),
        _read,
        basic=False,
    )


async def _read(access: Access) -> ExternalIdentity:
    api = base(access.settings.url, "api.linkedin.com")
    projection = "projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))"
    user = await access.api.get(f"{api}/v2/me?{projection}")
    query = "q=members&projection=(elements*(handle~))"
    contact = await access.api.get(f"{api}/v2/emailAddress?{query}")
    elements: list[dict[str, Any]] = contact.get("elements") or [{}]
    email = json_object(elements[0].get("handle~")).get("emailAddress")
    name = f"{_localized(user.get('firstName'))} {_localized(user.get('lastName'))}".strip()
    emails = only_email(email, verified=True)
    return identity(user.get("id"), emails, api, **named(name, _picture(user)))


def _localized(value: Any) -> str:
    found = json_object(value)
    locale = json_object(found.get("preferredLocale"))
    key = f"{locale.get('language')}_{locale.get('country')}"
    return str(json_object(found.get("localized")).get(key) or "")


def _picture(user: Mapping[str, Any]) -> str:
    image = json_object(json_object(user.get("profilePicture")).get("displayImage~"))
    elements: list[dict[str, Any]] = image.get("elements") or [{}]
    identifiers: list[dict[str, Any]] = elements[0].get("identifiers") or [{}]
    return str(identifiers[0].get("identifier") or "")

"""Apple: the answer is posted, and the name comes only with the first one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.model.rows import json_object
from gotrue_compat.ports import ExpectedClaims
from gotrue_compat.providers.definition import Access, Definition, ProviderSettings
from gotrue_compat.providers.oidc import identity_of_claims, readable

ISSUER = "https://appleid.apple.com"
_ISSUERS = frozenset({ISSUER, "https://account.apple.com"})


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Apple."""
    host = settings.url or ISSUER
    return Definition(
        f"{host}/auth/authorize",
        f"{host}/auth/token",
        ("email", "name"),
        _read,
        basic=False,
        parameters=(("response_mode", "form_post"),),
    )


def is_issuer(issuer: str) -> bool:
    """Whether Apple issues tokens under this name."""
    return issuer in _ISSUERS


async def _read(access: Access) -> ExternalIdentity:
    issuer = access.settings.url or ISSUER
    expected = ExpectedClaims(issuer, access.settings.client_ids[:1], check_issuer=False)
    claims = await access.id_tokens.verify(access.granted.id_token, expected)
    found = identity_of_claims(claims)
    name = json_object(readable(access.form.get("user", "")).get("name"))
    full = f"{name.get('firstName') or ''} {name.get('lastName') or ''}".strip()
    data = found.data | ({"name": full, "full_name": full} if full else {})
    custom = {"auth_time": claims.get("auth_time"), "is_private_email": _is_private(claims)}
    return replace(found, data=data | {"custom_claims": custom})


def _is_private(claims: Mapping[str, Any]) -> bool:
    return claims.get("is_private_email") in {True, "true"}

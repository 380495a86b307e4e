"""Apple: the answer is posted, and the name comes only with the first one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
from gotrue_compat.model.rows import json_object
from gotrue_compat.ports import ExpectedClaims, ProviderError
from gotrue_compat.providers.definition import (
    NOBODY,
    Access,
    Definition,
    ProviderSettings,
    identity,
)
from gotrue_compat.providers.oidc import readable, text_of, worded_flag_of

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
        takes_scopes=False,
        takes_parameters=False,
    )


def is_issuer(issuer: str) -> bool:
    """Whether Apple issues tokens under this name."""
    return issuer in _ISSUERS


async def _read(access: Access) -> ExternalIdentity:
    if access.tells_nobody:
        return NOBODY
    issuer = access.settings.url or ISSUER
    expected = ExpectedClaims(issuer, access.settings.client_ids[:1], check_issuer=False)
    claims = await access.id_tokens.verify(access.granted.id_token, expected)
    found = apple_identity(claims)
    name = json_object(readable(access.form.get("user", "")).get("name"))
    full = f"{name.get('firstName') or ''} {name.get('lastName') or ''}".strip()
    return replace(found, data=found.data | ({"name": full, "full_name": full} if full else {}))


def apple_identity(claims: Mapping[str, Any]) -> ExternalIdentity:
    """The identity of an id token; Apple has verified every address in it."""
    seconds, elsewhere = claims.get("auth_time"), text_of(claims, "transfer_sub")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | None):
        raise ProviderError("the claim auth_time is no number")
    claimed = {
        "is_private_email": worded_flag_of(claims, "is_private_email"),
        "auth_time": seconds,
    }
    custom: dict[str, Any] = {name: value for name, value in claimed.items() if value is not None}
    custom |= {"transfer_sub": elsewhere} if elsewhere else {}
    # Added where it is empty too: the original accepts users who hide their address
    email = ExternalEmail(text_of(claims, "email"), verified=True, primary=True)
    more = {"custom_claims": custom} if custom else {}
    return identity(text_of(claims, "sub"), (email,), text_of(claims, "iss"), **more)

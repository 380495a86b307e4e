"""Microsoft Entra ID: the profile is the id token's; the issuer's pattern names the tenant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.ports import ExpectedClaims, ProviderError
from gotrue_compat.providers.definition import (
    Access,
    Definition,
    ProviderSettings,
    base,
    identity,
)
from gotrue_compat.providers.oidc import (
    email_of_claims,
    identity_of_claims,
    text_of,
    unverified_claims,
)

_COMMON = re.compile(r"https://login\.microsoftonline\.com/([^/]+)/v2\.0/?")
_CIAM = re.compile(r"https://[a-z0-9-]+\.ciamlogin\.com/([^/]+)/v2\.0/?")
_VERSION_1 = "https://sts.windows.net/"
_ANY = frozenset({"common", "organizations"})
# Claims of the protocol, and those that have a name of their own in the identity
_NOT_CUSTOM = frozenset({
    "aud", "iss", "iat", "nbf", "exp", "c_hash", "at_hash", "aio", "nonce", "rh", "uti", "jti",
    "ver", "sub", "name", "preferred_username",
})  # fmt: skip


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Microsoft."""
    host = base(settings.url, "login.microsoftonline.com/common")
    return Definition(
        f"{host}/oauth2/v2.0/authorize", f"{host}/oauth2/v2.0/token", ("openid",), _read
    )


def is_issuer(issuer: str) -> bool:
    """Whether a tenant of Microsoft issues under this name."""
    return _COMMON.fullmatch(issuer) is not None


def is_token_issuer(issuer: str) -> bool:
    """Whether a token's issuer is Microsoft's, version 1 of its tokens too."""
    return issuer.startswith(("https://login.microsoftonline.com/", _VERSION_1))


async def _read(access: Access) -> ExternalIdentity:
    issuer = str((unverified_claims(access.granted.id_token) or {}).get("iss", ""))
    wanted = f"{access.settings.url}/v2.0" if access.settings.url else ""
    match = _COMMON.fullmatch(wanted) or _CIAM.fullmatch(wanted)
    is_own = match is not None and match.group(1) not in _ANY
    is_known = is_issuer(issuer) or _CIAM.fullmatch(issuer) is not None
    if (is_own and issuer != wanted) or not (is_known or access.settings.url):
        raise ProviderError("the id token is of another tenant")
    expected = ExpectedClaims(issuer, access.settings.client_ids[:1])
    claims = await access.id_tokens.verify(access.granted.id_token, expected)
    return azure_identity(claims)


def azure_identity(claims: Mapping[str, Any]) -> ExternalIdentity:
    """The identity of an id token; version 1 and other clouds are read as any other issuer's."""
    issuer = text_of(claims, "iss")
    if issuer.startswith(_VERSION_1) or _CIAM.fullmatch(issuer):
        return identity_of_claims(claims)
    custom = {name: value for name, value in claims.items() if name not in _NOT_CUSTOM}
    return identity(
        text_of(claims, "sub"),
        email_of_claims(claims, verified=_is_verified(claims)),
        issuer,
        preferred_username=text_of(claims, "preferred_username"),
        full_name=text_of(claims, "name"),
        custom_claims=custom,
    )


def _is_verified(claims: Mapping[str, Any]) -> bool:
    """Whether the domain's owner verified the address, where Microsoft was set up to report it."""
    owner_verified = claims.get("xms_edov")
    is_text = isinstance(owner_verified, str) and owner_verified in {"1", "true"}
    return owner_verified is None or owner_verified is True or is_text

"""Microsoft Entra ID: the id token tells everything; which tenant may is the issuer's pattern."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.ports import ExpectedClaims, ProviderError
from gotrue_compat.providers.definition import Access, Definition, ProviderSettings, base
from gotrue_compat.providers.oidc import identity_of_claims, unverified_claims

_COMMON = re.compile(r"https://login\.microsoftonline\.com/([^/]+)/v2\.0/?")
_CIAM = re.compile(r"https://[a-z0-9-]+\.ciamlogin\.com/([^/]+)/v2\.0/?")
_ANY = frozenset({"common", "organizations"})


def definition(settings: ProviderSettings) -> Definition:
    """Sign-in with Microsoft."""
    host = base(settings.url, "login.microsoftonline.com/common")
    return Definition(
        f"{host}/oauth2/v2.0/authorize", f"{host}/oauth2/v2.0/token", ("openid",), _read
    )


def is_issuer(issuer: str) -> bool:
    """Whether a tenant of Microsoft issues under this name."""
    return bool(_COMMON.fullmatch(issuer) or _CIAM.fullmatch(issuer))


def is_token_issuer(issuer: str) -> bool:
    """Whether a token's issuer is Microsoft's, version 1 of its tokens too."""
    return issuer.startswith(("https://login.microsoftonline.com/", "https://sts.windows.net/"))


async def _read(access: Access) -> ExternalIdentity:
    issuer = str((unverified_claims(access.granted.id_token) or {}).get("iss", ""))
    wanted = f"{access.settings.url}/v2.0" if access.settings.url else ""
    match = _COMMON.fullmatch(wanted) or _CIAM.fullmatch(wanted)
    is_own = match is not None and match.group(1) not in _ANY
    if (is_own and issuer != wanted) or not (is_issuer(issuer) or access.settings.url):
        raise ProviderError("the id token is of another tenant")
    expected = ExpectedClaims(issuer, access.settings.client_ids[:1])
    claims = await access.id_tokens.verify(access.granted.id_token, expected)
    return azure_identity(claims)


def azure_identity(claims: Mapping[str, Any]) -> ExternalIdentity:
    """Microsoft tells by xms_edov whether the domain's owner verified the address."""
    return identity_of_claims(claims, verified=claims.get("xms_edov") in {True, "1", "true"})

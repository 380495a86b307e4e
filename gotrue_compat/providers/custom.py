"""The two kinds of providers that an administrator may add (auth reference 9.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compat_base.values.settings import Secret
from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.model.federation import CustomProvider
from gotrue_compat.model.rows import json_object
from gotrue_compat.ports import ExpectedClaims, IdTokens, ProviderError
from gotrue_compat.providers.definition import Access, Definition, ProviderSettings
from gotrue_compat.providers.oidc import identity_of_claims
from gotrue_compat.providers.registry import identity_of_token
from gotrue_compat.urls.links import web_address


def custom_settings(custom: CustomProvider, secret: str, callback: str) -> ProviderSettings:
    """A custom provider's settings in the form of the built-in ones."""
    return ProviderSettings(
        enabled=custom.enabled,
        client_ids=(custom.client_id, *custom.acceptable_client_ids),
        secret=Secret(secret),
        redirect_uri=callback,
        url=custom.issuer or "",
        email_optional=custom.email_optional,
        skip_nonce_check=custom.skip_nonce_check,
    )


async def custom_definition(custom: CustomProvider, id_tokens: IdTokens) -> Definition:
    """A custom provider as a definition; an OIDC one publishes its addresses itself."""
    found: dict[str, Any] = {
        "authorization_endpoint": custom.authorization_url,
        "token_endpoint": custom.token_url,
        "userinfo_endpoint": custom.userinfo_url,
        "jwks_uri": custom.jwks_uri,
    }
    if custom.provider_type == "oidc":
        found_identity = await id_tokens.metadata(custom.issuer or "", custom.discovery_url or "")
        found = {name: value or found_identity.get(name) for name, value in found.items()}

    async def read(access: Access) -> ExternalIdentity:
        """Who signed in, by id token where there is one, else by userinfo."""
        return await _read_custom(access, custom, found)

    # a browser is sent there, and a discovery document may name anything
    page = web_address(str(found["authorization_endpoint"] or ""))
    if page is None:
        raise ProviderError("the authorization endpoint is no address of the web")
    scopes = tuple(dict.fromkeys(("openid", *custom.scopes)))
    return Definition(
        authorize_url=page.text,
        token_url=str(found["token_endpoint"] or ""),
        scopes=scopes if custom.provider_type == "oidc" else custom.scopes,
        read=read,
        basic=False,
        pkce=custom.pkce_enabled,
        parameters=tuple((k, str(v)) for k, v in custom.authorization_params.items()),
        replaces_scopes=True,
    )


async def _read_custom(
    access: Access, custom: CustomProvider, found: Mapping[str, Any]
) -> ExternalIdentity:
    if custom.provider_type == "oidc" and access.granted.id_token:
        expected = ExpectedClaims(custom.issuer or "", access.settings.client_ids)
        claims = await access.id_tokens.verify(
            access.granted.id_token, expected, str(found["jwks_uri"] or "")
        )
        if not claims.get("email") and found["userinfo_endpoint"]:
            userinfo = await access.api.get(str(found["userinfo_endpoint"]))
            if userinfo.get("sub") != claims.get("sub"):  # OIDC Core 5.3.2: else it is not theirs
                raise ProviderError("userinfo tells of somebody else")
            claims |= userinfo
        found_identity = identity_of_token(_mapped(claims, custom))
    else:
        claims = await access.api.get(str(found["userinfo_endpoint"]))
        claims = _mapped(claims, custom)
        subject = claims.get("sub") or claims.get("id")
        found_identity = identity_of_claims({**claims, "sub": str(subject or "")})
    allowed = {name: claims[name] for name in custom.custom_claims_allowlist if name in claims}
    if not allowed:
        return found_identity
    known = json_object(found_identity.data.get("custom_claims"))
    return replace(
        found_identity, data={**found_identity.data, "custom_claims": {**known, **allowed}}
    )


def _mapped(claims: Mapping[str, Any], custom: CustomProvider) -> dict[str, Any]:
    """The claims under the names that the administrator's mapping gives them (ours ← theirs)."""
    renamed = {
        ours: claims[theirs]
        for ours, theirs in custom.attribute_mapping.items()
        if isinstance(theirs, str) and theirs in claims
    }
    return {**claims, **renamed}

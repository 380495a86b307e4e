"""Identity providers by name: one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.providers import (
    apple,
    azure,
    bitbucket,
    discord,
    facebook,
    figma,
    fly,
    github,
    gitlab,
    google,
    kakao,
    keycloak,
    linkedin,
    linkedin_oidc,
    notion,
    slack,
    slack_oidc,
    snapchat,
    spotify,
    twitch,
    vercel_marketplace,
    workos,
    x,
    zoom,
)
from gotrue_compat.providers.definition import Definition, ProviderSettings
from gotrue_compat.providers.oidc import identity_of_claims


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider; `define` is None where it speaks OAuth 1.0a (Twitter alone).

    `discovery` is the issuer whose discovery document must be there before a browser is sent to it;
    the configured URL replaces it.

    For the id_token grant: the `issuer` of its tokens (where `url_is_issuer`, the configured URL
    replaces it), or, where it has several, what `is_issuer` of the request's and `is_token_issuer`
    of the token's, which errors call by the `title`. `read_claims` makes an identity of the claims;
    `checks_nonce` is False where its tokens hold none. `is_listed` providers are shown by
    GET /settings.
    """

    define: Callable[[ProviderSettings], Definition] | None
    discovery: str = ""
    issuer: str = ""
    url_is_issuer: bool = False
    is_issuer: Callable[[str], bool] | None = None
    is_token_issuer: Callable[[str], bool] | None = None
    title: str = ""
    read_claims: Callable[[Mapping[str, Any]], ExternalIdentity] = identity_of_claims
    checks_nonce: bool = True
    is_listed: bool = True


# In the order of GET /settings; GOTRUE_EXTERNAL_<NAME>_* are read for each
PROVIDERS: Mapping[str, Provider] = {
    "apple": Provider(
        apple.definition,
        discovery=apple.ISSUER,
        title="Apple",
        is_issuer=apple.is_issuer,
        is_token_issuer=apple.is_issuer,
        read_claims=apple.apple_identity,
    ),
    "azure": Provider(
        azure.definition,
        title="Azure",
        is_issuer=azure.is_issuer,
        is_token_issuer=azure.is_token_issuer,
        read_claims=azure.azure_identity,
    ),
    "bitbucket": Provider(bitbucket.definition),
    "discord": Provider(discord.definition),
    "facebook": Provider(
        facebook.definition,
        issuer=facebook.ISSUER,
        read_claims=facebook.facebook_identity,
        checks_nonce=False,
    ),
    "figma": Provider(figma.definition),
    "fly": Provider(fly.definition),
    "github": Provider(github.definition),
    "gitlab": Provider(gitlab.definition),
    "google": Provider(
        google.definition,
        discovery=google.ISSUER,
        issuer=google.ISSUER,
        url_is_issuer=True,
        read_claims=google.google_identity,
    ),
    "kakao": Provider(kakao.definition, issuer=kakao.ISSUER, read_claims=kakao.kakao_identity),
    "keycloak": Provider(keycloak.definition, url_is_issuer=True),
    "linkedin": Provider(linkedin.definition),
    "linkedin_oidc": Provider(
        linkedin_oidc.definition,
        discovery=linkedin_oidc.ISSUER,
        issuer=linkedin_oidc.ISSUER,
        read_claims=linkedin_oidc.linkedin_identity,
    ),
    "notion": Provider(notion.definition),
    "snapchat": Provider(
        snapchat.definition,
        issuer=snapchat.ISSUER,
        read_claims=partial(identity_of_claims, verified=True),
    ),
    "spotify": Provider(spotify.definition),
    "slack": Provider(slack.definition),
    "slack_oidc": Provider(slack_oidc.definition),
    "twitch": Provider(twitch.definition),
    "twitter": Provider(None),
    "vercel_marketplace": Provider(
        vercel_marketplace.definition,
        discovery=vercel_marketplace.ISSUER,
        issuer=vercel_marketplace.ISSUER,
        read_claims=vercel_marketplace.vercel_identity,
        is_listed=False,
    ),
    "workos": Provider(workos.definition),
    "x": Provider(x.definition, is_listed=False),
    "zoom": Provider(zoom.definition),
}


def identity_of_token(claims: Mapping[str, Any]) -> ExternalIdentity:
    """The identity of an id token of any issuer, read as that issuer's tokens are."""
    issuer = claims.get("iss")
    for provider in PROVIDERS.values():
        names = provider.is_issuer or provider.issuer.__eq__
        if isinstance(issuer, str) and issuer and names(issuer):
            return provider.read_claims(claims)
    return identity_of_claims(claims)

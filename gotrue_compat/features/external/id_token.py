"""The id_token grant: tokens that an application got from a provider (auth reference 9.4)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from compat_base.values.errors import ApiError, Problem
from gotrue_compat import errors
from gotrue_compat.core import accounts, hooks, session_tokens
from gotrue_compat.core.results import SignedIn
from gotrue_compat.core.unit_of_work import unit_of_work
from gotrue_compat.errors import oauth_error
from gotrue_compat.features.custom_providers import store
from gotrue_compat.features.external import errors as external_errors
from gotrue_compat.features.external.accounts import (
    Account,
    ExternalLogin,
    check_user_creation,
    link_to,
    resolve_account,
    retry_on_conflict,
    with_email,
)
from gotrue_compat.features.external.bodies import IdTokenRequest
from gotrue_compat.features.external.providers import CUSTOM, find_provider
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.ports import ExpectedClaims, IdTokens, ProviderError
from gotrue_compat.providers.definition import ProviderSettings
from gotrue_compat.providers.oidc import (
    audiences,
    is_bound,
    unverified_claims,
)
from gotrue_compat.providers.registry import PROVIDERS, Provider, identity_of_token

# Providers whose id tokens are accepted, in the order in which the original tries them
_GIVE_ID_TOKENS = (
    "apple", "google", "azure", "facebook", "keycloak", "kakao", "vercel_marketplace", "snapchat",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Issuer:
    """The issuer of a provider's tokens, and what they must say."""

    provider: str
    settings: ProviderSettings
    issuer: str
    audiences: tuple[str, ...]
    id_tokens: IdTokens


async def sign_in_with_id_token(
    deps: Dependencies, context: RequestContext, body: IdTokenRequest
) -> SignedIn:
    """Sign in the subject of an id token, or link the identity to the caller."""
    if not body.id_token:
        raise oauth_error("invalid request", "id_token required")
    if not body.provider and not (body.client_id and body.issuer):
        raise oauth_error("invalid request", "provider or client_id and issuer required")
    claimed = unverified_claims(body.id_token)
    issuer = await _issuer(deps, body, claimed)
    await _check_issuer(issuer)
    if claimed is None:
        raise oauth_error("invalid request", "Bad ID token")
    claims = await _verified(body, issuer)
    _check_nonce(body.nonce, str(claims.get("nonce") or ""), issuer.settings)
    identity = _identity(issuer, claims)
    login = with_email(ExternalLogin(issuer.provider, identity, issuer.settings.email_optional))
    if not body.link_identity:
        await check_user_creation(deps, context, login)
    signed_in, problem, is_new = await retry_on_conflict(
        partial(_open_session, deps, context, login, links=body.link_identity)
    )
    if problem is not None or signed_in is None:
        raise ApiError(problem or errors.UNEXPECTED.problem())
    if is_new:
        await hooks.after_user_created(deps, context, signed_in.user)
    return signed_in


async def _open_session(
    deps: Dependencies, context: RequestContext, login: ExternalLogin, *, links: bool
) -> tuple[SignedIn | None, Problem | None, bool]:
    """A session, or a problem that is answered though the transaction commits; whether new."""
    async with unit_of_work(deps, context) as work:
        if links:
            known = await accounts.lock(work.tx, context.user.id) or context.user
            user, problem = await link_to(work, login, known)
            account = Account(user, known, problem)
        else:
            account = await resolve_account(work, login)
        signed_in = None
        if account.problem is None:
            signed_in = await session_tokens.open_session(work, account.user, "oauth")
            signed_in = replace(signed_in, shown=account.shown(signed_in.user))
    return signed_in, account.problem, account.is_new


async def _check_issuer(issuer: _Issuer) -> None:
    """ApiError for an issuer without a discovery document of its own name (Apple's has another)."""
    for is_fresh in (False, True):  # a document that is kept may have been wrong for a moment
        try:
            document = await issuer.id_tokens.metadata(issuer.issuer, fresh=is_fresh)
        except ProviderError as error:
            raise ApiError.of(errors.UNEXPECTED) from error
        if issuer.provider == "apple" or document.get("issuer") == issuer.issuer:
            return
    raise ApiError.of(errors.UNEXPECTED)


def _identity(issuer: _Issuer, claims: Mapping[str, Any]) -> ExternalIdentity:
    """The identity of a token, by its provider's reader of claims."""
    known = PROVIDERS.get(issuer.provider)
    try:
        return known.read_claims(claims) if known else identity_of_token(claims)
    except ProviderError as error:
        raise oauth_error("invalid request", "Bad ID token") from error


async def _issuer(
    deps: Dependencies,
    body: IdTokenRequest,
    claimed: Mapping[str, Any] | None,
) -> _Issuer:
    providers = deps.settings.external.providers
    name = _provider_of(body, providers)
    if not name and body.provider.startswith(CUSTOM):
        await _check_custom(deps, body.provider)
        try:
            provider = await find_provider(deps, body.provider)
        except ApiError as error:
            raise ApiError.of(errors.UNEXPECTED) from error
        settings = provider.settings
        accepted = settings.client_ids
        return _Issuer(body.provider, settings, settings.url, accepted, provider.id_tokens)
    if not name and body.issuer in deps.settings.external.allowed_issuers:
        settings = ProviderSettings(enabled=True)
        return _Issuer(body.issuer, settings, body.issuer, (body.client_id,), deps.id_tokens)
    if not name:
        raise ApiError.of(external_errors.CUSTOM_OIDC_NOT_ALLOWED, provider=body.provider)
    provider, settings = PROVIDERS[name], providers[name]
    issuer = _issuer_of(provider, settings)
    if provider.is_token_issuer is not None:
        issuer = _detected_issuer(provider, claimed, body.issuer)
    if not provider.checks_nonce:
        settings = replace(settings, skip_nonce_check=True)
    if not settings.enabled:
        raise ApiError.of(external_errors.PROVIDER_DISABLED, issuer=issuer)
    accepted = settings.client_ids
    if name == "apple" and deps.settings.external.ios_bundle_id:
        accepted = (*accepted, deps.settings.external.ios_bundle_id)
    return _Issuer(name, settings, issuer, accepted, deps.id_tokens)


async def _check_custom(deps: Dependencies, name: str) -> None:
    """Refuse a custom provider that is unknown, disabled, or issues no id tokens."""
    if not deps.settings.external.custom:
        raise _refused("Custom OAuth providers are disabled")
    async with deps.database.acquire() as connection:
        custom = await store.find(connection, name)
    if custom is None:
        raise _refused(f'Custom provider "{name}" not found')
    if not custom.enabled:
        raise ApiError.of(external_errors.CUSTOM_OIDC_OFF, provider=name)
    if custom.provider_type != "oidc":
        raise _refused(f'Provider "{name}" is not an OIDC provider')


def _provider_of(body: IdTokenRequest, providers: Mapping[str, ProviderSettings]) -> str:
    """The first provider that the request names, by itself or by its issuer; "" for none."""
    for name in _GIVE_ID_TOKENS:
        if name == body.provider or _is_issuer(PROVIDERS[name], providers[name], body.issuer):
            return name
    return ""


def _is_issuer(provider: Provider, settings: ProviderSettings, issuer: str) -> bool:
    """Whether a provider has this issuer; a realm only where it is enabled."""
    if provider.is_issuer is not None:
        return provider.is_issuer(issuer)
    is_known = bool(provider.issuer) or settings.enabled
    return is_known and issuer != "" and issuer in {provider.issuer, _issuer_of(provider, settings)}


def _issuer_of(provider: Provider, settings: ProviderSettings) -> str:
    return (settings.url if provider.url_is_issuer else "") or provider.issuer


def _detected_issuer(provider: Provider, claimed: Mapping[str, Any] | None, issuer: str) -> str:
    """The token's issuer, which must be one of a provider that issues under several names."""
    iss = "" if claimed is None or claimed.get("iss") is None else claimed["iss"]
    if claimed is None or not isinstance(iss, str):
        raise _refused(f"Unable to detect issuer in ID token for {provider.title} provider")
    if provider.is_token_issuer is None or not provider.is_token_issuer(iss):
        raise _refused(f"Detected ID token issuer is not an {provider.title} ID token issuer")
    if issuer and issuer != iss:
        raise _refused("Provided issuer does not match ID token issuer")
    return iss


def _refused(text: str) -> ApiError:
    return ApiError.of(external_errors.ID_TOKEN_REFUSED, text=text)


async def _verified(body: IdTokenRequest, issuer: _Issuer) -> dict[str, Any]:
    try:
        claims = await issuer.id_tokens.verify(body.id_token, ExpectedClaims(issuer.issuer))
    except ProviderError as error:
        raise oauth_error("invalid request", "Bad ID token") from error
    if not is_bound(body.access_token, claims):
        raise oauth_error("invalid request", "Bad ID token")
    if not claims.get("sub"):
        raise oauth_error("invalid request", "Missing sub claim in id_token")
    if not set(audiences(claims)) & set(filter(None, issuer.audiences)):
        named = " ".join(audiences(claims))
        raise oauth_error("invalid request", f"Unacceptable audience in id_token: [{named}]")
    return claims


def _check_nonce(given: str, claimed: str, settings: ProviderSettings) -> None:
    """The token holds the hash of a nonce that only the application knows."""
    if settings.skip_nonce_check:
        return
    if bool(given) != bool(claimed):
        text = "Passed nonce and nonce in id_token should either both exist or not."
        raise oauth_error("invalid request", text)
    if given:
        hashed = hashlib.sha256(given.encode()).hexdigest()
        if not hmac.compare_digest(hashed.encode(), claimed.encode()):
            raise oauth_error("invalid nonce", "Nonces mismatch")

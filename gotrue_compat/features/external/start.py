"""Sending a browser to a provider (auth reference 9.1)."""

from __future__ import annotations

from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat.core.results import Json, Redirect
from gotrue_compat.features.external import errors as external_errors
from gotrue_compat.features.external.bodies import ProviderSignIn
from gotrue_compat.features.external.providers import (
    ConfiguredProvider,
    authorize_url,
    find_provider,
)
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.ports import ProviderError
from gotrue_compat.providers.twitter import OAuthNonce, Twitter
from gotrue_compat.rules.pkce import challenge_from, s256
from gotrue_compat.store import tokens as store

_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_VERIFIER_LENGTH = 64
# OAuth names that this service sets itself, and those that would stand in their place at a
# provider (RFC 9101); a caller's are dropped
_RESERVED = frozenset(
    {
        "client_id", "client_secret", "redirect_uri", "response_type", "state", "code",
        "code_challenge", "code_challenge_method", "code_verifier", "grant_type", "request",
        "request_uri",
    }
)  # fmt: skip
_OURS = frozenset({"provider", "scopes"})


async def authorize(deps: Dependencies, context: RequestContext, body: ProviderSignIn) -> Redirect:
    """Redirect the browser to sign in."""
    return Redirect(await begin(deps, context, body, None), 302)


async def authorize_linking(
    deps: Dependencies, context: RequestContext, body: ProviderSignIn
) -> Redirect | Json:
    """Redirect to link an identity to the signed-in user, or give the URL."""
    url = await begin(deps, context, body, context.user.id)
    return Json({"url": url}) if body.skip_redirect else Redirect(url, 302)


async def begin(
    deps: Dependencies, context: RequestContext, body: ProviderSignIn, linking: UUID | None
) -> str:
    """Store the flow's state and give the provider's authorize URL."""
    provider = await find_provider(deps, body.provider)
    if body.invite_token:
        await _check_invitation(deps, body.invite_token)
    challenge = challenge_from(body.code_challenge, body.code_challenge_method)
    verifier = ""
    if provider.definition is not None and provider.definition.pkce:
        verifier = deps.world.entropy.text(_VERIFIER_LENGTH, _ALPHABET)
    state = deps.world.entropy.uuid()
    now = int(context.now.timestamp())
    nonce = OAuthNonce(deps.world.entropy.text(32, _ALPHABET), now)
    if provider.twitter is not None:
        url, secret = await _twitter_address(provider.twitter, str(state), nonce)
    else:
        url, secret = _address(provider, body, str(state), verifier), ""
    flow_secret = verifier or secret
    async with deps.database.transaction() as tx:
        client_state = deps.world.entropy.uuid() if flow_secret else None
        if client_state is not None:
            await store.create_client_state(
                tx, client_state, provider.name, flow_secret, context.now
            )
        values = {
            "id": state, "provider_type": provider.name, "authentication_method": "oauth",
            "auth_code": str(deps.world.entropy.uuid()) if challenge else None,
            "code_challenge": challenge.value if challenge else None,
            "code_challenge_method": challenge.method if challenge else None,
            "invite_token": body.invite_token or None, "referrer": context.redirect,
            "oauth_client_state_id": client_state, "linking_target_id": linking,
            "email_optional": provider.settings.email_optional,
            "provider_access_token": "", "provider_refresh_token": "",
            "created_at": context.now, "updated_at": context.now,
        }  # fmt: skip
        await store.create_flow(tx, values)
    return url


async def _check_invitation(deps: Dependencies, token: str) -> None:
    async with deps.database.acquire() as connection:
        if not await store.find(connection, (token,), (TokenKind.CONFIRMATION,)):
            raise ApiError.of(external_errors.INVITEE_NOT_FOUND)


async def _twitter_address(twitter: Twitter, state: str, nonce: OAuthNonce) -> tuple[str, str]:
    """The provider's address, and the secret of the request token that it carries."""
    try:
        pair = await twitter.request_token(state, nonce)
    except ProviderError as error:
        raise ApiError.of(external_errors.PROFILE_FAILED) from error
    return twitter.authorize_url(pair.token), pair.secret


def _address(provider: ConfiguredProvider, body: ProviderSignIn, state: str, verifier: str) -> str:
    if provider.definition is None:
        raise ApiError.of(external_errors.UNSUPPORTED_PROVIDER, reason=provider.name)
    more = {
        ("provider" if name == "workos_provider" else name): value
        for name, value in body.more.items()
        if name not in _OURS and name.lower() not in _RESERVED
    }
    if not provider.definition.takes_parameters:
        more = {}
    if verifier:
        more |= {"code_challenge": s256(verifier), "code_challenge_method": "S256"}
    return authorize_url(provider.definition, provider.settings, state, body.scopes, more)

"""Sending a browser to a provider (auth reference 9.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.features.external.providers import Provider, authorize_url, find_provider
from gotrue_compat.flows.results import Json, Redirect
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.ports import Deps, ProviderError, Visit
from gotrue_compat.providers.twitter import Chance, Twitter
from gotrue_compat.rules.pkce import challenge_from, s256
from gotrue_compat.store import tokens as store

_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_VERIFIER_LENGTH = 64
# OAuth names that this service sets itself; a caller's are dropped
_RESERVED = frozenset(
    {
        "client_id", "client_secret", "redirect_uri", "response_type", "response_mode", "scope",
        "state", "code", "code_challenge", "code_challenge_method", "code_verifier",
        "grant_type", "request", "request_uri", "id_token_hint",
    }
)  # fmt: skip
_OURS = frozenset({"provider", "scopes"})


@dataclass(frozen=True, slots=True)
class Start:
    """What a client sends; `more` is passed on to the provider."""

    provider: str = ""
    scopes: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""
    invite_token: str = ""
    skip_redirect: bool = False
    more: Mapping[str, str] = field(default_factory=dict[str, str])


async def authorize(deps: Deps, visit: Visit, ask: Start) -> Redirect:
    """Send the browser to sign in."""
    return Redirect(await begin(deps, visit, ask, None), 302)


async def authorize_linking(deps: Deps, visit: Visit, ask: Start) -> Redirect | Json:
    """Send the browser to add an identity to the signed-in user, or give the address."""
    url = await begin(deps, visit, ask, visit.user.id)
    return Json({"url": url}) if ask.skip_redirect else Redirect(url, 302)


async def begin(deps: Deps, visit: Visit, ask: Start, linking: UUID | None) -> str:
    """Keep the flow's state and give the provider's address."""
    provider = await find_provider(deps, visit, ask.provider)
    if ask.invite_token:
        await _check_invitation(deps, ask.invite_token)
    challenge = challenge_from(ask.code_challenge, ask.code_challenge_method)
    verifier = ""
    if provider.definition is not None and provider.definition.pkce:
        verifier = deps.world.entropy.text(_VERIFIER_LENGTH, _ALPHABET)
    state = deps.world.entropy.uuid()
    now = int(visit.now.timestamp())
    chance = Chance(deps.world.entropy.text(32, _ALPHABET), now)
    if provider.twitter is not None:
        url, secret = await _twitter_address(provider.twitter, str(state), chance)
    else:
        url, secret = _address(provider, ask, str(state), verifier), ""
    remembered = verifier or secret
    async with deps.database.transaction() as tx:
        client_state = deps.world.entropy.uuid() if remembered else None
        if client_state is not None:
            await store.create_client_state(tx, client_state, provider.name, remembered, visit.now)
        values = {
            "id": state, "provider_type": provider.name, "authentication_method": "oauth",
            "auth_code": str(deps.world.entropy.uuid()),
            "code_challenge": challenge.value if challenge else None,
            "code_challenge_method": challenge.method if challenge else None,
            "invite_token": ask.invite_token or None, "referrer": visit.redirect,
            "oauth_client_state_id": client_state, "linking_target_id": linking,
            "email_optional": provider.settings.email_optional,
            "provider_access_token": "", "provider_refresh_token": "",
            "created_at": visit.now, "updated_at": visit.now,
        }  # fmt: skip
        await store.create_flow(tx, values)
    return url


async def _check_invitation(deps: Deps, token: str) -> None:
    async with deps.database.acquire() as connection:
        if not await store.find(connection, (token,), (TokenKind.CONFIRMATION,)):
            raise ApiError.of(errors.INVITEE_NOT_FOUND)


async def _twitter_address(twitter: Twitter, state: str, chance: Chance) -> tuple[str, str]:
    """The provider's address, and the secret of the request token that it carries."""
    try:
        pair = await twitter.request_token(state, chance)
    except ProviderError as error:
        raise ApiError.of(errors.PROFILE_FAILED) from error
    return twitter.authorize_url(pair.token), pair.secret


def _address(provider: Provider, ask: Start, state: str, verifier: str) -> str:
    if provider.definition is None:
        raise ApiError.of(errors.UNSUPPORTED_PROVIDER, reason=provider.name)
    more = {
        ("provider" if name == "workos_provider" else name): value
        for name, value in ask.more.items()
        if name not in _OURS and name.lower() not in _RESERVED
    }
    if verifier:
        more |= {"code_challenge": s256(verifier), "code_challenge_method": "S256"}
    return authorize_url(provider.definition, provider.settings, state, ask.scopes, more)

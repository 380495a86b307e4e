"""Coming back from a provider (auth reference 9.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from compat_base.values.errors import ApiError, Problem
from gotrue_compat import errors
from gotrue_compat.features.external.accounts import (
    Arrival,
    ask_before,
    link_to,
    settle,
    settled,
    with_email,
)
from gotrue_compat.features.external.providers import Provider, find_provider, identity_for_code
from gotrue_compat.flows import accounts, audit, hooks, session_tokens
from gotrue_compat.flows.results import Redirect
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.flows.verify import session_redirect
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import FlowState, TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, ProviderError, Visit
from gotrue_compat.providers.definition import Granted
from gotrue_compat.providers.twitter import Chance, Pair
from gotrue_compat.rules import redirects, urls
from gotrue_compat.rules.identities import ExternalIdentity
from gotrue_compat.store import tokens as store

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True, slots=True)
class Callback:
    """What a provider sends back, in the query or as a form."""

    state: str = ""
    code: str = ""
    error: str = ""
    error_description: str = ""
    oauth_token: str = ""
    oauth_verifier: str = ""
    form: Mapping[str, str] = field(default_factory=dict[str, str])


async def finish(deps: Deps, visit: Visit, ask: Callback) -> Redirect:
    """Sign in or link, and send the browser back; every failure is a redirect too."""
    try:
        flow = await _find_flow(deps, visit, ask)
    except ApiError as error:
        values = urls.callback_values(error.problem)
        return Redirect(urls.with_query(deps.settings.site_url, values))
    settings = deps.settings
    # judged again: the row may be older than the allow list
    target = redirects.choose((flow.referrer or "",), settings.site_url, settings.allow_list)
    try:
        return Redirect(await _finish(deps, visit, ask, flow, target), 302)
    except ApiError as error:
        values = urls.callback_values(error.problem)
        return Redirect(urls.with_fragment(urls.with_query(target, values), values), 302)


async def _find_flow(deps: Deps, visit: Visit, ask: Callback) -> FlowState:
    if not ask.state:
        raise ApiError.of(errors.BAD_CALLBACK, text="OAuth state parameter missing")
    try:
        flow_id = UUID(ask.state)
    except ValueError as error:
        text = "OAuth state parameter is invalid"
        raise ApiError.of(errors.BAD_STATE, text=text) from error
    async with deps.database.acquire() as connection:
        flow = await store.find_flow(connection, flow_id)
    if flow is None:
        raise ApiError.of(errors.BAD_STATE, text="OAuth state not found or expired")
    life = timedelta(seconds=deps.settings.external.flow_state_seconds)
    if visit.now > flow.created_at + life:
        raise ApiError.of(errors.BAD_STATE, text="OAuth state has expired")
    return flow


async def _finish(deps: Deps, visit: Visit, ask: Callback, flow: FlowState, target: str) -> str:
    if ask.error:
        raise errors.oauth_error(ask.error, ask.error_description)
    provider = await find_provider(deps, visit, flow.provider_type)
    told, granted = await _identity(deps, visit, ask, flow, provider)
    arrival = with_email(Arrival(provider.name, told, flow.email_optional))
    if flow.linking_target_id is None and not flow.invite_token:
        await ask_before(deps, visit, arrival)

    async def attempt() -> tuple[User, Problem | None, bool, str]:
        async with working(deps, visit) as work:
            user, problem, is_new = await _arrive(work, arrival, flow)
            left = problem is None
            url = await _leave(work, user, flow, granted, target) if left else ""
        return user, problem, is_new, url

    user, problem, is_new, url = await settled(attempt)
    if problem is not None:
        raise ApiError(problem)
    if is_new:
        await hooks.after_user(deps, visit, user)
    return url


async def _identity(
    deps: Deps, visit: Visit, ask: Callback, flow: FlowState, provider: Provider
) -> tuple[ExternalIdentity, Granted]:
    verifier = await _verifier(deps, visit, flow)
    if provider.twitter is None:
        if not ask.code:
            raise ApiError.of(
                errors.BAD_CALLBACK, text="OAuth callback with missing authorization code missing"
            )
        return await identity_for_code(deps, provider, ask.code, verifier, ask.form)
    chance = Chance(deps.world.entropy.text(32, _ALPHABET), int(visit.now.timestamp()))
    request = Pair(ask.oauth_token, verifier)
    try:
        pair = await provider.twitter.access_token(request, ask.oauth_verifier, chance)
        told = await provider.twitter.identity(pair, chance)
    except ProviderError as error:
        raise ApiError.of(errors.EXCHANGE_FAILED, code=ask.oauth_verifier) from error
    return told, Granted(pair.token, pair.secret, "", {})


async def _verifier(deps: Deps, visit: Visit, flow: FlowState) -> str:
    """What was remembered for the provider, which is given once."""
    if flow.oauth_client_state_id is None:
        return ""
    async with deps.database.transaction() as tx:
        row = await store.take_client_state(tx, flow.oauth_client_state_id)
    if row is None:
        raise ApiError.of(errors.CLIENT_STATE_NOT_FOUND)
    life = timedelta(seconds=deps.settings.external.flow_state_seconds)
    if visit.now > row["created_at"] + life:
        raise ApiError.of(errors.CLIENT_STATE_EXPIRED)
    return row["code_verifier"] or ""


async def _arrive(
    work: Work, arrival: Arrival, flow: FlowState
) -> tuple[User, Problem | None, bool]:
    if flow.linking_target_id is not None:
        user = await accounts.lock(work.tx, flow.linking_target_id)
        if user is None:
            raise ApiError.of(errors.USER_NOT_FOUND)
        return await link_to(work, arrival, user), None, False
    if flow.invite_token:
        return await _accept_invite(work, arrival, flow.invite_token), None, False
    return await settle(work, arrival)


async def _accept_invite(work: Work, arrival: Arrival, token: str) -> User:
    found = await store.find(work.tx, (token,), (TokenKind.CONFIRMATION,))
    user = await accounts.lock(work.tx, found[0].user_id) if found else None
    if user is None:
        raise ApiError.of(errors.INVITE_NOT_FOUND)
    if all(email.email.lower() != user.email for email in arrival.identity.emails):
        raise ApiError.of(errors.INVITE_EMAIL)
    user = await accounts.add_identity(work, user, arrival.provider, arrival.identity.data)
    user = await accounts.sync_providers(work, user)
    await audit.note(work, user, Action.INVITE_ACCEPTED, provider=arrival.provider)
    return await accounts.confirm_email(work, user)


async def _leave(work: Work, user: User, flow: FlowState, granted: Granted, target: str) -> str:
    """The address to go back to: with a code for PKCE, else with a session."""
    if flow.is_pkce:
        locked = await store.lock_flow(work.tx, flow.id)
        if locked is None or locked.user_id is not None:
            raise ApiError.of(errors.STATE_USED)
        await store.update_flow(
            work.tx, flow.id, work.now,
            user_id=user.id, auth_code_issued_at=work.now,
            provider_access_token=granted.access_token,
            provider_refresh_token=granted.refresh_token,
        )  # fmt: skip
        return urls.with_query(target, {"code": flow.auth_code or ""})
    if not await store.take_flow(work.tx, flow.id):
        raise ApiError.of(errors.STATE_USED)
    signed_in = await session_tokens.open_session(work, user, "oauth")
    more = {"provider_token": granted.access_token}
    if granted.refresh_token:
        more["provider_refresh_token"] = granted.refresh_token
    return session_redirect(target, signed_in, **more)

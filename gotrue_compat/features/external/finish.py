"""The callback of a provider (auth reference 9.1)."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit, hooks, session_tokens
from gotrue_compat.core.results import Redirect
from gotrue_compat.core.session_tokens import session_redirect
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
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
from gotrue_compat.features.external.bodies import Callback
from gotrue_compat.features.external.providers import (
    ConfiguredProvider,
    find_provider,
    identity_for_code,
)
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.model.one_time_token import FlowState, TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import ProviderError
from gotrue_compat.providers.definition import TokenResponse
from gotrue_compat.providers.twitter import OAuthNonce, Pair
from gotrue_compat.rules.addresses import lowered
from gotrue_compat.rules.otp import is_expired
from gotrue_compat.store import tokens as store
from gotrue_compat.store import users as user_store
from gotrue_compat.urls import links, redirects

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_OAUTH_1 = "twitter"  # which sends no code


async def finish(deps: Dependencies, context: RequestContext, body: Callback) -> Redirect:
    """Sign in or link, and redirect back; every failure is a redirect too."""
    flow = await find_flow(deps, context, body)
    if isinstance(flow, Redirect):
        return flow
    settings = deps.settings
    # judged again: the row may be older than the allow list
    target = settings.external.redirect_url or redirects.choose(
        (flow.referrer or "",), settings.site_url, settings.allow_list
    )
    try:
        return await _finish(deps, context, body, flow, target)
    except ApiError as error:
        url = links.callback_redirect(target, error.problem)
        return Redirect(url, 302, headers=error.problem.headers)


async def find_flow(
    deps: Dependencies, context: RequestContext, body: Callback
) -> FlowState | Redirect:
    """The flow of a callback; without one, the redirect to the site with the error."""
    try:
        return await _find_flow(deps, context, body)
    except ApiError as error:
        values = links.callback_values(error.problem)
        url = links.with_query(deps.settings.site_url, values)
        return Redirect(url, problem=error.problem)


async def _find_flow(deps: Dependencies, context: RequestContext, body: Callback) -> FlowState:
    if not body.state:
        raise ApiError.of(external_errors.BAD_CALLBACK, text="OAuth state parameter missing")
    try:
        flow_id = UUID(body.state)
    except ValueError as error:
        text = "OAuth state parameter is invalid"
        raise ApiError.of(external_errors.BAD_STATE, text=text) from error
    async with deps.database.acquire() as connection:
        flow = await store.find_flow(connection, flow_id)
        target = flow.linking_target_id if flow else None
        is_gone = target is not None and await user_store.find(connection, target) is None
    if flow is None:
        raise ApiError.of(external_errors.BAD_STATE, text="OAuth state not found or expired")
    if is_expired(flow.created_at, deps.settings.external.flow_state_seconds, context.now):
        raise ApiError.of(external_errors.BAD_STATE, text="OAuth state has expired")
    if flow.is_pkce and flow.user_id is not None:
        raise ApiError.of(external_errors.STATE_USED)
    if is_gone:
        raise ApiError.of(external_errors.TARGET_GONE)
    return flow


async def _finish(
    deps: Dependencies, context: RequestContext, body: Callback, flow: FlowState, target: str
) -> Redirect:
    if body.error:
        raise errors.oauth_error(body.error, body.error_description)
    provider = await _provider(deps, body, flow)
    identity, granted = await _identity(deps, context, body, flow, provider)
    if identity.email is None and not flow.email_optional:
        raise ApiError.of(external_errors.PROVIDER_NO_EMAIL)
    login = with_email(ExternalLogin(provider.name, identity, flow.email_optional))
    if flow.linking_target_id is None and not flow.invite_token:
        await check_user_creation(deps, context, login)

    async def attempt() -> tuple[Account, Redirect]:
        async with unit_of_work(deps, context) as work:
            account = await _resolve_user(work, login, flow)
            redirect = Redirect(target)
            if account.problem is None:
                redirect = await _redirect_back(work, account.user, flow, granted, target)
        return account, redirect

    account, redirect = await retry_on_conflict(attempt)
    if account.problem is not None:
        raise ApiError(account.problem)
    if flow.linking_target_id is None and not flow.invite_token:
        # whether or not the user is new: the original calls the hook for every such sign-in
        user = redirect.signed_in.user if redirect.signed_in else account.user
        await hooks.after_user_created(deps, context, account.shown(user))
    return redirect


async def _provider(deps: Dependencies, body: Callback, flow: FlowState) -> ConfiguredProvider:
    """The flow's provider; ApiError where it is disabled by now."""
    if flow.provider_type != _OAUTH_1 and not body.code:
        text = "OAuth callback with missing authorization code missing"
        raise ApiError.of(external_errors.BAD_CALLBACK, text=text)
    try:
        provider = await find_provider(deps, flow.provider_type)
    except ApiError as error:
        text = error.problem.message
        raise ApiError.of(external_errors.CALLBACK_PROVIDER, text=text) from error
    is_proven = provider.definition is not None and provider.definition.pkce
    if is_proven and flow.oauth_client_state_id is None:
        raise ApiError.of(external_errors.NO_VERIFIER)
    return provider


async def _identity(
    deps: Dependencies,
    context: RequestContext,
    body: Callback,
    flow: FlowState,
    provider: ConfiguredProvider,
) -> tuple[ExternalIdentity, TokenResponse]:
    verifier = await _verifier(deps, context, flow)
    if provider.twitter is None:
        return await identity_for_code(deps, provider, body.code, verifier, body.form)
    nonce = OAuthNonce(deps.world.entropy.text(32, _ALPHABET), int(context.now.timestamp()))
    request = Pair(body.oauth_token, verifier)
    try:
        pair = await provider.twitter.access_token(request, body.oauth_verifier, nonce)
        identity = await provider.twitter.identity(pair, nonce)
    except ProviderError as error:
        raise ApiError.of(external_errors.REQUEST_TOKEN_FAILED) from error
    return identity, TokenResponse(pair.token, pair.secret, "", {})


async def _verifier(deps: Dependencies, context: RequestContext, flow: FlowState) -> str:
    """The stored PKCE verifier for the provider, which is deleted."""
    if flow.oauth_client_state_id is None:
        return ""
    async with deps.database.transaction() as tx:
        row = await store.take_client_state(tx, flow.oauth_client_state_id)
    if row is None:
        raise ApiError.of(external_errors.CLIENT_STATE_NOT_FOUND)
    if is_expired(row["created_at"], deps.settings.external.flow_state_seconds, context.now):
        raise ApiError.of(external_errors.CLIENT_STATE_EXPIRED)
    return row["code_verifier"] or ""


async def _resolve_user(work: UnitOfWork, login: ExternalLogin, flow: FlowState) -> Account:
    if flow.linking_target_id is not None:
        user = await accounts.lock(work.tx, flow.linking_target_id)
        if user is None:
            raise ApiError.of(errors.USER_NOT_FOUND)
        user, problem = await link_to(work, login, user)
        return Account(user, user, problem)
    if flow.invite_token:
        user = await _accept_invite(work, login, flow.invite_token)
        return Account(user, user, None)
    return await resolve_account(work, login)


async def _accept_invite(work: UnitOfWork, login: ExternalLogin, token: str) -> User:
    found = await store.find(work.tx, (token,), (TokenKind.CONFIRMATION,))
    user = await accounts.lock(work.tx, found[0].user_id) if found else None
    if user is None:
        raise ApiError.of(external_errors.INVITE_NOT_FOUND)
    if all(lowered(email.email) != user.email for email in login.identity.emails):
        raise ApiError.of(external_errors.INVITE_EMAIL)
    user = await accounts.add_identity(work, user, login.provider, login.identity.data)
    # The inviter made the account, maybe with a password: remove all but this identity
    user = await accounts.keep_only(work, user, user.identities[-1])
    await audit.record(work, user, Action.INVITE_ACCEPTED, provider=login.provider)
    return await accounts.confirm_email(work, user)


async def _redirect_back(
    work: UnitOfWork, user: User, flow: FlowState, granted: TokenResponse, target: str
) -> Redirect:
    """The redirect back: with a code for PKCE, else with a session."""
    if flow.is_pkce:
        locked = await store.lock_flow(work.tx, flow.id)
        if locked is None or locked.user_id is not None:
            raise ApiError.of(external_errors.STATE_USED)
        await store.update_flow(
            work.tx, flow.id, work.now,
            user_id=user.id, auth_code_issued_at=work.now,
            provider_access_token=granted.access_token,
            provider_refresh_token=granted.refresh_token,
        )  # fmt: skip
        return Redirect(links.with_query(target, {"code": flow.auth_code or ""}), 302)
    if not await store.take_flow(work.tx, flow.id):
        raise ApiError.of(external_errors.STATE_USED)
    try:
        signed_in = await session_tokens.open_session(work, user, "oauth")
    except ApiError as error:
        problem = error.problem
        refused = errors.oauth_error("server_error", f"{problem.status}: {problem.message}")
        raise ApiError(replace(refused.problem, headers=problem.headers)) from error
    more = {"provider_token": granted.access_token}
    if granted.refresh_token:
        more["provider_refresh_token"] = granted.refresh_token
    return Redirect(session_redirect(target, signed_in, **more), 302, signed_in)

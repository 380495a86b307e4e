"""The PKCE grant (auth reference 4.5)."""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import audit, session_tokens
from gotrue_compat.core.results import SignedIn
from gotrue_compat.core.unit_of_work import single_statement
from gotrue_compat.errors import UserGoneError
from gotrue_compat.features.sign_in import errors as sign_in_errors
from gotrue_compat.features.sign_in.bodies import CodeExchange
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import FlowState
from gotrue_compat.model.session import Exchange
from gotrue_compat.ports import HookPoint
from gotrue_compat.rules import pkce
from gotrue_compat.rules.claims import Issue
from gotrue_compat.rules.otp import is_expired, times_alive
from gotrue_compat.store import tokens as store


async def exchange_code(
    deps: Dependencies, context: RequestContext, body: CodeExchange
) -> SignedIn:
    """Exchange a code with the verifier of its challenge for a session."""
    if not body.auth_code or not body.code_verifier:
        raise ApiError.of(sign_in_errors.PKCE_EMPTY)
    async with deps.locks.hold(f"exchange {body.auth_code}"):
        return await _exchange_at_once(deps, context, body) or await _judge(deps, context, body)


async def _exchange_at_once(
    deps: Dependencies, context: RequestContext, body: CodeExchange
) -> SignedIn | None:
    """Open the session by one statement; None, and nothing done, unless that is the usual case.

    Exchanges that come at one time share it. The usual case is a right verifier by S256, and no
    hook that customizes the claims.
    """
    is_counted = deps.settings.security.algorithm == session_tokens.COUNTED
    if is_counted or deps.hooks.has(HookPoint.CUSTOM_ACCESS_TOKEN):
        return None
    entropy = deps.world.entropy
    since, until = times_alive(deps.settings.external.flow_state_seconds, context.now)
    exchange = Exchange(
        body.auth_code, pkce.s256(body.code_verifier), since, until,
        session_tokens.session_use(context), entropy.uuid(), entropy.uuid(),
        session_tokens.new_token(deps), audit.notes(deps, 1),
    )  # fmt: skip
    found = await deps.exchanges.load(exchange)
    if found is None:
        return None
    ids = (exchange.session_id, found.owner.id)
    options = session_tokens.SessionOptions()
    session = session_tokens.new_session(deps, context, ids, found.method, options)
    issue = Issue(found.owner, session, context.now)
    return replace(
        session_tokens.issue_without_hook(deps, issue, exchange.token),
        provider_token=found.provider_token,
        provider_refresh_token=found.provider_refresh_token,
    )


async def _judge(deps: Dependencies, context: RequestContext, body: CodeExchange) -> SignedIn:
    """Load the flow, judge it, and open the session: every case."""
    async with single_statement(deps, context) as work:
        found = await store.load_flow_by_code(work.tx, body.auth_code)
        flow, user = found or (None, None)
        if flow is None or flow.user_id is None:
            raise ApiError.of(sign_in_errors.FLOW_NOT_FOUND)
        _check(deps, context, flow, body.code_verifier)
        if user is None:
            raise ApiError.of(sign_in_errors.FLOW_NOT_FOUND)
        if user.is_banned(context.now):
            raise ApiError.of(errors.USER_BANNED)
        entries = audit.entries(work, user, Action.LOGIN, provider_type=flow.provider_type)
        taking = session_tokens.SessionOptions(flow_id=flow.id)
        method = flow.authentication_method
        try:
            signed_in = await session_tokens.open_session(work, user, method, taking, entries)
        except UserGoneError as error:  # or its flow: exchanged at the same time
            raise ApiError.of(sign_in_errors.FLOW_NOT_FOUND) from error
    return replace(
        signed_in,
        provider_token=flow.provider_access_token or "",
        provider_refresh_token=flow.provider_refresh_token or "",
    )


def _check(deps: Dependencies, context: RequestContext, flow: FlowState, verifier: str) -> None:
    """Refuse an expired code or a wrong verifier."""
    if _is_expired(deps, context, flow):
        raise ApiError.of(sign_in_errors.FLOW_EXPIRED)
    challenge, method = flow.code_challenge or "", flow.code_challenge_method or ""
    if not pkce.is_answered(challenge, method, verifier):
        raise ApiError.of(sign_in_errors.BAD_CODE_VERIFIER)


def _is_expired(deps: Dependencies, context: RequestContext, flow: FlowState) -> bool:
    """A magic link's time runs from when its code was issued, every other's from the start."""
    start = flow.created_at
    if flow.authentication_method == "magiclink" and flow.auth_code_issued_at is not None:
        start = flow.auth_code_issued_at
    return is_expired(start, deps.settings.external.flow_state_seconds, context.now)

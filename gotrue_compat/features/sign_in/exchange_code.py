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
from gotrue_compat.rules import pkce
from gotrue_compat.rules.otp import is_expired
from gotrue_compat.store import tokens as store


async def exchange_code(
    deps: Dependencies, context: RequestContext, body: CodeExchange
) -> SignedIn:
    """Exchange a code with the verifier of its challenge for a session."""
    if not body.auth_code or not body.code_verifier:
        raise ApiError.of(sign_in_errors.PKCE_EMPTY)
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

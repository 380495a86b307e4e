"""One-time tokens exchanged for sessions (auth reference 3.8, 4.2)."""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.errors import ApiError
from gotrue_compat.core import accounts, session_tokens
from gotrue_compat.core.passwords import random_password
from gotrue_compat.core.rate_limits import limit_guesses, wrong_tries
from gotrue_compat.core.results import HalfConfirmed, Redirect, SignedIn
from gotrue_compat.core.session_tokens import session_redirect
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.features.codes.bodies import VerifyRequest
from gotrue_compat.features.codes.confirmation import confirm
from gotrue_compat.features.codes.lookup import find_by_code, find_by_hash, lock_found
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.user import User
from gotrue_compat.rules import otp as rules
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.store import tokens as token_store
from gotrue_compat.urls import links

HALF_CONFIRMED = (
    "Confirmation link accepted. Please proceed to confirm link sent to the other email"
)
_METHODS = {
    "signup": "email/signup", "invite": "invite", "recovery": "recovery",
    "magiclink": "magiclink", "email_change": "email_change",
}  # fmt: skip


async def verify(
    deps: Dependencies, context: RequestContext, body: VerifyRequest
) -> SignedIn | HalfConfirmed:
    """Exchange a token for a session (POST)."""
    validated = _validated(body)
    async with limit_guesses(deps, wrong_tries(context), codes_errors.OTP_EXPIRED):
        return await _verify(deps, context, validated)


async def _verify(
    deps: Dependencies, context: RequestContext, body: VerifyRequest
) -> SignedIn | HalfConfirmed:
    password = await _invitee_password(deps, context, body.kind)
    by_code = bool(body.email or body.phone)
    judged = await find_by_code(deps, context, body) if by_code else None
    async with unit_of_work(deps, context) as work:
        found = await (lock_found(work, judged, body) if judged else find_by_hash(work, body))
        confirmed = await confirm(work, found, body.phone, password)
        if confirmed is None:
            return HalfConfirmed()
        confirmed = await accounts.sync_providers(work, confirmed)
        return await session_tokens.open_session(work, confirmed, "otp")


async def follow_link(deps: Dependencies, context: RequestContext, body: VerifyRequest) -> Redirect:
    """Exchange a mail's link for a redirect with a session, a code or an error (GET)."""
    if not body.kind:
        raise ApiError.of(codes_errors.VERIFY_TYPE)
    if not body.token:
        raise ApiError.of(codes_errors.VERIFY_GET_TOKEN)
    pkce = body.token.startswith(rules.PKCE_PREFIX)
    try:
        async with limit_guesses(deps, wrong_tries(context), codes_errors.OTP_EXPIRED):
            return await _follow(deps, context, replace(body, token_hash=body.token), pkce=pkce)
    except ApiError as error:
        problem = error.problem
        code = (
            "" if problem.extra.get("hook") else problem.code
        )  # as the original, whose hooks have none
        url = links.error_redirect(
            context.redirect, problem.status, code, problem.message, in_query=pkce
        )
        return Redirect(url, headers=problem.headers)


async def _follow(
    deps: Dependencies, context: RequestContext, body: VerifyRequest, *, pkce: bool
) -> Redirect:
    if pkce and body.kind not in _METHODS:
        raise ApiError.of(codes_errors.VERIFY_UNSUPPORTED_TYPE)
    password = await _invitee_password(deps, context, body.kind)
    async with unit_of_work(deps, context) as work:
        found = await find_by_hash(work, body)
        confirmed = await confirm(work, found, body.phone, password)
        if confirmed is None:
            values = {"message": HALF_CONFIRMED}
            url = links.with_query(context.redirect, values) if pkce else context.redirect
            return Redirect(links.with_fragment(url, values))
        confirmed = await accounts.sync_providers(work, confirmed)
        if pkce:
            code = await issue_code(work, confirmed, _METHODS[found.action])
            return Redirect(links.with_query(context.redirect, {"code": code}))
        signed_in = await session_tokens.open_session(work, confirmed, "otp")
    url = session_redirect(context.redirect, signed_in, type=found.action)
    return Redirect(url, signed_in=signed_in)


async def issue_code(work: UnitOfWork, user: User, method: str) -> str:
    """The authorization code of the user's newest flow of a method, for its client."""
    flow = await token_store.newest_flow(work.tx, user.id, method)
    if flow is None or flow.auth_code is None:
        raise ApiError.of(codes_errors.NO_FLOW_FOR_CODE)
    await token_store.update_flow(work.tx, flow.id, work.now, auth_code_issued_at=work.now)
    return flow.auth_code


def _validated(body: VerifyRequest) -> VerifyRequest:
    if not body.kind:
        raise ApiError.of(codes_errors.VERIFY_TYPE)
    if bool(body.token) == bool(body.token_hash):
        raise ApiError.of(codes_errors.VERIFY_TOKEN)
    if body.token_hash:
        if body.email or body.phone or body.redirect_to:
            raise ApiError.of(codes_errors.VERIFY_HASH_ALONE)
        return body
    if body.phone and not body.email:
        phone = phone_from(body.phone)
        return replace(body, phone=phone, token_hash=rules.token_hash(phone, body.token))
    if body.email and not body.phone:
        try:
            email = email_from(body.email)
        except ApiError as error:
            raise ApiError.of(codes_errors.VERIFY_EMAIL_FORM) from error
        return replace(body, email=email, token_hash=rules.token_hash(email, body.token))
    raise ApiError.of(codes_errors.VERIFY_EMAIL_OR_PHONE)


async def _invitee_password(deps: Dependencies, context: RequestContext, kind: str) -> str:
    """The hash of a random password for an invited user without one."""
    if kind != "invite":
        return ""
    return await deps.hasher.hash(random_password(deps), context.rate_limit_key)

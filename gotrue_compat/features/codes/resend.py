"""Resending of codes and links (auth reference 3.7)."""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.errors import ApiError
from gotrue_compat.core import audit, one_time_tokens
from gotrue_compat.core.accounts import lock
from gotrue_compat.core.results import Sent
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.features.codes.bodies import ResendRequest
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.rules.pkce import challenge_from
from gotrue_compat.store import users as store

_EMAIL, _PHONE = frozenset({"signup", "email_change"}), frozenset({"sms", "phone_change"})


async def resend(deps: Dependencies, context: RequestContext, body: ResendRequest) -> Sent:
    """Send again; the answer is the same where nothing is pending."""
    body = _validated(deps, body)
    async with unit_of_work(deps, context) as work:
        user = await _find(work, body)
        if user is None or _has_nothing_pending(user, body.kind):
            return Sent()
        return await _send(work, user, body)


def _validated(deps: Dependencies, body: ResendRequest) -> ResendRequest:
    if body.kind not in _EMAIL | _PHONE:
        raise ApiError.of(codes_errors.RESEND_TYPE)
    if body.kind in _EMAIL:
        challenge_from(body.code_challenge, body.code_challenge_method)
    if not body.email and body.kind == "signup":
        raise ApiError.of(codes_errors.RESEND_NEEDS_EMAIL)
    if not body.phone and body.kind == "sms":
        raise ApiError.of(codes_errors.RESEND_NEEDS_PHONE)
    if body.email and body.phone:
        raise ApiError.of(codes_errors.RESEND_EMAIL_OR_PHONE)
    if body.email:
        if not deps.settings.email.enabled:
            raise ApiError.of(codes_errors.RECOVERY_DISABLED)
        return replace(body, email=email_from(body.email))
    if not body.phone:
        raise ApiError.of(codes_errors.RESEND_NEEDS_EITHER)
    if not deps.settings.phone:
        raise ApiError.of(codes_errors.RESEND_PHONE_DISABLED)
    return replace(body, phone=phone_from(body.phone))


async def _find(work: UnitOfWork, body: ResendRequest) -> User | None:
    """The user by the current address or number, also where a change of it is pending."""
    if body.email:
        found = await store.find_by_email(work.tx, body.email, work.context.aud)
    else:
        found = await store.find_by_phone(work.tx, body.phone, work.context.aud)
    return await lock(work.tx, found.id) if found else None


def _has_nothing_pending(user: User, kind: str) -> bool:
    return {
        "signup": user.is_confirmed,
        "sms": user.is_phone_confirmed,
        "email_change": not user.email_change,
        "phone_change": not user.phone_change,
    }[kind]


async def _send(work: UnitOfWork, user: User, body: ResendRequest) -> Sent:
    challenge = challenge_from(body.code_challenge, body.code_challenge_method)
    pkce = challenge is not None
    if body.kind == "signup":
        await audit.record(work, user, Action.CONFIRMATION_REQUESTED)
        await one_time_tokens.begin_flow(work, user, "email/signup", challenge)
        await one_time_tokens.send_confirmation(work, user, pkce=pkce)
        return Sent()
    if body.kind == "email_change":
        await one_time_tokens.begin_flow(work, user, "email_change", challenge)
        await one_time_tokens.send_email_change(work, user, user.email_change, pkce=pkce)
        return Sent()
    is_sms = body.kind == "sms"
    kind = TokenKind.CONFIRMATION if is_sms else TokenKind.PHONE_CHANGE
    phone = body.phone if is_sms else user.phone_change
    if is_sms:
        await audit.record(work, user, Action.RECOVERY_REQUESTED)
    return Sent(await one_time_tokens.send_sms(work, user, phone, kind, "sms"))

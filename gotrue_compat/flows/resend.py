"""Sending again what was sent (auth reference 3.7)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows import audit, one_time_tokens
from gotrue_compat.flows.accounts import lock
from gotrue_compat.flows.results import Sent
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.rules.pkce import challenge_from
from gotrue_compat.store import users as store

_EMAIL, _PHONE = frozenset({"signup", "email_change"}), frozenset({"sms", "phone_change"})


@dataclass(frozen=True, slots=True)
class ResendAsk:
    """What a client sends."""

    kind: str = ""
    email: str = ""
    phone: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


async def resend(deps: Deps, visit: Visit, ask: ResendAsk) -> Sent:
    """Send again; the answer is the same where nothing is pending."""
    ask = _validated(deps, ask)
    async with working(deps, visit) as work:
        user = await _find(work, ask)
        if user is None or _has_nothing_pending(user, ask.kind):
            return Sent()
        return await _send(work, user, ask)


def _validated(deps: Deps, ask: ResendAsk) -> ResendAsk:
    if ask.kind not in _EMAIL | _PHONE:
        raise ApiError.of(errors.RESEND_TYPE)
    if not ask.email and ask.kind in _EMAIL:
        raise ApiError.of(errors.RESEND_NEEDS_EMAIL)
    if not ask.phone and ask.kind in _PHONE:
        raise ApiError.of(errors.RESEND_NEEDS_PHONE)
    if ask.email and ask.phone:
        raise ApiError.of(errors.RESEND_EMAIL_OR_PHONE)
    if ask.email:
        if not deps.settings.email.enabled:
            raise ApiError.of(errors.RECOVERY_DISABLED)
        challenge_from(ask.code_challenge, ask.code_challenge_method)
        return replace(ask, email=email_from(ask.email))
    if not deps.settings.phone:
        raise ApiError.of(errors.PHONE_UNSUPPORTED)
    return replace(ask, phone=phone_from(ask.phone))


async def _find(work: Work, ask: ResendAsk) -> User | None:
    """The user by the current address or number, also where a change of it is pending."""
    if ask.email:
        found = await store.find_by_email(work.tx, ask.email, work.visit.aud)
    else:
        found = await store.find_by_phone(work.tx, ask.phone, work.visit.aud)
    return await lock(work.tx, found.id) if found else None


def _has_nothing_pending(user: User, kind: str) -> bool:
    return {
        "signup": user.is_confirmed,
        "sms": user.is_phone_confirmed,
        "email_change": not user.email_change,
        "phone_change": not user.phone_change,
    }[kind]


async def _send(work: Work, user: User, ask: ResendAsk) -> Sent:
    challenge = challenge_from(ask.code_challenge, ask.code_challenge_method)
    pkce = challenge is not None
    if ask.kind == "signup":
        await audit.note(work, user, Action.CONFIRMATION_REQUESTED)
        await one_time_tokens.begin_flow(work, user, "email/signup", challenge)
        await one_time_tokens.send_confirmation(work, user, pkce=pkce)
        return Sent()
    if ask.kind == "email_change":
        await one_time_tokens.begin_flow(work, user, "email_change", challenge)
        await one_time_tokens.send_email_change(work, user, user.email_change, pkce=pkce)
        return Sent()
    is_sms = ask.kind == "sms"
    kind = TokenKind.CONFIRMATION if is_sms else TokenKind.PHONE_CHANGE
    phone = ask.phone if is_sms else user.phone_change
    if is_sms:
        await audit.note(work, user, Action.RECOVERY_REQUESTED)
    return Sent(await one_time_tokens.send_sms(work, user, phone, kind, "sms"))

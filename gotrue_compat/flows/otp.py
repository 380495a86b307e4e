"""One-time passwords by mail or message, and magic links (auth reference 4.6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows import audit, one_time_tokens
from gotrue_compat.flows.accounts import lock
from gotrue_compat.flows.passwords import random_password
from gotrue_compat.flows.results import Sent
from gotrue_compat.flows.sign_up import SignUp, sign_up
from gotrue_compat.flows.transaction import working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.rules.pkce import challenge_from
from gotrue_compat.store import users as store


@dataclass(frozen=True, slots=True)
class OtpAsk:
    """What a client sends."""

    email: str = ""
    phone: str = ""
    create_user: bool = True
    data: dict[str, Any] | None = None
    channel: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


async def send_otp(deps: Deps, visit: Visit, ask: OtpAsk) -> Sent:
    """Send a one-time password to an address or number; unknown ones are signed up first."""
    if ask.email and ask.phone:
        raise ApiError.of(errors.OTP_EMAIL_OR_PHONE)
    if ask.email and ask.channel:
        raise ApiError.of(errors.OTP_CHANNEL)
    challenge_from(ask.code_challenge, ask.code_challenge_method)
    if not ask.create_user and not await _is_known(deps, visit, ask):
        raise ApiError.of(errors.OTP_DISABLED)
    if ask.email:
        return await send_magic_link(deps, visit, ask)
    if ask.phone:
        return await _send_phone_otp(deps, visit, ask)
    raise ApiError.of(errors.OTP_NEEDS_ADDRESS)


async def send_magic_link(deps: Deps, visit: Visit, ask: OtpAsk) -> Sent:
    """Mail a magic link; who is unknown or unconfirmed gets the mail of a sign-up."""
    if not deps.settings.email.enabled:
        raise ApiError.of(errors.EMAIL_LOGINS_DISABLED)
    if not deps.settings.email.magic_link:
        raise ApiError.of(errors.MAGIC_LINK_DISABLED)
    if not ask.email:
        raise ApiError.of(errors.MAGIC_LINK_NEEDS_EMAIL)
    email = email_from(ask.email)
    challenge = challenge_from(ask.code_challenge, ask.code_challenge_method)
    user = await _find_email(deps, visit, email)
    if user is None or not user.is_confirmed:
        await sign_up(deps, visit, _sign_up_of(deps, replace(ask, email=email)))
        if not deps.settings.mailer.autoconfirm:
            return Sent()
        user = await _find_email(deps, visit, email)
    if user is None:
        return Sent()
    async with working(deps, visit) as work:
        locked = await lock(work.tx, user.id)
        if locked is None:
            return Sent()
        await audit.note(work, locked, Action.RECOVERY_REQUESTED)
        await one_time_tokens.begin_flow(work, locked, "magiclink", challenge)
        await one_time_tokens.send_recovery(work, locked, "magiclink", pkce=challenge is not None)
    return Sent()


async def _send_phone_otp(deps: Deps, visit: Visit, ask: OtpAsk) -> Sent:
    if not deps.settings.phone:
        raise ApiError.of(errors.PHONE_UNSUPPORTED)
    phone = phone_from(ask.phone)
    channel = one_time_tokens.check_channel(deps, ask.channel)
    user = await _find_phone(deps, visit, phone)
    if user is None or not user.is_phone_confirmed:
        plain = replace(ask, phone=phone, channel=channel, code_challenge="")
        await sign_up(deps, visit, _sign_up_of(deps, plain))
        if not deps.settings.sms.autoconfirm:
            return Sent()
        user = await _find_phone(deps, visit, phone)
    if user is None:
        return Sent()
    async with working(deps, visit) as work:
        locked = await lock(work.tx, user.id)
        if locked is None:
            return Sent()
        await audit.note(work, locked, Action.RECOVERY_REQUESTED, channel=channel)
        message_id = await one_time_tokens.send_sms(
            work, locked, phone, TokenKind.CONFIRMATION, channel
        )
    return Sent(message_id)


async def _is_known(deps: Deps, visit: Visit, ask: OtpAsk) -> bool:
    if ask.email:
        return await _find_email(deps, visit, email_from(ask.email)) is not None
    if ask.phone:
        return await _find_phone(deps, visit, phone_from(ask.phone)) is not None
    return True


async def _find_email(deps: Deps, visit: Visit, email: str) -> User | None:
    async with deps.database.acquire() as connection:
        return await store.find_by_email(connection, email, visit.aud)


async def _find_phone(deps: Deps, visit: Visit, phone: str) -> User | None:
    async with deps.database.acquire() as connection:
        return await store.find_by_phone(connection, phone, visit.aud)


def _sign_up_of(deps: Deps, ask: OtpAsk) -> SignUp:
    return SignUp(
        email=ask.email if not ask.phone else "",
        phone=ask.phone,
        password=random_password(deps),
        data=ask.data,
        channel=ask.channel,
        code_challenge=ask.code_challenge,
        code_challenge_method=ask.code_challenge_method if ask.code_challenge else "",
    )

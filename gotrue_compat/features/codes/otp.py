"""One-time passwords by mail or message, and magic links (auth reference 4.6)."""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.errors import ApiError, Row
from gotrue_compat.core import audit, one_time_tokens
from gotrue_compat.core.accounts import lock
from gotrue_compat.core.passwords import random_password
from gotrue_compat.core.results import Sent
from gotrue_compat.core.unit_of_work import unit_of_work
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.features.codes.bodies import OtpRequest
from gotrue_compat.features.sign_in import errors as sign_in_errors
from gotrue_compat.features.sign_up.bodies import SignUp
from gotrue_compat.features.sign_up.flow import sign_up
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.rules.pkce import challenge_from
from gotrue_compat.settings import Settings
from gotrue_compat.store import users as store


async def send_otp(deps: Dependencies, context: RequestContext, body: OtpRequest) -> Sent:
    """Send a one-time password to an address or number; unknown ones are signed up first."""
    if body.email and body.phone:
        raise ApiError.of(codes_errors.OTP_EMAIL_OR_PHONE)
    if body.email and body.channel:
        raise ApiError.of(codes_errors.OTP_CHANNEL)
    challenge_from(body.code_challenge, body.code_challenge_method)
    if not body.create_user and not await _is_known(deps, context, body):
        raise ApiError.of(codes_errors.OTP_DISABLED)
    if body.email:
        return await send_magic_link(deps, context, body)
    if body.phone:
        return await _send_phone_otp(deps, context, body)
    raise ApiError.of(codes_errors.OTP_NEEDS_ADDRESS)


def magic_link_refusal(settings: Settings) -> Row | None:
    """The error while magic links are disabled."""
    if not settings.email.enabled:
        return sign_in_errors.EMAIL_LOGINS_DISABLED
    return None if settings.email.magic_link else codes_errors.MAGIC_LINK_DISABLED


async def send_magic_link(deps: Dependencies, context: RequestContext, body: OtpRequest) -> Sent:
    """Mail a magic link; unknown or unconfirmed users get the mail of a sign-up."""
    off = magic_link_refusal(deps.settings)
    if off is not None:
        raise ApiError.of(off)
    if not body.email:
        raise ApiError.of(codes_errors.MAGIC_LINK_NEEDS_EMAIL)
    email = email_from(body.email)
    challenge = challenge_from(body.code_challenge, body.code_challenge_method)
    user = await _find_email(deps, context, email)
    if user is None or not user.is_confirmed:
        await _sign_up(deps, context, replace(body, email=email))
        if not deps.settings.mailer.autoconfirm:
            return Sent()
        user = await _find_email(deps, context, email)
    if user is None:
        return Sent()
    async with unit_of_work(deps, context) as work:
        locked = await lock(work.tx, user.id)
        if locked is None:
            return Sent()
        await audit.record(work, locked, Action.RECOVERY_REQUESTED)
        await one_time_tokens.begin_flow(work, locked, "magiclink", challenge)
        await one_time_tokens.send_recovery(work, locked, "magiclink", pkce=challenge is not None)
    return Sent()


async def _send_phone_otp(deps: Dependencies, context: RequestContext, body: OtpRequest) -> Sent:
    if not deps.settings.phone:
        raise ApiError.of(codes_errors.PHONE_UNSUPPORTED)
    phone = phone_from(body.phone)
    channel = one_time_tokens.check_channel(deps, body.channel)
    user = await _find_phone(deps, context, phone)
    if user is None or not user.is_phone_confirmed:
        plain = replace(body, phone=phone, channel=channel, code_challenge="")
        await _sign_up(deps, context, plain)
        if not deps.settings.sms.autoconfirm:
            return Sent()
        user = await _find_phone(deps, context, phone)
    if user is None:
        return Sent()
    async with unit_of_work(deps, context) as work:
        locked = await lock(work.tx, user.id)
        if locked is None:
            return Sent()
        await audit.record(work, locked, Action.RECOVERY_REQUESTED, channel=channel)
        message_id = await one_time_tokens.send_sms(
            work, locked, phone, TokenKind.CONFIRMATION, channel
        )
    return Sent(message_id)


async def _is_known(deps: Dependencies, context: RequestContext, body: OtpRequest) -> bool:
    """Whether a user has the address; False for a malformed one, as with the original."""
    try:
        if body.email:
            return await _find_email(deps, context, email_from(body.email)) is not None
        if body.phone:
            return await _find_phone(deps, context, phone_from(body.phone)) is not None
    except ApiError:
        return False
    return True


async def _find_email(deps: Dependencies, context: RequestContext, email: str) -> User | None:
    async with deps.database.acquire() as connection:
        return await store.find_by_email(connection, email, context.aud)


async def _find_phone(deps: Dependencies, context: RequestContext, phone: str) -> User | None:
    async with deps.database.acquire() as connection:
        return await store.find_by_phone(connection, phone, context.aud)


async def _sign_up(deps: Dependencies, context: RequestContext, body: OtpRequest) -> None:
    """Sign somebody up; a refusal names no session, as the original's of a code does not."""
    try:
        await sign_up(deps, context, _sign_up_of(deps, body))
    except ApiError as error:
        raise ApiError(replace(error.problem, headers=())) from error


def _sign_up_of(deps: Dependencies, body: OtpRequest) -> SignUp:
    return SignUp(
        email=body.email if not body.phone else "",
        phone=body.phone,
        password=random_password(deps),
        data=body.data,
        channel=body.channel,
        code_challenge=body.code_challenge,
        code_challenge_method=body.code_challenge_method if body.code_challenge else "",
    )

"""Reauthentication: a nonce that proves the user is present (auth reference 4.7)."""

from __future__ import annotations

from datetime import datetime

from compat_base.values.errors import ApiError
from gotrue_compat.core import audit, code_tries, one_time_tokens
from gotrue_compat.core.accounts import lock
from gotrue_compat.core.results import Sent
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.rules import otp as rules
from gotrue_compat.store import tokens as token_store
from gotrue_compat.store import users as store


async def reauthenticate(deps: Dependencies, context: RequestContext, _body: None) -> Sent:
    """Send a nonce to the user's address, or number where there is no address."""
    user = context.user
    if not user.email and not user.phone:
        raise ApiError.of(codes_errors.REAUTHENTICATION_ADDRESS)
    if user.email and not user.is_confirmed:
        raise ApiError.of(codes_errors.VERIFY_EMAIL_FIRST)
    if not user.email and not user.is_phone_confirmed:
        raise ApiError.of(codes_errors.VERIFY_PHONE_FIRST)
    async with unit_of_work(deps, context) as work:
        user = await lock(work.tx, user.id) or user
        await audit.record(work, user, Action.REAUTHENTICATION_REQUESTED)
        if user.email:
            await one_time_tokens.send_reauthentication(work, user)
            return Sent()
        return Sent(
            await one_time_tokens.send_sms(
                work, user, user.phone, TokenKind.REAUTHENTICATION, "sms"
            )
        )


async def judge_nonce(deps: Dependencies, context: RequestContext, nonce: str) -> bool:
    """Whether a provider that generates codes itself accepts a nonce; ApiError where it refuses.

    False where the nonce is one of ours and right. A try is counted; ApiError after too many wrong
    ones.
    """
    user = context.user
    kinds = (TokenKind.REAUTHENTICATION,)
    async with deps.database.acquire() as connection:
        if not await code_tries.count(deps, connection, kinds, user.email or user.phone):
            raise ApiError.of(codes_errors.NONCE_INVALID)
    judged = None
    if not user.email and user.reauthentication_token and deps.sms is not None:
        judged = await deps.sms.verify(user.phone, nonce)
    if judged is False:
        raise ApiError.of(codes_errors.OTP_EXPIRED)
    if judged is None:
        _check_nonce(deps, user, nonce, context.now)
    return judged is True


async def spend_nonce(work: UnitOfWork, user: User, nonce: str) -> User:
    """Accept a nonce once; ApiError where it is wrong or expired."""
    _check_nonce(work.deps, user, nonce, work.now)
    await token_store.clear(work.tx, user.id)
    await code_tries.forget(work.tx, (TokenKind.REAUTHENTICATION,), user.email or user.phone)
    return await store.update(work.tx, user.id, work.now, reauthentication_token="")


def _check_nonce(deps: Dependencies, user: User, nonce: str, now: datetime) -> None:
    settings = deps.settings
    life = settings.mailer.otp_seconds if user.email else settings.sms.otp_seconds
    hashed = rules.token_hash(user.email or user.phone, nonce)
    stored, sent_at = user.reauthentication_token, user.reauthentication_sent_at
    if not rules.is_valid(hashed, stored, sent_at, life, now):
        raise ApiError.of(codes_errors.NONCE_INVALID)

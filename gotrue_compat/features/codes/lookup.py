"""The user of a one-time token, by its hash or by code and address (auth reference 3.8, 4.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from compat_base.postgres.database import Connection
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import accounts, code_tries, one_time_tokens
from gotrue_compat.core.unit_of_work import UnitOfWork
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.features.codes.bodies import VerifyRequest
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import HookPoint
from gotrue_compat.rules import otp as rules
from gotrue_compat.store import tokens as token_store
from gotrue_compat.store import users as store

RECOVERY = frozenset({"recovery", "magiclink"})
PHONE = frozenset({"sms", "phone_change"})
_KINDS_OF_HASH = {
    "email": (TokenKind.CONFIRMATION, TokenKind.RECOVERY),
    "signup": (TokenKind.CONFIRMATION,),
    "invite": (TokenKind.CONFIRMATION,),
    "recovery": (TokenKind.RECOVERY,),
    "magiclink": (TokenKind.RECOVERY,),
    "email_change": (TokenKind.EMAIL_CHANGE_NEW, TokenKind.EMAIL_CHANGE_CURRENT),
}
_KINDS_OF_CODE = _KINDS_OF_HASH | {
    "sms": (TokenKind.CONFIRMATION,),
    "phone_change": (TokenKind.PHONE_CHANGE,),
}


@dataclass(frozen=True, slots=True)
class FoundToken:
    """A token's user, purpose and kind; the kind is None if the provider verified the code."""

    user: User
    action: str
    kind: TokenKind | None


async def find_by_hash(work: UnitOfWork, body: VerifyRequest) -> FoundToken:
    """The token of a link, its user locked; ApiError where it is unknown, used or expired."""
    kinds = _KINDS_OF_HASH.get(body.kind)
    if kinds is None:
        raise ApiError.of(codes_errors.VERIFY_UNKNOWN_TYPE)
    found = await token_store.find(work.tx, (body.token_hash,), kinds)
    user = await accounts.lock(work.tx, found[0].user_id) if found else None
    # Read again under the lock: of two requests with one token the second finds it gone
    found = await token_store.find(work.tx, (body.token_hash,), kinds) if user else ()
    if user is None or not found:
        raise ApiError.of(codes_errors.LINK_EXPIRED)
    if user.is_banned(work.now):
        raise ApiError.of(errors.USER_BANNED)
    kind = body.kind
    if kind == "email":
        is_recovery = found[0].token_type == TokenKind.RECOVERY.value
        kind = "magiclink" if is_recovery else "signup"
    sent_at = user.confirmation_sent_at
    if kind in RECOVERY:
        sent_at = user.recovery_sent_at
    elif kind == "email_change":
        sent_at = user.email_change_sent_at
    if rules.is_expired(sent_at, work.deps.settings.mailer.otp_seconds, work.now):
        raise ApiError.of(codes_errors.LINK_EXPIRED)
    return FoundToken(user, kind, TokenKind(found[0].token_type))


async def find_by_code(
    deps: Dependencies, context: RequestContext, body: VerifyRequest
) -> FoundToken:
    """The user of a code, judged before any lock: every try is counted."""
    kinds = _KINDS_OF_CODE.get(body.kind, ())
    async with deps.database.acquire() as connection:
        alive = await code_tries.count(deps, connection, kinds, _recipient(body))
        user = await _user_of_address(deps, context, connection, body) if alive else None
    if user is None:
        raise ApiError.of(codes_errors.OTP_EXPIRED)
    if user.is_banned(context.now):
        raise ApiError.of(errors.USER_BANNED)
    if body.kind in PHONE:
        return await _judge_sms(deps, context, user, body)
    for action, kind, sent_at in _candidates(user).get(body.kind, ()):
        life = deps.settings.mailer.otp_seconds
        stored = getattr(user, kind.value)
        if kind in alive and rules.is_valid(body.token_hash, stored, sent_at, life, context.now):
            return FoundToken(user, action, kind)
    raise ApiError.of(codes_errors.OTP_EXPIRED)


async def lock_found(work: UnitOfWork, found: FoundToken, body: VerifyRequest) -> FoundToken:
    """Find the code again under the user's lock; the second of two such requests finds none."""
    user, kind = await accounts.lock(work.tx, found.user.id), found.kind
    if user is None or (kind and getattr(user, kind.value) != getattr(found.user, kind.value)):
        raise ApiError.of(codes_errors.OTP_EXPIRED)
    await code_tries.forget(work.tx, _KINDS_OF_CODE[body.kind], _recipient(body))
    return replace(found, user=user)


def _recipient(body: VerifyRequest) -> str:
    return body.phone if body.kind in PHONE else body.email


async def _user_of_address(
    deps: Dependencies, context: RequestContext, connection: Connection, body: VerifyRequest
) -> User | None:
    if body.kind == "phone_change":
        return await store.find_by_phone_change(connection, body.phone, context.aud)
    if body.kind == "sms":
        return await store.find_by_phone(connection, body.phone, context.aud)
    if body.kind == "email_change":
        return await store.find_for_email_change(
            connection, body.email, body.token_hash, context.aud,
            secure=deps.settings.mailer.secure_email_change,
        )  # fmt: skip
    return await store.find_by_email(connection, body.email, context.aud)


def _candidates(user: User) -> dict[str, tuple[tuple[str, TokenKind, datetime | None], ...]]:
    """The types that a mailed code may be of, by the requested type."""
    confirmation = (TokenKind.CONFIRMATION, user.confirmation_sent_at)
    recovery = (TokenKind.RECOVERY, user.recovery_sent_at)
    change = user.email_change_sent_at
    return {
        "email": (("signup", *confirmation), ("magiclink", *recovery)),
        "signup": (("signup", *confirmation),),
        "invite": (("invite", *confirmation),),
        "recovery": (("recovery", *recovery),),
        "magiclink": (("magiclink", *recovery),),
        "email_change": (
            ("email_change", TokenKind.EMAIL_CHANGE_CURRENT, change),
            ("email_change", TokenKind.EMAIL_CHANGE_NEW, change),
        ),
    }


async def _judge_sms(
    deps: Dependencies, context: RequestContext, user: User, body: VerifyRequest
) -> FoundToken:
    fixed = one_time_tokens.test_otp(deps, context, body.phone)
    if fixed is not None and fixed == body.token:
        return FoundToken(user, body.kind, None)
    asks = deps.sms is not None and not deps.hooks.has(HookPoint.SEND_SMS)
    judged = await deps.sms.verify(body.phone, body.token) if deps.sms and asks else None
    if judged:
        return FoundToken(user, body.kind, None)
    kind, sent_at = TokenKind.CONFIRMATION, user.confirmation_sent_at
    if body.kind == "phone_change":
        kind, sent_at = TokenKind.PHONE_CHANGE, user.phone_change_sent_at
    life, stored = deps.settings.sms.otp_seconds, getattr(user, kind.value)
    is_valid = rules.is_valid(body.token_hash, stored, sent_at, life, context.now)
    if judged is None and is_valid:
        return FoundToken(user, body.kind, kind)
    raise ApiError.of(codes_errors.OTP_EXPIRED)

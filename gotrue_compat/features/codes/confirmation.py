"""The effects of verified one-time tokens (auth reference 3.8, 4.4)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from gotrue_compat.core import accounts, audit, mail
from gotrue_compat.core.passwords import random_password
from gotrue_compat.core.unit_of_work import UnitOfWork
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.features.codes.lookup import PHONE, RECOVERY, FoundToken
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.store import tokens as token_store
from gotrue_compat.store import users as store

_SIGN_UP = frozenset({"signup", "invite"})


async def confirm(work: UnitOfWork, found: FoundToken, phone: str, password: str) -> User | None:
    """Apply a token's effect; None where a second confirmation is still needed."""
    user, action = found.user, found.action
    if action in _SIGN_UP:
        return await _confirm_sign_up(work, user, password)
    if action in RECOVERY:
        return await _confirm_recovery(work, user)
    if action == "email_change":
        return await confirm_email_change(work, user, found.kind)
    if action in PHONE:
        return await confirm_sms(work, user, action, phone)
    raise ApiError.of(codes_errors.VERIFY_UNSUPPORTED_TYPE)


async def _confirm_sign_up(work: UnitOfWork, user: User, password: str) -> User:
    if not user.has_password and user.invited_at is not None:
        plain_hash = password or await work.deps.hasher.hash(
            random_password(work.deps), work.context.rate_limit_key
        )
        user = await accounts.change_password(work, user, plain_hash, None)
    await audit.record(work, user, Action.USER_SIGNED_UP, provider="email")
    user = await accounts.confirm_email(work, user)
    return await accounts.mark_email_verified(work, user)


async def _confirm_recovery(work: UnitOfWork, user: User) -> User:
    user = await store.update(work.tx, user.id, work.now, recovery_token="")
    await token_store.clear(work.tx, user.id)
    if user.is_confirmed:
        await audit.record(work, user, Action.LOGIN)
        return user
    await audit.record(work, user, Action.USER_SIGNED_UP, provider="email")
    return await accounts.confirm_email(work, user)


async def confirm_email_change(work: UnitOfWork, user: User, kind: TokenKind | None) -> User | None:
    """Apply one confirmation of a change of address; None where another one is needed.

    Source: auth reference 4.4.
    """
    mailer = work.deps.settings.mailer
    needs_two = mailer.secure_email_change and not mailer.autoconfirm and user.email
    if needs_two and user.email_change_confirm_status == 0:
        kind = kind or TokenKind.EMAIL_CHANGE_NEW
        await token_store.clear_kind(work.tx, user.id, kind)
        changes = {kind.value: "", "email_change_confirm_status": 1}
        await store.update(work.tx, user.id, work.now, **changes)
        return None
    old = user.email
    await audit.record(work, user, Action.USER_MODIFIED)
    user = await accounts.change_email(work, user, user.email_change)
    await mail.notify(
        work.deps, work.context, user, "email_changed", old, tx=work.tx, old_email=old
    )
    return user


async def confirm_sms(work: UnitOfWork, user: User, kind: str, phone: str) -> User:
    """Confirm a number, or change to it."""
    if kind == "sms":
        await audit.record(work, user, Action.USER_SIGNED_UP, provider="phone")
        user = await accounts.confirm_phone(work, user)
        if user.is_anonymous:
            user = await store.update(work.tx, user.id, work.now, is_anonymous=False)
        return user
    old, had_identity = user.phone, user.identity_of("phone") is not None
    await audit.record(work, user, Action.USER_MODIFIED)
    user = await accounts.change_phone(work, user, phone)
    if old and old != user.phone:
        await mail.notify(
            work.deps, work.context, user, "phone_changed", user.email, tx=work.tx, old_phone=old
        )
    if not had_identity:
        await mail.notify(
            work.deps, work.context, user, "identity_linked", user.email,
            tx=work.tx, provider="phone",
        )  # fmt: skip
    return user

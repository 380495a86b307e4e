"""Links of mails without the mail (auth reference 7, generate_link)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.features.admin.invite import invited, with_email_identity
from gotrue_compat.flows import accounts, audit, hooks, mail, one_time_tokens
from gotrue_compat.flows.mail import Letter
from gotrue_compat.flows.passwords import random_password
from gotrue_compat.flows.results import Json
from gotrue_compat.flows.sign_up import SignUp, validate
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import redirects
from gotrue_compat.rules.addresses import email_from
from gotrue_compat.rules.metadata import merged
from gotrue_compat.rules.shapes import user_shape
from gotrue_compat.store import users as store

_TYPES = frozenset(
    {"signup", "invite", "magiclink", "recovery", "email_change_current", "email_change_new"}
)
_NEED_USER = frozenset({"recovery", "email_change_current", "email_change_new"})


@dataclass(frozen=True, slots=True)
class LinkAsk:
    """What an administrator sends."""

    kind: str = ""
    email: str = ""
    new_email: str = ""
    password: str = ""
    data: dict[str, Any] | None = None
    redirect_to: str = ""


async def generate_link(deps: Deps, visit: Visit, ask: LinkAsk) -> Json:
    """Make what a mail would carry, and the user where there is none yet."""
    email = email_from(ask.email)
    settings = deps.settings
    redirect = redirects.choose(
        (ask.redirect_to, visit.redirect), settings.site_url, settings.allow_list
    )
    async with deps.database.acquire() as connection:
        known = await store.find_by_email(connection, email, visit.aud)
    ask = replace(_resolved(deps, ask, known), email=email)
    encrypted = await _prepare(deps, visit, ask, known)
    otp = one_time_tokens.new_otp(deps, settings.mailer.otp_length)
    async with working(deps, visit) as work:
        user = await accounts.lock(work.tx, known.id) if known else None
        user, hashed_token = await _store_token(work, user, ask, otp, encrypted)
    if known is None:
        await hooks.after_user(deps, visit, user)
    link = mail.link_of(deps, visit, ask.kind, hashed_token, redirect)
    answer = {
        **user_shape(user), "action_link": link, "email_otp": otp, "hashed_token": hashed_token,
        "verification_type": ask.kind, "redirect_to": redirect,
    }  # fmt: skip
    return Json(answer)


def _resolved(deps: Deps, ask: LinkAsk, known: User | None) -> LinkAsk:
    """A magic link for somebody unknown is a sign-up; others need the user."""
    if known is None and ask.kind == "magiclink":
        return replace(ask, kind="signup", password=random_password(deps))
    if known is None and ask.kind in _NEED_USER:
        raise ApiError.of(errors.LINK_USER_NOT_FOUND)
    if ask.kind not in _TYPES:
        raise ApiError.of(errors.LINK_TYPE, type=ask.kind)
    if ask.kind == "email_change_current" and not deps.settings.mailer.secure_email_change:
        raise ApiError.of(errors.LINK_SECURE_ONLY)
    return ask


async def _prepare(deps: Deps, visit: Visit, ask: LinkAsk, known: User | None) -> str:
    """What must happen before the transaction for a user to be made: the password as stored."""
    if known is not None or ask.kind not in {"signup", "invite"}:
        return ""
    encrypted = ""
    if ask.kind == "signup":
        await validate(deps, SignUp(email=ask.email, password=ask.password, data=ask.data))
        encrypted = await deps.hasher.hash(ask.password, visit.limited_as)
    shape = hooks.future_user(visit, ask.email, "", ask.data or {}, "email")
    await hooks.before_user(deps, visit, shape)
    return encrypted


async def _store_token(
    work: Work, user: User | None, ask: LinkAsk, otp: str, encrypted: str
) -> tuple[User, str]:
    """Store the token of the link; the user then, and the token's hash."""
    letter = Letter(ask.kind, ask.email, otp, one_time_tokens.new_link_token(work.deps))
    kind = TokenKind.CONFIRMATION
    changes: dict[str, Any] = {"confirmation_sent_at": work.now}
    if ask.kind == "invite":
        user = await invited(work, user, ask.email, ask.data or {})
        changes["invited_at"] = work.now
    elif ask.kind == "signup":
        user = await _signed_up(work, user, ask, encrypted)
    elif user is None:
        raise ApiError.of(errors.LINK_USER_NOT_FOUND)
    elif ask.kind in {"magiclink", "recovery"}:
        await audit.note(work, user, Action.RECOVERY_REQUESTED)
        kind, changes = TokenKind.RECOVERY, {"recovery_sent_at": work.now}
    else:
        letter, changes = await _change_of_email(work, user, ask, otp)
        is_current = ask.kind == "email_change_current"
        kind = TokenKind.EMAIL_CHANGE_CURRENT if is_current else TokenKind.EMAIL_CHANGE_NEW
    return await one_time_tokens.keep(work, user, kind, letter, **changes), letter.hashed


async def _signed_up(work: Work, user: User | None, ask: LinkAsk, encrypted: str) -> User:
    if user is None:
        return await with_email_identity(work, ask.email, ask.data or {}, encrypted)
    if user.is_confirmed:
        raise ApiError.of(errors.EMAIL_EXISTS)
    whole = merged(user.raw_user_meta_data, ask.data or {})
    return await store.update(work.tx, user.id, work.now, raw_user_meta_data=whole)


async def _change_of_email(
    work: Work, user: User, ask: LinkAsk, otp: str
) -> tuple[Letter, dict[str, Any]]:
    new_email = email_from(ask.new_email)
    if await store.find_duplicate(work.tx, new_email, user.aud, user.id) is not None:
        raise ApiError.of(errors.EMAIL_EXISTS)
    address = user.email if ask.kind == "email_change_current" else new_email
    changes: dict[str, Any] = {
        "email_change": new_email,
        "email_change_sent_at": work.now,
        "email_change_confirm_status": 0,
    }
    return Letter(ask.kind, address, otp, one_time_tokens.new_link_token(work.deps)), changes

"""Links of mails without the mail (auth reference 7, generate_link)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from compat_base.database import Connection
from compat_base.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.errors import database_errors
from gotrue_compat.flows import accounts, calling, posting, tokens, trail
from gotrue_compat.flows.guarding import hashed, random_password
from gotrue_compat.flows.invite import invited, with_email_identity
from gotrue_compat.flows.results import Json
from gotrue_compat.flows.sign_up import SignUp, validate
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import redirects
from gotrue_compat.rules.addresses import email_from
from gotrue_compat.rules.metadata import merged
from gotrue_compat.rules.otp import token_hash
from gotrue_compat.rules.shapes import user_shape
from gotrue_compat.store import tokens as token_store
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
    otp = tokens.new_otp(deps, settings.mailer.otp_length)
    async with deps.database.transaction() as tx:
        user = await accounts.lock(tx, known.id) if known else None
        user, hashed_token = await _store_token(deps, visit, tx, user, ask, otp, encrypted)
    if known is None:
        await calling.after_user(deps, visit, user)
    link = posting.link_of(deps, visit, ask.kind, hashed_token, redirect)
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
        encrypted = await hashed(deps, ask.password, "")
    shape = calling.future_user(visit, "", ask.email, "", ask.data or {}, "email")
    await calling.before_user(deps, visit, shape)
    return encrypted


async def _store_token(
    deps: Deps, visit: Visit, tx: Connection, user: User | None, ask: LinkAsk,
    otp: str, encrypted: str,
) -> tuple[User, str]:  # fmt: skip
    hashed_token = token_hash(ask.email, otp)
    if ask.kind == "invite":
        user = await invited(deps, visit, tx, user, ask.email, ask.data or {})
        times = {"confirmation_sent_at": visit.now, "invited_at": visit.now}
        return await _keep(deps, visit, tx, user, TokenKind.CONFIRMATION, hashed_token, times)
    if ask.kind == "signup":
        user = await _signed_up(deps, visit, tx, user, ask, encrypted)
        times = {"confirmation_sent_at": visit.now}
        return await _keep(deps, visit, tx, user, TokenKind.CONFIRMATION, hashed_token, times)
    if user is None:
        raise ApiError.of(errors.LINK_USER_NOT_FOUND)
    if ask.kind in {"magiclink", "recovery"}:
        await trail.note(deps, visit, tx, user, Action.RECOVERY_REQUESTED)
        times = {"recovery_sent_at": visit.now}
        return await _keep(deps, visit, tx, user, TokenKind.RECOVERY, hashed_token, times)
    return await _change_of_email(deps, visit, tx, user, ask, otp)


async def _signed_up(
    deps: Deps, visit: Visit, tx: Connection, user: User | None, ask: LinkAsk, encrypted: str
) -> User:
    if user is None:
        return await with_email_identity(deps, visit, tx, ask.email, ask.data or {}, encrypted)
    if user.is_confirmed:
        raise ApiError.of(errors.EMAIL_EXISTS)
    whole = merged(user.raw_user_meta_data, ask.data or {})
    return await store.update(tx, user.id, visit.now, raw_user_meta_data=whole)


async def _change_of_email(
    deps: Deps, visit: Visit, tx: Connection, user: User, ask: LinkAsk, otp: str
) -> tuple[User, str]:
    new_email = email_from(ask.new_email)
    if await store.find_duplicate(tx, new_email, user.aud, user.id) is not None:
        raise ApiError.of(errors.EMAIL_EXISTS)
    is_current = ask.kind == "email_change_current"
    kind = TokenKind.EMAIL_CHANGE_CURRENT if is_current else TokenKind.EMAIL_CHANGE_NEW
    address = user.email if is_current else new_email
    changes: dict[str, Any] = {
        "email_change": new_email, "email_change_sent_at": visit.now,
        "email_change_confirm_status": 0,
    }  # fmt: skip
    return await _keep(
        deps, visit, tx, user, kind, token_hash(address, otp), changes, relates_to=address
    )


async def _keep(
    deps: Deps, visit: Visit, tx: Connection, user: User, kind: TokenKind, hashed_token: str,
    changes: dict[str, Any], relates_to: str = "",
) -> tuple[User, str]:  # fmt: skip
    with database_errors("storing token"):
        await token_store.put(
            tx, deps.world.entropy.uuid(), user.id, kind, hashed_token, relates_to or user.email
        )
        user = await store.update(tx, user.id, visit.now, **{kind.value: hashed_token}, **changes)
    return user, hashed_token

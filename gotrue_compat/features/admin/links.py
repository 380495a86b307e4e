"""Links of mails, returned instead of mailed (auth reference 7, generate_link)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit, hooks, mail, one_time_tokens
from gotrue_compat.core.mail import TokenMail
from gotrue_compat.core.passwords import check_strength, random_password
from gotrue_compat.core.results import Json
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.admin import errors as admin_errors
from gotrue_compat.features.admin.bodies import LinkRequest
from gotrue_compat.features.admin.invite import invited, with_email_identity
from gotrue_compat.features.sign_up import errors as sign_up_errors
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.rules.addresses import email_from
from gotrue_compat.rules.metadata import merged
from gotrue_compat.rules.shapes import user_shape
from gotrue_compat.store import users as store
from gotrue_compat.urls import redirects

_TYPES = frozenset(
    {"signup", "invite", "magiclink", "recovery", "email_change_current", "email_change_new"}
)
_NEED_USER = frozenset({"recovery", "email_change_current", "email_change_new"})


@dataclass(frozen=True, slots=True)
class _New:
    """The values made for a link: a new user's id and password hash, and the code."""

    user_id: UUID
    otp: str
    encrypted: str


async def generate_link(deps: Dependencies, context: RequestContext, body: LinkRequest) -> Json:
    """Create a mail's link, and the user where there is none yet."""
    email = email_from(body.email)
    settings = deps.settings
    redirect = redirects.choose(
        (body.redirect_to, context.redirect), settings.site_url, settings.allow_list
    )
    async with deps.database.acquire() as connection:
        known = await store.find_by_email(connection, email, context.aud)
    body = replace(_resolved(deps, body, known), email=email)
    user_id = deps.world.entropy.uuid()
    encrypted = await _prepare(deps, context, body, known, user_id)
    otp = one_time_tokens.new_otp(deps, settings.mailer.otp_length)
    async with unit_of_work(deps, context) as work:
        user = await accounts.lock(work.tx, known.id) if known else None
        user, hashed_token = await _store_token(work, user, body, _New(user_id, otp, encrypted))
    if known is None:
        await hooks.after_user_created(deps, context, user)
    link = mail.link_of(deps, context, body.kind, hashed_token, redirect)
    answer = {
        **user_shape(user), "action_link": link, "email_otp": otp, "hashed_token": hashed_token,
        "verification_type": body.kind, "redirect_to": redirect,
    }  # fmt: skip
    return Json(answer)


def _resolved(deps: Dependencies, body: LinkRequest, known: User | None) -> LinkRequest:
    """The type of link: a magic link for an unknown user is a sign-up."""
    if known is None and body.kind == "magiclink":
        return replace(body, kind="signup", password=random_password(deps))
    if known is None and body.kind in _NEED_USER:
        raise ApiError.of(admin_errors.LINK_USER_NOT_FOUND)
    if body.kind not in _TYPES:
        raise ApiError.of(admin_errors.LINK_TYPE, type=body.kind)
    if body.kind == "email_change_current" and not deps.settings.mailer.secure_email_change:
        raise ApiError.of(admin_errors.LINK_SECURE_ONLY)
    return body


async def _prepare(
    deps: Dependencies,
    context: RequestContext,
    body: LinkRequest,
    known: User | None,
    user_id: UUID,
) -> str:
    """A new user's stored password, hashed before the transaction."""
    if known is not None or body.kind not in {"signup", "invite"}:
        return ""
    encrypted = ""
    if body.kind == "signup":
        if not body.password:
            raise ApiError.of(sign_up_errors.SIGNUP_NEEDS_PASSWORD)
        await check_strength(deps, body.password)
        encrypted = await deps.hasher.hash(body.password, context.rate_limit_key)
    shape = hooks.unsaved_user(context, user_id, body.email, "", body.data or {}, "email")
    await hooks.before_user_created(deps, context, shape)
    return encrypted


async def _store_token(
    work: UnitOfWork, user: User | None, body: LinkRequest, new: _New
) -> tuple[User, str]:
    """Store the token of the link; the user then, and the token's hash."""
    token_mail = TokenMail(
        body.kind, body.email, new.otp, one_time_tokens.new_link_token(work.deps)
    )
    kind = TokenKind.CONFIRMATION
    changes: dict[str, Any] = {"confirmation_sent_at": work.now}
    if body.kind == "invite":
        user = await invited(work, user, body.email, body.data or {}, new.user_id)
        changes["invited_at"] = work.now
    elif body.kind == "signup":
        user = await _signed_up(work, user, body, new)
    elif user is None:
        raise ApiError.of(admin_errors.LINK_USER_NOT_FOUND)
    elif body.kind in {"magiclink", "recovery"}:
        await audit.record(work, user, Action.RECOVERY_REQUESTED)
        kind, changes = TokenKind.RECOVERY, {"recovery_sent_at": work.now}
    else:
        token_mail, changes = await _change_of_email(work, user, body, new.otp)
        is_current = body.kind == "email_change_current"
        kind = TokenKind.EMAIL_CHANGE_CURRENT if is_current else TokenKind.EMAIL_CHANGE_NEW
    return await one_time_tokens.store_token(
        work, user, kind, token_mail, **changes
    ), token_mail.hashed


async def _signed_up(work: UnitOfWork, user: User | None, body: LinkRequest, new: _New) -> User:
    if user is None:
        return await with_email_identity(
            work, new.user_id, body.email, body.data or {}, new.encrypted
        )
    if user.is_confirmed:
        raise ApiError.of(errors.EMAIL_EXISTS)
    whole = merged(user.raw_user_meta_data, body.data or {})
    return await store.update(work.tx, user.id, work.now, raw_user_meta_data=whole)


async def _change_of_email(
    work: UnitOfWork, user: User, body: LinkRequest, otp: str
) -> tuple[TokenMail, dict[str, Any]]:
    new_email = email_from(body.new_email)
    taken = await store.find_duplicate(work.tx, new_email, user.aud, user.id)
    if taken is not None or new_email == user.email:
        raise ApiError.of(errors.EMAIL_EXISTS)
    address = user.email if body.kind == "email_change_current" else new_email
    changes: dict[str, Any] = {
        "email_change": new_email,
        "email_change_sent_at": work.now,
        "email_change_confirm_status": 0,
    }
    return TokenMail(body.kind, address, otp, one_time_tokens.new_link_token(work.deps)), changes

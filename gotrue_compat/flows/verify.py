"""One-time tokens exchanged for sessions (auth reference 3.8, 4.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from compat_base.postgres.database import Connection
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows import accounts, audit, code_tries, mail, one_time_tokens, session_tokens
from gotrue_compat.flows.limits import guessing, wrong_tries
from gotrue_compat.flows.passwords import random_password, sealed
from gotrue_compat.flows.results import HalfConfirmed, Redirect, SignedIn
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import otp as rules
from gotrue_compat.rules import urls
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.store import tokens as token_store
from gotrue_compat.store import users as store

HALF_CONFIRMED = (
    "Confirmation link accepted. Please proceed to confirm link sent to the other email"
)
_SIGN_UP = frozenset({"signup", "invite"})
_RECOVERY = frozenset({"recovery", "magiclink"})
_PHONE = frozenset({"sms", "phone_change"})
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
_METHODS = {
    "signup": "email/signup", "invite": "invite", "recovery": "recovery",
    "magiclink": "magiclink", "email_change": "email_change",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verification:
    """What a client sends: a type with a token and its address, or with a hash alone."""

    kind: str = ""
    token: str = ""
    token_hash: str = ""
    email: str = ""
    phone: str = ""
    redirect_to: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """Whose token it is, what it is for, and its kind; None where another judged the code."""

    user: User
    action: str
    kind: TokenKind | None


async def verify(deps: Deps, visit: Visit, ask: Verification) -> SignedIn | HalfConfirmed:
    """Exchange a token for a session (POST)."""
    asked = _validated(ask)
    async with guessing(deps, wrong_tries(visit), errors.OTP_EXPIRED):
        return await _verify(deps, visit, asked)


async def _verify(deps: Deps, visit: Visit, ask: Verification) -> SignedIn | HalfConfirmed:
    password = await _invitee_password(deps, visit, ask.kind)
    by_code = bool(ask.email or ask.phone)
    judged = await _judge(deps, visit, ask) if by_code else None
    async with working(deps, visit) as work:
        found = await (_take(work, judged, ask) if judged else _find_by_hash(work, ask))
        confirmed = await _confirm(work, found, ask.phone, password)
        if confirmed is None:
            return HalfConfirmed()
        confirmed = await accounts.sync_providers(work, confirmed)
        return await session_tokens.open_session(work, confirmed, "otp")


async def follow_link(deps: Deps, visit: Visit, ask: Verification) -> Redirect:
    """Exchange a mail's link for a redirect with a session, a code or an error (GET)."""
    if not ask.kind:
        raise ApiError.of(errors.VERIFY_TYPE)
    if not ask.token:
        raise ApiError.of(errors.VERIFY_GET_TOKEN)
    pkce = ask.token.startswith(rules.PKCE_PREFIX)
    try:
        async with guessing(deps, wrong_tries(visit), errors.OTP_EXPIRED):
            return await _follow(deps, visit, replace(ask, token_hash=ask.token), pkce=pkce)
    except ApiError as error:
        problem = error.problem
        if problem.status >= 500:  # noqa: PLR2004 — the server's own failure is not the link's
            raise
        return Redirect(
            urls.error_redirect(
                visit.redirect, problem.status, problem.code, problem.message, in_query=pkce
            )
        )


async def _follow(deps: Deps, visit: Visit, ask: Verification, *, pkce: bool) -> Redirect:
    if pkce and ask.kind not in _METHODS:
        raise ApiError.of(errors.VERIFY_UNSUPPORTED_TYPE)
    password = await _invitee_password(deps, visit, ask.kind)
    async with working(deps, visit) as work:
        found = await _find_by_hash(work, ask)
        confirmed = await _confirm(work, found, ask.phone, password)
        if confirmed is None:
            values = {"message": HALF_CONFIRMED}
            url = urls.with_query(visit.redirect, values) if pkce else visit.redirect
            return Redirect(urls.with_fragment(url, values))
        confirmed = await accounts.sync_providers(work, confirmed)
        if pkce:
            code = await issue_code(work, confirmed, _METHODS[ask.kind])
            return Redirect(urls.with_query(visit.redirect, {"code": code}))
        signed_in = await session_tokens.open_session(work, confirmed, "otp")
    return Redirect(session_redirect(visit.redirect, signed_in, type=ask.kind))


def session_redirect(url: str, signed_in: SignedIn, **more: str) -> str:
    """A redirect with a session in its fragment."""
    values = {
        "access_token": signed_in.access_token, "token_type": "bearer",
        "expires_in": str(signed_in.expires_in), "expires_at": str(signed_in.expires_at),
        "refresh_token": signed_in.refresh_token, **more,
    }  # fmt: skip
    return urls.with_fragment(url, values)


async def issue_code(work: Work, user: User, method: str) -> str:
    """The code of the user's newest flow of a method, which its client exchanges."""
    flow = await token_store.newest_flow(work.tx, user.id, method)
    if flow is None or flow.auth_code is None:
        raise ApiError.of(errors.NO_FLOW_FOR_CODE)
    await token_store.update_flow(work.tx, flow.id, work.now, auth_code_issued_at=work.now)
    return flow.auth_code


def _validated(ask: Verification) -> Verification:
    if not ask.kind:
        raise ApiError.of(errors.VERIFY_TYPE)
    if bool(ask.token) == bool(ask.token_hash):
        raise ApiError.of(errors.VERIFY_TOKEN)
    if ask.token_hash:
        if ask.email or ask.phone or ask.redirect_to:
            raise ApiError.of(errors.VERIFY_HASH_ALONE)
        return ask
    if ask.phone and not ask.email:
        phone = phone_from(ask.phone)
        return replace(ask, phone=phone, token_hash=rules.token_hash(phone, ask.token))
    if ask.email and not ask.phone:
        try:
            email = email_from(ask.email)
        except ApiError as error:
            raise ApiError.of(errors.VERIFY_EMAIL_FORM) from error
        return replace(ask, email=email, token_hash=rules.token_hash(email, ask.token))
    raise ApiError.of(errors.VERIFY_EMAIL_OR_PHONE)


async def _invitee_password(deps: Deps, visit: Visit, kind: str) -> str:
    """A random password's hash for who was invited and has none; made before the transaction."""
    if kind != "invite":
        return ""
    return await deps.hasher.hash(random_password(deps), visit.limited_as)


async def _find_by_hash(work: Work, ask: Verification) -> _Found:
    kinds = _KINDS_OF_HASH.get(ask.kind)
    if kinds is None:
        raise ApiError.of(errors.VERIFY_UNKNOWN_TYPE)
    found = await token_store.find(work.tx, (ask.token_hash,), kinds)
    user = await accounts.lock(work.tx, found[0].user_id) if found else None
    # Asked again under the lock: of two who bring one token the second finds it gone
    found = await token_store.find(work.tx, (ask.token_hash,), kinds) if user else ()
    if user is None or not found:
        raise ApiError.of(errors.LINK_EXPIRED)
    if user.is_banned(work.now):
        raise ApiError.of(errors.USER_BANNED)
    kind = ask.kind
    if kind == "email":
        is_recovery = found[0].token_type == TokenKind.RECOVERY.value
        kind = "magiclink" if is_recovery else "signup"
    sent_at = user.confirmation_sent_at
    if kind in _RECOVERY:
        sent_at = user.recovery_sent_at
    elif kind == "email_change":
        sent_at = user.email_change_sent_at
    if rules.is_expired(sent_at, work.deps.settings.mailer.otp_seconds, work.now):
        raise ApiError.of(errors.LINK_EXPIRED)
    return _Found(user, kind, TokenKind(found[0].token_type))


async def _judge(deps: Deps, visit: Visit, ask: Verification) -> _Found:
    """Whose code it is, judged before any lock: a try is counted whatever becomes of it."""
    kinds = _KINDS_OF_CODE.get(ask.kind, ())
    async with deps.database.acquire() as connection:
        alive = await code_tries.count(deps, connection, kinds, _recipient(ask))
        user = await _user_of_address(deps, visit, connection, ask) if alive else None
    if user is None:
        raise ApiError.of(errors.OTP_EXPIRED)
    if user.is_banned(visit.now):
        raise ApiError.of(errors.USER_BANNED)
    if ask.kind in _PHONE:
        return await _judge_sms(deps, visit, user, ask)
    for action, kind, sent_at in _candidates(user).get(ask.kind, ()):
        life = deps.settings.mailer.otp_seconds
        stored = getattr(user, kind.value)
        if kind in alive and rules.is_valid(ask.token_hash, stored, sent_at, life, visit.now):
            return _Found(user, action, kind)
    raise ApiError.of(errors.OTP_EXPIRED)


async def _take(work: Work, judged: _Found, ask: Verification) -> _Found:
    """The same under the user's lock: of two who bring one code the second finds it gone."""
    user, kind = await accounts.lock(work.tx, judged.user.id), judged.kind
    if user is None or (kind and getattr(user, kind.value) != getattr(judged.user, kind.value)):
        raise ApiError.of(errors.OTP_EXPIRED)
    await code_tries.forget(work.tx, _KINDS_OF_CODE[ask.kind], _recipient(ask))
    return replace(judged, user=user)


def _recipient(ask: Verification) -> str:
    return ask.phone if ask.kind in _PHONE else ask.email


async def _user_of_address(
    deps: Deps, visit: Visit, connection: Connection, ask: Verification
) -> User | None:
    if ask.kind == "phone_change":
        return await store.find_by_phone_change(connection, ask.phone, visit.aud)
    if ask.kind == "sms":
        return await store.find_by_phone(connection, ask.phone, visit.aud)
    if ask.kind == "email_change":
        return await store.find_for_email_change(
            connection, ask.email, ask.token_hash, visit.aud,
            secure=deps.settings.mailer.secure_email_change,
        )  # fmt: skip
    return await store.find_by_email(connection, ask.email, visit.aud)


def _candidates(user: User) -> dict[str, tuple[tuple[str, TokenKind, datetime | None], ...]]:
    """What a code by mail may be for, by the type that is asked for."""
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


async def _judge_sms(deps: Deps, visit: Visit, user: User, ask: Verification) -> _Found:
    fixed = one_time_tokens.test_otp(deps, visit, ask.phone)
    if fixed is not None and fixed == ask.token:
        return _Found(user, ask.kind, None)
    judged = await deps.sms.verify(ask.phone, ask.token) if deps.sms is not None else None
    if judged:
        return _Found(user, ask.kind, None)
    kind, sent_at = TokenKind.CONFIRMATION, user.confirmation_sent_at
    if ask.kind == "phone_change":
        kind, sent_at = TokenKind.PHONE_CHANGE, user.phone_change_sent_at
    life, stored = deps.settings.sms.otp_seconds, getattr(user, kind.value)
    is_valid = rules.is_valid(ask.token_hash, stored, sent_at, life, visit.now)
    if judged is None and is_valid:
        return _Found(user, ask.kind, kind)
    raise ApiError.of(errors.OTP_EXPIRED)


async def _confirm(work: Work, found: _Found, phone: str, password: str) -> User | None:
    """What the kind of token does; None where a second confirmation is still needed."""
    user, action = found.user, found.action
    if action in _SIGN_UP:
        return await _confirm_sign_up(work, user, password)
    if action in _RECOVERY:
        return await _confirm_recovery(work, user)
    if action == "email_change":
        return await confirm_email_change(work, user, found.kind)
    if action in _PHONE:
        return await confirm_sms(work, user, action, phone)
    raise ApiError.of(errors.VERIFY_UNSUPPORTED_TYPE)


async def _confirm_sign_up(work: Work, user: User, password: str) -> User:
    if not user.has_password and user.invited_at is not None:
        plain_hash = password or await work.deps.hasher.hash(
            random_password(work.deps), work.visit.limited_as
        )
        encrypted = sealed(work.deps, plain_hash, str(user.id))
        user = await store.update(work.tx, user.id, work.now, encrypted_password=encrypted)
    await audit.note(work, user, Action.USER_SIGNED_UP, provider="email")
    user = await accounts.confirm_email(work, user)
    return await accounts.mark_email_verified(work, user)


async def _confirm_recovery(work: Work, user: User) -> User:
    user = await store.update(work.tx, user.id, work.now, recovery_token="")
    await token_store.clear(work.tx, user.id)
    if user.is_confirmed:
        await audit.note(work, user, Action.LOGIN)
        return user
    await audit.note(work, user, Action.USER_SIGNED_UP, provider="email")
    return await accounts.confirm_email(work, user)


async def confirm_email_change(work: Work, user: User, kind: TokenKind | None) -> User | None:
    """Take one confirmation of a change of address; None where another one is needed.

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
    await audit.note(work, user, Action.USER_MODIFIED)
    user = await accounts.change_email(work, user, user.email_change)
    await mail.notify(work.deps, work.visit, user, "email_changed", old, tx=work.tx, old_email=old)
    return user


async def confirm_sms(work: Work, user: User, kind: str, phone: str) -> User:
    """Confirm a number, or change to it."""
    if kind == "sms":
        await audit.note(work, user, Action.USER_SIGNED_UP, provider="phone")
        user = await accounts.confirm_phone(work, user)
        if user.is_anonymous:
            user = await store.update(work.tx, user.id, work.now, is_anonymous=False)
        return user
    old = user.phone
    await audit.note(work, user, Action.USER_MODIFIED)
    user = await accounts.change_phone(work, user, phone)
    await mail.notify(
        work.deps, work.visit, user, "phone_changed", user.email, tx=work.tx, old_phone=old
    )
    return user

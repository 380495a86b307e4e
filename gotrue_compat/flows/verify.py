"""One-time tokens exchanged for sessions (auth reference 3.8, 4.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compat_base.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows import accounts, issuing, posting, tokens, trail
from gotrue_compat.flows.guarding import random_password, sealed
from gotrue_compat.flows.results import HalfConfirmed, Redirect, SignedIn
from gotrue_compat.flows.work import Work, working
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


async def verify(deps: Deps, visit: Visit, ask: Verification) -> SignedIn | HalfConfirmed:
    """Exchange a token for a session (POST)."""
    asked = _validated(ask)
    password = await _invitee_password(deps, visit, asked.kind)
    async with working(deps, visit) as work:
        if asked.email or asked.phone:
            user, kind = await _find_by_address(work, asked)
        else:
            user, kind = await _find_by_hash(work, asked)
        confirmed = await _confirm(work, user, replace(asked, kind=kind), password)
        if confirmed is None:
            return HalfConfirmed()
        confirmed = await accounts.sync_providers(work, confirmed)
        return await issuing.open_session(work, confirmed, "otp")


async def follow_link(deps: Deps, visit: Visit, ask: Verification) -> Redirect:
    """Exchange a mail's link for a redirect with a session, a code or an error (GET)."""
    if not ask.kind:
        raise ApiError.of(errors.VERIFY_TYPE)
    if not ask.token:
        raise ApiError.of(errors.VERIFY_GET_TOKEN)
    pkce = ask.token.startswith(rules.PKCE_PREFIX)
    try:
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
        user, kind = await _find_by_hash(work, ask)
        confirmed = await _confirm(work, user, replace(ask, kind=kind), password)
        if confirmed is None:
            values = {"message": HALF_CONFIRMED}
            url = urls.with_query(visit.redirect, values) if pkce else visit.redirect
            return Redirect(urls.with_fragment(url, values))
        confirmed = await accounts.sync_providers(work, confirmed)
        if pkce:
            code = await issue_code(work, confirmed, _METHODS[ask.kind])
            return Redirect(urls.with_query(visit.redirect, {"code": code}))
        signed_in = await issuing.open_session(work, confirmed, "otp")
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


async def _find_by_hash(work: Work, ask: Verification) -> tuple[User, str]:
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
    return user, kind


async def _find_by_address(work: Work, ask: Verification) -> tuple[User, str]:
    found = await _user_of_address(work, ask)
    user = await accounts.lock(work.tx, found.id) if found else None
    if user is None:
        raise ApiError.of(errors.OTP_EXPIRED)
    if user.is_banned(work.now):
        raise ApiError.of(errors.USER_BANNED)
    kind = await _kind_of_otp(work.deps, work.visit, user, ask)
    if kind is None:
        raise ApiError.of(errors.OTP_EXPIRED)
    return user, kind


async def _user_of_address(work: Work, ask: Verification) -> User | None:
    if ask.kind == "phone_change":
        return await store.find_by_phone_change(work.tx, ask.phone, work.visit.aud)
    if ask.kind == "sms":
        return await store.find_by_phone(work.tx, ask.phone, work.visit.aud)
    if ask.kind == "email_change":
        return await store.find_for_email_change(
            work.tx, ask.email, ask.token_hash, work.visit.aud,
            secure=work.deps.settings.mailer.secure_email_change,
        )  # fmt: skip
    return await store.find_by_email(work.tx, ask.email, work.visit.aud)


async def _kind_of_otp(deps: Deps, visit: Visit, user: User, ask: Verification) -> str | None:
    """Which kind of token the OTP is for this user, None for none that still lives."""
    life = deps.settings.mailer.otp_seconds
    confirmation = (user.confirmation_token, user.confirmation_sent_at)
    recovery = (user.recovery_token, user.recovery_sent_at)
    candidates = {
        "email": (("signup", confirmation), ("magiclink", recovery)),
        "signup": (("signup", confirmation),),
        "invite": (("invite", confirmation),),
        "recovery": (("recovery", recovery),),
        "magiclink": (("magiclink", recovery),),
        "email_change": (
            ("email_change", (user.email_change_token_current, user.email_change_sent_at)),
            ("email_change", (user.email_change_token_new, user.email_change_sent_at)),
        ),
    }
    for kind, (stored, sent_at) in candidates.get(ask.kind, ()):
        if rules.is_valid(ask.token_hash, stored, sent_at, life, visit.now):
            return kind
    return ask.kind if ask.kind in _PHONE and await _is_sms_code(deps, visit, user, ask) else None


async def _is_sms_code(deps: Deps, visit: Visit, user: User, ask: Verification) -> bool:
    fixed = tokens.test_otp(deps, visit, ask.phone)
    if fixed is not None and fixed == ask.token:
        return True
    if deps.sms is not None:
        judged = await deps.sms.verify(ask.phone, ask.token)
        if judged is not None:
            return judged
    stored, sent_at = user.confirmation_token, user.confirmation_sent_at
    if ask.kind == "phone_change":
        stored, sent_at = user.phone_change_token, user.phone_change_sent_at
    return rules.is_valid(ask.token_hash, stored, sent_at, deps.settings.sms.otp_seconds, visit.now)


async def _confirm(work: Work, user: User, ask: Verification, password: str) -> User | None:
    """What the kind of token does; None where a second confirmation is still needed."""
    if ask.kind in _SIGN_UP:
        return await _confirm_sign_up(work, user, password)
    if ask.kind in _RECOVERY:
        return await _confirm_recovery(work, user)
    if ask.kind == "email_change":
        return await confirm_email_change(work, user, ask.token_hash)
    if ask.kind in _PHONE:
        return await confirm_sms(work, user, ask.kind, ask.phone)
    raise ApiError.of(errors.VERIFY_UNSUPPORTED_TYPE)


async def _confirm_sign_up(work: Work, user: User, password: str) -> User:
    if not user.has_password and user.invited_at is not None:
        plain_hash = password or await work.deps.hasher.hash(
            random_password(work.deps), work.visit.limited_as
        )
        encrypted = sealed(work.deps, plain_hash, str(user.id))
        user = await store.update(work.tx, user.id, work.now, encrypted_password=encrypted)
    await trail.note(work, user, Action.USER_SIGNED_UP, provider="email")
    user = await accounts.confirm_email(work, user)
    return await accounts.mark_email_verified(work, user)


async def _confirm_recovery(work: Work, user: User) -> User:
    user = await store.update(work.tx, user.id, work.now, recovery_token="")
    await token_store.clear(work.tx, user.id)
    if user.is_confirmed:
        await trail.note(work, user, Action.LOGIN)
        return user
    await trail.note(work, user, Action.USER_SIGNED_UP, provider="email")
    return await accounts.confirm_email(work, user)


async def confirm_email_change(work: Work, user: User, hashed_token: str) -> User | None:
    """Take one confirmation of a change of address; None where another one is needed (4.4)."""
    mailer = work.deps.settings.mailer
    needs_two = mailer.secure_email_change and not mailer.autoconfirm and user.email
    if needs_two and user.email_change_confirm_status == 0:
        plain = hashed_token.removeprefix(rules.PKCE_PREFIX)
        is_current = user.email_change_token_current.removeprefix(rules.PKCE_PREFIX) == plain
        kind = TokenKind.EMAIL_CHANGE_CURRENT if is_current else TokenKind.EMAIL_CHANGE_NEW
        await token_store.clear_kind(work.tx, user.id, kind)
        changes = {kind.value: "", "email_change_confirm_status": 1}
        await store.update(work.tx, user.id, work.now, **changes)
        return None
    old = user.email
    await trail.note(work, user, Action.USER_MODIFIED)
    user = await accounts.change_email(work, user, user.email_change)
    await posting.notify(
        work.deps, work.visit, user, "email_changed", old, tx=work.tx, old_email=old
    )
    return user


async def confirm_sms(work: Work, user: User, kind: str, phone: str) -> User:
    """Confirm a number, or change to it."""
    if kind == "sms":
        await trail.note(work, user, Action.USER_SIGNED_UP, provider="phone")
        user = await accounts.confirm_phone(work, user)
        if user.is_anonymous:
            user = await store.update(work.tx, user.id, work.now, is_anonymous=False)
        return user
    old = user.phone
    await trail.note(work, user, Action.USER_MODIFIED)
    user = await accounts.change_phone(work, user, phone)
    await posting.notify(
        work.deps, work.visit, user, "phone_changed", user.email, tx=work.tx, old_phone=old
    )
    return user

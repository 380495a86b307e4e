"""Users changing themselves (auth reference 3.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows import accounts, audit, mail, one_time_tokens
from gotrue_compat.flows.limits import guessing, wrong_tries
from gotrue_compat.flows.passwords import check_strength, is_password
from gotrue_compat.flows.reauthenticate import count_nonce, spend_nonce
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.flows.verify import confirm_sms
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.rules.claims import aal_of, audience_of
from gotrue_compat.rules.metadata import merged
from gotrue_compat.rules.pkce import Challenge, challenge_from
from gotrue_compat.store import users as store

_FRESH = timedelta(hours=24)
_RECOVERING = frozenset({"otp", "magiclink", "recovery"})


@dataclass(frozen=True, slots=True)
class UserChange:
    """What a client sends; None means not given."""

    email: str = ""
    phone: str = ""
    password: str | None = None
    current_password: str = ""
    nonce: str = ""
    data: dict[str, Any] | None = None
    app_metadata: dict[str, Any] | None = None
    channel: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


async def get_user(_deps: Deps, visit: Visit, _ask: None) -> User:
    """The user of the token, as the database has it."""
    if visit.caller is None or visit.aud != audience_of(visit.caller.claims):
        raise ApiError.of(errors.WRONG_AUDIENCE)
    return visit.user


async def update_user(deps: Deps, visit: Visit, ask: UserChange) -> User:
    """Change what was asked for: all or nothing."""
    ask, challenge = await _validated(deps, ask)
    _check_permitted(visit, ask)
    is_guess = bool(ask.nonce or ask.current_password)
    budgets = wrong_tries(visit) if is_guess else ()
    wrong = (errors.NONCE_INVALID, errors.CURRENT_PASSWORD_INVALID)
    async with guessing(deps, budgets, *wrong):
        return await _update(deps, visit, ask, challenge)


async def _update(deps: Deps, visit: Visit, ask: UserChange, challenge: Challenge | None) -> User:
    encrypted = await _new_password(deps, visit, ask)
    if _needs_nonce(deps, visit, ask):
        await count_nonce(deps, visit.user)
    async with working(deps, visit) as work:
        user = await accounts.lock(work.tx, visit.user.id)
        if user is None:
            raise ApiError.of(errors.NO_SUCH_SUB)
        await _check_free(work, user, ask)
        if _needs_nonce(deps, visit, ask):
            user = await spend_nonce(work, user, ask.nonce)
        if encrypted is not None:
            user = await _store_password(work, user, encrypted)
        user = await _store_metadata(work, user, ask)
        if ask.email and ask.email != user.email:
            user = await _change_email(work, user, ask.email, challenge)
        if ask.phone and ask.phone != user.phone:
            user = await _change_phone(work, user, ask)
        await audit.note(work, user, Action.USER_MODIFIED)
        return await accounts.reload(work.tx, user)


async def _validated(deps: Deps, ask: UserChange) -> tuple[UserChange, Challenge | None]:
    if ask.email:
        ask = replace(ask, email=email_from(ask.email))
    if ask.phone:
        phone, channel = phone_from(ask.phone), one_time_tokens.check_channel(deps, ask.channel)
        ask = replace(ask, phone=phone, channel=channel)
    if ask.password is not None:
        await check_strength(deps, ask.password)
    return ask, challenge_from(ask.code_challenge, ask.code_challenge_method)


def _check_permitted(visit: Visit, ask: UserChange) -> None:
    user = visit.user
    is_admin = visit.caller is not None and visit.caller.is_admin
    if ask.app_metadata is not None and not is_admin:
        raise ApiError.of(errors.APP_METADATA_NEEDS_ADMIN)
    touches_email = bool(ask.email) and ask.email != user.email
    touches_phone = bool(ask.phone) and ask.phone != user.phone
    touches = bool(ask.password) or touches_email or touches_phone
    is_low = visit.session is None or aal_of(visit.session.amr) == "aal1"
    if touches and user.has_verified_factor and is_low:
        raise ApiError.of(errors.UPDATE_NEEDS_AAL2)
    if user.is_anonymous and ask.password and not ask.email and not ask.phone:
        raise ApiError.of(errors.ANONYMOUS_PASSWORD)
    if user.is_sso_user and (touches or ask.nonce):
        raise ApiError.of(errors.SSO_MANAGED)


async def _check_free(work: Work, user: User, ask: UserChange) -> None:
    if ask.email and ask.email != user.email:
        taken = await store.find_duplicate(work.tx, ask.email, work.visit.aud, user.id)
        if taken is not None:
            raise ApiError.of(errors.EMAIL_EXISTS)
    if ask.phone and ask.phone != user.phone:
        owner = await store.find_by_phone(work.tx, ask.phone, work.visit.aud)
        if owner is not None:
            raise ApiError.of(errors.PHONE_EXISTS)


def _needs_nonce(deps: Deps, visit: Visit, ask: UserChange) -> bool:
    """A password needs a nonce where that is set and the session is older than a day."""
    if ask.password is None or not deps.settings.security.reauthentication:
        return False
    is_fresh = visit.session is not None and visit.now <= visit.session.created_at + _FRESH
    if not is_fresh and not ask.nonce:
        raise ApiError.of(errors.REAUTHENTICATION_NEEDED)
    return not is_fresh


async def _new_password(deps: Deps, visit: Visit, ask: UserChange) -> str | None:
    """The new password as stored, None where it does not change; hashing before any lock."""
    if ask.password is None:
        return None
    _needs_nonce(deps, visit, ask)
    user = visit.user
    if user.has_password:
        await _check_current(deps, visit, ask)
        if await is_password(deps, visit, ask.password, user.encrypted_password, str(user.id)):
            raise ApiError.of(errors.SAME_PASSWORD)
    return await deps.hasher.hash(ask.password, visit.limited_as)


async def _check_current(deps: Deps, visit: Visit, ask: UserChange) -> None:
    if not deps.settings.security.current_password:
        return
    if visit.session and any(claim.method in _RECOVERING for claim in visit.session.amr):
        return
    if not ask.current_password:
        raise ApiError.of(errors.CURRENT_PASSWORD_REQUIRED)
    user = visit.user
    if not await is_password(
        deps, visit, ask.current_password, user.encrypted_password, str(user.id)
    ):
        raise ApiError.of(errors.CURRENT_PASSWORD_INVALID)


async def _store_password(work: Work, user: User, encrypted: str) -> User:
    kept = work.visit.session.id if work.visit.session else None
    user = await accounts.change_password(work, user, encrypted, kept)
    await audit.note(work, user, Action.PASSWORD_UPDATED)
    await mail.notify(work.deps, work.visit, user, "password_changed", user.email, tx=work.tx)
    return user


async def _store_metadata(work: Work, user: User, ask: UserChange) -> User:
    if ask.data is not None:
        whole = merged(user.raw_user_meta_data, ask.data)
        user = await store.update(work.tx, user.id, work.now, raw_user_meta_data=whole)
    if ask.app_metadata is not None:
        whole = merged(user.raw_app_meta_data, ask.app_metadata)
        user = await store.update(work.tx, user.id, work.now, raw_app_meta_data=whole)
    return user


async def _change_email(work: Work, user: User, email: str, challenge: Challenge | None) -> User:
    """An anonymous user whose address confirms itself has it at once; others confirm it."""
    if user.is_anonymous and work.deps.settings.mailer.autoconfirm:
        await audit.note(work, user, Action.USER_MODIFIED)
        return await accounts.change_email(work, user, email)
    await one_time_tokens.begin_flow(work, user, "email_change", challenge)
    return await one_time_tokens.send_email_change(work, user, email, pkce=challenge is not None)


async def _change_phone(work: Work, user: User, ask: UserChange) -> User:
    if work.deps.settings.sms.autoconfirm:
        return await confirm_sms(work, user, "phone_change", ask.phone)
    await one_time_tokens.send_sms(
        work, user, ask.phone, TokenKind.PHONE_CHANGE, ask.channel or "sms"
    )
    return await accounts.reload(work.tx, user)

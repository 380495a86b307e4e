"""The signed-in user read and changed (auth reference 3.4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from compat_base.postgres.database import Connection
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit, mail, one_time_tokens
from gotrue_compat.core.passwords import check_strength, is_password
from gotrue_compat.core.rate_limits import limit_guesses, wrong_passwords, wrong_tries
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.features.codes.confirmation import confirm_sms
from gotrue_compat.features.codes.reauthenticate import judge_nonce, spend_nonce
from gotrue_compat.features.user import errors as user_errors
from gotrue_compat.features.user.bodies import UserChange
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.current import CurrentUser
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.rules.claims import aal_of, audience_of
from gotrue_compat.rules.metadata import merged
from gotrue_compat.rules.pkce import unchecked_challenge
from gotrue_compat.store import users as store

_FRESH = timedelta(hours=24)
_RECOVERING = frozenset({"otp", "magiclink", "recovery"})


async def get_user(_deps: Dependencies, context: RequestContext, _body: None) -> CurrentUser:
    """The user of the token, as the database has it."""
    if context.principal is None or context.aud != audience_of(context.principal.claims):
        raise ApiError.of(user_errors.WRONG_AUDIENCE)
    return context.current_user


async def update_user(deps: Dependencies, context: RequestContext, body: UserChange) -> User:
    """Change the given members: all or nothing."""
    body = await _validated(deps, body)
    _check_permitted(context, body)
    budgets = wrong_tries(context) if body.nonce else ()
    if body.current_password and deps.settings.security.current_password:
        user = context.user
        budgets = wrong_passwords(deps, context, user.email or user.phone, user)
    wrong = (codes_errors.NONCE_INVALID, user_errors.CURRENT_PASSWORD_INVALID)
    async with limit_guesses(deps, budgets, *wrong):
        with errors.unexpected_as(errors.USER_UPDATE_FAILED):
            return await _update(deps, context, body)


async def _update(deps: Dependencies, context: RequestContext, body: UserChange) -> User:
    is_ours = False
    if body.password is not None:  # faults of the rest of the body come first
        async with deps.database.acquire() as connection:
            await _check_free(connection, context, context.user, body)
        is_ours = _needs_nonce(deps, context, body) and not await judge_nonce(
            deps, context, body.nonce
        )
    encrypted = await _new_password(deps, context, body)
    async with unit_of_work(deps, context) as work:
        user = await accounts.lock(work.tx, context.user.id)
        if user is None:
            raise ApiError.of(errors.NO_SUCH_SUB)
        await _check_free(work.tx, context, user, body)
        if is_ours:
            user = await spend_nonce(work, user, body.nonce)
        if encrypted is not None:
            is_first = not user.has_password
            user = await _store_password(work, user, encrypted)
            if is_first:
                user = await accounts.add_email_identity(work, user)
        user = await _store_metadata(work, user, body)
        if body.email and body.email != user.email:
            user = await _change_email(work, user, body)
        if body.phone and body.phone != user.phone:
            user = await _change_phone(work, user, body)
        await audit.record(work, user, Action.USER_MODIFIED)
        shown = await accounts.reload(work.tx, user)
    # The original answers with an anonymous user as it was before its generated column was read
    named = user.email == body.email != "" or user.phone == body.phone != ""
    is_named_at_once = context.user.is_anonymous and named
    return replace(shown, confirmed_at=None) if is_named_at_once else shown


async def _validated(deps: Dependencies, body: UserChange) -> UserChange:
    if body.email:
        body = replace(body, email=email_from(body.email))
    if body.phone:
        phone, channel = phone_from(body.phone), one_time_tokens.check_channel(deps, body.channel)
        body = replace(body, phone=phone, channel=channel)
    if body.password is not None:
        await check_strength(deps, body.password)
    return body


def _check_permitted(context: RequestContext, body: UserChange) -> None:
    user = context.user
    is_admin = context.principal is not None and context.principal.is_admin
    if body.app_metadata is not None and not is_admin:
        raise ApiError.of(user_errors.APP_METADATA_NEEDS_ADMIN)
    touches_email = bool(body.email) and body.email != user.email
    touches_phone = bool(body.phone) and body.phone != user.phone
    touches = bool(body.password) or touches_email or touches_phone
    if touches and context.principal is not None and context.principal.is_client:
        raise ApiError.of(errors.NOT_FOR_CLIENTS)
    is_low = context.session is None or aal_of(context.session.amr) == "aal1"
    if touches and user.has_verified_factor and is_low:
        raise ApiError.of(user_errors.UPDATE_NEEDS_AAL2)
    if user.is_anonymous and body.password and not body.email and not body.phone:
        raise ApiError.of(user_errors.ANONYMOUS_PASSWORD)
    if user.is_sso_user and (touches or body.nonce):
        raise ApiError.of(user_errors.SSO_MANAGED)


async def _check_free(
    connection: Connection, context: RequestContext, user: User, body: UserChange
) -> None:
    if body.email and body.email != user.email:
        taken = await store.find_duplicate(connection, body.email, context.aud, user.id)
        if taken is not None:
            raise ApiError.of(errors.EMAIL_EXISTS)
    if body.phone and body.phone != user.phone:
        owner = await store.find_by_phone(connection, body.phone, context.aud)
        if owner is not None:
            raise ApiError.of(errors.PHONE_EXISTS)


def _needs_nonce(deps: Dependencies, context: RequestContext, body: UserChange) -> bool:
    """A password needs a nonce where that is set and the session is older than a day."""
    if not deps.settings.security.reauthentication:
        return False
    is_fresh = context.session is not None and context.now <= context.session.created_at + _FRESH
    if not is_fresh and not body.nonce:
        raise ApiError.of(user_errors.REAUTHENTICATION_NEEDED)
    return not is_fresh


async def _new_password(
    deps: Dependencies, context: RequestContext, body: UserChange
) -> str | None:
    """The new password as stored, None where it does not change; hashing before any lock."""
    if body.password is None:
        return None
    user = context.user
    if user.has_password:
        await _check_current(deps, context, body)
        if await is_password(deps, context, body.password, user.encrypted_password, str(user.id)):
            raise ApiError.of(user_errors.SAME_PASSWORD)
    return await deps.hasher.hash(body.password, context.rate_limit_key)


async def _check_current(deps: Dependencies, context: RequestContext, body: UserChange) -> None:
    if not deps.settings.security.current_password:
        return
    if context.session and any(claim.method in _RECOVERING for claim in context.session.amr):
        return
    if not body.current_password:
        raise ApiError.of(user_errors.CURRENT_PASSWORD_REQUIRED)
    user = context.user
    if not await is_password(
        deps, context, body.current_password, user.encrypted_password, str(user.id)
    ):
        raise ApiError.of(user_errors.CURRENT_PASSWORD_INVALID)


async def _store_password(work: UnitOfWork, user: User, encrypted: str) -> User:
    kept = work.context.session.id if work.context.session else None
    user = await accounts.change_password(work, user, encrypted, kept)
    await audit.record(work, user, Action.PASSWORD_UPDATED)
    await mail.notify(work.deps, work.context, user, "password_changed", user.email, tx=work.tx)
    return user


async def _store_metadata(work: UnitOfWork, user: User, body: UserChange) -> User:
    if body.data is not None:
        whole = merged(user.raw_user_meta_data, body.data)
        user = await store.update(work.tx, user.id, work.now, raw_user_meta_data=whole)
    if body.app_metadata is not None:
        whole = merged(user.raw_app_meta_data, body.app_metadata)
        user = await store.update(work.tx, user.id, work.now, raw_app_meta_data=whole)
    return user


async def _change_email(work: UnitOfWork, user: User, body: UserChange) -> User:
    """An anonymous user whose address confirms itself has it at once; others confirm it."""
    if user.is_anonymous and work.deps.settings.mailer.autoconfirm:
        await audit.record(work, user, Action.USER_MODIFIED)
        return await accounts.change_email(work, user, body.email)
    challenge = unchecked_challenge(body.code_challenge, body.code_challenge_method)
    await one_time_tokens.begin_flow(work, user, "email_change", challenge)
    return await one_time_tokens.send_email_change(
        work, user, body.email, pkce=challenge is not None
    )


async def _change_phone(work: UnitOfWork, user: User, body: UserChange) -> User:
    if work.deps.settings.sms.autoconfirm:
        return await confirm_sms(work, user, "phone_change", body.phone)
    await one_time_tokens.send_sms(
        work, user, body.phone, TokenKind.PHONE_CHANGE, body.channel or "sms"
    )
    return await accounts.reload(work.tx, user)

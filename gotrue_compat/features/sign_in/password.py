"""The password grant (auth reference 3.2)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from gotrue_compat.core import audit, hooks, session_tokens
from gotrue_compat.core.passwords import find_weakness, is_password
from gotrue_compat.core.rate_limits import limit_guesses, wrong_passwords
from gotrue_compat.core.results import PasswordSignedIn
from gotrue_compat.core.unit_of_work import single_statement, unit_of_work
from gotrue_compat.errors import (
    UserGoneError,
    database_errors,
)
from gotrue_compat.features.sign_in import errors as sign_in_errors
from gotrue_compat.features.sign_in.bodies import PasswordSignIn
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import User
from gotrue_compat.ports import HookPoint
from gotrue_compat.rules.addresses import stored_phone
from gotrue_compat.store import sessions as session_store
from gotrue_compat.store import users as store

_REJECTED = "Further password verification attempts will be rejected."


async def sign_in(
    deps: Dependencies, context: RequestContext, body: PasswordSignIn
) -> PasswordSignedIn:
    """Sign in by password."""
    provider = _provider(deps, body)
    user = await _find(deps, context, body)
    address = body.email.lower() or stored_phone(body.phone)
    budgets = wrong_passwords(deps, context, address, user)
    async with limit_guesses(deps, budgets, sign_in_errors.INVALID_CREDENTIALS):
        return await _sign_in(deps, context, body, provider, user)


async def _sign_in(
    deps: Dependencies,
    context: RequestContext,
    body: PasswordSignIn,
    provider: str,
    user: User | None,
) -> PasswordSignedIn:
    # Unknown users cost the same time as known ones, and get the same answer
    stored = user.encrypted_password if user else ""
    if user is not None and user.has_password and user.is_banned(context.now):
        raise ApiError.of(sign_in_errors.LOGIN_BANNED)
    is_valid = await is_password(deps, context, body.password, stored, str(user.id) if user else "")
    if user is None or not user.has_password:
        raise ApiError.of(sign_in_errors.INVALID_CREDENTIALS)
    weakness = await find_weakness(deps, body.password) if is_valid else None
    await _call_hook(deps, context, user, is_valid=is_valid)
    if not is_valid:
        raise ApiError.of(sign_in_errors.INVALID_CREDENTIALS)
    if provider == "email" and not user.is_confirmed:
        raise ApiError.of(sign_in_errors.EMAIL_NOT_CONFIRMED)
    if provider == "phone" and not user.is_phone_confirmed:
        raise ApiError.of(sign_in_errors.PHONE_NOT_CONFIRMED)
    try:
        async with single_statement(deps, context) as work:
            entries = audit.entries(work, user, Action.LOGIN, provider=provider)
            # A password that was changed meanwhile opens no session
            grant = session_tokens.SessionOptions(password=user.encrypted_password)
            signed_in = await session_tokens.open_session(
                work, user, "password", grant, audit_entries=entries
            )
    except UserGoneError as error:
        raise ApiError.of(sign_in_errors.INVALID_CREDENTIALS) from error
    return PasswordSignedIn(signed_in, weakness)


def _provider(deps: Dependencies, body: PasswordSignIn) -> str:
    if body.email and body.phone:
        raise ApiError.of(sign_in_errors.LOGIN_EMAIL_OR_PHONE)
    if not body.email and not body.phone:
        raise ApiError.of(sign_in_errors.MISSING_LOGIN)
    if body.email and not deps.settings.email.enabled:
        raise ApiError.of(sign_in_errors.EMAIL_LOGINS_DISABLED)
    if body.phone and not deps.settings.phone:
        raise ApiError.of(sign_in_errors.PHONE_LOGINS_DISABLED)
    return "email" if body.email else "phone"


async def _find(deps: Dependencies, context: RequestContext, body: PasswordSignIn) -> User | None:
    async with deps.database.acquire() as connection:
        with database_errors("querying schema"):
            if body.email:
                return await store.find_by_email(connection, body.email.lower(), context.aud)
            return await store.find_by_phone(connection, stored_phone(body.phone), context.aud)


async def _call_hook(
    deps: Dependencies, context: RequestContext, user: User, *, is_valid: bool
) -> None:
    answer = await hooks.call(
        deps, context, HookPoint.PASSWORD_VERIFICATION_ATTEMPT, None,
        user_id=str(user.id), valid=is_valid,
    )  # fmt: skip
    if answer.get("decision") != "reject":
        return
    if answer.get("should_logout_user") is True:
        async with unit_of_work(deps, context) as work:
            await session_store.delete_of_user(work.tx, user.id)
    raise ApiError.of(
        sign_in_errors.PASSWORD_REJECTED, text=str(answer.get("message") or _REJECTED)
    )

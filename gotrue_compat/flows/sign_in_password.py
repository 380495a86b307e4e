"""The password grant (auth reference 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.errors import database_errors
from gotrue_compat.flows import audit, hooks, session_tokens
from gotrue_compat.flows.limits import guessing, wrong_passwords
from gotrue_compat.flows.passwords import find_weakness, is_password
from gotrue_compat.flows.results import PasswordSignedIn
from gotrue_compat.flows.transaction import in_one_statement, working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.addresses import stored_phone
from gotrue_compat.rules.networks import limited_as
from gotrue_compat.settings.hooks import HookPoint
from gotrue_compat.store import sessions as session_store
from gotrue_compat.store import users as store
from gotrue_compat.store.statements import NIL, UserGoneError

_REJECTED = "Further password verification attempts will be rejected."


@dataclass(frozen=True, slots=True)
class PasswordSignIn:
    """What a client sends."""

    email: str = ""
    phone: str = ""
    password: str = ""


async def sign_in(deps: Deps, visit: Visit, ask: PasswordSignIn) -> PasswordSignedIn:
    """Open a session for whom the password belongs to."""
    provider = _provider(deps, ask)
    user = await _find(deps, visit, ask)
    account = f"{visit.aud} {ask.email.lower() or stored_phone(ask.phone)}"
    budgets = wrong_passwords(visit, account, partial(_knows_caller, deps, visit, user))
    async with guessing(deps, budgets, errors.INVALID_CREDENTIALS):
        return await _sign_in(deps, visit, ask, provider, user)


async def _sign_in(
    deps: Deps, visit: Visit, ask: PasswordSignIn, provider: str, user: User | None
) -> PasswordSignedIn:
    # Unknown users cost the same time as known ones, and get the same answer
    stored = user.encrypted_password if user else ""
    if user is not None and user.has_password and user.is_banned(visit.now):
        raise ApiError.of(errors.LOGIN_BANNED)
    is_valid = await is_password(deps, visit, ask.password, stored, str(user.id) if user else "")
    if user is None or not user.has_password:
        raise ApiError.of(errors.INVALID_CREDENTIALS)
    weakness = await find_weakness(deps, ask.password) if is_valid else None
    await _ask_hook(deps, visit, user, is_valid=is_valid)
    if not is_valid:
        raise ApiError.of(errors.INVALID_CREDENTIALS)
    if provider == "email" and not user.is_confirmed:
        raise ApiError.of(errors.EMAIL_NOT_CONFIRMED)
    if provider == "phone" and not user.is_phone_confirmed:
        raise ApiError.of(errors.PHONE_NOT_CONFIRMED)
    try:
        async with in_one_statement(deps, visit) as work:
            entries = audit.entries(work, user, Action.LOGIN, provider=provider)
            # A password that was changed meanwhile, and every session with it, opens no new one
            grant = session_tokens.Grant(password=user.encrypted_password)
            signed_in = await session_tokens.open_session(
                work, user, "password", grant, noting=entries
            )
    except UserGoneError as error:
        raise ApiError.of(errors.INVALID_CREDENTIALS) from error
    return PasswordSignedIn(signed_in, weakness)


def _provider(deps: Deps, ask: PasswordSignIn) -> str:
    if ask.email and ask.phone:
        raise ApiError.of(errors.LOGIN_EMAIL_OR_PHONE)
    if not ask.email and not ask.phone:
        raise ApiError.of(errors.MISSING_LOGIN)
    if ask.email and not deps.settings.email.enabled:
        raise ApiError.of(errors.EMAIL_LOGINS_DISABLED)
    if ask.phone and not deps.settings.phone:
        raise ApiError.of(errors.PHONE_LOGINS_DISABLED)
    return "email" if ask.email else "phone"


async def _find(deps: Deps, visit: Visit, ask: PasswordSignIn) -> User | None:
    async with deps.database.acquire() as connection:
        with database_errors("querying schema"):
            if ask.email:
                return await store.find_by_email(connection, ask.email.lower(), visit.aud)
            return await store.find_by_phone(connection, stored_phone(ask.phone), visit.aud)


async def _knows_caller(deps: Deps, visit: Visit, user: User | None) -> bool:
    """Whether a session of the user was opened from the caller's address, or its /64."""
    if not visit.ip:
        return False
    user_id = user.id if user else NIL  # asked all the same: an answer's time tells nothing
    async with deps.database.acquire() as connection:
        return await session_store.is_opened_from(connection, user_id, limited_as(visit.ip))


async def _ask_hook(deps: Deps, visit: Visit, user: User, *, is_valid: bool) -> None:
    answer = await hooks.call(
        deps, visit, HookPoint.PASSWORD_VERIFICATION_ATTEMPT, None,
        user_id=str(user.id), valid=is_valid,
    )  # fmt: skip
    if answer.get("decision") != "reject":
        return
    if answer.get("should_logout_user") is True:
        async with working(deps, visit) as work:
            await session_store.delete_of_user(work.tx, user.id)
    raise ApiError.of(errors.PASSWORD_REJECTED, text=str(answer.get("message") or _REJECTED))

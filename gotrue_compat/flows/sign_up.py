"""Sign-up by e-mail or phone and password (auth reference 3.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from compat_base.values.errors import ApiError, Row
from gotrue_compat import errors
from gotrue_compat.flows import accounts, audit, hooks, one_time_tokens, session_tokens
from gotrue_compat.flows.passwords import check_strength
from gotrue_compat.flows.results import ConfirmationSent, SignedIn
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.rules.pkce import Challenge, challenge_from
from gotrue_compat.store import users as store


@dataclass(frozen=True, slots=True)
class SignUp:
    """What a client sends."""

    email: str = ""
    phone: str = ""
    password: str = ""
    data: dict[str, Any] | None = None
    channel: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A sign-up that passed validation: `provider` is email or phone."""

    provider: str
    email: str
    phone: str
    password: str
    data: dict[str, Any]
    channel: str
    challenge: Challenge | None


async def sign_up(deps: Deps, visit: Visit, ask: SignUp) -> SignedIn | ConfirmationSent:
    """Make a user, or send the confirmation again, or answer as if."""
    newcomer = await validate(deps, ask)
    async with deps.turns.turn(f"sign-up {newcomer.email or newcomer.phone}"):
        return await _in_turn(deps, visit, newcomer)


async def _in_turn(deps: Deps, visit: Visit, newcomer: Newcomer) -> SignedIn | ConfirmationSent:
    user = await _find(deps, visit, newcomer)
    encrypted = "" if user else await deps.hasher.hash(newcomer.password, visit.limited_as)
    try:
        return await _sign_up(deps, visit, newcomer, user, encrypted)
    except ApiError as error:
        # A sign-up at another process won between our look and our insert: the user exists now
        if user is None and error.problem.code in {"email_exists", "phone_exists"}:
            user = await _find(deps, visit, newcomer)
            return await _sign_up(deps, visit, newcomer, user, encrypted)
        raise


async def validate(deps: Deps, ask: SignUp) -> Newcomer:
    """Check what was sent in the original's order: strength before the form of the address."""
    if deps.settings.disable_signup:
        raise ApiError.of(errors.SIGNUP_DISABLED)
    if not ask.password:
        raise ApiError.of(errors.SIGNUP_NEEDS_PASSWORD)
    await check_strength(deps, ask.password)
    if ask.email and ask.phone:
        raise ApiError.of(errors.SIGNUP_EMAIL_OR_PHONE)
    channel = one_time_tokens.check_channel(deps, ask.channel) if ask.phone else ""
    if ask.phone and ask.code_challenge:
        raise ApiError.of(errors.PKCE_NOT_FOR_PHONE)
    challenge = challenge_from(ask.code_challenge, ask.code_challenge_method)
    provider = "phone" if ask.phone else "email"
    _check_enabled(deps, provider)
    return Newcomer(
        provider=provider,
        email="" if ask.phone else email_from(ask.email),
        phone=phone_from(ask.phone) if ask.phone else "",
        password=ask.password,
        data=ask.data or {},
        channel=channel,
        challenge=challenge,
    )


async def create_confirmed_later(work: Work, newcomer: Newcomer, encrypted: str) -> User:
    """Insert the user of a sign-up with its identity; the writes of the reference, row 15.1."""
    providers = {"provider": newcomer.provider, "providers": [newcomer.provider]}
    user = await accounts.create(
        work,
        email=newcomer.email or None, phone=newcomer.phone or None,
        encrypted_password=encrypted, raw_app_meta_data=providers,
        raw_user_meta_data=newcomer.data,
    )  # fmt: skip
    data = {**newcomer.data, **accounts.own_claims(user)}
    user = await accounts.add_identity(work, user, newcomer.provider, data)
    return await accounts.keep_only(work, user, user.identities[0])


def _check_enabled(deps: Deps, provider: str) -> None:
    off: Row | None = None
    if provider == "email" and not deps.settings.email.enabled:
        off = errors.EMAIL_SIGNUPS_DISABLED
    if provider == "phone" and not deps.settings.phone:
        off = errors.PHONE_SIGNUPS_DISABLED
    if off is not None:
        raise ApiError.of(off)


async def _find(deps: Deps, visit: Visit, newcomer: Newcomer) -> User | None:
    async with deps.database.acquire() as connection:
        if newcomer.provider == "phone":
            return await store.find_by_phone(connection, newcomer.phone, visit.aud)
        return await store.find_duplicate(connection, newcomer.email, visit.aud)


async def _sign_up(
    deps: Deps, visit: Visit, newcomer: Newcomer, known: User | None, encrypted: str
) -> SignedIn | ConfirmationSent:
    if known is None:
        shape = hooks.future_user(
            visit, newcomer.email, newcomer.phone, newcomer.data, newcomer.provider
        )
        await hooks.before_user(deps, visit, shape)
    signed_in = None
    async with working(deps, visit) as work:
        user = await accounts.lock(work.tx, known.id) if known else None
        if known is not None and user is None:  # deleted since we looked
            raise ApiError.of(errors.DATABASE_ERROR, doing="finding user")
        is_repeated = user is not None and _is_confirmed(user, newcomer)
        if user is not None and is_repeated:
            await audit.note(work, user, Action.REPEATED_SIGNUP, provider=newcomer.provider)
        else:
            user = user or await create_confirmed_later(work, newcomer, encrypted)
            user = await _confirm_or_ask(work, newcomer, user)
            if _is_confirmed(user, newcomer):
                await audit.note(work, user, Action.LOGIN, provider=newcomer.provider)
                signed_in = await session_tokens.open_session(work, user, "password")
    if is_repeated:
        return _already_there(deps, visit, newcomer, user)
    if known is None:
        await hooks.after_user(deps, visit, user)
    if signed_in is not None:
        return replace(signed_in, user=_as_told_first(signed_in.user))
    if user.invited_at is not None:
        user = replace(user, raw_user_meta_data={}, identities=())
    return ConfirmationSent(user)


def _as_told_first(user: User) -> User:
    """The user as the original answers, before it reads back what was stored.

    The generated column has no value yet, and the data of the identity are those of the user.
    """
    verified = user.raw_user_meta_data.get("email_verified")
    identities = tuple(
        replace(i, identity_data={**i.identity_data, "email_verified": verified})
        for i in user.identities
    )
    return replace(user, confirmed_at=None, identities=identities)


def _is_confirmed(user: User, newcomer: Newcomer) -> bool:
    return user.is_confirmed if newcomer.provider == "email" else user.is_phone_confirmed


async def _confirm_or_ask(work: Work, newcomer: Newcomer, user: User) -> User:
    provider = newcomer.provider
    is_auto = (
        work.deps.settings.mailer.autoconfirm
        if provider == "email"
        else work.deps.settings.sms.autoconfirm
    )
    if is_auto:
        told = {"channel": newcomer.channel} if provider == "phone" else {}
        await audit.note(work, user, Action.USER_SIGNED_UP, provider=provider, **told)
        confirm = accounts.confirm_email if provider == "email" else accounts.confirm_phone
        return await confirm(work, user)
    await audit.note(work, user, Action.CONFIRMATION_REQUESTED, provider=provider)
    if provider == "email":
        pkce = newcomer.challenge is not None
        await one_time_tokens.begin_flow(work, user, "email/signup", newcomer.challenge)
        return await one_time_tokens.send_confirmation(work, user, pkce=pkce)
    await one_time_tokens.send_sms(
        work, user, newcomer.phone, TokenKind.CONFIRMATION, newcomer.channel
    )
    return await accounts.reload(work.tx, user)


def _already_there(deps: Deps, visit: Visit, newcomer: Newcomer, user: User) -> ConfirmationSent:
    """A confirmed user: told where addresses confirm themselves, else hidden by a look-alike."""
    if deps.settings.mailer.autoconfirm or deps.settings.sms.autoconfirm:
        raise ApiError.of(errors.USER_EXISTS)
    look_alike = replace(
        user,
        id=deps.world.entropy.uuid(), aud=visit.aud, role="", email=newcomer.email,
        phone=newcomer.phone, email_change="", phone_change="",
        created_at=visit.now, updated_at=visit.now, confirmation_sent_at=visit.now,
        last_sign_in_at=None, confirmed_at=None, email_change_sent_at=None,
        email_confirmed_at=None, phone_confirmed_at=None, recovery_sent_at=None,
        phone_change_sent_at=None, reauthentication_sent_at=None, invited_at=None,
        banned_until=None, identities=(), factors=(), raw_user_meta_data=newcomer.data,
        raw_app_meta_data={"provider": newcomer.provider, "providers": [newcomer.provider]},
    )  # fmt: skip
    return ConfirmationSent(look_alike)

"""Sign-up by e-mail or phone and password (auth reference 3.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Row
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit, hooks, one_time_tokens, session_tokens
from gotrue_compat.core.passwords import check_strength
from gotrue_compat.core.results import ConfirmationSent, SignedIn
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.sign_up import errors as sign_up_errors
from gotrue_compat.features.sign_up.bodies import SignUp
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.rules.pkce import CodeChallenge, challenge_from
from gotrue_compat.store import users as store


@dataclass(frozen=True, slots=True)
class ValidSignUp:
    """A sign-up that passed validation: `provider` is email or phone."""

    provider: str
    email: str
    phone: str
    password: str
    data: dict[str, Any]
    channel: str
    challenge: CodeChallenge | None


async def sign_up(
    deps: Dependencies, context: RequestContext, body: SignUp
) -> SignedIn | ConfirmationSent:
    """Create a user, resend the confirmation, or answer as if (no enumeration)."""
    valid = await validate(deps, body)
    async with deps.locks.hold(f"sign-up {valid.email or valid.phone}"):
        return await _one_at_a_time(deps, context, valid)


async def _one_at_a_time(
    deps: Dependencies, context: RequestContext, valid: ValidSignUp
) -> SignedIn | ConfirmationSent:
    user = await _find(deps, context, valid)
    encrypted = ""
    if user is None or _is_hidden(deps):  # else the response time would reveal accounts
        encrypted = await deps.hasher.hash(valid.password, context.rate_limit_key)
    try:
        return await _sign_up(deps, context, valid, user, encrypted)
    except ApiError as error:
        # A sign-up at another process won between our look and our insert: the user exists now
        if user is None and error.problem.code in {"email_exists", "phone_exists"}:
            user = await _find(deps, context, valid)
            return await _sign_up(deps, context, valid, user, encrypted)
        raise


async def validate(deps: Dependencies, body: SignUp) -> ValidSignUp:
    """Validate the body in the original's order: strength before the form of the address."""
    if deps.settings.disable_signup:
        raise ApiError.of(sign_up_errors.SIGNUP_DISABLED)
    if not body.password:
        raise ApiError.of(sign_up_errors.SIGNUP_NEEDS_PASSWORD)
    await check_strength(deps, body.password)
    if body.email and body.phone:
        raise ApiError.of(sign_up_errors.SIGNUP_EMAIL_OR_PHONE)
    channel = one_time_tokens.check_channel(deps, body.channel) if body.phone else ""
    if body.phone and body.code_challenge:
        raise ApiError.of(sign_up_errors.PKCE_NOT_FOR_PHONE)
    challenge = challenge_from(body.code_challenge, body.code_challenge_method)
    provider = "phone" if body.phone else "email"
    _check_enabled(deps, provider)
    return ValidSignUp(
        provider=provider,
        email="" if body.phone else email_from(body.email),
        phone=phone_from(body.phone) if body.phone else "",
        password=body.password,
        data=body.data or {},
        channel=channel,
        challenge=challenge,
    )


async def create_unconfirmed(
    work: UnitOfWork, valid: ValidSignUp, encrypted: str, user_id: UUID
) -> User:
    """Insert the user of a sign-up with its identity; the writes of the reference, row 15.1."""
    providers = {"provider": valid.provider, "providers": [valid.provider]}
    user = await accounts.create(
        work,
        id=user_id, email=valid.email or None, phone=valid.phone or None,
        encrypted_password=encrypted, raw_app_meta_data=providers,
        raw_user_meta_data=valid.data,
    )  # fmt: skip
    data = {**valid.data, **accounts.own_claims(user)}
    user = await accounts.add_identity(work, user, valid.provider, data)
    # The data as they were given: read out of the row, large ones would be decoded for this alone.
    identity = replace(user.identities[0], identity_data=data)
    return await accounts.keep_only(work, user, identity)


def _check_enabled(deps: Dependencies, provider: str) -> None:
    off: Row | None = None
    if provider == "email" and not deps.settings.email.enabled:
        off = sign_up_errors.EMAIL_SIGNUPS_DISABLED
    if provider == "phone" and not deps.settings.phone:
        off = sign_up_errors.PHONE_SIGNUPS_DISABLED
    if off is not None:
        raise ApiError.of(off)


async def _find(deps: Dependencies, context: RequestContext, valid: ValidSignUp) -> User | None:
    async with deps.database.acquire() as connection:
        if valid.provider == "phone":
            return await store.find_by_phone(connection, valid.phone, context.aud)
        return await store.find_duplicate(connection, valid.email, context.aud)


async def _sign_up(
    deps: Dependencies,
    context: RequestContext,
    valid: ValidSignUp,
    known: User | None,
    encrypted: str,
) -> SignedIn | ConfirmationSent:
    user_id = deps.world.entropy.uuid()
    if known is None:
        shape = hooks.unsaved_user(
            context, user_id, valid.email, valid.phone, valid.data, valid.provider
        )
        await hooks.before_user_created(deps, context, shape)
    async with unit_of_work(deps, context) as work:
        user = await accounts.lock(work.tx, known.id) if known else None
        if known is not None and user is None:  # deleted since we looked
            raise ApiError.of(errors.DATABASE_ERROR, doing="finding user")
        is_repeated = user is not None and _is_confirmed(user, valid)
        if user is not None and is_repeated:
            await audit.record(work, user, Action.REPEATED_SIGNUP, provider=valid.provider)
        else:
            user = user or await create_unconfirmed(work, valid, encrypted, user_id)
            user = await _confirm_or_send(work, valid, user)
    if is_repeated:
        return _existing_user_answer(deps, context, valid, user)
    if user.is_confirmed or user.is_phone_confirmed:
        return await _sign_in(deps, context, valid, user, known)
    if user.invited_at is not None:
        user = replace(user, raw_user_meta_data={}, identities=())
    try:
        await hooks.after_user_created(deps, context, user)
    except ApiError as error:
        raise ApiError.of(errors.HOOK_INVOCATION) from error
    return ConfirmationSent(user)


async def _sign_in(
    deps: Dependencies, context: RequestContext, valid: ValidSignUp, user: User, known: User | None
) -> SignedIn:
    """Open a session for a user who needs no confirmation, in a transaction of its own.

    The user stays where a hook refuses the token, as with the original.
    """
    async with unit_of_work(deps, context) as work:
        await audit.record(work, user, Action.LOGIN, provider=valid.provider)
        signed_in = await session_tokens.open_session(work, user, "password")
    if known is not None:  # whose identity is shown as it is stored
        return replace(signed_in, shown=replace(signed_in.user, confirmed_at=known.confirmed_at))
    if isinstance(user.raw_user_meta_data, jsontext.ObjectText):  # long: beside the event loop
        showing = partial(_before_reload, signed_in.user)
        shown = await deps.long_work.run(context.incoming.request.caller, showing)
        return replace(signed_in, shown=shown)
    return replace(signed_in, shown=_before_reload(signed_in.user))


def _before_reload(user: User) -> User:
    """The user as the original answers, before it reads back what was stored.

    The generated column has no value yet, and the data of the identity are those of the user.
    """
    verified = user.raw_user_meta_data.get("email_verified")
    identities = tuple(
        replace(i, identity_data={**jsontext.members(i.identity_data), "email_verified": verified})
        for i in user.identities
    )
    return replace(user, confirmed_at=None, identities=identities)


def _is_hidden(deps: Dependencies) -> bool:
    """Whether a sign-up's answer is the same with and without an account."""
    settings = deps.settings
    return not (settings.mailer.autoconfirm or settings.sms.autoconfirm)


def _is_confirmed(user: User, valid: ValidSignUp) -> bool:
    return user.is_confirmed if valid.provider == "email" else user.is_phone_confirmed


async def _confirm_or_send(work: UnitOfWork, valid: ValidSignUp, user: User) -> User:
    provider = valid.provider
    is_auto = (
        work.deps.settings.mailer.autoconfirm
        if provider == "email"
        else work.deps.settings.sms.autoconfirm
    )
    if is_auto:
        facts = {"channel": valid.channel} if provider == "phone" else {}
        await audit.record(work, user, Action.USER_SIGNED_UP, facts, provider=provider)
        confirm = accounts.confirm_email if provider == "email" else accounts.confirm_phone
        return await confirm(work, user)
    await audit.record(work, user, Action.CONFIRMATION_REQUESTED, provider=provider)
    if provider == "email":
        pkce = valid.challenge is not None
        await one_time_tokens.begin_flow(work, user, "email/signup", valid.challenge, "email")
        return await one_time_tokens.send_confirmation(work, user, pkce=pkce)
    await one_time_tokens.send_sms(work, user, valid.phone, TokenKind.CONFIRMATION, valid.channel)
    return await accounts.reload(work.tx, user)


def _existing_user_answer(
    deps: Dependencies, context: RequestContext, valid: ValidSignUp, user: User
) -> ConfirmationSent:
    """The answer for a confirmed user: an error where addresses autoconfirm, else a fake user."""
    if not _is_hidden(deps):
        raise ApiError.of(sign_up_errors.USER_EXISTS)
    look_alike = replace(
        user,
        id=deps.world.entropy.uuid(), aud=context.aud, role="", email=valid.email,
        phone=valid.phone, email_change="", phone_change="",
        created_at=context.now, updated_at=context.now, confirmation_sent_at=context.now,
        last_sign_in_at=None, confirmed_at=None, email_change_sent_at=None,
        email_confirmed_at=None, phone_confirmed_at=None, recovery_sent_at=None,
        phone_change_sent_at=None, reauthentication_sent_at=None, invited_at=None,
        banned_until=None, identities=(), factors=(), raw_user_meta_data=valid.data,
        raw_app_meta_data={"provider": valid.provider, "providers": [valid.provider]},
    )  # fmt: skip
    return ConfirmationSent(look_alike)

"""External identities become accounts: signed in, linked or made (auth reference 9.1)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from compat_base.postgres.faults import PgFault
from compat_base.values.errors import ApiError, Problem
from gotrue_compat import errors
from gotrue_compat.errors import database_errors
from gotrue_compat.flows import accounts, audit, hooks, mail, one_time_tokens
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import Identity, User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.addresses import email_from
from gotrue_compat.rules.identities import (
    Ambiguous,
    Create,
    ExternalIdentity,
    Link,
    Linking,
    SignIn,
    decide,
    linking_domain,
)
from gotrue_compat.rules.metadata import merged
from gotrue_compat.settings.hooks import HookPoint
from gotrue_compat.store import users as store

T = TypeVar("T")

_UNIQUE = "23505"  # SQLSTATE of a unique constraint


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody from a provider; `email_optional` lets users without address in."""

    provider: str
    identity: ExternalIdentity
    email_optional: bool = False


def with_email(arrival: Arrival) -> Arrival:
    """The arrival whose data tells the chosen address; ApiError where one is needed and missing."""
    told = arrival.identity
    chosen = told.email
    if chosen is None and not arrival.email_optional:
        raise ApiError.of(errors.PROVIDER_NO_EMAIL)
    email = {"email": chosen.email} if chosen else {}
    data = {
        **told.data, **email, "email_verified": bool(chosen and chosen.verified),
        "phone_verified": bool(told.data.get("phone_verified")),
    }  # fmt: skip
    return replace(arrival, identity=replace(told, data=data))


async def ask_before(deps: Deps, visit: Visit, arrival: Arrival) -> None:
    """Ask the hook whether a user may be made, where the arrival has none and would get one."""
    if not deps.hooks.has(HookPoint.BEFORE_USER_CREATED):
        return
    async with working(deps, visit) as work:
        linking = await _decide(work, arrival)
    if isinstance(linking, Create):
        if deps.settings.disable_signup:
            raise ApiError.of(errors.SIGNUP_DISABLED)
        data = arrival.identity.data
        shape = hooks.future_user(visit, linking.email, "", data, arrival.provider)
        await hooks.before_user(deps, visit, shape)


async def settled(attempt: Callable[[], Awaitable[T]]) -> T:
    """Run a transaction that settles an arrival, once more where it lost a race.

    Of two requests that bring one new person the second meets the first one's rows at its insert;
    run again it finds the user there.
    """
    try:
        return await attempt()
    except ApiError as error:
        fault = error.__cause__
        if not isinstance(fault, PgFault) or fault.fault.sqlstate != _UNIQUE:
            raise
    return await attempt()


async def settle(work: Work, arrival: Arrival) -> tuple[User, Problem | None, bool]:
    """The arrival's user; a problem whose effects are kept; whether the user was made now."""
    user, identity, is_new = await _account(work, arrival)
    if user.is_banned(work.now):
        raise ApiError.of(errors.USER_BANNED)
    chosen = arrival.identity.email
    has_email = bool(user.email) or not arrival.email_optional
    if not has_email or user.is_confirmed:
        await audit.note(work, user, Action.LOGIN, provider=arrival.provider)
        return user, None, is_new
    user = await accounts.keep_only(work, user, identity)
    if is_trusted(work.deps, verified=bool(chosen and chosen.verified)):
        await audit.note(work, user, Action.USER_SIGNED_UP, provider=arrival.provider)
        return await accounts.confirm_email(work, user), None, is_new
    row = errors.EMAIL_NEEDS_VERIFICATION
    if user.email:
        user = await one_time_tokens.send_confirmation(work, user)
        row = errors.EMAIL_NEEDS_VERIFICATION_SENT
    if work.deps.settings.mailer.allow_unverified:
        return user, None, is_new
    return user, row.problem(provider=arrival.provider), is_new


async def link_to(work: Work, arrival: Arrival, user: User) -> User:
    """Give a signed-in user one more identity."""
    known = await store.find_identity(work.tx, arrival.identity.provider_id, arrival.provider)
    if known is not None:
        is_own = known.user_id == user.id
        raise ApiError.of(
            errors.IDENTITY_LINKED_HERE if is_own else errors.IDENTITY_LINKED_ELSEWHERE
        )
    user = await accounts.add_identity(work, user, arrival.provider, arrival.identity.data)
    chosen = arrival.identity.email
    if not user.email and chosen is not None:
        with database_errors("updating user"):
            user = await store.update(
                work.tx, user.id, work.now, email=email_from(chosen.email), is_anonymous=False
            )
        if is_trusted(work.deps, verified=chosen.verified):
            user = await accounts.confirm_email(work, user)
        else:
            user = await one_time_tokens.send_confirmation(work, user)
    user = await accounts.sync_providers(work, user)
    identity = user.identities[-1]
    facts = {
        "identity_id": str(identity.id), "provider": identity.provider,
        "provider_id": identity.provider_id,
    }  # fmt: skip
    await audit.note(work, user, Action.IDENTITY_LINKED, **facts)
    await mail.notify(
        work.deps, work.visit, user, "identity_linked", user.email,
        tx=work.tx, provider=arrival.provider,
    )  # fmt: skip
    return user


def is_trusted(deps: Deps, *, verified: bool) -> bool:
    """Whether an address counts as the user's own."""
    return verified or deps.settings.mailer.autoconfirm


async def _account(work: Work, arrival: Arrival) -> tuple[User, Identity, bool]:
    linking = await _decide(work, arrival)
    data = arrival.identity.data
    match linking:
        case SignIn(identity):
            user = await accounts.lock(work.tx, identity.user_id)
            if user is None:
                raise ApiError.of(errors.USER_NOT_FOUND)
            await store.update_identity(
                work.tx, identity.id, work.now, identity_data=data, last_sign_in_at=work.now
            )
            user = await _with_metadata(work, user, arrival)
            return user, identity, False
        case Link(user):
            user = await accounts.lock(work.tx, user.id)
            if user is None:
                raise ApiError.of(errors.USER_NOT_FOUND)
            user = await accounts.add_identity(work, user, arrival.provider, data)
            identity = user.identities[-1]
            user = await _with_metadata(work, user, arrival)
            facts = {
                "identity_id": str(identity.id), "provider": identity.provider,
                "provider_id": identity.provider_id,
            }  # fmt: skip
            await audit.note(work, user, Action.IDENTITY_LINKED, **facts)
            return user, identity, False
        case Create(email):
            user = await _create(work, arrival, email)
            return user, user.identities[0], True
        case Ambiguous():
            domain = _domain(work, arrival)
            raise ApiError.of(errors.MULTIPLE_ACCOUNTS, domain=domain)


async def _decide(work: Work, arrival: Arrival) -> Linking:
    told = arrival.identity
    known = await store.find_identity(work.tx, told.provider_id, arrival.provider)
    emails = [
        email.email.lower()
        for email in told.emails
        if is_trusted(work.deps, verified=email.verified)
    ]
    chosen = told.email
    candidate = replace(chosen, email=chosen.email.lower()) if chosen else None
    others: tuple[User, ...] = ()
    if _domain(work, arrival) == "default" and (emails or candidate):
        addresses = emails or [candidate.email if candidate else ""]
        others = await store.find_linkable(work.tx, addresses)
    return decide(known, candidate, others, is_trusted=bool(emails))


def _domain(work: Work, arrival: Arrival) -> str:
    external = work.deps.settings.external
    return linking_domain(arrival.provider, external.linking_domains, external.own_linking_domain)


async def _create(work: Work, arrival: Arrival, email: str) -> User:
    if work.deps.settings.disable_signup:
        raise ApiError.of(errors.SIGNUP_DISABLED)
    user = await accounts.create(
        work,
        email=email or None,
        phone=None,
        raw_user_meta_data=arrival.identity.data,
        raw_app_meta_data={"provider": arrival.provider, "providers": [arrival.provider]},
        is_sso_user=_domain(work, arrival) != "default",
    )
    return await accounts.add_identity(work, user, arrival.provider, arrival.identity.data)


async def _with_metadata(work: Work, user: User, arrival: Arrival) -> User:
    whole = merged(user.raw_user_meta_data, arrival.identity.data)
    user = await store.update(work.tx, user.id, work.now, raw_user_meta_data=whole)
    return await accounts.sync_providers(work, user)

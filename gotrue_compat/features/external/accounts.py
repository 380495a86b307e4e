"""External identities: signed in, linked, or made a user (auth reference 9.1)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from compat_base.postgres.faults import PgFault
from compat_base.values.errors import ApiError, Problem
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit, hooks, mail, one_time_tokens
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.external import errors as external_errors
from gotrue_compat.features.sign_up import errors as sign_up_errors
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.model.user import Identity, User
from gotrue_compat.ports import HookPoint
from gotrue_compat.rules.addresses import lowered
from gotrue_compat.rules.identities import (
    Ambiguous,
    Candidate,
    Create,
    Link,
    Linking,
    SignIn,
    decide,
    linking_domain,
)
from gotrue_compat.rules.metadata import merged
from gotrue_compat.store import users as store

T = TypeVar("T")

_UNIQUE = "23505"  # SQLSTATE of a unique constraint


@dataclass(frozen=True, slots=True)
class ExternalLogin:
    """A sign-in by a provider; `email_optional` admits users without address."""

    provider: str
    identity: ExternalIdentity
    email_optional: bool = False


@dataclass(frozen=True, slots=True)
class Account:
    """A login's user, and a problem that is answered though the transaction commits.

    `before` is a known user as it was found, None for a new one.
    """

    user: User
    before: User | None
    problem: Problem | None

    @property
    def is_new(self) -> bool:
        """Whether the login made the user."""
        return self.before is None

    def shown(self, user: User) -> User:
        """The user as an answer shows it, for whom a session was opened by now."""
        # The original does not read the row again: identities and the generated column are as found
        if self.before is None:
            return replace(user, identities=self.user.identities, confirmed_at=None)
        before = self.before
        return replace(user, identities=before.identities, confirmed_at=before.confirmed_at)


def with_email(login: ExternalLogin) -> ExternalLogin:
    """The login with its e-mail address in its data; ApiError without an id."""
    identity = login.identity
    chosen = identity.email
    if "sub" not in identity.data:
        raise errors.oauth_error("server_error", "error missing provider id")
    email = {"email": lowered(chosen.email)} if chosen and chosen.email else {}
    data = {
        **identity.data, **email, "email_verified": bool(chosen and chosen.verified),
        "phone_verified": bool(identity.data.get("phone_verified")),
    }  # fmt: skip
    return replace(login, identity=replace(identity, data=data))


async def check_user_creation(
    deps: Dependencies, context: RequestContext, login: ExternalLogin
) -> None:
    """Run the before-user-created hook where the login would make a user; ApiError if refused."""
    if not deps.hooks.has(HookPoint.BEFORE_USER_CREATED):
        return
    async with unit_of_work(deps, context) as work:
        linking = await _decide(work, login)
    if isinstance(linking, Create):
        if deps.settings.disable_signup:
            raise ApiError.of(sign_up_errors.SIGNUP_DISABLED)
        data = login.identity.data
        shape = hooks.unsaved_user(
            context, deps.world.entropy.uuid(), linking.email, "", data, login.provider
        )
        await hooks.before_user_created(deps, context, shape)


async def retry_on_conflict(attempt: Callable[[], Awaitable[T]]) -> T:
    """Run the transaction of a login, a second time after a unique violation.

    Of two concurrent logins of one new person the second fails at its insert; the retry finds the
    user.
    """
    try:
        return await attempt()
    except ApiError as error:
        fault = error.__cause__
        if not isinstance(fault, PgFault) or fault.fault.sqlstate != _UNIQUE:
            raise
    return await attempt()


async def resolve_account(work: UnitOfWork, login: ExternalLogin) -> Account:
    """The login's user: the one who has the identity or its address, else a new one."""
    user, identity, before = await _account(work, login)
    user, problem = await _admitted(work, login, user, identity)
    return Account(user, before, problem)


async def _admitted(
    work: UnitOfWork, login: ExternalLogin, user: User, identity: Identity
) -> tuple[User, Problem | None]:
    """The user of a login, whose address is confirmed by now, or has to be."""
    if user.is_banned(work.now):
        raise ApiError.of(errors.USER_BANNED)
    chosen = login.identity.email
    has_email = bool(user.email) or not login.email_optional
    if not has_email or user.is_confirmed:
        await audit.record(work, user, Action.LOGIN, provider=login.provider)
        return user, None
    user = await accounts.keep_only(work, user, identity)
    if is_trusted(work.deps, verified=bool(chosen and chosen.verified)):
        await audit.record(work, user, Action.USER_SIGNED_UP, provider=login.provider)
        return await accounts.confirm_email(work, user), None
    row = external_errors.EMAIL_NEEDS_VERIFICATION
    if user.email:
        user = await one_time_tokens.send_confirmation(work, user)
        row = external_errors.EMAIL_NEEDS_VERIFICATION_SENT
    if work.deps.settings.mailer.allow_unverified:
        return user, None
    return user, row.problem(provider=login.provider)


async def link_to(
    work: UnitOfWork, login: ExternalLogin, user: User
) -> tuple[User, Problem | None]:
    """Link an identity to a signed-in user, and set an address where there was none.

    An address that the provider has not verified is mailed first: that is a problem, which is
    answered though the transaction commits.
    """
    known = await store.find_identity(work.tx, login.identity.provider_id, login.provider)
    if known is not None:
        is_own = known.user_id == user.id
        raise ApiError.of(
            external_errors.IDENTITY_LINKED_HERE if is_own else errors.IDENTITY_LINKED_ELSEWHERE
        )
    user = await accounts.add_identity(work, user, login.provider, login.identity.data)
    chosen = login.identity.email
    await _record_link(work, user, user.identities[-1])
    if not user.email and chosen is not None and chosen.email:
        user = await accounts.promote_email(work, user, external_errors.EMAIL_TAKEN)
        if not chosen.verified:
            user = await one_time_tokens.send_confirmation(work, user)
            row = external_errors.LINKED_EMAIL_NEEDS_VERIFICATION
            return user, row.problem(provider=login.provider)
        user = await accounts.confirm_email(work, user)
        if user.is_anonymous:
            user = await store.update(work.tx, user.id, work.now, is_anonymous=False)
    user = await accounts.sync_providers(work, user)
    await mail.notify(
        work.deps, work.context, user, "identity_linked", user.email,
        tx=work.tx, provider=login.provider,
    )  # fmt: skip
    return user, None


def is_trusted(deps: Dependencies, *, verified: bool) -> bool:
    """Whether an address counts as verified."""
    return verified or deps.settings.mailer.autoconfirm


async def _record_link(work: UnitOfWork, user: User, identity: Identity) -> None:
    facts = {
        "identity_id": str(identity.id), "provider": identity.provider,
        "provider_id": identity.provider_id,
    }  # fmt: skip
    await audit.record(work, user, Action.IDENTITY_LINKED, facts)


async def _account(work: UnitOfWork, login: ExternalLogin) -> tuple[User, Identity, User | None]:
    """The user, the identity of the login, and the user as it was found; None for a new one."""
    linking = await _decide(work, login)
    data = login.identity.data
    match linking:
        case SignIn(identity):
            user = await accounts.lock(work.tx, identity.user_id)
            if user is None:
                raise ApiError.of(errors.USER_NOT_FOUND)
            await store.update_identity(
                work.tx, identity.id, work.now, identity_data=data, last_sign_in_at=work.now
            )
            before = user
            user = await _with_metadata(work, user, login)
            return user, replace(identity, identity_data=data), before
        case Link(user):
            user = await accounts.lock(work.tx, user.id)
            if user is None:
                raise ApiError.of(errors.USER_NOT_FOUND)
            before = user
            user = await accounts.add_identity(work, user, login.provider, data)
            identity = user.identities[-1]
            user = await _with_metadata(work, user, login)
            await _record_link(work, user, identity)
            return user, identity, before
        case Create(email):
            user = await _create(work, login, email)
            return user, user.identities[0], None
        case Ambiguous():
            domain = _domain(work, login)
            raise ApiError.of(external_errors.MULTIPLE_ACCOUNTS, domain=domain)


async def _decide(work: UnitOfWork, login: ExternalLogin) -> Linking:
    identity = login.identity
    known = await store.find_identity(work.tx, identity.provider_id, login.provider)
    trusted = frozenset(
        lowered(email.email)
        for email in identity.emails
        if email.email and is_trusted(work.deps, verified=email.verified)
    )
    chosen = identity.email
    email = replace(chosen, email=lowered(chosen.email)) if chosen else None
    external = work.deps.settings.external
    domain_of = partial(
        linking_domain, domains=external.linking_domains, own=external.own_linking_domain
    )
    domain = domain_of(login.provider)
    candidate = Candidate(email, trusted, domain, domain_of, work.context.aud)
    addresses = trusted or ({email.email} if email else set[str]())
    others = await store.find_linkable(work.tx, tuple(addresses)) if addresses else ()
    return decide(known, candidate, others)


def _domain(work: UnitOfWork, login: ExternalLogin) -> str:
    external = work.deps.settings.external
    return linking_domain(login.provider, external.linking_domains, external.own_linking_domain)


async def _create(work: UnitOfWork, login: ExternalLogin, email: str) -> User:
    if work.deps.settings.disable_signup:
        raise ApiError.of(sign_up_errors.SIGNUP_DISABLED)
    user = await accounts.create(
        work,
        email=email or None,
        phone=None,
        raw_user_meta_data=login.identity.data,
        raw_app_meta_data={"provider": login.provider, "providers": [login.provider]},
        is_sso_user=_domain(work, login) != "default",
    )
    return await accounts.add_identity(work, user, login.provider, login.identity.data)


async def _with_metadata(work: UnitOfWork, user: User, login: ExternalLogin) -> User:
    whole = merged(user.raw_user_meta_data, login.identity.data)
    user = await store.update(work.tx, user.id, work.now, raw_user_meta_data=whole)
    return await accounts.sync_providers(work, user)

"""Provider lists and account linking (auth reference 9.1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gotrue_compat.model.external_identity import ExternalEmail
from gotrue_compat.model.user import Identity, User

_DEFAULT = "default"  # the linking domain of all providers that have no other


@dataclass(frozen=True, slots=True)
class SignIn:
    """The identity is known: sign its user in."""

    identity: Identity


@dataclass(frozen=True, slots=True)
class Link:
    """The address belongs to one user of the linking domain: add the identity there."""

    user: User


@dataclass(frozen=True, slots=True)
class Create:
    """Nobody is known by it: make a user."""

    email: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several users of the linking domain have the address."""


Linking: TypeAlias = SignIn | Link | Create | Ambiguous


def app_metadata(user: User) -> dict[str, Any]:
    """`provider` (the oldest identity's) and `providers` merged into the application metadata."""
    providers = list(dict.fromkeys(identity.provider for identity in user.identities))
    merged = dict(user.raw_app_meta_data)
    if providers:
        merged |= {"provider": providers[0], "providers": providers}
    return merged


def by_trust(identities: Iterable[Identity]) -> list[Identity]:
    """Identities with a verified address first, those without any last; older ones before."""

    def rank(identity: Identity) -> int:
        if not identity.email:
            return 2
        return 0 if identity.identity_data.get("email_verified") is True else 1

    return sorted(identities, key=rank)  # which come in the order of their age


def linking_domain(
    provider: str, domains: Mapping[str, str], own: frozenset[str] = frozenset()
) -> str:
    """Accounts are linked within a domain: SSO providers and listed ones have their own."""
    if provider.startswith("sso:") or provider in own:
        return provider
    return domains.get(provider, _DEFAULT)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An external identity that nobody has yet, with its address in lower case.

    By the addresses of `trusted` (those that the provider verified, or all where addresses confirm
    themselves) it may be linked, within its linking domain; `domain_of` gives a provider's.
    """

    email: ExternalEmail | None
    trusted: frozenset[str]
    domain: str
    domain_of: Callable[[str], str]
    aud: str


def decide(known: Identity | None, candidate: Candidate, users: Sequence[User]) -> Linking:
    """How an external identity becomes an account; `users` own its addresses in any domain.

    Those who own one by an identity of the same linking domain come before those who own it by
    their row.
    """
    if known is not None:
        return SignIn(known)
    email = candidate.email
    if email is None or not email.email:
        return Create("")
    if not candidate.trusted:
        is_taken = any(_is_owner(user, email.email, candidate) for user in users)
        return Create("" if is_taken else email.email)
    trusted, domain = candidate.trusted, candidate.domain
    owners = [user for user in users if _has_identity(user, trusted, domain, candidate.domain_of)]
    if not owners and domain == _DEFAULT:
        owners = [user for user in users if user.email in trusted and not user.is_sso_user]
    if len(owners) > 1:
        return Ambiguous()
    return Link(owners[0]) if owners else Create(email.email)


def _is_owner(user: User, email: str, candidate: Candidate) -> bool:
    """Whether an address is a user's own in the default linking domain."""
    is_own = user.email == email and not user.is_sso_user
    owns = is_own or _has_identity(user, {email}, _DEFAULT, candidate.domain_of)
    return owns and user.aud == candidate.aud


def _has_identity(
    user: User, emails: Collection[str], domain: str, domain_of: Callable[[str], str]
) -> bool:
    return any(
        identity.email in emails and domain_of(identity.provider) == domain
        for identity in user.identities
    )

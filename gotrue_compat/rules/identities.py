"""Provider lists and account linking (auth reference 9.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from gotrue_compat.model.external_identity import ExternalEmail
from gotrue_compat.model.user import Identity, User


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
    return domains.get(provider, "default")


def decide(
    known: Identity | None,
    email: ExternalEmail | None,
    users: Iterable[User],
    *,
    is_trusted: bool,
) -> Linking:
    """How an external identity becomes an account.

    `users` are those of the linking domain who own the address; `is_trusted` says whether the
    address may link (the provider verified it, or addresses confirm themselves).
    """
    if known is not None:
        return SignIn(known)
    if email is None or not email.email:
        return Create("")
    if not is_trusted:
        taken = any(user.email == email.email for user in users)
        return Create("" if taken else email.email)
    owners = {user.id: user for user in users}
    if len(owners) > 1:
        return Ambiguous()
    if owners:
        return Link(next(iter(owners.values())))
    return Create(email.email)

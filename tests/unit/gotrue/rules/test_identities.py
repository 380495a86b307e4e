"""How an external identity becomes an account: found, linked, made, or ambiguous."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
from gotrue_compat.model.user import Identity, User
from gotrue_compat.rules.identities import (
    Ambiguous,
    Candidate,
    Create,
    Link,
    SignIn,
    decide,
    linking_domain,
)
from tests.unit.gotrue import records
from tests.unit.gotrue.records import NOW

ADDRESS = "a@example.com"
EMAIL = ExternalEmail(ADDRESS, verified=True)
DOMAIN_OF = partial(linking_domain, domains={"acme": "staff", "intranet": "staff"})
NEW = Candidate(EMAIL, frozenset({ADDRESS}), "default", DOMAIN_OF, "authenticated")
UNTRUSTED = replace(NEW, trusted=frozenset[str]())


def _user(number: int, email: str, provider: str = "", **more: Any) -> User:
    """A user with an address in the row, and the one of the candidate by a provider."""
    user = records.user(id=UUID(int=number), email=email, **{"aud": "authenticated", **more})
    if not provider:
        return user
    identity = Identity(
        UUID(int=9), "p", user.id, {"email": ADDRESS}, provider, NOW, NOW, NOW, ADDRESS
    )
    return replace(user, identities=(identity,))


def test_a_known_identity_signs_in():
    (known,) = _user(1, ADDRESS, "google").identities
    assert decide(known, NEW, (_user(2, ADDRESS),)) == SignIn(known)


def test_nobody_known_is_made_with_the_address():
    assert decide(None, NEW, ()) == Create(ADDRESS)


@pytest.mark.parametrize("email", [None, ExternalEmail("", verified=True)])
def test_without_an_address_a_user_is_made_without_one(email: ExternalEmail | None):
    assert decide(None, replace(NEW, email=email), ()) == Create("")


def test_an_untrusted_address_links_to_nobody_and_is_left_to_its_owner():
    assert decide(None, UNTRUSTED, ()) == Create(ADDRESS)
    for owner in (_user(1, ADDRESS), _user(1, "other@b.es", "google")):
        assert decide(None, UNTRUSTED, (owner,)) == Create("")
    for other in (
        _user(1, ADDRESS, is_sso_user=True),
        _user(1, ADDRESS, aud="elsewhere"),
        _user(1, "other@b.es", "acme"),
    ):
        assert decide(None, UNTRUSTED, (other,)) == Create(ADDRESS)


def test_who_has_an_identity_with_the_address_comes_before_who_has_it_by_row():
    by_identity, by_row = _user(1, "other@b.es", "google"), _user(2, ADDRESS)
    assert decide(None, NEW, (by_row,)) == Link(by_row)
    assert decide(None, NEW, (by_row, by_identity)) == Link(by_identity)
    two = (by_identity, _user(3, "third@b.es", "github"))
    assert decide(None, NEW, two) == Ambiguous()


def test_accounts_of_other_domains_are_not_linked():
    of_staff, sso = _user(1, ADDRESS, "acme", is_sso_user=True), _user(2, ADDRESS, "sso:1")
    assert decide(None, NEW, (of_staff, replace(sso, is_sso_user=True))) == Create(ADDRESS)
    staff = replace(NEW, domain="staff")
    assert decide(None, staff, (of_staff, _user(3, ADDRESS))) == Link(of_staff)
    assert decide(None, replace(NEW, domain="sso:1"), (sso, of_staff)) == Link(sso)


@pytest.mark.parametrize(
    ("provider", "domain"),
    [("google", "default"), ("sso:1", "sso:1"), ("acme", "staff"), ("own", "own")],
)
def test_accounts_are_linked_within_a_domain(provider: str, domain: str):
    assert linking_domain(provider, {"acme": "staff"}, frozenset({"own"})) == domain


def test_the_primary_address_is_chosen_else_the_last():
    first, second = ExternalEmail("1@b.es", verified=True), ExternalEmail("2@b.es", verified=True)
    primary = ExternalEmail("3@b.es", verified=False, primary=True)
    assert ExternalIdentity("1", (first, second), {}).email == second
    assert ExternalIdentity("1", (first, primary, second), {}).email == primary
    assert ExternalIdentity("1", (), {}).email is None

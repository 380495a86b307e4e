"""How an external identity becomes an account: found, linked, made, or ambiguous."""

from __future__ import annotations

import pytest

from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
from gotrue_compat.rules.identities import Create, decide, linking_domain

EMAIL = ExternalEmail("a@example.com", verified=True)


def test_nobody_known_is_made_with_the_address():
    assert decide(None, EMAIL, (), is_trusted=True) == Create("a@example.com")


@pytest.mark.parametrize("email", [None, ExternalEmail("", verified=True)])
def test_without_an_address_a_user_is_made_without_one(email: ExternalEmail | None):
    assert decide(None, email, (), is_trusted=True) == Create("")


def test_an_untrusted_address_links_to_nobody():
    assert decide(None, EMAIL, (), is_trusted=False) == Create("a@example.com")


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

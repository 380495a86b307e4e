"""Rules of the OAuth server: clients, redirect addresses, proofs, scopes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from gotrue_compat.features.oauth_server import rules
from gotrue_compat.model.federation import OAuthClient

NOW = datetime(2026, 11, 22, tzinfo=UTC)
CLIENT = OAuthClient(
    UUID(int=1), rules.secret_hash("s"), "dynamic", (), (), None, None, None, NOW, NOW,
    "confidential", "client_secret_basic",
)  # fmt: skip


@pytest.mark.parametrize(
    ("uris", "problem"),
    [
        (None, "redirect_uris is required"),
        ((), "redirect_uris cannot be empty"),
        (("https://a/cb",) * 11, "redirect_uris cannot exceed 10 items"),
        (("http://a/cb",), "HTTP scheme only allowed for localhost"),
        (("javascript://a/cb",), "not allowed for security reasons"),
        (("https://a/cb#x",), "fragment not allowed"),
        (("https://a/c,b",), "invalid URL format"),
        (("mailto",), "must have scheme and host"),
        (("https://",), "must have scheme and host"),
        (("http://127.0.0.1:5/cb", "https://a/cb", "app://cb"), ""),
    ],
)
def test_redirect_addresses_are_judged(uris, problem: str):
    found = rules.redirects_problem(uris)
    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("kind", "method", "made"),
    [
        ("", "", ("confidential", "client_secret_basic")),
        ("", "none", ("public", "none")),
        ("public", "", ("public", "none")),
        ("confidential", "client_secret_post", ("confidential", "client_secret_post")),
    ],
)
def test_type_and_proof_follow_from_each_other(kind: str, method: str, made: tuple[str, str]):
    assert rules.client_kind(kind, method) == (*made, "")


@pytest.mark.parametrize(
    ("kind", "method"), [("odd", ""), ("", "odd"), ("public", "client_secret_post")]
)
def test_types_and_proofs_that_do_not_fit_are_refused(kind: str, method: str):
    assert rules.client_kind(kind, method)[2]


@pytest.mark.parametrize(
    ("method", "secret", "is_proved"),
    [("client_secret_basic", "s", True), ("client_secret_basic", "t", False),
     ("client_secret_basic", "", False), ("client_secret_post", "s", False)],
)  # fmt: skip
def test_a_client_proves_itself_by_its_secret_in_its_registered_way(method, secret, is_proved):
    assert (rules.proof_problem(CLIENT, method, secret) == "") is is_proved


def test_a_public_client_gives_no_secret():
    public = replace(CLIENT, client_type="public", token_endpoint_auth_method="none")
    assert rules.proof_problem(public, "none", "") == ""
    assert rules.proof_problem(public, "none", "s")


def test_scopes_are_known_words_and_at_least_one():
    assert rules.scopes_problem("openid email") == ""
    assert rules.scopes_problem("openid admin") == "unsupported scope: admin"
    assert rules.scopes_problem(" ")


@pytest.mark.parametrize(
    ("length", "is_good"), [(42, False), (43, True), (128, True), (129, False)]
)
def test_a_challenge_has_the_length_of_the_rfc(length: int, is_good: bool):
    assert (rules.challenge_problem("a" * length, "S256") == "") is is_good


def test_a_resource_is_absolute_and_plain():
    assert rules.resource_problem("") == rules.resource_problem("https://a/b") == ""
    assert all(map(rules.resource_problem, ("a/b", "https://a#f", "https://a?q")))


def test_what_was_allowed_covers_parts_of_it_in_any_order():
    assert rules.covers("openid email phone", "phone openid")
    assert not rules.covers("openid", "openid email")


def test_no_secret_is_the_missing_one():
    assert not rules.is_secret("", None)
    assert rules.is_secret("s", rules.secret_hash("s"))

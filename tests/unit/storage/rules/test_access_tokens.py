"""Whom a token speaks for, and why one is not taken."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from storage_compat.model.caller import Caller
from storage_compat.rules import access_tokens

NOW = datetime(2026, 11, 22, tzinfo=UTC)
KEY = jwt.secret_key("a-secret-of-the-tests-that-is-long-enough")


def caller_of(token: str) -> Caller:
    return access_tokens.caller_of(token, [KEY], NOW, "anon")


def why(token: str) -> str:
    with pytest.raises(ApiError) as refused:
        caller_of(token)
    assert refused.value.problem.status == 403
    return refused.value.problem.message


@pytest.mark.parametrize("header", ["Bearer t", "bearer  t ", " t ", "t"])
def test_a_token_stands_alone_or_behind_bearer(header: str):
    assert access_tokens.token_of(header) == "t"


def test_a_token_without_a_role_speaks_for_anybody():
    assert caller_of(jwt.sign({"sub": "u"}, KEY)).role == "anon"
    assert caller_of(jwt.sign({"role": "authenticated"}, KEY)).role == "authenticated"
    assert caller_of(jwt.sign({"role": 5, "sub": "u"}, KEY)).subject == "u"


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"exp": NOW.timestamp()}, '"exp" claim timestamp check failed'),
        ({"nbf": NOW.timestamp() + 1}, '"nbf" claim timestamp check failed'),
        ({"exp": "soon"}, '"exp" claim must be a number'),
        ({"exp": True}, '"exp" claim must be a number'),
        ({"iat": "then"}, '"iat" claim must be a number'),
    ],
)
def test_a_token_is_taken_in_its_time_alone(claims: dict[str, Any], reason: str):
    assert why(jwt.sign(claims, KEY)) == reason


def test_another_signature_and_another_algorithm_are_told_apart():
    other = jwt.secret_key("another-secret-of-the-tests-long-enough")
    assert why(jwt.sign({}, other)) == "signature verification failed"
    assert "Algorithm" in why("eyJhbGciOiJub25lIn0.e30.")
    assert why("a.b") == "Invalid Compact JWS"


@given(st.text(max_size=40))
def test_any_text_is_a_token_or_refused(text: str):
    why(text)


def test_a_role_is_required_to_the_letter():
    access_tokens.require_role(Caller("service_role"), "service_role")
    with pytest.raises(ApiError):
        access_tokens.require_role(Caller("Service_role"), "service_role")

"""What an access token must hold, in the words of the original's validator."""

from __future__ import annotations

from typing import Any

import pytest

from gotrue_compat.rules.claims_schema import problems_of

GOOD: dict[str, Any] = {
    "aud": "authenticated", "exp": 1_700_000_000, "iat": 1_700_000_000.0, "sub": "1",
    "email": "", "phone": "", "role": "authenticated", "aal": "aal1", "session_id": "2",
    "is_anonymous": False,
}  # fmt: skip


def test_the_usual_claims_and_any_others_pass():
    more = {"team": 7, "aud": ["a"], "amr": ["otp", {"method": "totp"}], "app_metadata": {}}
    assert problems_of(GOOD | more) == ()


def test_what_is_missing_is_named_in_order():
    assert problems_of({name: value for name, value in GOOD.items() if name not in {"aud", "role"}}) == (
        "(root): aud is required", "(root): role is required",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claims", "problem"),
    [
        ({"exp": "soon"}, "exp: Invalid type. Expected: integer, given: string"),
        ({"exp": 1.5}, "exp: Invalid type. Expected: integer, given: number"),
        ({"aud": None}, "aud: Invalid type. Expected: [string,array], given: null"),
        ({"email": 7}, "email: Invalid type. Expected: string, given: integer"),
        ({"amr": {}}, "amr: Invalid type. Expected: array, given: object"),
        ({"user_metadata": True}, "user_metadata: Invalid type. Expected: object, given: boolean"),
    ],
)
def test_what_has_another_type_is_named(claims: dict[str, Any], problem: str):
    assert problems_of(GOOD | claims) == (problem,)


def test_a_method_of_another_type_is_named_twice():
    assert problems_of(GOOD | {"amr": ["otp", 7]}) == (
        "amr.1: Must validate at least one schema (anyOf)",
        "amr.1: Invalid type. Expected: string, given: integer",
    )


def test_no_object_is_no_claims():
    assert problems_of(None) == ("(root): Invalid type. Expected: object, given: null",)

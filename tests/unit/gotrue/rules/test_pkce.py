"""Proof keys: both halves or none, of the right form, and answered by their verifier alone."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.rules.pkce import CodeChallenge, challenge_from, is_answered, s256

VERIFIER = "v" * 64


def test_no_pair_is_no_challenge():
    assert challenge_from("", "") is None


@pytest.mark.parametrize("method", ["s256", "S256", "PLAIN"])
def test_a_method_counts_in_any_case(method: str):
    assert challenge_from("c" * 43, method) == CodeChallenge("c" * 43, method.lower())


@pytest.mark.parametrize(
    ("value", "method"),
    [("c" * 43, ""), ("", "s256"), ("c" * 42, "s256"), ("c" * 129, "s256"),
     ("c" * 42 + "+", "s256"), ("c" * 43, "md5")],
)  # fmt: skip
def test_half_and_malformed_pairs_are_refused(value: str, method: str):
    with pytest.raises(ApiError) as caught:
        challenge_from(value, method)
    assert (caught.value.problem.code, caught.value.problem.status) == ("validation_failed", 400)


def test_the_verifier_of_rfc_7636_belongs_to_its_challenge():
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert s256(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    assert is_answered(s256(verifier), "s256", verifier)


def test_another_verifier_does_not_belong():
    assert not is_answered(s256(VERIFIER), "s256", VERIFIER + "x")
    assert not is_answered(VERIFIER, "plain", s256(VERIFIER))
    assert is_answered(VERIFIER, "plain", VERIFIER)

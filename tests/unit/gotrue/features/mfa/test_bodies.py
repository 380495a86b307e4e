"""What is read of requests about second factors."""

from __future__ import annotations

from uuid import UUID

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.mfa import bodies
from tests.unit.gotrue.incoming import ID, posted


def test_the_body_of_a_proof_is_left_to_its_factor():
    incoming = posted(factor_id=ID)
    assert bodies.factor(incoming) == bodies.FactorRequest(UUID(ID), incoming)


@pytest.mark.parametrize("name", ["rpOrigins", "rp_origins"])
@pytest.mark.parametrize("origins", [["http://a", "http://b"], "http://a, http://b"])
def test_origins_are_a_list_or_a_text_with_commas_under_either_name(name: str, origins: object):
    sent = posted({"webauthn": {"rpId": "a", name: origins}}, factor_id=ID)
    read = bodies.challenge_body(bodies.factor(sent))
    assert (read.rp_id, read.rp_origins) == ("a", ("http://a", "http://b"))


def test_a_proof_by_webauthn_is_told_from_a_code():
    by_code = bodies.factor_proof(bodies.factor(posted({"code": "123456"}, factor_id=ID)))
    assert (by_code.has_webauthn, by_code.webauthn_response) == (False, None)
    answer = {"type": "request", "credential_response": "no object"}
    by_key = bodies.factor_proof(bodies.factor(posted({"webauthn": answer}, factor_id=ID)))
    assert (by_key.has_webauthn, by_key.webauthn_response) == (True, {})


def test_a_factor_is_named_by_a_uuid():
    with pytest.raises(ApiError) as raised:
        bodies.factor_id(posted(factor_id="x"))
    assert raised.value.problem.status == 404

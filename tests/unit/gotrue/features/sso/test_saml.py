"""What an assertion says of its user."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.sso.saml_claims import (
    Assertion,
    email_of,
    mapped_claims,
    subject_of,
)
from gotrue_compat.features.sso.saml_response import issuer_of
from gotrue_compat.features.sso.saml_xml import NS

NOW = datetime(2026, 11, 23, tzinfo=UTC)
FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:"
SAML = "urn:oasis:names:tc:SAML:2.0:assertion"


def assertion(kind: str = "persistent", **attributes: tuple[str, ...]) -> Assertion:
    return Assertion("_1", "idp", "name-id", FORMAT + kind, attributes, NOW, None)


def test_a_passing_id_is_no_lasting_one():
    assert subject_of(assertion()) == "name-id"
    assert subject_of(assertion("transient")) == ""


@pytest.mark.parametrize(
    ("assertion", "mapping", "email"),
    [
        (assertion("emailAddress"), {}, "name-id"),
        (assertion(), {}, ""),
        (assertion(mail=("m@x",)), {"keys": {"email": {"name": "other"}}}, "m@x"),
        (assertion(mail=("m@x",), own=("o@x",)), {"keys": {"email": {"name": "own"}}}, "o@x"),
    ],
)
def test_an_address_is_the_mapped_one_else_a_usual_one(
    assertion: Assertion, mapping: Mapping[str, object], email: str
):
    assert email_of(assertion, mapping) == email


def test_attributes_are_renamed_listed_and_given_defaults():
    rules = {
        "first": {"names": ["none", "roles"]}, "all": {"name": "roles", "array": True},
        "tier": {"name": "none", "default": "free"}, "absent": {"name": "none"},
    }  # fmt: skip
    assert mapped_claims(assertion(roles=("a", "b")), {"keys": rules}) == {
        "first": "a", "all": ["a", "b"], "tier": "free",
    }  # fmt: skip


def test_a_response_says_who_it_is_from_before_it_is_believed():
    def encoded(inside: str) -> str:
        spaces = f'xmlns="{NS["samlp"]}" xmlns:s="{SAML}"'
        return base64.b64encode(f"<Response {spaces}>{inside}</Response>".encode()).decode()

    assert issuer_of(encoded("<s:Assertion><s:Issuer> idp </s:Issuer></s:Assertion>")) == "idp"
    assert issuer_of(encoded("")) == ""
    for text in ("%", *(base64.b64encode(wrong).decode() for wrong in (b"<r>", b"<r/>"))):
        with pytest.raises(ApiError):
            issuer_of(text)

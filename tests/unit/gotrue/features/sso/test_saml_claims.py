"""Who an assertion is of, and what is kept of it (auth reference 9.7)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.sso.saml_claims import (
    Assertion,
    email_of,
    identity_data,
    mapped_claims,
    subject_of,
)

NOW = datetime(2026, 11, 23, tzinfo=UTC)
FORMAT = "urn:oasis:names:tc:SAML:{}:nameid-format:{}"


def asserted(
    name_id: str = "", form: str = "persistent", **attributes: tuple[str, ...]
) -> Assertion:
    version = "1.1" if form == "emailAddress" else "2.0"
    known = {name.lower(): values for name, values in attributes.items()}
    return Assertion(
        "_1", "https://idp.example", name_id, FORMAT.format(version, form), known, NOW, None
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name_id", "form", "subject"),
    [
        ("Ana@Example.com", "emailAddress", "ana@example.com"),
        ("Ana@Example.com", "persistent", "Ana@Example.com"),
        ("one-time", "transient", ""),
    ],
)
def test_an_address_as_a_name_id_counts_in_any_case(name_id: str, form: str, subject: str):
    assert subject_of(asserted(name_id, form)) == subject


@pytest.mark.parametrize(
    "name",
    [
        "urn:oid:0.9.2342.19200300.100.1.3",
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
        "http://schemas.xmlsoap.org/claims/EmailAddress", "MAIL", "Email",
    ],
)  # fmt: skip
def test_usual_names_of_addresses_count_in_any_case(name: str):
    assert email_of(asserted(**{name: ("", "ana@example.com")}), {}) == "ana@example.com"


def test_an_address_is_the_name_id_of_that_format_at_last():
    assert (
        email_of(asserted("Ana@Example.com", "emailAddress", mail=("",)), {}) == "Ana@Example.com"
    )


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ({"name": "TEAM"}, "azul"),
        ({"names": ["nothing", "Team"], "array": True}, ["azul", "rojo"]),
        ({"name": "nothing", "default": "verde"}, "verde"),
        ({"name": "nothing"}, None),
    ],
)
def test_mapped_attributes_count_in_any_case_and_never_empty(rule: dict[str, Any], value):
    claims = mapped_claims(asserted(team=("", "azul", "rojo")), {"keys": {"x": rule}})
    assert claims.get("x") == value


def test_usual_claims_stand_at_the_top_and_others_below():
    keys = {"name": {"name": "cn"}, "team": {"name": "team"}, "email": {"name": "mail"}}
    data = identity_data(
        asserted(cn=("Ana",), team=("azul",), mail=("a@b.es",)), "7", {"keys": keys}
    )
    assert data == {
        "iss": "https://idp.example", "sub": "7", "name": "Ana", "custom_claims": {"team": "azul"},
    }  # fmt: skip
    assert identity_data(asserted(), "7", {"keys": {}})["custom_claims"] == {}


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("name", {"name": "cn", "array": True}),
        ("sub", {"default": 5}),
        ("exp", {"name": "cn"}),
        ("iat", {"default": True}),
        ("email_verified", {"name": "cn"}),
        ("aud", {"default": [5]}),
        ("updated_at", {"name": "cn"}),
        ("custom_claims", {"name": "cn"}),
    ],
)
def test_a_usual_claim_is_of_its_type(claim: str, rule: dict[str, Any]):
    with pytest.raises(ApiError, match="could not be deserialized"):
        identity_data(asserted(cn=("true",)), "7", {"keys": {claim: rule}})


@pytest.mark.parametrize(
    ("claim", "given", "kept"),
    [
        ("aud", "a", {"aud": ["a"]}),
        ("exp", 5, {"exp": 5}),
        ("updated_at", 5, {"updated_at": "1970-01-01T00:00:05Z"}),
        ("updated_at", "2024-01-01T01:00:00+01:00", {"updated_at": "2024-01-01T00:00:00Z"}),
        ("phone_verified", True, {"phone_verified": True}),
        ("email_verified", False, {}),
        ("iss", "other", {}),
        ("custom_claims", {"a": 1}, {}),
    ],
)
def test_what_a_mapping_says_of_a_usual_claim_is_kept(claim: str, given: Any, kept: dict[str, Any]):
    data = identity_data(asserted(), "7", {"keys": {claim: {"default": given}}})
    assert data == {"iss": "https://idp.example", "sub": "7", "custom_claims": {}} | kept


def test_a_usual_claim_that_is_empty_is_one_of_the_providers_own():
    data = identity_data(asserted(), "7", {"keys": {"name": {"default": ""}}})
    assert data["custom_claims"] == {"name": ""}

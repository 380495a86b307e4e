"""What is read of SAML sign-ins and providers."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.sso import bodies
from tests.unit.gotrue.incoming import ID, form, posted


def test_a_provider_is_named_by_a_uuid_and_the_nil_one_names_none():
    assert bodies.sso(posted({"provider_id": ID})).provider_id == UUID(ID)
    assert bodies.sso(posted({"provider_id": str(UUID(int=0))})).provider_id is None
    assert bodies.sso(posted({"domain": "d"})).provider_id is None


@pytest.mark.parametrize(("text", "words"), [("x", "length 1"), ("z" * 36, "format")])
def test_what_is_no_uuid_is_refused_in_gos_words(text: str, words: str):
    with pytest.raises(ApiError, match=f"uuid: incorrect UUID {words}"):
        bodies.sso(posted({"provider_id": text}))


def test_an_answer_is_a_form():
    assert bodies.saml_answer(form({"SAMLResponse": "r"})) == bodies.SamlResponse("r")
    assert bodies.saml_answer(posted({"SAMLResponse": "r"})) == bodies.SamlResponse()


def test_what_is_not_given_of_a_provider_is_none():
    change = bodies.sso_change(posted({"disabled": False, "domains": []}, idp_id="resource_a"))
    assert change.name == "resource_a"
    record = bodies.sso_record(change.incoming)
    assert (record.disabled, record.domains) == (False, ())
    assert (record.resource_id, record.attribute_mapping) == (None, None)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"Keys": {"a": {"NAME": "n", "names": [], "array": False, "other": 1}}}, {"name": "n"}),
        (
            {"keys": {"a": {"names": ["x", None], "array": True}}},
            {"names": ["x", ""], "array": True},
        ),
        ({"keys": {"a": {"name": "", "default": 0}}}, {"default": 0}),
        ({"keys": {"a": None}}, {}),
    ],
)
def test_a_mapping_has_known_members_that_are_not_empty(given: dict[str, Any], stored: Any):
    record = bodies.sso_record(posted({"attribute_mapping": given}))
    assert record.attribute_mapping == {"keys": {"a": stored}}


@pytest.mark.parametrize(
    ("given", "read"), [({}, None), ({"keys": None}, None), ({"keys": {}}, {})]
)
def test_a_mapping_without_keys_changes_nothing(given: dict[str, Any], read: Any):
    assert bodies.sso_record(posted({"attribute_mapping": given})).attribute_mapping == read


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ("x", "string into Go struct field {}.keys of type map[string]models.SAMLAttribute"),
        ({"a": "x"}, "string into Go struct field {}.keys.a of type models.SAMLAttribute"),
        ({"a": {"name": 5}}, "number into Go struct field {}.keys.a.name of type string"),
        ({"a": {"array": []}}, "array into Go struct field {}.keys.a.array of type bool"),
    ],
)
def test_what_is_no_mapping_is_refused_in_gos_words(keys: Any, found: str):
    with pytest.raises(ApiError) as caught:
        bodies.sso_record(posted({"attribute_mapping": {"keys": keys}}))
    place = "CreateSSOProviderParams.attribute_mapping"
    assert caught.value.problem.message.endswith(f"cannot unmarshal {found.format(place)}")


def test_a_list_may_be_of_a_prefix():
    listed = bodies.sso_filter(posted(query="resource_id_prefix=a"))
    assert listed == bodies.SsoFilter(resource_id_prefix="a")

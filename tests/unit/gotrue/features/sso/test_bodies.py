"""What is read of SAML sign-ins and providers."""

from __future__ import annotations

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


def test_a_list_may_be_of_a_prefix():
    listed = bodies.sso_filter(posted(query="resource_id_prefix=a"))
    assert listed == bodies.SsoFilter(resource_id_prefix="a")

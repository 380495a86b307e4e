"""What is read of a provider that an administrator sends."""

from __future__ import annotations

from gotrue_compat.features.custom_providers import bodies
from tests.unit.gotrue.incoming import posted


def test_only_members_that_were_given_are_columns():
    read = bodies.custom_provider(posted({
        "provider_type": "oidc", "client_secret": "s", "name": "", "issuer": "https://i",
        "scopes": [], "enabled": False, "attribute_mapping": {},
    }))  # fmt: skip
    assert (read.provider_type, read.client_secret) == ("oidc", "s")
    assert read.members == {
        "issuer": "https://i", "scopes": [], "enabled": False, "attribute_mapping": {},
    }  # fmt: skip


def test_a_change_names_its_provider_by_the_path():
    change = bodies.custom_provider_change(posted({"enabled": True}, identifier="custom:a"))
    assert (change.identifier, change.record.members) == ("custom:a", {"enabled": True})


def test_a_list_may_be_of_one_type():
    assert bodies.custom_kind(posted(query="type=oidc")) == "oidc"
    assert bodies.custom_kind(posted()) == ""

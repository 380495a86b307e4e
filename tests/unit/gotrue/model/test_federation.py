"""What rows of clients and providers say."""

from __future__ import annotations

from gotrue_compat.model.federation import CustomProvider, OAuthClient, SamlProvider
from tests.unit.gotrue.records import row


def test_lists_of_a_client_are_stored_with_commas():
    client = OAuthClient.from_row(
        row(OAuthClient, redirect_uris="https://a,https://b", grant_types="")
    )
    assert (client.redirect_uris, client.grant_types) == (("https://a", "https://b"), ())


def test_absent_claims_and_mappings_of_a_provider_are_empty():
    provider = CustomProvider.from_row(
        row(CustomProvider, acceptable_client_ids=["a"], scopes=[], attribute_mapping=None)
    )
    assert (provider.acceptable_client_ids, provider.scopes) == (("a",), ())
    assert (provider.custom_claims_allowlist, provider.attribute_mapping) == ((), {})
    saml = SamlProvider.from_row(row(SamlProvider, domains=["d"], attribute_mapping=[1]))
    assert (saml.domains, saml.attribute_mapping) == (("d",), {})

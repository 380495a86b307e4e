"""Which of a provider's addresses is the user's."""

from __future__ import annotations

import pytest

from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity

ONE, TWO = ExternalEmail("1@x", verified=True), ExternalEmail("2@x", verified=False)
MAIN = ExternalEmail("main@x", verified=False, primary=True)


@pytest.mark.parametrize(
    ("emails", "chosen"), [((), None), ((ONE, TWO), TWO), ((ONE, MAIN, TWO), MAIN)]
)
def test_the_primary_address_counts_else_the_last(emails, chosen):
    assert ExternalIdentity("id", emails, {}).email == chosen

"""What a new passkey is called."""

from __future__ import annotations

from gotrue_compat.features.passkeys.authenticators import name_of


def test_a_known_model_is_called_by_its_name_in_any_case():
    assert name_of("bada5566-a7aa-401f-bd96-45619a55120d") == "1Password"
    assert name_of("BADA5566-A7AA-401F-BD96-45619A55120D") == "1Password"


def test_an_unknown_model_and_none_are_a_passkey():
    assert name_of("00000000-0000-0000-0000-000000000000") == name_of("") == "Passkey"

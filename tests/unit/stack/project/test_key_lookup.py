"""Which option, variable and switch a key of config.toml has."""

from __future__ import annotations

import pytest

from compat_stack.project.key_lookup import names_table, option_of, switch_of, variable_of


@pytest.mark.parametrize(
    ("key", "pattern"),
    [
        ("api.port", "api.port"),
        ("db.vault.a.b", "db.vault.*"),
        ("storage.buckets.v1.5.public", "storage.buckets.*.public"),
        ("auth.external.google.client_id", "auth.external.*.client_id"),
    ],
)
def test_a_key_is_found_by_the_row_as_written_or_by_its_pattern(key: str, pattern: str):
    option = option_of(key)
    assert option is not None
    assert option.key == pattern


@pytest.mark.parametrize("key", ["api.prot", "api", "auth.external.nobody.client_id"])
def test_a_key_that_no_row_fits_is_unknown(key: str):
    assert option_of(key) is None


def test_a_name_in_a_key_is_put_into_the_variable_in_capitals():
    option = option_of("auth.external.google.client_id")
    assert option is not None
    variable = variable_of(option, ("auth", "external", "google", "client_id"))
    assert variable == "GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID"


def test_the_innermost_table_with_a_switch_counts():
    assert switch_of(("auth", "sms", "twilio", "account_sid")) == "auth.sms.twilio"
    assert switch_of(("auth", "jwt_expiry")) is None


def test_a_table_is_known_by_the_keys_below_it():
    assert names_table(("storage", "buckets", "avatars"))
    assert not names_table(("storage", "bucket"))

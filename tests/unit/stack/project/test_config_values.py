"""Which values of a config.toml apply, and what is said of the others."""

from __future__ import annotations

import pytest

from compat_stack.project.config_values import ConfigValues
from compat_stack.project.toml_document import BrokenTomlError, read_document


def values_of(text: str, **environment: str) -> ConfigValues:
    return ConfigValues(read_document(text), environment, "config.toml")


def test_the_names_below_a_table_may_have_dots():
    values = values_of('[db.vault]\nplain = "1"\n"with.dot" = "2"')
    assert values.below("db.vault") == {"plain": "1", "with.dot": "2"}


def test_a_variable_of_the_environment_replaces_a_value():
    values = values_of("[api]\nmax_rows = 7", SUPABASE_API_MAX_ROWS="5")
    assert values.text("api.max_rows") == "5"


def test_a_table_whose_variable_is_not_set_is_left_off():
    values = values_of('[auth.external.apple]\nenabled = true\nsecret = "env(SECRET)"')
    assert not values.is_enabled("auth.external", "apple")
    assert values.remarks == [
        "config.toml:3: env(SECRET) is not set, in .env neither: [auth.external.apple] is left off"
    ]


def test_a_key_that_is_not_known_is_said_with_its_line():
    values = values_of("[api]\nmax_rowz = 7")
    assert values.remarks == [
        "config.toml:2: api.max_rowz is no key that is known here, and is not read"
    ]
    assert values.variables() == {}


def test_a_table_that_lacks_a_key_that_it_needs_is_left_off_and_said():
    text = '[auth.external.github]\nenabled = true\nsecret = "s"\n[auth.sms.vonage]\nenabled = true'
    values = values_of(text)
    assert values.variables()["GOTRUE_EXTERNAL_GITHUB_ENABLED"] == "false"
    assert values.remarks == [
        "config.toml:1: [auth.external.github] lacks client_id: it is left off",
        "config.toml:4: [auth.sms.vonage] lacks from and api_key and api_secret: it is left off",
    ]
    given = values_of(text.partition("\n[auth.sms")[0], GOTRUE_EXTERNAL_GITHUB_CLIENT_ID="id")
    assert given.is_enabled("auth.external", "github")


def test_a_key_that_is_not_set_has_the_line_of_its_table():
    values = values_of("[api]\n[auth.hook.send_email]\nenabled = true")
    place = values.lines()["GOTRUE_HOOK_SEND_EMAIL_URI"]
    assert place == "config.toml:2: auth.hook.send_email.uri"


def test_a_value_in_the_place_of_a_table_is_refused():
    assert values_of("api = 3").problems == ["config.toml:1: api must be a table: [api]"]
    assert values_of("[[auth]]").problems == ["config.toml:1: auth must be a table: [auth]"]


def test_a_table_that_stands_twice_is_told_by_its_name():
    with pytest.raises(BrokenTomlError, match=r"cannot declare \[auth\.sms\] twice"):
        read_document("[auth.sms]\n[auth.sms]")

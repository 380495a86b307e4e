"""Which values of a config.toml apply, and what is said of the others."""

from __future__ import annotations

from compat_stack.project.config_values import ConfigValues
from compat_stack.project.toml_document import read_document


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

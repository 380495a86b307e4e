"""The configuration file: read, dumped, with variables of the environment."""

import pytest

from compat_base.values.settings import SettingsError
from rest_compat.process.config_file import EXAMPLE, dump_config, parse_config_file
from rest_compat.settings import read_settings


def test_the_dump_of_the_settings_reads_back_as_the_same_settings():
    settings = read_settings({"PGRST_DB_ANON_ROLE": 'a"b', "PGRST_DB_MAX_ROWS": "5"})
    text = dump_config(settings)
    assert 'jwt-role-claim-key = "$$.role"\n' in text
    again = read_settings({}, file=parse_config_file(text, {}))
    assert dump_config(again) == text


def test_the_example_file_is_a_valid_one():
    assert read_settings({}, file=parse_config_file(EXAMPLE, {})).server_port == 3000


def test_files_take_variables_of_the_environment():
    assert parse_config_file('db-uri = "$(X)$$" # why', {"X": "y"}) == {"db-uri": "y$"}


def test_booleans_are_true_and_false_or_on_and_off():
    file = parse_config_file("db-plan-enabled = on\ndb-config = off", {})
    settings = read_settings({}, file=file)
    assert (settings.plan_enabled, settings.db_config) == (True, False)


def test_an_escape_names_a_character_by_its_code():
    assert parse_config_file(r'db-uri = "\u00e9\ud83d\ude00\"\\"', {}) == {"db-uri": 'é😀"\\'}


@pytest.mark.parametrize(
    "line",
    [
        "db-uri = x",
        "db-plan-enabled = yes",
        "db-max-rows = -1",
        "db-uri = 'x'",
        r'db-uri = "\x"',
        r'db-uri = "\ud83d"',
        'db-uri = "$(MISSING)"',
        'db-uri = "${X}"',
        'db-uri = "a$"',
    ],
)
def test_what_the_original_cannot_read_is_refused(line):
    with pytest.raises(SettingsError):
        parse_config_file(line, {"X": "y"})

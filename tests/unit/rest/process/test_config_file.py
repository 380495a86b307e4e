"""The configuration file: read, dumped, with variables of the environment."""

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

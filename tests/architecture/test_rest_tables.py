"""A setting and an error of REST are one row: one added in place works and is documented."""

from dataclasses import dataclass

import pytest

import rest_compat.errors
from compat_base.values.errors import Row
from compat_base.values.settings import SettingsError
from rest_compat.process.config_file import dump_config, parse_config_file
from rest_compat.settings import (
    Settings,
    database_keys,
    fixed_at_start,
    read_settings,
    with_database,
)
from rest_compat.settings.kinds import integer_between
from rest_compat.settings.table import row
from tests.architecture.tables import errors_document, rest_rows


@dataclass(frozen=True, slots=True)
class More(Settings):
    """The table with a row more."""

    delay: int = row(integer_between(1, 9, 3), "db-delay", "delay", in_database=True, fixed=True)


@pytest.mark.parametrize("name", ["PGRST_DB_DELAY", "PGRST_DELAY"])
def test_a_setting_is_read_from_the_environment_by_each_of_its_names(name):
    assert read_settings({name: "5"}, table=More).delay == 5


def test_a_setting_is_read_from_the_file_and_from_the_database_which_wins():
    settings = read_settings({}, file={"db-delay": "4"}, table=More)
    assert settings.delay == 4
    assert with_database(settings, {"db_delay": "7"}).delay == 7
    assert "db-delay" in database_keys(More)


def test_a_setting_is_written_to_a_configuration_file_and_read_back():
    text = dump_config(read_settings({"PGRST_DB_DELAY": "2"}, table=More))
    assert "db-delay = 2\n" in text
    assert read_settings({}, file=parse_config_file(text, {}), table=More).delay == 2


def test_a_setting_out_of_bounds_is_refused_by_its_name():
    with pytest.raises(SettingsError, match="Invalid db-delay: needs to be between 1 and 9"):
        read_settings({"PGRST_DB_DELAY": "10"}, table=More)


def test_a_setting_fixed_at_the_start_is_left_by_a_reload():
    assert "delay" in fixed_at_start(More)


def test_a_setting_is_documented():
    expected = ("`db-delay`", "`delay`", "whole number", "`3`", "yes", "restart")
    assert expected in rest_rows(More)


def test_an_error_is_answered_and_documented(monkeypatch):
    teapot = Row("PGRST190", 418, "No coffee of {kind}", "Try tea", "The pot is {kind}")
    monkeypatch.setattr(rest_compat.errors, "TEAPOT", teapot, raising=False)
    response = rest_compat.errors.error_response(teapot.problem(kind="tin"))
    assert (response.status, response.reason or rest_compat.errors.PHRASES[418]) == (
        418,
        "I'm a teapot",
    )
    assert b'"message":"No coffee of tin"' in response.body
    line = "| `PGRST190` | 418 | No coffee of {kind} | Try tea | The pot is {kind} |"
    assert line in errors_document()

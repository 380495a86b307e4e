"""The words of the command line."""

from __future__ import annotations

import pytest

from compat_stack.process.arguments import OPERATING, SERVING, make_parser

PARSER = make_parser("the stack")


def test_without_a_command_it_serves():
    parsed = PARSER.parse_args([])
    assert (parsed.command or "serve") == "serve"


@pytest.mark.parametrize("line", ["--project app serve", "serve --project app"])
def test_a_project_is_named_before_or_behind_the_command(line: str):
    assert PARSER.parse_args(line.split()).project == "app"


@pytest.mark.parametrize("hours", ["-1", "8785", "a", "²"])
def test_hours_beyond_a_year_are_refused(hours: str):
    with pytest.raises(SystemExit):
        PARSER.parse_args(["rotate-keys", "--overlap", hours])


def test_old_keys_count_for_a_week_unless_told_else():
    assert PARSER.parse_args(["rotate-keys"]).overlap == 168


def test_every_command_is_known_to_the_parser():
    arguments = {
        "backup": ["x"],
        "restore": ["x"],
        "db": ["reset"],
        "test": ["db"],
        "gen": ["types"],
    }
    for name in (*SERVING, *OPERATING):
        assert PARSER.parse_args([name, *arguments.get(name, [])]).command == name

"""The words of the command line."""

from __future__ import annotations

import pytest

from compat_stack.process.arguments import OPERATING, SERVING, elsewhere, make_parser

PARSER = make_parser()


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
        "migration": ["list"],
    }
    for name in (*SERVING, *OPERATING):
        assert PARSER.parse_args([name, *arguments.get(name, [])]).command == name


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "db push",
            "`db push` is not here: new migrations are applied at the start, and by `migration up`",
        ),
        ("--workdir app db diff -f x", "`supabase db diff --db-url URL`"),
        ("db schema declarative sync", "`supabase db schema --db-url URL`"),
        ("db query select", "`db query` is not here: use psql or any client"),
        ("gen signing-key", "`gen signing-key` is not here: use `supabase gen signing-key`"),
        ("postgres-config get", "`postgres-config` is not here: it is for hosted projects"),
        ("functions serve", "`functions` is not here: functions are not served"),
        ("link --project-ref abc", "`link` is not here: it is for hosted projects"),
        ("db reset --linked", "--linked is not here"),
        ("test db --db-url postgresql://x", "--db-url is not here: DATABASE_URL names"),
        ("migration list --remote postgresql://x", "--remote is not here: DATABASE_URL names"),
    ],
)
def test_what_the_cli_has_and_is_not_here_is_told_in_a_sentence(line: str, sentence: str):
    said = elsewhere(line.split())
    assert said is not None
    assert sentence in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "line",
    [
        "", "serve", "--project db serve", "db reset --no-seed --local", "migration new a",
        "migration up", "migration list --local", "gen types --lang typescript --local",
        "gen types --lang=typescript -s public", "start --experimental", "--experimental db reset", "test db tests/a.sql", "seed buckets",
        "start -x studio,imgproxy --ignore-health-check", "stop --no-backup --debug",
        "status -o env --override-name api.url=NEXT_PUBLIC_SUPABASE_URL", "status --output yaml",
    ],
)  # fmt: skip
def test_what_people_type_is_taken(line: str):
    assert elsewhere(line.split()) is None
    PARSER.parse_args(line.split())

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
        ("gen types --remote=branch", "--remote is not here: DATABASE_URL names"),
        ("stop --all", "--all is not here: `stop` stops what serves one project"),
        ("stop --project-id app", "--project-id is not here: `stop` stops what serves one"),
        ("gen types typescript --project-id abc", "--project-id is not here: it is for hosted"),
        ("gen types --lang go", "--lang=go is not here: TypeScript alone is written here"),
        ("gen types --lang=python", "`supabase gen types --lang=python --db-url URL`"),
        ("gen types --swift-access-control public", "--swift-access-control is not here"),
        ("db dump --role-only", "--role-only is not here: use `pg_dumpall --roles-only`"),
        ("db dump --data-only -x public.t", "-x is not here: use `pg_dump`"),
        ("db dump --dry-run", "--dry-run is not here: a dump changes nothing"),
        ("db reset --sql-paths a.sql", "--sql-paths is not here: set sql_paths of [db.seed]"),
        ("status --output-format json", "--output-format is not here: `status -o json`"),
        ("seed buckets --linked", "--linked is not here: it is for hosted projects"),
    ],
)
def test_what_the_cli_has_and_is_not_here_is_told_in_a_sentence(line: str, sentence: str):
    message = elsewhere(line.split())
    assert message is not None
    assert sentence in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "line",
    [
        "", "serve", "--project db serve", "db reset --no-seed --local", "migration new a",
        "migration up", "migration list --local", "gen types --lang typescript --local",
        "gen types --lang=typescript -s public", "start --experimental", "--experimental db reset", "test db tests/a.sql", "seed buckets",
        "start -x studio,imgproxy --ignore-health-check", "stop --no-backup --debug",
        "stop --backup", "migration up --include-all --local", "migration repair 1 --status applied",
        "db dump --local -f out.sql -s public", "db reset --yes --debug --agent no --profile p",
        "start --network-id n --dns-resolver https", "gen types --query-timeout 30s",
        "start --exclude studio", "seed buckets --local", "migration list --password x",
        "status -o env --override-name api.url=NEXT_PUBLIC_SUPABASE_URL", "status --output yaml",
    ],
)  # fmt: skip
def test_what_people_type_is_taken(line: str):
    assert elsewhere(line.split()) is None
    PARSER.parse_args(line.split())


@pytest.mark.parametrize("line", ["db", "db reset --no-such-thing", "nothing", "db reset --last x"])
def test_what_nobody_knows_is_refused_in_one_sentence(
    line: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as ended:
        PARSER.parse_args(line.split())
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert message.startswith("error: ")
    assert message.endswith("--help` says what there is\n")
    assert message.count("\n") == 1

"""The command line's parser: commands, their arguments and their help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

_MOST_HOURS = 8784  # a year
_MOST_DIGITS = 9
SERVING = {
    "serve": "serve until Ctrl-C, as without a command",
    "migrate": "apply the migrations that are new, and end",
    "keys": "show this installation's keys",
    "check-config": "check the settings, and show what follows from them",
}
OPERATING = (
    "backup", "restore", "rotate-keys", "status", "start", "stop", "db", "seed", "test", "gen",
    "migration",
)  # fmt: skip
"""Commands of `compat_stack.operate`."""


_BY_THE_CLI = "the Supabase CLI does it with the URL of keys.env: `supabase {} --db-url URL`"
_IN_A_CONTAINER = (
    "it needs a second database, which the Supabase CLI makes by Docker: with the URL of keys.env,"
    " `supabase {} --db-url URL`"
)
_HOSTED = "it is of hosted projects: what is served here is a folder, named by --project"
_NO_FUNCTIONS = "functions are not served: run them by the Supabase CLI or Deno"
# Commands and options of the Supabase CLI that are not here, and what to do instead.
_ELSEWHERE: dict[tuple[str, ...], str] = {
    ("db", "push"): "a start applies what is new, and so does `migration up`",
    ("db", "start"): "`start` starts the database too",
    ("db", "pull"): _IN_A_CONTAINER.format("db pull"),
    ("db", "diff"): _IN_A_CONTAINER.format("db diff"),
    ("db", "schema"): _IN_A_CONTAINER.format("db schema"),
    ("db", "remote"): _IN_A_CONTAINER.format("db pull"),
    ("db", "query"): "psql or any client does it with DATABASE_URL of keys.env",
    ("db", "advisors"): _BY_THE_CLI.format("db advisors"),
    ("db", "test"): "it is `test db`",
    ("db", "branch"): "DATA_DIR names another database",
    ("db", "lint"): "it needs plpgsql_check, which no package has for this server",
    ("migration", "squash"): _IN_A_CONTAINER.format("migration squash"),
    ("migration", "fetch"): _BY_THE_CLI.format("migration fetch"),
    ("migration", "down"): "`db reset` applies every migration anew",
    ("gen", "signing-key"): "`supabase gen signing-key` makes one for [auth] signing_keys_path",
    ("gen", "bearer-jwt"): "a sign-in gives a token; `keys` shows those of the API roles",
    ("gen", "keys"): "`keys` shows them, and `rotate-keys` makes new ones",
    ("test", "new"): "a test is a file of tests/ in the project's folder",
    ("init",): "`supabase init` makes a project's folder, which is then named by --project",
    ("functions",): _NO_FUNCTIONS,
    ("secrets",): _NO_FUNCTIONS,
    ("inspect",): _BY_THE_CLI.format("inspect db"),
    ("storage",): "supabase-js or an S3 client does it: `status -o env` has the address",
    ("services",): "`status` says which versions run",
    **{(name,): _HOSTED for name in ("link", "unlink", "login", "logout", "projects", "orgs")},
    **{(name,): _HOSTED for name in ("branches", "bootstrap", "domains", "sso", "config")},
    **{(name,): _HOSTED for name in ("backups", "encryption", "network-bans", "snippets")},
    **{(name,): _HOSTED for name in ("network-restrictions", "postgres-config")},
    **{(name,): _HOSTED for name in ("ssl-enforcement", "vanity-subdomains")},
    ("completion",): "there is none: `--help` lists the commands",
    ("telemetry",): "nothing is sent anywhere",
}  # fmt: skip
_TAKES_VALUE = ("--project", "--workdir")
_NOT_HERE = {
    "--linked": _HOSTED,
    "--db-url": "DATABASE_URL names the database that commands work on",
}


def elsewhere(arguments: Sequence[str]) -> str | None:
    """What to do instead of a command or option of the Supabase CLI; None for others."""
    words: list[str] = []
    option = ""
    for argument in arguments:
        if option not in _TAKES_VALUE and not argument.startswith("-"):
            words.append(argument)
        option = argument
    for length in (2, 1):
        if (why := _ELSEWHERE.get(tuple(words[:length]))) is not None:
            return f"`{' '.join(words[:length])}` is not here: {why}"
    options = [each.partition("=")[0] for each in arguments]
    named = next((each for each in options if each in _NOT_HERE), None)
    return f"{named} is not here: {_NOT_HERE[named]}" if words and named else None


def make_parser() -> argparse.ArgumentParser:
    """The parser; `command` is None or one of SERVING or OPERATING."""
    parser = argparse.ArgumentParser(
        prog="compat_stack",
        description="Serve the planner or a Supabase project, and look after its data.",
    )
    parser.set_defaults(command="serve")
    parser.add_argument(
        *_TAKES_VALUE,
        dest="project",
        metavar="DIR",
        help="a Supabase project's folder, served here",
    )
    parser.add_argument(
        "--experimental",
        action="store_true",
        help="a new database has the files of schema_paths in place of the migrations",
    )
    chosen = _Commands(parser)
    for name, meaning in SERVING.items():
        chosen.add_parser(name, help=meaning)
    chosen.add_parser("backup", help="write everything into FILE").add_argument("file")
    chosen.add_parser("pgcrypto", help="bring the embedded database its pgcrypto, by npm")
    _add_running(chosen)
    _add_migration(chosen)
    _add_database(chosen)
    _add_project(chosen)
    restore = chosen.add_parser("restore", help="bring everything back from FILE")
    restore.add_argument("file")
    restore.add_argument("--replace", action="store_true", help="in place of what is there")
    _add_keys(chosen)
    return parser


def _add_running(chosen: _Commands) -> None:
    status = chosen.add_parser(
        "status", help="whether it serves; exit status 0, 1 not ready, 3 not running"
    )
    status.add_argument(
        "-o", "--output", choices=("pretty", "env", "json", "toml", "yaml"),
        help="addresses and keys",
    )  # fmt: skip
    status.add_argument(
        "--override-name", action="append", default=[], metavar="KEY=NAME",
        help="another name of a value: api.url=NEXT_PUBLIC_SUPABASE_URL",
    )  # fmt: skip
    start = chosen.add_parser("start", help="serve in the background")
    start.add_argument("-x", "--exclude", action="append", help="taken, and of no effect")
    start.add_argument("--ignore-health-check", action="store_true", help=argparse.SUPPRESS)
    stop = chosen.add_parser("stop", help="stop what serves")
    stop.add_argument("--no-backup", action="store_true", help="remove the database and files too")


def _add_migration(chosen: _Commands) -> None:
    migration = chosen.add_parser(
        "migration", help="new, up, list, repair: the project's migrations"
    )
    migration.add_argument("action", choices=("new", "up", "list", "repair"))
    migration.add_argument("names", nargs="*", help="of a new one; versions to repair")
    migration.add_argument(
        "--status", choices=("applied", "reverted"), default="applied", help="of repair"
    )
    migration.add_argument("--local", action="store_true", help=argparse.SUPPRESS)


def _add_database(chosen: _Commands) -> None:
    database = chosen.add_parser(
        "db", help="reset: remove the database, migrate and seed it anew; dump: its SQL"
    )
    database.add_argument("action", choices=("reset", "dump"))
    database.add_argument("-f", "--file", metavar="FILE", help="of a dump; standard output")
    database.add_argument("--data-only", action="store_true", help="the rows, without the schema")
    database.add_argument("--schema", "-s", action="append", help="schemas; the project's")
    database.add_argument("--yes", action="store_true", help="also where no project is named")
    database.add_argument("--no-seed", action="store_true", help="without the project's seeds")
    until = database.add_mutually_exclusive_group()
    until.add_argument("--version", metavar="VERSION", help="up to this migration")
    until.add_argument("--last", type=_count, metavar="N", help="without the last N migrations")
    database.add_argument("--local", action="store_true", help=argparse.SUPPRESS)


def _add_project(chosen: _Commands) -> None:
    seed = chosen.add_parser("seed", help="run the seeds that were not run yet, make the buckets")
    seed.add_argument("action", nargs="?", choices=("buckets",), help="the buckets alone")
    tests = chosen.add_parser("test", help="db: run the project's pgTAP tests")
    tests.add_argument("action", choices=("db",))
    tests.add_argument("paths", nargs="*", help="files and folders; the project's tests")
    tests.add_argument("--local", action="store_true", help=argparse.SUPPRESS)
    types = chosen.add_parser("gen", help="types: describe the database's schemas in TypeScript")
    types.add_argument("action", choices=("types",))
    types.add_argument("language", nargs="?", default="typescript", choices=("typescript",))
    types.add_argument("--lang", dest="language", choices=("typescript",))
    types.add_argument("--local", action="store_true", help=argparse.SUPPRESS)
    types.add_argument("--schema", "-s", action="append", help="schemas; those that are exposed")


def _add_keys(chosen: _Commands) -> None:
    rotate = chosen.add_parser("rotate-keys", help="new keys; the signing key unless told else")
    for name in ("signing-keys", "api-keys", "jwt-secret", "all"):
        rotate.add_argument(f"--{name}", action="store_true")
    rotate.add_argument("--retire", action="store_true", help="end all keys replaced earlier")
    rotate.add_argument(
        "--overlap", type=_hours, default=168, metavar="HOURS", help="old keys count for (168)"
    )


class _Commands:
    """The subparsers; each takes `--project` behind its name too."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._chosen = parser.add_subparsers(dest="command", metavar="command")

    def add_parser(self, name: str, help: str) -> argparse.ArgumentParser:  # noqa: A002 — argparse's word
        """Add a command."""
        parser = self._chosen.add_parser(name, help=help)
        parser.add_argument(*_TAKES_VALUE, dest="project", metavar="DIR", default=argparse.SUPPRESS)
        parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
        parser.add_argument(
            "--experimental", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
        return parser


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
        raise argparse.ArgumentTypeError("a whole number")
    return int(text)


def _hours(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _MOST_HOURS:
        raise argparse.ArgumentTypeError(f"a whole number of hours up to {_MOST_HOURS}")
    return int(text)

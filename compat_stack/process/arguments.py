"""The command line's parser: commands, their arguments and their help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

_MOST_HOURS = 8784  # a year
_MOST_DIGITS = 9
SERVING = {
    "serve": "serve until Ctrl-C (the default command)",
    "migrate": "apply new migrations, then exit",
    "keys": "print this installation's keys",
    "check-config": "check the settings and print what follows from them",
}
OPERATING = (
    "backup", "restore", "rotate-keys", "status", "start", "stop", "db", "seed", "test", "gen",
    "migration",
)  # fmt: skip
"""Commands of `compat_stack.operate`."""


_BY_THE_CLI = "use the Supabase CLI with the DATABASE_URL of keys.env: `supabase {} --db-url URL`"
_IN_A_CONTAINER = (
    "it needs a second database, which the Supabase CLI runs in Docker: use the CLI with the"
    " DATABASE_URL of keys.env, `supabase {} --db-url URL`"
)
_HOSTED = "it is for hosted projects: what is served here is a folder, named by --project"
_NO_FUNCTIONS = "functions are not served: run them with the Supabase CLI or Deno"
# Commands and options of the Supabase CLI that are not here, and what to do instead.
_ELSEWHERE: dict[tuple[str, ...], str] = {
    ("db", "push"): "new migrations are applied at the start, and by `migration up`",
    ("db", "start"): "`start` starts the database too",
    ("db", "pull"): _IN_A_CONTAINER.format("db pull"),
    ("db", "diff"): _IN_A_CONTAINER.format("db diff"),
    ("db", "schema"): _IN_A_CONTAINER.format("db schema"),
    ("db", "remote"): _IN_A_CONTAINER.format("db pull"),
    ("db", "query"): "use psql or any client with the DATABASE_URL of keys.env",
    ("db", "advisors"): _BY_THE_CLI.format("db advisors"),
    ("db", "test"): "use `test db`",
    ("db", "branch"): "set DATA_DIR to a new folder to get another database",
    ("db", "lint"): "it needs plpgsql_check, which cannot be had for the embedded server",
    ("migration", "squash"): _IN_A_CONTAINER.format("migration squash"),
    ("migration", "fetch"): _BY_THE_CLI.format("migration fetch"),
    ("migration", "down"): "use `db reset`, which applies every migration again",
    ("gen", "signing-key"): "use `supabase gen signing-key`, for [auth] signing_keys_path",
    ("gen", "bearer-jwt"): "sign in to get a token; `keys` prints those of the API roles",
    ("gen", "keys"): "`keys` prints them, and `rotate-keys` generates new ones",
    ("test", "new"): "add a file to tests/ in the project's folder",
    ("init",): "use `supabase init`, then name the folder by --project",
    ("functions",): _NO_FUNCTIONS,
    ("secrets",): _NO_FUNCTIONS,
    ("inspect",): _BY_THE_CLI.format("inspect db"),
    ("storage",): "use supabase-js or an S3 client: `status -o env` prints the address",
    ("services",): "`status` prints the versions",
    **{(name,): _HOSTED for name in ("link", "unlink", "login", "logout", "projects", "orgs")},
    **{(name,): _HOSTED for name in ("branches", "bootstrap", "domains", "sso", "config")},
    **{(name,): _HOSTED for name in ("backups", "encryption", "network-bans", "snippets")},
    **{(name,): _HOSTED for name in ("network-restrictions", "postgres-config")},
    **{(name,): _HOSTED for name in ("ssl-enforcement", "vanity-subdomains")},
    ("completion",): "there is none: `--help` lists the commands",
    ("telemetry",): "nothing is sent anywhere",
}  # fmt: skip
_ROTATED = {
    "signing-keys": "the key that signs users' tokens",
    "api-keys": "the publishable and secret keys",
    "jwt-secret": "JWT_SECRET, and the anon and service_role keys that it signs",
    "all": "all of these",
}
_TAKES_VALUE = ("--project", "--workdir")
_ONE_FOLDER = "`stop` stops what serves one project: name its folder by --project, or DATA_DIR"
_BY_DATABASE_URL = "DATABASE_URL names the database that commands work on"
_LANGUAGE = "TypeScript alone is written here: " + _BY_THE_CLI.format("gen types --lang={}")
_OWN_DUMP = "use `pg_dump` with the DATABASE_URL of keys.env"
# Options of the Supabase CLI that are not here: everywhere, and of a command.
_NOT_HERE: dict[str, dict[str, str]] = {
    "": {
        "--linked": _HOSTED,
        "--project-ref": _HOSTED,
        "--remote": _BY_DATABASE_URL,
        "--db-url": _BY_DATABASE_URL,
        "--output-format": "`status -o json` prints the values as JSON",
    },
    "db dump": {
        "--dry-run": "a dump changes nothing: leave it out",
        "--role-only": "use `pg_dumpall --roles-only` with the DATABASE_URL of keys.env",
        "--keep-comments": _OWN_DUMP,
        "--use-copy": "rows are written as inserts: leave it out",
        "--exclude": _OWN_DUMP,
        "-x": _OWN_DUMP,
    },
    "db reset": {"--sql-paths": "set sql_paths of [db.seed] in config.toml"},
    "gen types": {
        "--project-id": _HOSTED,
        "--postgrest-v9-compat": "REST is PostgREST 16's: leave it out",
        "--swift-access-control": _LANGUAGE.format("swift"),
        **{f"--lang={each}": _LANGUAGE.format(each) for each in ("go", "swift", "python", "dart")},
    },
    "stop": {"--all": _ONE_FOLDER, "--project-id": _ONE_FOLDER},
}
# Those that change nothing here: what they choose does not exist, or is so anyway.
_IGNORED = ("--debug", "--local", "--yes", "--create-ticket", "--include-all", "--backup")
_IGNORED_WITH_VALUE = (
    "--agent", "--dns-resolver", "--network-id", "--password", "--profile", "--query-timeout",
)  # fmt: skip


def elsewhere(arguments: Sequence[str]) -> str | None:
    """What to do instead of a command or option of the Supabase CLI; None for others."""
    words: list[str] = []
    options: list[str] = []
    option = ""
    for argument in arguments:
        if argument.startswith("-"):
            name, _, value = argument.partition("=")
            options += [name, f"{name}={value}"] if value else [name]
        else:
            options.append(f"{option}={argument}")  # as if it were that option's value
            if option not in _TAKES_VALUE:
                words.append(argument)
        option = argument
    for length in (2, 1):
        if (why := _ELSEWHERE.get(tuple(words[:length]))) is not None:
            return f"`{' '.join(words[:length])}` is not here: {why}"
    known = [
        _NOT_HERE.get(name, {}) for name in ("", words[0] if words else "", " ".join(words[:2]))
    ]
    for each in options if words else ():
        if (why := next((table[each] for table in known if each in table), None)) is not None:
            return f"{each} is not here: {why}"
    return None


def make_parser() -> argparse.ArgumentParser:
    """The parser; `command` is None or one of SERVING or OPERATING."""
    parser = _Parser(
        prog="compat_stack",
        description="Serve the planner or a Supabase project, and look after its data.",
    )
    parser.set_defaults(command="serve")
    parser.add_argument(
        *_TAKES_VALUE,
        dest="project",
        metavar="DIR",
        help="the folder of a Supabase project to serve instead of the planner",
    )
    parser.add_argument(
        "--experimental",
        action="store_true",
        help="make a new database from the files of schema_paths instead of the migrations",
    )
    chosen = _Commands(parser)
    for name, meaning in SERVING.items():
        chosen.add_parser(name, help=meaning)
    backup = chosen.add_parser("backup", help="write database, keys, mailbox and files to FILE")
    backup.add_argument("file", metavar="FILE", help="a new file; an existing one is refused")
    chosen.add_parser("pgcrypto", help="install pgcrypto for the embedded database, by npm")
    _add_running(chosen)
    _add_migration(chosen)
    _add_database(chosen)
    _add_project(chosen)
    restore = chosen.add_parser("restore", help="restore everything from a backup FILE")
    restore.add_argument("file", metavar="FILE", help="a file written by `backup`")
    restore.add_argument(
        "--replace",
        action="store_true",
        help="first move DATA_DIR aside and clear the database of DATABASE_URL",
    )
    _add_keys(chosen)
    return parser


def _add_running(chosen: _Commands) -> None:
    status = chosen.add_parser(
        "status", help="print what runs; exit status 0 ready, 1 not ready, 3 not running"
    )
    status.add_argument(
        "-o", "--output", choices=("pretty", "env", "json", "toml", "yaml"),
        help="print addresses and keys in this form",
    )  # fmt: skip
    status.add_argument(
        "--override-name", action="append", default=[], metavar="KEY=NAME",
        help="rename a value of the output: api.url=NEXT_PUBLIC_SUPABASE_URL",
    )  # fmt: skip
    start = chosen.add_parser("start", help="serve in the background")
    start.add_argument(
        "-x", "--exclude", action="append", help="accepted for the CLI's sake, without effect"
    )
    start.add_argument("--ignore-health-check", action="store_true", help=argparse.SUPPRESS)
    stop = chosen.add_parser("stop", help="stop what `start` or `serve` started")
    stop.add_argument(
        "--no-backup", action="store_true", help="also delete the database and the stored files"
    )


def _add_migration(chosen: _Commands) -> None:
    migration = chosen.add_parser(
        "migration", help="new, up, list or repair the project's migrations"
    )
    migration.add_argument("action", choices=("new", "up", "list", "repair"))
    migration.add_argument(
        "names", nargs="*", help="the name of a new one, or the versions to repair"
    )
    migration.add_argument(
        "--status",
        choices=("applied", "reverted"),
        default="applied",
        help="what `repair` records the versions as",
    )


def _add_database(chosen: _Commands) -> None:
    database = chosen.add_parser(
        "db", help="reset: delete, migrate and seed the database; dump: print it as SQL"
    )
    database.add_argument("action", choices=("reset", "dump"))
    database.add_argument(
        "-f", "--file", metavar="FILE", help="where to write a dump (standard output)"
    )
    database.add_argument("--data-only", action="store_true", help="dump rows only")
    database.add_argument(
        "--schema", "-s", action="append", help="dump these schemas (the project's)"
    )
    database.add_argument("--no-seed", action="store_true", help="do not seed after a reset")
    until = database.add_mutually_exclusive_group()
    until.add_argument("--version", metavar="VERSION", help="reset to this migration")
    until.add_argument(
        "--last", type=_count, metavar="N", help="reset without the last N migrations"
    )


def _add_project(chosen: _Commands) -> None:
    seed = chosen.add_parser("seed", help="run new seeds and make the buckets")
    seed.add_argument("action", nargs="?", choices=("buckets",), help="make the buckets only")
    tests = chosen.add_parser("test", help="db: run the project's pgTAP tests")
    tests.add_argument("action", choices=("db",))
    tests.add_argument("paths", nargs="*", help="files and folders to run (the project's tests)")
    types = chosen.add_parser("gen", help="types: print TypeScript types of the database")
    types.add_argument("action", choices=("types",))
    types.add_argument("language", nargs="?", default="typescript", choices=("typescript",))
    types.add_argument("--lang", dest="language", choices=("typescript",))
    types.add_argument("--schema", "-s", action="append", help="schemas (those exposed by the API)")


def _add_keys(chosen: _Commands) -> None:
    rotate = chosen.add_parser(
        "rotate-keys", help="generate new keys: the signing key, unless others are named"
    )
    for name, meaning in _ROTATED.items():
        rotate.add_argument(f"--{name}", action="store_true", help=meaning)
    rotate.add_argument(
        "--retire", action="store_true", help="stop accepting all keys replaced earlier"
    )
    rotate.add_argument(
        "--overlap",
        type=_hours,
        default=168,
        metavar="HOURS",
        help="how long replaced keys are still accepted (168)",
    )


class _Parser(argparse.ArgumentParser):
    """Refuses in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}; `{self.prog} --help` says what there is\n")


class _Commands:
    """The subparsers; each takes `--project` behind its name too."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._chosen = parser.add_subparsers(dest="command", metavar="command")

    def add_parser(self, name: str, help: str) -> argparse.ArgumentParser:  # noqa: A002 — argparse's word
        """Add a command."""
        parser = self._chosen.add_parser(name, help=help)
        parser.add_argument(*_TAKES_VALUE, dest="project", metavar="DIR", default=argparse.SUPPRESS)
        for option in _IGNORED:
            parser.add_argument(option, action="store_true", help=argparse.SUPPRESS)
        for option in _IGNORED_WITH_VALUE:
            parser.add_argument(option, help=argparse.SUPPRESS)
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

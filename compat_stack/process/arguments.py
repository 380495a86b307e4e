"""The words of the command line: commands, their arguments and their help."""

from __future__ import annotations

import argparse

_MOST_HOURS = 8784  # a year
SERVING = ("serve", "migrate", "keys", "check-config")
OPERATING = (
    "backup", "restore", "rotate-keys", "status", "start", "stop", "db", "seed", "test", "gen",
)  # fmt: skip
"""Commands of `compat_stack.operate`."""


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """The parser of the command line; `command` is None or a name of SERVING or OPERATING."""
    parser = argparse.ArgumentParser(prog="compat_stack", description=description)
    parser.set_defaults(command="serve")
    parser.add_argument("--project", metavar="DIR", help="a Supabase project's folder, served here")
    chosen = _Commands(parser)
    for name in SERVING:
        chosen.add_parser(name)
    chosen.add_parser("backup", help="write everything into FILE").add_argument("file")
    chosen.add_parser("pgcrypto", help="bring the embedded database its pgcrypto, by npm")
    status = chosen.add_parser(
        "status", help="whether it serves; exit status 0, 1 not ready, 3 not running"
    )
    status.add_argument("-o", "--output", choices=("env", "json"), help="addresses and keys")
    chosen.add_parser("start", help="serve in the background")
    chosen.add_parser("stop", help="stop what serves")
    reset = chosen.add_parser("db", help="reset: remove the database, migrate and seed it anew")
    reset.add_argument("action", choices=("reset",))
    reset.add_argument("--yes", action="store_true", help="also where no project is named")
    chosen.add_parser("seed", help="run the seeds that were not run yet, make the buckets")
    tests = chosen.add_parser("test", help="db: run the project's pgTAP tests")
    tests.add_argument("action", choices=("db",))
    types = chosen.add_parser("gen", help="types: describe the database's schemas in TypeScript")
    types.add_argument("action", choices=("types",))
    types.add_argument("language", nargs="?", default="typescript", choices=("typescript",))
    types.add_argument("--schema", "-s", action="append", help="schemas; those that are exposed")
    restore = chosen.add_parser("restore", help="bring everything back from FILE")
    restore.add_argument("file")
    restore.add_argument("--replace", action="store_true", help="in place of what is there")
    rotate = chosen.add_parser("rotate-keys", help="new keys; the signing key unless told else")
    for name in ("signing-keys", "api-keys", "jwt-secret", "all"):
        rotate.add_argument(f"--{name}", action="store_true")
    rotate.add_argument("--retire", action="store_true", help="end all keys replaced earlier")
    rotate.add_argument(
        "--overlap", type=_hours, default=168, metavar="HOURS", help="old keys count for (168)"
    )
    return parser


class _Commands:
    """The commands of a parser; each takes `--project` behind its name too."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._chosen = parser.add_subparsers(dest="command", metavar="command")

    def add_parser(self, name: str, help: str | None = None) -> argparse.ArgumentParser:  # noqa: A002 — argparse's word
        """Another command."""
        parser = self._chosen.add_parser(name, help=help)
        parser.add_argument("--project", metavar="DIR", default=argparse.SUPPRESS)
        return parser


def _hours(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _MOST_HOURS:
        raise argparse.ArgumentTypeError(f"a whole number of hours up to {_MOST_HOURS}")
    return int(text)

"""The command line: serve, migrate, keys, check-config, and the operator's commands.

It imports little, so that a first start makes its database at once; what runs on the database is
named, and loaded while that starts.
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import gc
import importlib
import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType, ModuleType

from compat_base.postgres.faults import DISK_FULL, PgFault, Unavailable
from compat_base.sockets import listen, listen_many
from compat_base.values.errors import OperatorError
from compat_base.values.settings import SettingsError
from compat_stack.data_folder.folder import open_data_folder
from compat_stack.data_folder.private import open_private
from compat_stack.data_folder.restore_mark import refuse_half_restored
from compat_stack.embedded import postgres
from compat_stack.embedded.loopback import usable_port
from compat_stack.embedded.pgcrypto import bring_pgcrypto
from compat_stack.embedded.supervisor import EmbeddedDatabase
from compat_stack.embedded.vault_key import lend_vault_key
from compat_stack.process.output import say
from compat_stack.process.shutdown import DATABASE_SECONDS, Shutdown
from compat_stack.settings import Settings, read_settings

_BUDGET = "compat_stack.services.budget"
_COMMANDS = "compat_stack.commands"
_APP = "compat_stack.app"
_WORKERS = "compat_stack.workers"
_OPERATE = "compat_stack.operate.commands"
_MOST_HOURS = 8784  # a year
_LET_IN_SECONDS = 0.0005
_ending = Shutdown()
_EXPECTED = (OperatorError, PgFault, Unavailable, SettingsError, OSError)


class InUseError(OSError):
    """Another process works on the data folder."""


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run one command and give the process's exit status; failures are one sentence each."""
    os.umask(0o077)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)
    parsed = _parser().parse_args(arguments)
    project = None
    try:
        given = {"SUPABASE_DIR": parsed.project} if parsed.project else {}
        settings = read_settings(dict(environment) | given)
        project = settings.project
        if parsed.command in _STARTING and project is not None:
            for remark in project.remarks:
                say(f"  {remark}")
        if parsed.command in _OPERATOR_COMMANDS:
            operate = importlib.import_module(_OPERATE)
            return operate.run(settings, parsed, operate.Shell(_data_folder, _database))
        if parsed.command == "pgcrypto":
            print(f"pgcrypto is in {bring_pgcrypto()}")
            return 0
        with _data_folder(settings.data_dir):
            refuse_half_restored(settings.data_dir)
            commands[parsed.command or "serve"](settings)
    except KeyboardInterrupt:
        return 130
    except _EXPECTED as error:
        for sentence in explain(error):
            said = project.located(sentence, environment) if project else sentence
            say(f"error: {said}", sys.stderr)
        return 1
    return 0


def explain(error: BaseException) -> tuple[str, ...]:
    """What went wrong and what to do, in whole sentences."""
    if isinstance(error, SettingsError):
        return error.problems
    if isinstance(error, Unavailable):
        return (f"the database cannot be reached ({error}): check DATABASE_URL and the server",)
    if isinstance(error, PgFault) and error.fault.sqlstate == DISK_FULL:
        return (f"the database's disk is full ({error.fault.message}): make room, start again",)
    if isinstance(error, PgFault):
        return (f"the database refused: {error.fault.message}",)
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return (f"the disk is full ({error.filename or 'DATA_DIR'}): make room and start again",)
    if isinstance(error, OSError) and error.filename is not None:
        return (f"{error.filename} cannot be used ({error.strerror}): set DATA_DIR to your folder",)
    return (str(error),)


def _serve(settings: Settings) -> None:
    if settings.workers > 1:
        _serve_workers(settings)
        return
    bound = listen(settings.host, settings.port)
    with _loading(_COMMANDS, _APP) as (loaded, app), _database(settings) as url:
        loaded.result().serve(settings, url, bound, app, signalled=_ending.begin)


def _serve_workers(settings: Settings) -> None:
    sockets = listen_many(settings.host, settings.port, settings.workers)
    with ExitStack() as stack:
        with _loading(_WORKERS, _APP) as (loaded, _):  # no thread is left where it forks
            url = stack.enter_context(_database(settings, is_watched=False))
        loaded.result().serve(settings, url, sockets, ending=_ending, explain=_reason)


def _reason(error: BaseException) -> str | None:
    """An expected failure in whole sentences."""
    return " ".join(explain(error)) if isinstance(error, _EXPECTED) else None


def _migrate(settings: Settings) -> None:
    with _loading(_COMMANDS) as (loaded,), _database(settings) as url:
        loaded.result().migrate_only(settings, url)


def _keys(settings: Settings) -> None:
    with _loading(_COMMANDS) as (loaded,):
        loaded.result().show_keys(settings)


def _check_config(settings: Settings) -> None:
    database = "DATABASE_URL" if settings.database_url else f"embedded, in {settings.data_dir}"
    print(f"address:    {settings.url(settings.port)}")
    print(f"database:   {database}")
    print(f"migrations: {settings.migrations}")
    if settings.project is None:
        print(f"web app:    {settings.website}")
    else:
        print(f"project:    {settings.project.name}, in {settings.project.folder}")
        for line in settings.project.not_served:
            print(f"not served: {line}")
    print(f"mail:       {'SMTP' if settings.has_smtp else 'local mailbox at /mailbox'}")
    with _loading(_BUDGET) as (loaded,):
        print(f"database connections: {loaded.result().budget_of(settings)}")


commands: dict[str, Callable[[Settings], None]] = {
    "serve": _serve,
    "migrate": _migrate,
    "keys": _keys,
    "check-config": _check_config,
}


_STARTING = (None, "serve", "migrate", "check-config", "start", "db")
_OPERATOR_COMMANDS = (
    "backup", "restore", "rotate-keys", "status", "start", "stop", "db", "seed", "test", "gen",
)  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="compat_stack", description=__doc__)
    parser.set_defaults(command="serve")
    parser.add_argument("--project", metavar="DIR", help="a Supabase project's folder, served here")
    chosen = _Commands(parser)
    for name in commands:
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


@contextmanager
def _loading(*modules: str) -> Generator[tuple[Future[ModuleType], ...]]:
    """Modules imported in turn beside the block; what an import raises is in its result."""
    with ThreadPoolExecutor(1, thread_name_prefix="import") as executor:
        yield tuple(executor.submit(_load, module) for module in modules)


def _load(module: str) -> ModuleType:
    """Import a module; as what it makes stays, no collection looks at it, then or later.

    The thread that starts the database, which mostly waits, is let in after half a millisecond
    instead of five.
    """
    interval = sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(_LET_IN_SECONDS)
    try:
        return importlib.import_module(module)
    finally:
        sys.setswitchinterval(interval)
        gc.freeze()
        gc.enable()


@contextmanager
def _database(settings: Settings, *, is_watched: bool = True) -> Generator[str]:
    """The URL of the database for the length of the block; the embedded one stops after it."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    cluster = _cluster(settings)
    database = EmbeddedDatabase(cluster)
    _ending.stop_database = database.stop
    try:
        if not cluster.data.exists():
            say("  making the database")
        lend_vault_key(settings.data_dir, cluster)
        database.start(is_watched=is_watched)
        yield cluster.url()
    except (PgFault, Unavailable) as error:
        if postgres.is_disk_full(cluster):
            message = f"the disk of {settings.data_dir} is full: make room and start again"
            raise postgres.PostgresError(message) from error
        raise
    finally:
        database.stop(DATABASE_SECONDS if _ending.is_begun() else postgres.STOP_SECONDS)


def _cluster(settings: Settings) -> postgres.Cluster:
    folder = settings.data_dir / "postgres"
    found = postgres.embedded_cluster(folder, settings.programs, workers=settings.workers)
    wanted = settings.database_port
    if wanted is None:
        return replace(found, port=postgres.DEFAULT_PORT, has_tcp=False)
    is_ours = found.port == wanted and postgres.running_pid(found) is not None
    port = wanted if is_ours else usable_port(wanted)
    if wanted and port != wanted:
        say(f"  port {wanted} is taken: the database is at {port}")
    return replace(found, port=port, has_tcp=True)


@contextmanager
def _data_folder(folder: Path) -> Generator[None]:
    """The data folder, mode 0700, held by this process alone."""
    descriptor = open_data_folder(folder, say)
    lock = open_private("lock", os.O_RDWR, folder=descriptor)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"another process works on {folder}: stop it, or set another DATA_DIR"
            raise InUseError(message) from error
        yield
    finally:
        os.close(lock)
        os.close(descriptor)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    _ending.begin()
    raise KeyboardInterrupt

"""The operator's commands and a project's, by their names."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from compat_base.values.world import real_world
from compat_stack.archive.backup import back_up
from compat_stack.archive.format import BackupError, read_archive
from compat_stack.archive.programs import Programs
from compat_stack.archive.restore import Target, restore
from compat_stack.commands import migrate_only
from compat_stack.data_folder.replacing import finish_replacing
from compat_stack.data_folder.restore_mark import refuse_half_restored
from compat_stack.data_folder.running import find_running
from compat_stack.embedded import postgres
from compat_stack.keys.rotation import Choice, next_steps, rotate
from compat_stack.migrations.project_data import MigrationTarget
from compat_stack.operate import background
from compat_stack.operate.dump import dumped
from compat_stack.operate.pgtap import run_tests
from compat_stack.operate.project_commands import (
    described,
    last_version,
    migrations_listed,
    new_migration,
    project_of,
    remove_database,
    repair,
    run_seeds,
    test_files,
    upload_files,
)
from compat_stack.operate.status import show_status, show_values
from compat_stack.project.folder import EXPERIMENTAL
from compat_stack.settings import Settings


@dataclass(frozen=True, slots=True)
class CommandContext:
    """What commands get from the command line: the data folder's lock, and the database."""

    hold: Callable[[Path], AbstractContextManager[None]]
    database: Callable[[Settings], AbstractContextManager[str]]


def run(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    """Run one command; gives the exit status. Raises what `failures.explain` knows."""
    return _COMMANDS[arguments.command](settings, arguments, context)


def _back_up(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    file = Path(arguments.file).absolute()
    with _reachable(settings, context) as url:
        print(f"  writing {file}", flush=True)
        back_up(Programs(_programs(settings), url), settings.data_dir, file)
    print(f"  {file} has {file.stat().st_size / 1e6:.1f} MB: database, keys, mailbox, local files")
    return 0


def _restore(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    file = Path(arguments.file).absolute()
    with context.hold(settings.data_dir):
        print(f"  checking {file}", flush=True)
        archive = read_archive(file)
        print(f"  restoring the backup of {archive.header.made_at}", flush=True)
        target = Target(settings, _programs(settings), context.database)
        aside = restore(target, archive, replace=arguments.replace)
    kept = f" What was there before is in {aside}." if aside else ""
    print(f"  Everything is back: start it with `serve`.{kept}")
    return 0


def _rotate(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    names = ("signing_keys", "api_keys", "jwt_secret")
    chosen = [name for name in names if arguments.all or getattr(arguments, name)]
    if not chosen and not arguments.retire:
        chosen = ["signing_keys"]  # what no client has to know of
    if "signing_keys" in chosen and settings.signing_keys is not None:
        raise BackupError(
            f"{settings.signing_keys} has the signing keys: put a new one before the others in it"
        )
    if chosen and settings.jwt_secret is not None:
        raise BackupError("the keys follow from JWT_SECRET in the environment: replace it there")
    choice = Choice(
        **{name: name in chosen for name in names},
        overlap=timedelta(hours=arguments.overlap),
        retire=arguments.retire,
    )
    with context.hold(settings.data_dir):
        refuse_half_restored(settings.data_dir)
        if not (settings.data_dir / "keys.env").exists():
            raise BackupError(f"there are no keys in {settings.data_dir}: set DATA_DIR")
        rotate(settings.data_dir, choice, real_world())
    for line in next_steps(settings.data_dir, choice):
        print(line)
    return 0


def _status(settings: Settings, arguments: Namespace, _context: CommandContext) -> int:
    def programs() -> Programs:
        cluster = postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs)
        return Programs(cluster.programs, settings.database_url or cluster.url())

    output = arguments.output or ("env" if arguments.override_name else "pretty")
    if output != "pretty":
        return show_values(settings, output, arguments.override_name)
    return show_status(settings, programs)


def _start(settings: Settings, _arguments: Namespace, _context: CommandContext) -> int:
    place = {"SUPABASE_DIR": str(settings.project.folder)} if settings.project else {}
    if settings.project is not None and settings.project.schemas:
        place[EXPERIMENTAL] = "true"
    running = background.start(settings, {**os.environ, **place})
    print(f"  {running.url} is served by process {running.pid}.")
    print(
        f"  Keys     {settings.data_dir / 'keys.env'}\n  Log      {settings.data_dir / 'stack.log'}"
    )
    return 0


def _stop(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    was_running = background.stop(settings)
    if arguments.no_backup and settings.data_dir.exists():
        with context.hold(settings.data_dir):
            remove_database(settings)
    print("  It has stopped." if was_running else f"  Nothing serves from {settings.data_dir}.")
    return 0


def _of_database(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    dump = arguments.action == "dump"
    return (_dump if dump else _reset)(settings, arguments, context)


def _dump(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    named = [name for given in arguments.schema or () for name in given.split(",") if name]
    with _reachable(settings, context) as url:
        programs = Programs(_programs(settings), url)
        lines = dumped(programs, is_data=arguments.data_only, schemas=named)
        text = "".join(lines)
    if arguments.file is None:
        sys.stdout.write(text)
    else:
        Path(arguments.file).write_text(text, encoding="utf-8")
    return 0


def _reset(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    if settings.database_url is not None:
        raise BackupError(
            "`db reset` removes the embedded database, and DATABASE_URL names another"
        )
    if settings.project is None and not arguments.yes:
        raise BackupError("`db reset` removes every row: say --yes, or name a project")
    until = last_version(settings.migrations, arguments.version, arguments.last)
    running = find_running(settings.data_dir)
    if running is not None and not background.is_in_background(settings, running):
        raise BackupError(f"process {running.pid} serves in the foreground: stop it first")
    background.stop(settings)
    with context.hold(settings.data_dir):
        remove_database(settings)
        if running is None or arguments.no_seed or until.version is not None:
            with context.database(settings) as url:
                reset = _without_seeds(settings) if arguments.no_seed else settings
                migrate_only(reset, url, until)
    return _start(settings, arguments, context) if running is not None else 0


def _without_seeds(settings: Settings) -> Settings:
    project = settings.project
    return settings if project is None else replace(settings, project=replace(project, seeds=()))


def _seed(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    project = project_of(_without_seeds(settings) if arguments.action == "buckets" else settings)
    with _reachable(settings, context) as url:
        run_seeds(project, url)
    return 0 if upload_files(settings, project) else 1


def _migration(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    project = project_of(settings)
    if arguments.action == "new":
        if len(arguments.names) != 1:
            raise BackupError("`migration new` wants a name, one word or in quotes")
        piped = None if sys.stdin.isatty() else sys.stdin.buffer
        print(f"  {new_migration(project, arguments.names[0], real_world().clock.now(), piped)}")
        return 0
    with _reachable(settings, context) as url:
        if arguments.action == "up":
            migrate_only(settings, url, MigrationTarget(is_chosen=True))
        elif arguments.action == "repair":
            repair(project, url, arguments.names, arguments.status)
        else:
            sys.stdout.write(migrations_listed(project, url))
    return 0


def _describe(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    named = [name for given in arguments.schema or () for name in given.split(",") if name]
    exposed = _listed(settings, "PGRST_DB_SCHEMAS", "public")
    through = _listed(settings, "PGRST_DB_EXTRA_SEARCH_PATH", "public,extensions")
    with _reachable(settings, context) as url:
        sys.stdout.write(described(url, named or ["public", *exposed], through))
    return 0


def _listed(settings: Settings, variable: str, default: str) -> list[str]:
    return [each.strip() for each in settings.environment.get(variable, default).split(",")]


def _test(settings: Settings, arguments: Namespace, context: CommandContext) -> int:
    files = test_files(project_of(settings), [Path(path) for path in arguments.paths])
    if not files:
        print(f"  There are no tests in {project_of(settings).folder / 'tests'}.")
        return 0
    with _reachable(settings, context) as url:
        return 0 if run_tests(files, Programs(_programs(settings), url)) else 1


_COMMANDS: dict[str, Callable[[Settings, Namespace, CommandContext], int]] = {
    "backup": _back_up,
    "gen": _describe,
    "db": _of_database,
    "migration": _migration,
    "seed": _seed,
    "start": _start,
    "stop": _stop,
    "test": _test,
    "restore": _restore,
    "rotate-keys": _rotate,
    "status": _status,
}


@contextmanager
def _reachable(settings: Settings, context: CommandContext) -> Generator[str]:
    """The database's URL; the embedded one is started for the block unless it runs."""
    if settings.database_url is not None:
        refuse_half_restored(settings.data_dir)
        yield settings.database_url
        return
    cluster = postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs)
    if not cluster.data.exists():
        raise BackupError(
            f"there is no database in {settings.data_dir}: start it first, or set DATA_DIR"
        )
    with ExitStack() as held:
        try:
            held.enter_context(context.hold(settings.data_dir))
        except OSError:  # `serve` holds it, and runs the database
            if postgres.running_pid(cluster) is None:
                raise
            yield cluster.url()
            return
        refuse_half_restored(settings.data_dir)
        finish_replacing(settings.data_dir)
        yield held.enter_context(context.database(settings))


def _programs(settings: Settings) -> Path:
    return postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs).programs

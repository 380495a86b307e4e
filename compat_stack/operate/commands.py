"""The operator's commands: backup, restore, rotate-keys, status. `cli` loads this by name."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from compat_base.values.world import real_world
from compat_stack.archive.backup import back_up
from compat_stack.archive.format import BackupError, read_archive
from compat_stack.archive.programs import Programs
from compat_stack.archive.restore import Target, restore
from compat_stack.data_folder.replacing import finish_replacing
from compat_stack.data_folder.restore_mark import refuse_half_restored
from compat_stack.embedded import postgres
from compat_stack.keys.rotation import Choice, next_steps, rotate
from compat_stack.operate.status import show_status
from compat_stack.settings import Settings


@dataclass(frozen=True, slots=True)
class Shell:
    """What the command line lends: the data folder's lock (OSError where held), the database."""

    hold: Callable[[Path], AbstractContextManager[None]]
    database: Callable[[Settings], AbstractContextManager[str]]


def run(settings: Settings, arguments: Namespace, shell: Shell) -> int:
    """Run one command; gives the exit status. Raises what the command line explains."""
    return _COMMANDS[arguments.command](settings, arguments, shell)


def _back_up(settings: Settings, arguments: Namespace, shell: Shell) -> int:
    file = Path(arguments.file).absolute()
    with _reachable(settings, shell) as url:
        print(f"  writing {file}", flush=True)
        back_up(Programs(_programs(settings), url), settings.data_dir, file)
    print(f"  {file} has {file.stat().st_size / 1e6:.1f} MB: database, keys and mailbox")
    return 0


def _restore(settings: Settings, arguments: Namespace, shell: Shell) -> int:
    file = Path(arguments.file).absolute()
    with shell.hold(settings.data_dir):
        print(f"  checking {file}", flush=True)
        archive = read_archive(file)
        print(f"  restoring the backup of {archive.header.made_at}", flush=True)
        target = Target(settings, _programs(settings), shell.database)
        aside = restore(target, archive, replace=arguments.replace)
    kept = f" What was there before is in {aside}." if aside else ""
    print(f"  Everything is back: start it with `serve`.{kept}")
    return 0


def _rotate(settings: Settings, arguments: Namespace, shell: Shell) -> int:
    names = ("signing_keys", "api_keys", "jwt_secret")
    chosen = [name for name in names if arguments.all or getattr(arguments, name)]
    if not chosen and not arguments.retire:
        chosen = ["signing_keys"]  # what no client has to know of
    choice = Choice(
        **{name: name in chosen for name in names},
        overlap=timedelta(hours=arguments.overlap),
        retire=arguments.retire,
    )
    with shell.hold(settings.data_dir):
        refuse_half_restored(settings.data_dir)
        if not (settings.data_dir / "keys.env").exists():
            raise BackupError(f"there are no keys in {settings.data_dir}: set DATA_DIR")
        rotate(settings.data_dir, choice, real_world())
    for line in next_steps(settings.data_dir, choice):
        print(line)
    return 0


def _status(settings: Settings, _arguments: Namespace, _shell: Shell) -> int:
    def programs() -> Programs:
        cluster = postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs)
        return Programs(cluster.programs, settings.database_url or cluster.url())

    return show_status(settings, programs)


_COMMANDS: dict[str, Callable[[Settings, Namespace, Shell], int]] = {
    "backup": _back_up,
    "restore": _restore,
    "rotate-keys": _rotate,
    "status": _status,
}


@contextmanager
def _reachable(settings: Settings, shell: Shell) -> Generator[str]:
    """The database's URL; the embedded one is started for the block unless it runs already."""
    if settings.database_url is not None:
        refuse_half_restored(settings.data_dir)
        yield settings.database_url
        return
    cluster = postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs)
    if not cluster.data.exists():
        raise BackupError(f"there is no database in {settings.data_dir}: set DATA_DIR")
    with ExitStack() as held:
        try:
            held.enter_context(shell.hold(settings.data_dir))
        except OSError:  # `serve` holds it, and runs the database
            if postgres.running_pid(cluster) is None:
                raise
            yield cluster.url()
            return
        refuse_half_restored(settings.data_dir)
        finish_replacing(settings.data_dir)
        yield held.enter_context(shell.database(settings))


def _programs(settings: Settings) -> Path:
    return postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs).programs

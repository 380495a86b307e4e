"""The command line: serve, migrate, keys, check-config."""

from __future__ import annotations

import argparse
import errno
import fcntl
import importlib
import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType

import uvloop

from compat_base.asgi import Lifespan
from compat_base.events import log_sink
from compat_base.faults import PgFault, Unavailable
from compat_base.migrations import MigrationError
from compat_base.server import ListenError, Server, listen, serve
from compat_base.settings import SettingsError
from compat_base.world import World, real_world
from compat_stack import postgres
from compat_stack.keys import Keys, KeysError, load_keys, save_keys
from compat_stack.migrate import MigrateError, migrate
from compat_stack.services import Place
from compat_stack.settings import Settings, read_settings

# Named, not imported: the services take a second to load, which `serve` spends while the database
# starts and the other commands need not spend.
_APP = "compat_stack.app"
_EXPECTED = (
    ListenError,
    postgres.PostgresError,
    MigrateError,
    MigrationError,
    KeysError,
    PgFault,
    Unavailable,
    SettingsError,
    OSError,
)


@dataclass(frozen=True, slots=True)
class Started:
    """A database that answers and is migrated, with the keys that go with it."""

    settings: Settings
    keys: Keys
    database_url: str
    passwords: bytes | None

    def place(self, url: str) -> Place:
        """Where this start runs, once the address is known."""
        return Place(url, self.database_url, self.passwords)


class InUseError(OSError):
    """Another process works on the data folder."""


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run one command and give the process's exit status; failures are one sentence each."""
    signal.signal(signal.SIGTERM, _interrupt)
    command = _parser().parse_args(arguments).command
    try:
        settings = read_settings(environment)
        with _data_folder(settings.data_dir):
            commands[command](settings)
    except KeyboardInterrupt:
        return 130
    except _EXPECTED as error:
        for sentence in explain(error):
            print(f"error: {sentence}", file=sys.stderr)
        return 1
    return 0


def explain(error: BaseException) -> tuple[str, ...]:
    """What went wrong and what to do, in whole sentences."""
    if isinstance(error, SettingsError):
        return error.problems
    if isinstance(error, Unavailable):
        return (f"the database cannot be reached ({error}): check DATABASE_URL and the server",)
    if isinstance(error, PgFault):
        return (f"the database refused: {error.fault.message}",)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return (f"the disk is full ({error.filename or 'DATA_DIR'}): make room and start again",)
    if isinstance(error, OSError) and error.filename is not None:
        return (f"{error.filename} cannot be used ({error.strerror}): set DATA_DIR to your folder",)
    return (str(error),)


def _serve(settings: Settings) -> None:
    bound = listen(settings.host, settings.port)
    url = settings.url(bound.getsockname()[1])
    world = real_world()
    with _loading(_APP) as loaded, _database(settings, world) as started:
        kept = save_keys(
            settings.data_dir, started.keys, url=url, database_url=started.database_url
        )
        observer = log_sink(world.clock, least=settings.log_level)
        place = started.place(url)
        app = Lifespan(
            lambda: loaded.result().open_stack(
                settings, place, started.keys, world=world, observer=observer
            )
        )
        server = Server(app, started=lambda: _announce(settings, url, kept))
        uvloop.run(serve(server, [bound]))
        if app.failure is not None:
            raise app.failure


def _migrate(settings: Settings) -> None:
    with _database(settings, real_world()):
        print("The database is up to date.")


def _keys(settings: Settings) -> None:
    keys = load_keys(settings.data_dir, real_world())
    print(f"SUPABASE_PUBLISHABLE_KEY={keys.publishable}")
    print(f"The secret ones are in {settings.data_dir / 'keys.env'}.")


def _check_config(settings: Settings) -> None:
    database = "DATABASE_URL" if settings.database_url else f"embedded, in {settings.data_dir}"
    print(f"address:    {settings.url(settings.port)}")
    print(f"database:   {database}")
    print(f"migrations: {settings.migrations}")
    print(f"web app:    {settings.website}")
    print(f"mail:       {'SMTP' if settings.has_smtp else 'local mailbox at /mailbox'}")


commands: dict[str, Callable[[Settings], None]] = {
    "serve": _serve,
    "migrate": _migrate,
    "keys": _keys,
    "check-config": _check_config,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="compat_stack", description=__doc__)
    parser.add_argument("command", nargs="?", default="serve", choices=tuple(commands))
    return parser


@contextmanager
def _loading(module: str) -> Generator[Future[ModuleType]]:
    """A module that is being imported beside the block; what its import raises is in the result."""
    with ThreadPoolExecutor(1, thread_name_prefix="import") as executor:
        yield executor.submit(importlib.import_module, module)


@contextmanager
def _database(settings: Settings, world: World) -> Generator[Started]:
    """A migrated database for the length of the block; the embedded one stops after it."""
    keys = load_keys(settings.data_dir, world)
    if settings.database_url is not None:
        passwords = keys.jwt_secret.encode()
        uvloop.run(
            migrate(settings.database_url, settings.migrations, passwords=passwords, progress=_step)
        )
        yield Started(settings, keys, settings.database_url, passwords)
        return
    cluster = postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs)
    try:
        if not cluster.data.exists():
            _step("making the database")
        postgres.start(cluster)
        uvloop.run(migrate(cluster.url(), settings.migrations, progress=_step))
        yield Started(settings, keys, cluster.url(), None)
    finally:
        postgres.stop(cluster)


@contextmanager
def _data_folder(folder: Path) -> Generator[None]:
    """The data folder, made with mode 0700 where it is new, and held by this process alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"another process works on {folder}: stop it, or set another DATA_DIR"
            raise InUseError(message) from error
        yield
    finally:
        os.close(descriptor)


def _announce(settings: Settings, url: str, kept: Path) -> None:
    mail = "" if settings.has_smtp else f"\n  Mail     {url}/mailbox"
    print(
        f"\n  Planes en Pareja is running.\n\n  Open     {url}\n  Keys     {kept}{mail}"
        "\n  Stop     Ctrl-C\n",
        flush=True,
    )


def _step(line: str) -> None:
    print(f"  {line}", flush=True)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt

"""Run this service alone: `python -m storage_compat`, set up by the original's variables."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from functools import partial
from typing import NoReturn

from compat_base.asgi import Lifespan
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.process import exit_process, survive_broken_pipes
from compat_base.server import run
from compat_base.sockets import listen, listen_many
from compat_base.standalone import print_address, print_problems, serve_alone, workers_of
from compat_base.values.errors import OperatorError
from compat_base.values.events import Severity, log_sink
from compat_base.values.settings import SettingsError
from compat_base.values.world import real_world
from compat_base.workers.alone import Alone, WorkerSlot
from compat_base.workers.child import run_apart
from compat_base.workers.cpus import share
from storage_compat.app import open_service
from storage_compat.process.migrate import migrate
from storage_compat.process.orphans import orphans
from storage_compat.settings import Settings, read_settings

_PROGRAM = "storage-compat"


def main() -> NoReturn:
    """Run a command; the exit code is 0 if it succeeded, else 1."""
    survive_broken_pipes()
    exit_process(_main())


def _main() -> int:
    arguments = _parser().parse_args()
    try:
        workers = workers_of(os.environ)
        if workers > 1 and arguments.command in {None, "serve"}:
            return _serve_many(arguments, workers)
        run(_run(arguments, read_settings(os.environ)))
    except SettingsError as error:
        return print_problems(_PROGRAM, *error.problems)
    except (OperatorError, PgFault, Unavailable, OSError) as error:
        return print_problems(_PROGRAM, str(error))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_PROGRAM, description="Serve files.")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve; without a command, migrate first")
    commands.add_parser("migrate", help="bring the database to the schema this service needs")
    clean = commands.add_parser("orphans", help="remove stored bytes that no row names")
    clean.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    return parser


async def _run(arguments: argparse.Namespace, settings: Settings) -> None:
    if arguments.command == "migrate":
        await _migrate(settings)
    elif arguments.command == "orphans":
        await orphans(settings, real_world(), print, is_dry=arguments.dry_run)
    else:
        if arguments.command is None:
            await _migrate(settings)
        await _serve(settings)


async def _migrate(settings: Settings) -> None:
    url = settings.database.direct_url.reveal()
    await migrate(url, lambda name: print(f"applied {name}", flush=True))


def _serve_many(arguments: argparse.Namespace, workers: int) -> int:
    settings = read_settings(os.environ)
    if arguments.command is None:
        run_apart(lambda: run(_migrate(settings)), _explain)
    sockets = listen_many(settings.host, settings.port, workers)

    def work(slot: WorkerSlot) -> None:
        read = read_settings(os.environ)
        size = share(read.database.pool_size, workers)
        run(_serve(replace(read, database=replace(read.database, pool_size=size)), slot))

    return Alone(_PROGRAM, sockets, work, _explain, partial(print_address, sockets[0])).run()


def _explain(error: BaseException) -> str | None:
    expected = (SettingsError, OperatorError, PgFault, Unavailable, OSError)
    return str(error) if isinstance(error, expected) else None


async def _serve(settings: Settings, slot: WorkerSlot | None = None) -> None:
    world = real_world()
    observer = log_sink(world.clock, least=Severity.INFO)
    app = Lifespan(partial(open_service, settings, world=world, observer=observer))
    listening = slot.bound if slot else listen(settings.host, settings.port)
    await serve_alone(app, listening, observer, slot)


if __name__ == "__main__":
    main()

"""Run this service alone: `python -m storage_compat`, set up by the original's variables."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from typing import NoReturn

from compat_base.asgi import Lifespan
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.process import exit_process, survive_broken_pipes
from compat_base.server import Server, run, serve
from compat_base.sockets import listen
from compat_base.values.errors import OperatorError
from compat_base.values.events import Severity, log_sink
from compat_base.values.settings import SettingsError
from compat_base.values.world import real_world
from storage_compat.app import open_service
from storage_compat.process.migrate import migrate
from storage_compat.process.orphans import orphans
from storage_compat.settings import Settings, read_settings


def main() -> NoReturn:
    """Run a command; 0 where it was done, 1 where it could not be."""
    survive_broken_pipes()
    exit_process(_main())


def _main() -> int:
    arguments = _parser().parse_args()
    try:
        run(_run(arguments, read_settings(os.environ)))
    except SettingsError as error:
        for problem in error.problems:
            print(f"storage-compat: {problem}", file=sys.stderr)
        return 1
    except (OperatorError, PgFault, Unavailable, OSError) as error:
        print(f"storage-compat: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="storage-compat", description="Serve files.")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve (the default)")
    commands.add_parser("migrate", help="bring the database to the schema this service needs")
    clean = commands.add_parser("orphans", help="remove stored bytes that no row names")
    clean.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    return parser


async def _run(arguments: argparse.Namespace, settings: Settings) -> None:
    if arguments.command == "migrate":
        await migrate(settings.database.url.reveal(), lambda name: print(f"applied {name}"))
    elif arguments.command == "orphans":
        await orphans(settings, real_world(), print, is_dry=arguments.dry_run)
    else:
        await _serve(settings)


async def _serve(settings: Settings) -> None:
    world = real_world()
    observer = log_sink(world.clock, least=Severity.INFO)
    app = Lifespan(partial(open_service, settings, world=world, observer=observer))
    listening = listen(settings.host, settings.port)
    host, port = listening.getsockname()[:2]
    server = Server(app, started=lambda: print(f"listening on http://{host}:{port}", flush=True))
    await serve(server, [listening])
    if app.failure is not None:
        raise app.failure


if __name__ == "__main__":
    main()

"""Run this service alone: `python -m gotrue_compat`, set up by the original's variables."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from signal import Signals
from typing import NoReturn

from compat_base.asgi import Lifespan
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.process import exit_process, survive_broken_pipes
from compat_base.server import run
from compat_base.sockets import listen, listen_many
from compat_base.standalone import print_address, print_problems, serve_alone, workers_of
from compat_base.values.errors import ApiError, OperatorError
from compat_base.values.events import Observer, Severity, log_sink
from compat_base.values.settings import SettingsError
from compat_base.values.world import real_world
from compat_base.workers.alone import Alone, WorkerSlot
from compat_base.workers.child import run_apart
from compat_base.workers.cpus import share
from gotrue_compat.app.admin import NewUser, create_user, delete_user
from gotrue_compat.app.composition import open_service
from gotrue_compat.app.metered import metered
from gotrue_compat.app.migrate import migrate
from gotrue_compat.app.reload import Opener, Reloader, open_reloader
from gotrue_compat.app.variables import read_variables
from gotrue_compat.features.discovery.flow import VERSION
from gotrue_compat.settings import Settings, read_settings

_PROGRAM = "gotrue-compat"
_LEVELS = {
    "debug": Severity.DEBUG,
    "info": Severity.INFO,
    "warn": Severity.WARNING,
    "warning": Severity.WARNING,
    "error": Severity.ERROR,
    "fatal": Severity.CRITICAL,
}


def main() -> NoReturn:
    """Run a command; the exit code is 0 if it succeeded, else 1."""
    survive_broken_pipes()
    exit_process(_main())


def _main() -> int:
    arguments = _parser().parse_args()
    try:
        if arguments.command == "version":
            print(VERSION)
            return 0
        variables = partial(read_variables, os.environ, arguments.config, arguments.config_dir)
        read = partial(_read, variables)
        workers = workers_of(variables())
        if workers > 1 and arguments.command in {None, "serve"}:
            return _serve_many(arguments, read, workers)
        run(_run(arguments, read))
    except SettingsError as error:
        return print_problems(_PROGRAM, *error.problems)
    except ApiError as error:
        return print_problems(_PROGRAM, error.problem.message)
    except (OperatorError, PgFault, Unavailable, OSError) as error:
        return print_problems(_PROGRAM, str(error))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_PROGRAM, description="Serve authentication.")
    parser.add_argument("-c", "--config", help="a file of variables that override those set")
    parser.add_argument("-d", "--config-dir", help="a folder of such files, their names in .env")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve; without a command, migrate first")
    commands.add_parser("migrate", help="bring the database to the schema this service needs")
    commands.add_parser("version", help="print the version of the original it stands in for")
    admin = commands.add_parser("admin", help="make and delete users")
    audience = argparse.ArgumentParser(add_help=False)
    # `--aud` may stand before or after the action; SUPPRESS keeps a value given before
    for parent in (admin, audience):
        default = "" if parent is admin else argparse.SUPPRESS
        parent.add_argument("-a", "--aud", default=default, help="the user's audience")
    actions = admin.add_subparsers(dest="action", required=True)
    create = actions.add_parser("createuser", parents=[audience], help="make a user")
    create.add_argument("email")
    create.add_argument("password")
    create.add_argument("role", nargs="?", default="")
    create.add_argument("--confirm", action="store_true", help="confirm the address at once")
    create.add_argument("--admin", action="store_true", help="give the first admin role")
    delete = actions.add_parser("deleteuser", parents=[audience], help="delete a user")
    delete.add_argument("user", help="an e-mail address or an id")
    return parser


async def _run(arguments: argparse.Namespace, read: Callable[[], Settings]) -> None:
    settings = read()
    if arguments.command == "migrate":
        await _migrate(settings)
    elif arguments.command == "admin" and arguments.action == "createuser":
        wanted = NewUser(
            arguments.email, arguments.password, arguments.confirm, arguments.admin,
            arguments.role, arguments.aud,
        )  # fmt: skip
        user = await create_user(settings, real_world(), wanted)
        print(f"created {user.email} {user.id}")
    elif arguments.command == "admin":
        user = await delete_user(settings, arguments.user, arguments.aud)
        print(f"deleted {user.email} {user.id}")
    else:
        if arguments.command is None:
            await _migrate(settings)
        await _serve(settings, read)


async def _migrate(settings: Settings) -> None:
    await migrate(settings.database.url.reveal(), lambda name: print(f"applied {name}", flush=True))


def _serve_many(arguments: argparse.Namespace, read: Callable[[], Settings], workers: int) -> int:
    """Serve by several processes, which share what they count by the database."""
    settings = read()
    if settings.api.metrics is not None:
        message = "GOTRUE_METRICS_EXPORTER=prometheus counts one process: set WORKERS=1"
        raise OperatorError(message)
    if arguments.command is None:
        run_apart(lambda: run(_migrate(settings)), _explain)
    sockets = listen_many(settings.api.host, settings.api.port, workers)

    def own() -> Settings:
        found = read()
        pool = share(found.database.pool_size, workers)
        return replace(
            found,
            database=replace(found.database, pool_size=pool),
            limits=replace(found.limits, store="database"),
        )

    number = settings.api.reload_signal
    signals = frozenset[Signals]() if number is None else frozenset({Signals(number)})
    return Alone(
        _PROGRAM, sockets, lambda slot: run(_serve(own(), own, slot)), _explain,
        partial(print_address, sockets[0]), forwarded=signals,
    ).run()  # fmt: skip


def _explain(error: BaseException) -> str | None:
    if isinstance(error, ApiError):
        return error.problem.message
    expected = (SettingsError, OperatorError, PgFault, Unavailable, OSError)
    return str(error) if isinstance(error, expected) else None


async def _serve(
    settings: Settings, read: Callable[[], Settings], slot: WorkerSlot | None = None
) -> None:
    world = real_world()
    observer = log_sink(world.clock, least=_LEVELS.get(settings.log_level, Severity.INFO))
    opener = partial(open_service, world=world, observer=observer)
    reloading = partial(_reloading, settings, read, opener, observer)
    app = Lifespan(lambda: metered(reloading(), settings.api.metrics, observer))
    listening = slot.bound if slot else listen(settings.api.host, settings.api.port)
    await serve_alone(app, listening, observer, slot)


@asynccontextmanager
async def _reloading(
    settings: Settings, read: Callable[[], Settings], opener: Opener, observer: Observer
) -> AsyncGenerator[Reloader]:
    """The service, which reads its settings again at a signal where that is set."""
    number = settings.api.reload_signal
    async with open_reloader(settings, read, opener, observer) as service:
        loop = asyncio.get_running_loop()
        if number is not None:
            loop.add_signal_handler(number, service.request_reload)
        try:
            yield service
        finally:
            if number is not None:
                loop.remove_signal_handler(number)


def _read(variables: Callable[[], Mapping[str, str]]) -> Settings:
    return read_settings(variables())


if __name__ == "__main__":
    main()

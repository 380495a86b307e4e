"""The command line: serve, migrate, keys, check-config, and the operator's commands.

It imports little, so that a first start makes its database at once; modules that need the database
are named, and imported while it starts.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from types import FrameType

from compat_base.process import Shutdown
from compat_base.sockets import listen, listen_many
from compat_stack.data_folder.folder import held_data_folder
from compat_stack.data_folder.restore_mark import refuse_half_restored
from compat_stack.database import running_database
from compat_stack.embedded.pgcrypto import bring_pgcrypto
from compat_stack.process.arguments import OPERATING, elsewhere, make_parser
from compat_stack.process.failures import EXPECTED, explain, sentence_of
from compat_stack.process.loading import loading
from compat_stack.process.output import say
from compat_stack.project.folder import EXPERIMENTAL
from compat_stack.settings import Settings, read_settings

_BUDGET = "compat_stack.services.budget"
_COMMANDS = "compat_stack.commands"
_APP = "compat_stack.app"
_WORKERS = "compat_stack.workers"
_OPERATE = "compat_stack.operate.commands"
_STARTING = (None, "serve", "migrate", "check-config", "start", "db")
_ending = Shutdown()
_hold = partial(held_data_folder, report=say)
_database = partial(running_database, ending=_ending)


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run one command and give the process's exit status; failures are one sentence each."""
    os.umask(0o077)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)
    if (instead := elsewhere(arguments)) is not None:
        say(f"error: {instead}", sys.stderr)
        return 2
    parsed = make_parser().parse_args(arguments)
    project = None
    try:
        given = {"SUPABASE_DIR": parsed.project} if parsed.project else {}
        given |= {EXPERIMENTAL: "true"} if parsed.experimental else {}
        settings = read_settings(dict(environment) | given)
        project = settings.project
        if parsed.command in _STARTING and project is not None:
            for remark in project.remarks:
                say(f"  {remark}")
        if parsed.command in OPERATING:
            operate = importlib.import_module(_OPERATE)
            return operate.run(settings, parsed, operate.CommandContext(_hold, _database))
        if parsed.command == "pgcrypto":
            print(f"pgcrypto is in {bring_pgcrypto()}")
            return 0
        with _hold(settings.data_dir):
            refuse_half_restored(settings.data_dir)
            if parsed.command in {None, "serve"} and settings.workers > 1:
                _serve_workers(settings, lambda: read_settings(dict(environment) | given))
            else:
                commands[parsed.command or "serve"](settings)
    except KeyboardInterrupt:
        return 130
    except EXPECTED as error:
        for sentence in explain(error):
            message = project.located(sentence, environment) if project else sentence
            say(f"error: {message}", sys.stderr)
        return 1
    return 0


def _serve(settings: Settings) -> None:
    bound = listen(settings.host, settings.port)
    with loading(_COMMANDS, _APP) as (loaded, app), _database(settings) as url:
        loaded.result().serve(settings, url, bound, app, signalled=_ending.begin)


def _serve_workers(settings: Settings, reread: Callable[[], Settings]) -> None:
    sockets = listen_many(settings.host, settings.port, settings.workers)
    with ExitStack() as stack:
        with loading(_WORKERS, _APP) as (loaded, _):  # no thread is left where it forks
            url = stack.enter_context(_database(settings, is_watched=False))
        loaded.result().serve(
            settings, url, sockets, ending=_ending, explain=sentence_of, reread=reread
        )


def _migrate(settings: Settings) -> None:
    with loading(_COMMANDS) as (loaded,), _database(settings) as url:
        loaded.result().migrate_only(settings, url)


def _keys(settings: Settings) -> None:
    with loading(_COMMANDS) as (loaded,):
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
    with loading(_BUDGET) as (loaded,):
        print(f"database connections: {loaded.result().budget_of(settings)}")


commands: dict[str, Callable[[Settings], None]] = {
    "serve": _serve,
    "migrate": _migrate,
    "keys": _keys,
    "check-config": _check_config,
}


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    _ending.begin()
    raise KeyboardInterrupt

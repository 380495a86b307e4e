"""Run this service alone: `python -m realtime_compat`, set up by the original's variables."""

from __future__ import annotations

import argparse
import os
from functools import partial
from typing import NoReturn

from compat_base.asgi import Lifespan
from compat_base.process import exit_process, survive_broken_pipes
from compat_base.server import run
from compat_base.sockets import ListenError, listen
from compat_base.standalone import print_problems, serve_alone, workers_of
from compat_base.values.events import log_sink
from compat_base.values.settings import SettingsError
from compat_base.values.world import real_world
from compat_base.workers.child import ChildFailedError
from realtime_compat.app import open_service
from realtime_compat.app.workers import PROGRAM, serve_many
from realtime_compat.settings import Settings, read_settings


def main() -> NoReturn:
    """Serve until SIGINT or SIGTERM; 0 then, 1 where it could not start."""
    survive_broken_pipes()
    exit_process(_main())


def _main() -> int:
    about = "Serve Phoenix channels. Its settings are environment variables: docs/settings.md."
    argparse.ArgumentParser(prog=PROGRAM, description=about).parse_args()
    try:
        settings = read_settings(os.environ)
        workers = workers_of(os.environ)
    except SettingsError as error:
        return print_problems(PROGRAM, *error.problems)
    try:
        if workers > 1:
            read = partial(read_settings, os.environ)
            return serve_many(read, workers, real_world(), _explain)
        run(_serve(settings))
    except (ListenError, ChildFailedError) as error:
        return print_problems(PROGRAM, str(error))
    return 0


def _explain(error: BaseException) -> str | None:
    return str(error) if isinstance(error, (SettingsError, OSError)) else None


async def _serve(settings: Settings) -> None:
    world = real_world()
    observer = log_sink(world.clock)
    app = Lifespan(lambda: open_service(settings, world=world, observer=observer))
    await serve_alone(app, listen(settings.host, settings.port), observer)


if __name__ == "__main__":
    main()

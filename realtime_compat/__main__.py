"""Run this service alone: `python -m realtime_compat`, set up by the original's variables."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from compat_base.asgi import Lifespan
from compat_base.process import exit_process, survive_broken_pipes
from compat_base.server import Server, run, serve
from compat_base.sockets import ListenError, listen
from compat_base.values.events import log_sink
from compat_base.values.settings import SettingsError
from compat_base.values.world import real_world
from realtime_compat.app import open_service
from realtime_compat.settings import Settings, read_settings


def main() -> NoReturn:
    """Serve until SIGINT or SIGTERM; 0 then, 1 where it could not start."""
    survive_broken_pipes()
    exit_process(_main())


def _main() -> int:
    try:
        settings = read_settings(os.environ)
    except SettingsError as error:
        for problem in error.problems:
            print(f"realtime-compat: {problem}", file=sys.stderr)
        return 1
    try:
        run(_serve(settings))
    except ListenError as error:
        print(f"realtime-compat: {error}", file=sys.stderr)
        return 1
    return 0


async def _serve(settings: Settings) -> None:
    world = real_world()
    observer = log_sink(world.clock)
    app = Lifespan(lambda: open_service(settings, world=world, observer=observer))
    listening = listen(settings.host, settings.port)
    host, port = listening.getsockname()[:2]
    server = Server(app, started=lambda: print(f"listening on http://{host}:{port}", flush=True))
    await serve(server, [listening])
    if app.failure is not None:
        raise app.failure


if __name__ == "__main__":
    main()

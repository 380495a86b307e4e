"""Run this service alone: `python -m realtime_compat`, set up by the original's variables."""

from __future__ import annotations

import os
import socket
import sys
from functools import partial
from typing import NoReturn

from compat_base.asgi import Lifespan
from compat_base.process import exit_process, survive_broken_pipes
from compat_base.server import Server, run, serve
from compat_base.sockets import ListenError, listen
from compat_base.values.events import log_sink
from compat_base.values.settings import Reader, SettingsError
from compat_base.values.world import real_world
from compat_base.workers.child import ChildFailedError
from compat_base.workers.cpus import read_workers
from realtime_compat.app import open_service
from realtime_compat.app.workers import serve_many
from realtime_compat.settings import Settings, read_settings


def main() -> NoReturn:
    """Serve until SIGINT or SIGTERM; 0 then, 1 where it could not start."""
    survive_broken_pipes()
    exit_process(_main())


def _main() -> int:
    try:
        settings = read_settings(os.environ)
        reader = Reader(os.environ)
        workers = reader.finish(read_workers(reader))
    except SettingsError as error:
        for problem in error.problems:
            print(f"realtime-compat: {problem}", file=sys.stderr)
        return 1
    try:
        if workers > 1:
            read = partial(read_settings, os.environ)
            return serve_many(read, workers, real_world(), _explain, _announce)
        run(_serve(settings))
    except (ListenError, ChildFailedError) as error:
        print(f"realtime-compat: {error}", file=sys.stderr)
        return 1
    return 0


def _explain(error: BaseException) -> str | None:
    return str(error) if isinstance(error, (SettingsError, OSError)) else None


def _announce(bound: socket.socket) -> None:
    host, port = bound.getsockname()[:2]
    print(f"listening on http://{host}:{port}", flush=True)


async def _serve(settings: Settings) -> None:
    world = real_world()
    observer = log_sink(world.clock)
    app = Lifespan(lambda: open_service(settings, world=world, observer=observer))
    listening = listen(settings.host, settings.port)
    server = Server(app, started=partial(_announce, listening))
    await serve(server, [listening])
    if app.failure is not None:
        raise app.failure


if __name__ == "__main__":
    main()

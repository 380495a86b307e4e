"""The command line: flags, the configuration file, sockets and signals."""

from __future__ import annotations

import asyncio
import os
import sys

from compat_base.asgi import Lifespan
from compat_base.events import Severity, log_sink
from compat_base.server import Server, listen, serve
from compat_base.settings import SettingsError
from compat_base.world import real_world
from rest_compat.app import open_service
from rest_compat.settings import read_settings

_HOSTS = {"!4": "0.0.0.0", "*4": "0.0.0.0", "*": "0.0.0.0", "!6": "::", "*6": "::"}  # noqa: S104 — the original's default


def run() -> int:
    """Serve until told to stop; the exit status."""
    world = real_world()
    try:
        settings = read_settings(os.environ)
    except SettingsError as error:
        print(f"Error in config {error}", file=sys.stderr)
        return 1
    observer = log_sink(world.clock, least=Severity.ERROR)
    host = _HOSTS.get(settings.server_host, settings.server_host)
    app = Lifespan(lambda: open_service(settings, world=world, observer=observer))
    asyncio.run(serve(Server(app), [listen(host, settings.server_port)]))
    return 0

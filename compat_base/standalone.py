"""A service as a process of its own: its workers, its socket, and what it prints."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping

from compat_base.asgi import Lifespan
from compat_base.process import Shutdown
from compat_base.server import Server, serve
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.values.settings import Reader
from compat_base.workers.alone import WorkerSlot
from compat_base.workers.cpus import read_workers


def workers_of(variables: Mapping[str, str]) -> int:
    """How many processes serve. Raises SettingsError."""
    reader = Reader(variables)
    return reader.finish(read_workers(reader))


def print_problems(program: str, *problems: str) -> int:
    """Print why a command could not be done, a line each; its exit status."""
    for problem in problems:
        print(f"{program}: {problem}", file=sys.stderr)
    return 1


def print_address(bound: socket.socket) -> None:
    """Print where the service listens."""
    host, port = bound.getsockname()[:2]
    print(f"listening on http://{host}:{port}", flush=True)


async def serve_alone(
    app: Lifespan, bound: socket.socket, observer: Observer, slot: WorkerSlot | None = None
) -> None:
    """Serve until told to stop; raises what opening or closing the application raised.

    A process whose event loop hangs then is ended at the deadline, or by a second signal.
    A worker reports to its supervisor; without a `slot` the address is printed.
    """
    started = (lambda: print_address(bound)) if slot is None else slot.reporter.ready
    ending = Shutdown()
    async with Supervisor(observer) as tasks:
        if slot is not None:
            slot.keep_alive(tasks)
        server = Server(app, started=started, signalled=lambda _number: ending.begin())
        await serve(server, [bound])
    if app.failure is not None:
        raise app.failure

"""Several workers: what the supervisor's processes do. `cli` loads this by name.

The supervisor holds the data folder, the database and the sockets; worker `i` and its successors
serve socket `i`, so that no connection is lost with one of them.
"""

from __future__ import annotations

import gc
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from compat_base.asgi import Lifespan
from compat_base.server import Server, run
from compat_base.server import serve as serve_on
from compat_base.tasks import Supervisor as Tasks
from compat_base.values.events import log_sink
from compat_base.values.world import World, real_world
from compat_base.workers.board import Board
from compat_base.workers.child import ChildFailedError, Explain, Reporter, run_apart
from compat_base.workers.supervision import Role, Supervision
from compat_base.workers.supervisor import WORKER, Supervisor
from compat_stack.app import open_stack
from compat_stack.commands import announce, passwords_of, prepare, services_of, tools_url
from compat_stack.data_folder.running import recorded
from compat_stack.embedded import postgres
from compat_stack.embedded.supervisor import EmbeddedDatabase
from compat_stack.keys.installation import Keys, load_keys, save_keys
from compat_stack.network.client_address import is_shared_address
from compat_stack.process.output import say
from compat_stack.process.shutdown import Shutdown
from compat_stack.services.service import Place
from compat_stack.settings import Settings

_DATABASE = "database"


@dataclass(frozen=True, slots=True)
class Fleet:
    """What every process of one start shares; made before the forks."""

    settings: Settings
    place: Place
    keys: Keys
    world: World
    sockets: Sequence[socket.socket]
    board: Board

    def roles(self) -> tuple[Role, ...]:
        """The processes beside the supervisor."""
        workers = tuple(Role(WORKER, slot, rolls=True) for slot in range(len(self.sockets)))
        watch = () if self.settings.database_url else (Role(_DATABASE, silent=True),)
        return (*watch, *workers)

    def work(self, role: Role, reporter: Reporter) -> None:
        """Serve the slot's socket until told to stop."""
        for slot, each in enumerate(self.sockets):
            if slot != role.slot:
                each.close()
        observer = log_sink(self.world.clock, least=self.settings.log_level)
        lifespan = Lifespan(
            lambda: open_stack(
                self.settings, self.place, self.keys,
                world=self.world, observer=observer, board=self.board,
                services=services_of(self.settings),
            )
        )  # fmt: skip
        server = Server(
            lifespan,
            limits=self.settings.server_limits,
            started=reporter.ready,
            is_shared=partial(is_shared_address, proxies=self.settings.trusted_proxies),
        )

        async def serving() -> None:
            async with Tasks(observer) as tasks:
                tasks.start(reporter.keep_alive(), "pong")
                await serve_on(server, [self.sockets[role.slot]])

        with suppress(SystemExit):  # what uvicorn raises where the application does not open
            run(serving())
        if lifespan.failure is not None:
            raise lifespan.failure

    def watch_database(self, _role: Role, reporter: Reporter) -> None:
        """Start the embedded database again whenever it dies."""
        for each in self.sockets:
            each.close()
        settings = self.settings
        cluster = postgres.embedded_cluster(
            settings.data_dir / "postgres", settings.programs, workers=settings.workers
        )
        reporter.ready()
        EmbeddedDatabase(cluster).watch()


def serve(
    settings: Settings,
    database_url: str,
    sockets: Sequence[socket.socket],
    *,
    ending: Shutdown,
    explain: Explain,
) -> None:
    """Migrate the database and serve on the sockets until told to stop.

    Raises ChildFailedError where a process cannot start, with its sentence.
    """
    world = real_world()
    keys = load_keys(settings.data_dir, world)
    run_apart(lambda: _migrate(settings, database_url, world), explain)
    url = settings.url(sockets[0].getsockname()[1])
    tools = tools_url(settings, database_url, keys)
    kept = save_keys(settings.data_dir, keys, url=url, database_url=tools or database_url)
    place = Place(url, database_url, passwords_of(settings, keys))
    fleet = Fleet(settings, place, keys, world, sockets, Board(len(sockets)))
    supervisor = Supervisor(
        Supervision(fleet.roles()),
        {WORKER: fleet.work, _DATABASE: fleet.watch_database},
        fleet.board,
        explain,
        started=lambda: announce(settings, url, kept, tools),
        signalled=ending.begin,
        said=lambda line: say(f"error: {line}", sys.stderr),
    )
    gc.collect()
    gc.freeze()  # what the workers share is then never copied to be counted
    with recorded(settings.data_dir, sockets[0], url):
        if supervisor.run():
            raise ChildFailedError("a worker did not end, and was killed")


def _migrate(settings: Settings, database_url: str, world: World) -> None:
    prepare(settings, database_url, world)

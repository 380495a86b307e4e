"""The processes of one start with several workers, and what each role does until its end."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from urllib.parse import parse_qsl, urlsplit

from compat_base.asgi import Lifespan
from compat_base.broker.frames import NODE
from compat_base.broker.server import Broker
from compat_base.server import Server, run
from compat_base.server import serve as serve_on
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer, log_sink
from compat_base.values.world import World
from compat_base.workers.alone import until_terminated
from compat_base.workers.child import Reporter
from compat_base.workers.leadership import Leadership
from compat_base.workers.scoreboard import Scoreboard, Siblings
from compat_base.workers.shared_times import SharedTimes
from compat_base.workers.supervision import Role
from compat_base.workers.supervisor import WORKER, Work
from compat_stack.app import open_stack
from compat_stack.background.listening import Outgoing, work
from compat_stack.commands import services_of
from compat_stack.embedded import postgres
from compat_stack.embedded.supervisor import EmbeddedDatabase
from compat_stack.gateway.website import Asset
from compat_stack.keys.installation import Keys
from compat_stack.mailbox import mailer_of
from compat_stack.network.client_address import is_shared_address
from compat_stack.services.manifest import REALTIME
from compat_stack.services.opened import Dependencies
from compat_stack.services.realtime import open_log, open_machine
from compat_stack.services.service import Deployment, variables_of
from compat_stack.settings import Settings
from realtime_compat.app.workers import BROKER_PAUSE, log_roles, new_switch
from realtime_compat.settings import read_settings as read_realtime

_DATABASE = "database"
_BROKER = "broker"
_LOG = "log"
_BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class Fleet:
    """What the processes of one start share; made before the forks."""

    settings: Settings
    deployment: Deployment
    keys: Keys
    assets: dict[str, Asset]
    world: World
    sockets: Sequence[socket.socket]
    scoreboard: Scoreboard
    broker_socket: socket.socket
    broker: str
    leadership: Leadership = field(default_factory=Leadership)
    writers: SharedTimes = field(default_factory=SharedTimes)

    def roles(self) -> tuple[Role, ...]:
        """The roles of processes beside the supervisor."""
        workers = tuple(Role(WORKER, slot, rolls=True) for slot in range(len(self.sockets)))
        watch = () if self.settings.database_url else (Role(_DATABASE, silent=True),)
        log = log_roles() if REALTIME in services_of(self.settings) else ()
        background = Role(_BACKGROUND, renews=True)
        broker = Role(_BROKER, ends=1, renews=True, pause=BROKER_PAUSE)
        return (*watch, broker, background, *log, *workers)

    def works(self) -> dict[str, Work]:
        """The function of each role."""
        return {
            WORKER: self.work,
            _DATABASE: self.watch_database,
            _BROKER: self.serve_broker,
            _LOG: self.read_log,
            _BACKGROUND: self.work_in_background,
        }

    def work(self, role: Role, reporter: Reporter) -> None:
        """Serve the slot's socket until told to stop."""
        self._keep(self.sockets[role.slot])
        observer = self._observer()
        siblings = Siblings(self.scoreboard, role.slot, self.broker, self.writers)
        lifespan = Lifespan(
            lambda: open_stack(
                self.settings, self.deployment, self.keys,
                world=self.world, observer=observer, siblings=siblings,
                services=services_of(self.settings), assets=self.assets,
            )
        )  # fmt: skip
        server = Server(
            lifespan,
            limits=self.settings.server_limits,
            started=reporter.ready,
            is_shared=partial(is_shared_address, proxies=self.settings.trusted_proxies),
        )

        async def serving() -> None:
            async with Supervisor(observer) as tasks:
                tasks.start(reporter.keep_alive(), "pong")
                await serve_on(server, [self.sockets[role.slot]])

        with lifespan.failing():
            run(serving())

    def watch_database(self, _role: Role, reporter: Reporter) -> None:
        """Restart the embedded database whenever it dies."""
        self._keep()
        settings = self.settings
        found = postgres.embedded_cluster(
            settings.data_dir / "postgres", settings.programs, workers=settings.workers
        )
        given = dict(parse_qsl(urlsplit(self.deployment.database_url).query)).get("port")
        # What the file of a server that is dead no longer says.
        cluster = replace(
            found,
            port=int(given or postgres.DEFAULT_PORT),
            has_tcp=settings.database_port is not None,
        )
        reporter.ready()
        EmbeddedDatabase(cluster).watch()

    def serve_broker(self, _role: Role, reporter: Reporter) -> None:
        """Serve the broker's socket until told to stop."""
        self._keep(self.broker_socket)
        run(self._serve_broker(reporter))

    async def _serve_broker(self, reporter: Reporter) -> None:
        observer, clock = self._observer(), self.world.clock
        name = self.world.entropy.bytes(NODE)
        variables = variables_of(REALTIME, self.settings, self.deployment, self.keys)
        switch = new_switch(read_realtime(variables), name, len(self.sockets), clock.monotonic())
        broker = Broker(switch, clock)
        async with Supervisor(observer) as tasks:
            tasks.start(broker.serve(self.broker_socket), "broker")
            await self._until_terminated(
                open_machine(variables, self._dependencies(observer)), reporter
            )

    def read_log(self, _role: Role, reporter: Reporter) -> None:
        """Stream the log for all workers until told to stop."""
        self._keep()
        variables = variables_of(REALTIME, self.settings, self.deployment, self.keys)
        dependencies = self._dependencies(self._observer())
        run(self._until_terminated(open_log(self.leadership, variables, dependencies), reporter))

    def work_in_background(self, _role: Role, reporter: Reporter) -> None:
        """Run the background worker, once for all workers."""
        self._keep()
        run(self._until_terminated(self._background(), reporter))

    @asynccontextmanager
    async def _background(self) -> AsyncGenerator[None]:
        async with Supervisor(self._observer()) as tasks:
            outgoing = Outgoing(
                self.keys.vapid, mailer_of(self.settings, self.deployment, self.world)
            )
            working = partial(work, self.settings, self.deployment, outgoing, tasks, self.world)
            tasks.keep_running(working, "database workers")
            yield

    def _dependencies(self, observer: Observer) -> Dependencies:
        return Dependencies(self.world, observer, broker=self.broker)

    async def _until_terminated(
        self, opened: AbstractAsyncContextManager[None], reporter: Reporter
    ) -> None:
        await until_terminated(opened, reporter, self._observer())

    def _keep(self, *kept: socket.socket) -> None:
        """Close the sockets of the other slots."""
        for each in (*self.sockets, self.broker_socket):
            if each not in kept:
                each.close()

    def _observer(self) -> Observer:
        return log_sink(self.world.clock, least=self.settings.log_level)

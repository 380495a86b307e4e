"""This service alone by several workers: beside them a broker, and two readers of the log."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from compat_base.asgi import Lifespan
from compat_base.broker.frames import NODE
from compat_base.broker.server import Broker
from compat_base.broker.switch import Expected, Switch
from compat_base.server import run
from compat_base.sockets import listen_many, listen_unix
from compat_base.standalone import print_address, serve_alone
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer, log_sink
from compat_base.values.world import World
from compat_base.workers.alone import Alone, WorkerSlot, until_terminated
from compat_base.workers.child import Explain, Reporter
from compat_base.workers.cpus import share
from compat_base.workers.leadership import Leadership
from compat_base.workers.supervision import Role
from realtime_compat.app.nodes import SESSIONS_GROUP, open_bridge, open_log_reader
from realtime_compat.app.service import open_service
from realtime_compat.cluster.machine import GROUP as WORKERS_GROUP
from realtime_compat.replication.log_protocol import GROUP as LOG_GROUP
from realtime_compat.replication.log_protocol import READERS
from realtime_compat.replication.log_protocol import WORKERS as LOG_TOPIC
from realtime_compat.settings import Settings

PROGRAM = "realtime-compat"
LOG_PAUSE = 0.25  # seconds at most until a dead reader is restarted as a standby
BROKER_PAUSE = 0.1  # seconds until a dead broker is restarted, for which all wait


def log_roles() -> tuple[Role, ...]:
    """The processes that read the log for all workers."""
    return tuple(Role("log", each, pause=LOG_PAUSE) for each in range(READERS))


def new_switch(settings: Settings, name: bytes, workers: int, now: float) -> Switch:
    """A broker's routing, which waits for every worker, and for the bridge where there is one.

    It waits for no reader of the log: one of them may have died too, and the other goes on.
    """
    both = Expected(workers + (1 if settings.redis_url else 0))
    groups = {
        WORKERS_GROUP.to_bytes(): both,
        SESSIONS_GROUP.to_bytes(): both,
        LOG_GROUP.to_bytes(): Expected(workers, LOG_TOPIC),
    }
    return Switch(name, workers, now, groups)


@dataclass(frozen=True, slots=True)
class _Fleet:
    """What the processes share; `read` reads the settings anew for each."""

    read: Callable[[], Settings]
    workers: int
    broker_socket: socket.socket
    broker: str
    leadership: Leadership
    world: World

    def serve(self, slot: WorkerSlot) -> None:
        """Serve a slot's socket."""
        settings = self.read()
        own = replace(
            settings,
            pool_size=share(settings.pool_size, self.workers, 3),
            visibility_pool=share(settings.visibility_pool, self.workers, 1),
            slow_callers_pool=share(settings.slow_callers_pool, self.workers, 1),
        )
        run(self._serve(own, slot))

    async def _serve(self, settings: Settings, slot: WorkerSlot) -> None:
        observer = self._observer()
        app = Lifespan(
            lambda: open_service(settings, world=self.world, observer=observer, broker=self.broker)
        )
        await serve_alone(app, slot.bound, observer, slot)

    def serve_broker(self, _role: Role, reporter: Reporter) -> None:
        """Serve the broker's socket."""
        run(self._serve_broker(reporter))

    async def _serve_broker(self, reporter: Reporter) -> None:
        settings, observer, clock = self.read(), self._observer(), self.world.clock
        name = self.world.entropy.bytes(NODE)
        broker = Broker(new_switch(settings, name, self.workers, clock.monotonic()), clock)
        bridge = open_bridge(settings, self.broker, world=self.world, observer=observer)
        async with Supervisor(observer) as tasks:
            tasks.start(broker.serve(self.broker_socket), "broker")
            await until_terminated(bridge, reporter, observer)

    def read_log(self, _role: Role, reporter: Reporter) -> None:
        """Stream the log for all workers, or stand by."""
        observer = self._observer()
        reader = open_log_reader(
            self.read(), self.broker, self.leadership, world=self.world, observer=observer
        )
        run(until_terminated(reader, reporter, observer))

    def _observer(self) -> Observer:
        return log_sink(self.world.clock)


def serve_many(read: Callable[[], Settings], workers: int, world: World, explain: Explain) -> int:
    """Serve until told to stop; the exit status. Raises ChildFailedError, ListenError."""
    settings = read()
    sockets = listen_many(settings.host, settings.port, workers)
    folder = Path(tempfile.mkdtemp(prefix="realtime-"))  # for its owner alone
    try:
        path = folder / "broker.sock"
        bound = listen_unix(path, 0o600)
        fleet = _Fleet(read, workers, bound, str(path), Leadership(), world)
        more = {
            Role("broker", ends=1, pause=BROKER_PAUSE): fleet.serve_broker,
            **dict.fromkeys(log_roles(), fleet.read_log),
        }
        started = partial(print_address, sockets[0])
        return Alone(PROGRAM, sockets, fleet.serve, explain, started, more).run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)

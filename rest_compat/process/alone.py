"""The service as a process of its own: its sockets and signal handlers."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from signal import SIGUSR1, SIGUSR2

from compat_base.asgi import Endpoint, Lifespan
from compat_base.process import Shutdown
from compat_base.server import Server, serve
from compat_base.server import run as run_to_end
from compat_base.sockets import ListenError, listen, listen_many, listen_unix
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.http import HttpResponse
from compat_base.values.settings import SettingsError
from compat_base.values.world import World, real_world
from compat_base.workers.alone import Alone, WorkerSlot
from compat_base.workers.child import ChildFailedError
from compat_base.workers.cpus import share
from compat_base.workers.shared_times import SharedTimes
from rest_compat.app import Service, http_app, open_parts
from rest_compat.observe.log_format import CurrentLogLevel, log_lines
from rest_compat.process.admin import Admin
from rest_compat.settings import VERSION, Settings

_ANY_IPV4, _ANY_IPV6 = "0.0.0.0", "::"  # noqa: S104 — the original's default is every address
HOSTS = {"!4": _ANY_IPV4, "*4": _ANY_IPV4, "*": _ANY_IPV4, "!6": _ANY_IPV6, "*6": _ANY_IPV6}
_ADMIN_LIMIT = 1024  # bytes: nothing is sent to the admin server


def serve_alone(settings: Settings, reread: Callable[[], Settings], workers: int = 1) -> int:
    """Serve until a signal ends it; the exit status. `reread` reads the settings again."""
    world = real_world()
    level = CurrentLogLevel(settings.log_level)
    observer = log_lines(level, world.clock, sys.stdout, sys.stderr)
    _log(observer, f"Starting PostgREST {VERSION}...")
    try:
        if workers > 1:
            return _serve_many(settings, reread, observer, level, workers)
        return run_to_end(_Alone(settings, reread, world, observer, level).run())
    except (ListenError, ChildFailedError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except asyncio.CancelledError:
        return 0


def _serve_many(
    settings: Settings,
    reread: Callable[[], Settings],
    observer: Observer,
    level: CurrentLogLevel,
    workers: int,
) -> int:
    """Serve by several processes; the first one's has the admin server too."""
    own = partial(_shared, workers=workers)
    admin = _admin_socket(settings)
    bound = _main_sockets(settings, workers)
    writers = SharedTimes()

    def work(slot: WorkerSlot) -> None:
        ours = _Alone(
            own(reread()), lambda: own(reread()), real_world(), observer, level,
            slot, admin if slot.number == 0 else None, writers,
        )  # fmt: skip
        if run_to_end(ours.run()):
            raise ChildFailedError("the service cannot go on")

    return Alone(
        "postgrest-compat", bound, work, _explain, forwarded=frozenset({SIGUSR1, SIGUSR2})
    ).run()


def _shared(settings: Settings, workers: int) -> Settings:
    return replace(settings, pool_size=share(settings.pool_size, workers))


def _explain(error: BaseException) -> str | None:
    if isinstance(error, SettingsError):
        return f"Error in config {error}"
    return str(error) if isinstance(error, (ChildFailedError, OSError)) else None


def _log(observer: Observer, text: str) -> None:
    observer(Observation("message", Severity.INFO, {"text": text}))


class _Alone:
    """The service as a process: admin socket first, the main socket after the first load."""

    def __init__(  # noqa: PLR0913, PLR0917 — each is a decision of its own
        self,
        settings: Settings,
        reread: Callable[[], Settings],
        world: World,
        observer: Observer,
        level: CurrentLogLevel,
        slot: WorkerSlot | None = None,
        admin: socket.socket | None = None,
        writers: SharedTimes | None = None,
    ) -> None:
        self._settings = settings
        self._reread = reread
        self._world = world
        self._observer = observer
        self._level = level
        self._slot = slot
        self._writers = writers
        self._ending = Shutdown()
        self._admin_bound = admin if slot else _admin_socket(settings)
        self._server: Server | None = None
        self._admin_server: Server | None = None

    async def run(self) -> int:
        """Serve until a signal ends it."""
        async with (
            open_parts(
                self._settings,
                world=self._world,
                observer=self._observer,
                reread=self._reread,
                writers=self._writers,
            ) as service,
            Supervisor(self._observer) as tasks,
        ):
            if self._slot is not None:
                self._slot.keep_alive(tasks)
            self._level.of = lambda: service.manager.snapshot.settings.log_level
            self._catch_signals(service)
            async with self._admin_beside(service, self._admin_bound, tasks):
                manager = service.manager
                watcher = tasks.start(self._stop_if_unrecoverable(service), "end")
                await (
                    manager.loaded if self._settings.reuse_port else manager.first_attempt
                ).wait()
                if not manager.unrecoverable.is_set():
                    await self._serve_main(service)
                watcher.cancel()
        return 1 if manager.unrecoverable.is_set() else 0

    async def _stop_if_unrecoverable(self, service: Service) -> None:
        await service.manager.unrecoverable.wait()
        if self._server is not None:
            self._server.stop()

    async def _serve_main(self, service: Service) -> None:
        bound = self._slot.bound if self._slot else _main_sockets(self._settings, 1)[0]
        app = http_app(service, self._observer)
        loop = asyncio.get_running_loop()

        def signalled(number: signal.Signals) -> None:
            self._ending.begin()
            loop.call_soon_threadsafe(self._signalled, number)

        self._server = Server(
            Lifespan(lambda: contextlib.nullcontext(app)),
            started=lambda: self._started(bound),
            signalled=signalled,
        )
        await serve(self._server, [bound])

    def _started(self, bound: socket.socket) -> None:
        _log(self._observer, f"API server listening on {_address(bound)}")
        if self._slot is not None:
            self._slot.reporter.ready()

    def _signalled(self, number: signal.Signals) -> None:
        """Log it, and close the admin server's socket along with the main one."""
        _log(self._observer, f"Received termination unix signal {number.name}")
        if self._admin_server is not None:
            self._admin_server.stop()

    def _is_live(self) -> bool:
        """Whether the main socket is up; a Unix one must still be found under its name."""
        socket_path = self._settings.server_socket
        is_found = socket_path is None or Path(socket_path).exists()
        return is_found and self._server is not None and self._server.started

    @contextlib.asynccontextmanager
    async def _admin_beside(
        self, service: Service, bound: socket.socket | None, tasks: Supervisor
    ) -> AsyncGenerator[None]:
        """The admin server, where it has a socket, for the length of the block."""
        if bound is None:
            yield
            return
        admin = Admin(service, self._is_live)
        app = Endpoint(
            admin.handle,
            limit=_ADMIN_LIMIT,
            too_large=lambda: HttpResponse(413),
            failed=lambda: HttpResponse(500),
            observer=self._observer,
        )
        _log(self._observer, f"Admin server listening on {_address(bound)}")
        server = self._admin_server = Server(
            Lifespan(lambda: contextlib.nullcontext(app)), handles_signals=False
        )
        running = tasks.start(serve(server, [bound]), "admin server")
        try:
            yield
        finally:
            server.should_exit = True
            await running

    def _catch_signals(self, service: Service) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, service.manager.reload_schema)
        loop.add_signal_handler(signal.SIGUSR2, service.manager.reload_config)
        # Until the main server runs and stops gracefully itself, a signal ends the process.
        task = asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._end, number, task)

    def _end(self, number: signal.Signals, task: asyncio.Task[int] | None) -> None:
        self._ending.begin()
        asyncio.get_running_loop().remove_signal_handler(number)
        self._signalled(number)
        if task is not None:
            task.cancel()


def _main_sockets(settings: Settings, count: int) -> list[socket.socket]:
    """One for each worker; a Unix socket is shared by all."""
    if settings.server_socket is not None:
        bound = listen_unix(Path(settings.server_socket), settings.server_socket_mode)
        return [bound, *(bound.dup() for _ in range(count - 1))]
    host = HOSTS.get(settings.server_host, settings.server_host)
    if count > 1:
        return listen_many(host, settings.server_port, count)
    return [listen(host, settings.server_port, reuse_port=settings.reuse_port)]


def _admin_socket(settings: Settings) -> socket.socket | None:
    if settings.admin_socket is not None:
        return listen_unix(Path(settings.admin_socket), settings.admin_socket_mode)
    if settings.admin_port is None:
        return None
    host = HOSTS.get(settings.admin_host, settings.admin_host)
    return listen(host, settings.admin_port)


def _address(bound: socket.socket) -> str:
    name = bound.getsockname()
    if isinstance(name, str):
        return name
    host, port = name[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

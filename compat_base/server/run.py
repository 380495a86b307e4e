"""Run an ASGI application on sockets with uvicorn until told to stop, and end within a bound."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar, cast

import uvicorn
import uvloop
from starlette.types import ASGIApp

from compat_base.server import uvicorn_patches
from compat_base.server.connections import Connections, Phase, Waiting
from compat_base.server.frames import WEBSOCKET_FRAME_LIMIT
from compat_base.server.http_protocol import HttpProtocol
from compat_base.server.signals import signals_in_thread
from compat_base.server.websocket_protocol import SocketProtocol
from compat_base.server_limits import ServerLimits
from compat_base.sockets import BACKLOG
from compat_base.values.networks import is_loopback
from compat_base.values.world import SystemClock

T = TypeVar("T")

_POLL_SECONDS = 0.02
_YOUNG_OBJECTS = 10_000  # made between two collections: at 700 large JSON takes twice as long
FRESH_SECONDS = 0.5  # for a connection without a request yet, when the server is stopped
_ABANDON_SECONDS = 1.0  # for what is left on a loop at its end
_CANCEL_AGAIN_SECONDS = 0.1

uvicorn_patches.install()


class Server(uvicorn.Server):
    """uvicorn's server, stopped by `stop`, SIGINT or SIGTERM with exit status 0.

    `started` is called once it listens. `signalled` is called in a thread with each signal that
    stops it: at once, even while a long turn holds the event loop.

    After SIGTERM it keeps serving for `drain_seconds`, so that a load balancer can notice;
    `draining` is called when this begins (in that thread). Another signal ends it.

    Of two servers in one process, one is given `handles_signals=False`.

    `is_shared` says whether many clients share an address, as behind a proxy: such an address has
    no limit of its own. By default these are the addresses of this machine.

    A stop takes at most the limits' `graceful_seconds`, twice `cancel_seconds` and
    `lifespan_seconds`, whatever the application does. A second stop ends it at once.

    uvicorn itself would raise the signal again after its shutdown, and so end the process before
    other things that it has started (a database) have stopped.
    """

    def __init__(  # noqa: PLR0913 — each is a decision of its own
        self,
        app: ASGIApp,
        *,
        limits: ServerLimits | None = None,
        started: Callable[[], None] = lambda: None,
        signalled: Callable[[signal.Signals], None] = lambda _: None,
        drain_seconds: float = 0.0,
        draining: Callable[[], None] = lambda: None,
        handles_signals: bool = True,
        is_shared: Callable[[str], bool] = is_loopback,
    ) -> None:
        self._limits = limits or ServerLimits()
        super().__init__(
            uvicorn.Config(
                app,
                loop="uvloop",
                http=HttpProtocol,
                ws=SocketProtocol,
                ws_max_size=WEBSOCKET_FRAME_LIMIT,
                # Compression would cost every socket some 40 KB and every frame its own encoding.
                ws_per_message_deflate=False,
                ws_ping_interval=None,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="on",
            )
        )
        self._connections = Connections(self._limits, SystemClock().monotonic, is_shared)
        self.server_state = self._connections
        self._on_started = started
        self._on_signal = signalled
        self._handles_signals = handles_signals
        self._drain_seconds = drain_seconds
        self._on_draining = draining
        self._drained: threading.Timer | None = None  # while it serves on before its end
        self._waiting: asyncio.Timeout | None = None  # for the application to open or close

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then say so; told to stop before, the application is not waited for."""
        gc.freeze()  # objects made so far are permanent: collections skip them
        gc.set_threshold(_YOUNG_OBJECTS)
        async with self._at_most(None):
            await super().startup(sockets)
        if self.started:
            self._on_started()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: close the connections whose time is over."""
        self._connections.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, let requests end, cancel those that do not, close the application.

        A connection that was just accepted has `FRESH_SECONDS` to bring its request: its client
        could not know, and would see it reset while another process serves the address.
        """
        waiting = _accepted(sockets or ())
        for server in self.servers:
            server.close()
        for bound in sockets or ():
            bound.close()
        await self._serve_accepted(waiting)
        state = self._connections
        closing: set[Any] = set()
        fresh_until = asyncio.get_running_loop().time() + FRESH_SECONDS

        def is_done() -> bool:
            is_late = asyncio.get_running_loop().time() >= fresh_until
            for connection in list(state.connections):
                is_fresh = cast("Waiting", connection).phase in {Phase.SILENT, Phase.HEAD}
                if connection not in closing and (is_late or not is_fresh):
                    closing.add(connection)
                    connection.shutdown()
            return not state.connections and not state.tasks

        await self._until(is_done, "graceful")
        for connection in list(state.connections):
            connection.transport.abort()
        await self._until(lambda: not state.connections, "cancel")
        for task in state.tasks:
            task.cancel()  # whose client is gone by now: nothing is to be answered
        await self._until(lambda: not state.tasks, "cancel")
        async with self._at_most(self._limits.lifespan_seconds):
            await self.lifespan.shutdown()

    async def _serve_accepted(self, waiting: Iterable[socket.socket]) -> None:
        """Serve connections that were taken from the kernel by hand."""
        loop = asyncio.get_running_loop()
        state = self._connections
        for connection in waiting:
            with contextlib.suppress(OSError):
                await loop.connect_accepted_socket(
                    lambda: HttpProtocol(self.config, state, self.lifespan.state), connection
                )

    async def _until(self, is_done: Callable[[], bool], step: str) -> None:
        """Wait for something, no longer than the step may take; not where there is no time."""
        seconds = (
            self._limits.graceful_seconds if step == "graceful" else self._limits.cancel_seconds
        )
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        await asyncio.sleep(0)
        while not is_done() and not self.force_exit and loop.time() < end:
            self._connections.sweep()
            await asyncio.sleep(_POLL_SECONDS)

    @contextlib.asynccontextmanager
    async def _at_most(self, seconds: float | None) -> AsyncGenerator[None]:
        """Continue after the time, at once if none is left."""
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0 if self.force_exit else seconds) as self._waiting:
                    yield
        finally:
            self._waiting = None

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop on SIGINT and SIGTERM; a second one does not wait for open requests."""
        if not self._handles_signals:
            yield
            return
        received = partial(self._stop_on, asyncio.get_running_loop())
        try:
            with signals_in_thread((signal.SIGINT, signal.SIGTERM), received):
                yield
        finally:
            if self._drained is not None:
                self._drained.cancel()

    def _stop_on(self, loop: asyncio.AbstractEventLoop, number: signal.Signals) -> None:
        is_drained = number == signal.SIGTERM and self._drain_seconds > 0 and self.started
        if is_drained and self._drained is None:
            self._drained = threading.Timer(self._drain_seconds, self._end_on, (loop, number))
            self._drained.daemon = True
            self._on_draining()
            self._drained.start()
        else:
            self._end_on(loop, number)

    def _end_on(self, loop: asyncio.AbstractEventLoop, number: signal.Signals) -> None:
        if self._drained is not None:
            self._drained.cancel()
        self._on_signal(number)
        loop.call_soon_threadsafe(self.stop)

    def stop(self) -> None:
        """Close the sockets, let running requests finish, and end; at once the second time."""
        self.force_exit = self.should_exit
        self.should_exit = True
        if self._waiting is not None and (self.force_exit or not self.started):
            self._waiting.reschedule(asyncio.get_running_loop().time())


async def serve(server: Server, sockets: Sequence[socket.socket]) -> None:
    """Serve on the sockets until the server is stopped."""
    await server.serve(sockets=list(sockets))


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to its end on uvloop; what it leaves behind is cancelled and waited for only so long.

    The loop's own threads are not waited for; see `compat_base.process.exit_process`.
    """
    loop = uvloop.new_event_loop()
    try:
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(work)
    finally:
        try:
            loop.run_until_complete(_abandon(_ABANDON_SECONDS))
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def _accepted(listening: Iterable[socket.socket]) -> list[socket.socket]:
    """The connections that wait to be accepted: closed with their listener they would be reset."""
    found: list[socket.socket] = []
    for bound in listening:
        bound.setblocking(False)
        with contextlib.suppress(OSError):
            for _ in range(BACKLOG):
                found.append(bound.accept()[0])  # noqa: PERF401 — those before an error count too
    return found


async def _abandon(seconds: float) -> None:
    """End what is left on the loop; what fails meanwhile is not logged, nor what ends too late."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, _context: None)
    end = loop.time() + seconds
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    while tasks and loop.time() < end:
        for task in tasks:
            task.cancel()  # again: each await of what closes connections may wait for the server
        _, tasks = await asyncio.wait(tasks, timeout=_CANCEL_AGAIN_SECONDS)
    if tasks:
        return  # their generators still run, and cannot be closed
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await loop.shutdown_asyncgens()

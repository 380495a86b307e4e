"""Settings reloaded while the service runs (auth reference 14).

Each valid reading is a generation: a whole service of its own. New requests go to the newest; an
older one ends with the requests that began in it. Invalid settings change nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    suppress,
)
from typing import TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send

from compat_base.postgres.faults import Unavailable
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.settings import SettingsError
from gotrue_compat.settings import Settings

_TIMEOUT_SECONDS = 15  # longer than any request may take by default

Opener: TypeAlias = Callable[[Settings], AbstractAsyncContextManager[ASGIApp]]


class Generation:
    """One service, and the number of requests it is serving."""

    def __init__(self, app: ASGIApp, resources: AsyncExitStack) -> None:
        self._app = app
        self._resources = resources
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        self._running += 1
        self._idle.clear()
        try:
            await self._app(scope, receive, send)
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()

    async def end(self) -> None:
        """Wait for the requests, for a while, then close the service."""
        with suppress(TimeoutError):  # requests that still run then lose their database and get 503
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                await self._idle.wait()
        await self._resources.aclose()


class Reloader:
    """Serves by the settings read last."""

    def __init__(
        self, read: Callable[[], Settings], opener: Opener, observer: Observer, tasks: Supervisor
    ) -> None:
        self._read = read
        self._opener = opener
        self._observer = observer
        self._tasks = tasks
        self._requested = asyncio.Event()
        self._current: Generation | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request by the newest settings."""
        if self._current is None:
            message = "no settings have been read"
            raise RuntimeError(message)
        await self._current.serve(scope, receive, send)

    def request_reload(self) -> None:
        """Schedule a reload of the settings; repeated calls before it count once."""
        self._requested.set()

    async def begin(self, settings: Settings) -> None:
        """Open the service by the first settings."""
        self._current = await self._opened(settings)
        self._tasks.start(self._reload_forever(), "reloading")

    async def close(self) -> None:
        """Close the newest service."""
        if self._current is not None:
            await self._current.end()

    async def _reload_forever(self) -> None:
        while True:
            await self._requested.wait()
            self._requested.clear()
            try:
                fresh = await self._opened(self._read())
            except (SettingsError, Unavailable, OSError) as error:
                facts = {"error": str(error)}
                self._observer(Observation("reload_refused", Severity.ERROR, facts))
                continue
            old, self._current = self._current, fresh
            self._observer(Observation("reloaded", Severity.INFO, {}))
            if old is not None:
                self._tasks.start(old.end(), "earlier settings")

    async def _opened(self, settings: Settings) -> Generation:
        resources = AsyncExitStack()
        return Generation(await resources.enter_async_context(self._opener(settings)), resources)


@asynccontextmanager
async def open_reloader(
    settings: Settings, read: Callable[[], Settings], opener: Opener, observer: Observer
) -> AsyncGenerator[Reloader]:
    """The service for the length of the block, by these settings until a reload is requested."""
    async with Supervisor(observer) as tasks:
        reloader = Reloader(read, opener, observer, tasks)
        await reloader.begin(settings)
        try:
            yield reloader
        finally:
            await reloader.close()

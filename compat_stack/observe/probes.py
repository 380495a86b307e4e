"""Liveness, readiness and metrics of the whole stack: `/livez`, `/readyz`, `/metrics`."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from starlette.types import Receive, Scope, Send

from compat_base.asgi import close_socket, send_response
from compat_base.postgres.database import Database, run_script
from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from compat_base.values.http import HttpResponse
from compat_base.values.world import Clock
from compat_base.workers.scoreboard import Scoreboard
from compat_stack.observe.metrics import CONTENT_TYPE
from compat_stack.services.opened import Check

PATHS = frozenset({"/livez", "/readyz", "/metrics"})
_TIMEOUT = 1.0  # seconds for every check
_SEGMENT = 16 * 1024 * 1024  # bytes of a file of PostgreSQL's log, without which it cannot start
_CACHED = 1.0  # seconds that an answer is given again
_JSON = (("content-type", "application/json"), ("cache-control", "no-store"))
_TEXT = (("content-type", "text/plain; charset=utf-8"), ("cache-control", "no-store"))


class Readiness:
    """Runs the readiness checks of every part, at most once a second, with a timeout of a second.

    A check that hangs is not started a second time. While the `scoreboard` says that this node
    drains, it is not ready, whatever the checks find.
    """

    def __init__(
        self,
        checks: Mapping[str, Check],
        tasks: Supervisor,
        clock: Clock,
        *,
        timeout: float = _TIMEOUT,
        scoreboard: Scoreboard | None = None,
    ) -> None:
        self._board = scoreboard
        self._timeout = timeout
        self._checks = checks
        self._tasks = tasks
        self._clock = clock
        self._running: dict[str, asyncio.Task[str | None]] = {}
        self._checking: asyncio.Task[dict[str, str]] | None = None
        self._checked_at = -_CACHED

    async def problems(self) -> dict[str, str]:
        """The parts that are not ready, by name, with the reason."""
        if self._board is not None and self._board.is_draining:
            return {"node": "is about to end"}
        now = self._clock.monotonic()
        if self._checking is None or (self._checking.done() and now >= self._checked_at + _CACHED):
            self._checked_at = now
            self._checking = self._tasks.start(self._check_all(), "readiness")
        return await asyncio.shield(self._checking)

    async def _check_all(self) -> dict[str, str]:
        for name, check in self._checks.items():
            if name not in self._running:
                self._running[name] = self._tasks.start(_reason(check), f"readiness of {name}")
        await asyncio.wait(self._running.values(), timeout=self._timeout)
        found: dict[str, str] = {}
        for name, task in list(self._running.items()):
            if not task.done():
                found[name] = f"no answer within {self._timeout:g} s"
                continue
            del self._running[name]
            reason = "failed" if task.exception() else task.result()
            if reason is not None:
                found[name] = reason
        return found


async def _reason(check: Check) -> str | None:
    try:
        return await check()
    except (PgFault, PoolTimeout, Unavailable):
        return "not reachable"


def database_check(database: Database, folder: Path | None = None) -> Check:
    """Whether the database is up, on a connection of its own; `folder` is an embedded one's.

    A server whose disk is full ends at once and starts when there is room.
    """

    async def check() -> str | None:
        try:
            async with database.acquire() as connection:
                await run_script(connection, "select 1")
        except (PgFault, PoolTimeout, Unavailable):
            if folder is not None and shutil.disk_usage(folder).free < _SEGMENT:
                return "not reachable, its disk is full"
            raise
        return None

    return check


def workers_check(scoreboard: Scoreboard) -> Check:
    """Whether every slot has a ready worker."""

    async def check() -> str | None:
        ready = scoreboard.ready
        return None if ready == scoreboard.slots else f"{ready} of {scoreboard.slots} are ready"

    return check


class Probes:
    """The endpoints of the three paths."""

    def __init__(
        self,
        readiness: Readiness,
        exposition: Callable[[], Awaitable[bytes]],
        admits: Callable[[Scope], Awaitable[bool]],
    ) -> None:
        """`admits`: whether a request is the operator's; metrics are for nobody else."""
        self._readiness = readiness
        self._exposition = exposition
        self._admits = admits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP or WebSocket scope."""
        if scope["type"] == "websocket":
            await close_socket(receive, send)
            return
        if scope["method"] not in {"GET", "HEAD"}:
            await send_response(send, HttpResponse(405, (("allow", "GET, HEAD"),)))
            return
        answer = await self._answer(scope)
        is_head = scope["method"] == "HEAD"
        body = b"" if is_head else answer.body
        await send_response(
            send, HttpResponse(answer.status, answer.headers, body, content_length=not is_head)
        )

    async def _answer(self, scope: Scope) -> HttpResponse:
        if scope["path"] == "/livez":
            return HttpResponse(200, _TEXT, b"ok\n")
        if scope["path"] == "/readyz":
            problems = await self._readiness.problems()
            body = {"status": "not ready" if problems else "ready", "not_ready": problems}
            return HttpResponse(503 if problems else 200, _JSON, jsontext.encode_bytes(body))
        if not await self._admits(scope):
            return HttpResponse(404, (("content-type", "text/plain"),), b"not found")
        return HttpResponse(200, (("content-type", CONTENT_TYPE),), await self._exposition())

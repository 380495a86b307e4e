"""A running service as the stack sees it, and what every service is opened with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Scope

from compat_base.values.events import Observer
from compat_base.values.jwt import RemoteKeys
from compat_base.values.world import World
from compat_base.workers.shared_times import SharedTimes
from compat_stack.services.service import Variables
from gotrue_compat.ports import Mailer

Check = Callable[[], Awaitable[str | None]]
"""The problem with a part of the stack, in a few words; None where it is ready."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What each service is opened with; `mailer` is None where mail goes by SMTP.

    `broker` is the socket of the machine's broker, where this is one of several workers. The
    `remote` keys are those of another issuer whose tokens count. `writers`: who wrote
    recently, shared by all workers.
    """

    world: World
    observer: Observer
    mailer: Mailer | None = None
    broker: str | None = None
    remote: RemoteKeys | None = None
    writers: SharedTimes | None = None


async def _at_once() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Opened:
    """A running service.

    `check` is for `/readyz`; `until_loaded` is awaited before the stack serves. Its metrics for
    `/metrics` are a collector's, or text that it writes itself.
    """

    app: ASGIApp
    check: Check
    collector: Collector | None = None
    metrics_text: Callable[[], str] | None = None
    until_loaded: Callable[[], Awaitable[object]] = _at_once


Opener = Callable[[Variables, Dependencies], AbstractAsyncContextManager[Opened]]
"""Opens a service with its variables, for the length of a block."""


def http_check(app: ASGIApp, path: str) -> Check:
    """Whether a service answers GET of a path with 200, called in this process."""

    async def check() -> str | None:
        statuses: list[int] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(int(message["status"]))

        scope: Scope = {
            "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
            "query_string": b"", "headers": [], "client": None, "scheme": "http",
        }  # fmt: skip
        await app(scope, receive, send)
        return None if statuses == [200] else f"answers {statuses[0] if statuses else 'nothing'}"

    return check

"""A running service as the stack sees it, and what every service is opened with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from prometheus_client.registry import Collector
from starlette.types import ASGIApp

from compat_base.values.events import Observer
from compat_base.values.world import World
from compat_stack.probes import Check
from compat_stack.services.service import Variables
from gotrue_compat.ports import Mailer


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What the stack lends a service; `mailer` is None where mail goes by SMTP."""

    world: World
    observer: Observer
    mailer: Mailer | None = None


async def _at_once() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Opened:
    """A running service.

    `check` is for `/readyz`; `until_loaded` is awaited before the stack serves. Its figures for
    `/metrics` are a collector's, or text that it words itself.
    """

    app: ASGIApp
    check: Check
    collector: Collector | None = None
    metrics_text: Callable[[], str] | None = None
    until_loaded: Callable[[], Awaitable[object]] = _at_once


Opener = Callable[[Variables, Dependencies], AbstractAsyncContextManager[Opened]]
"""Opens a service with its variables, for the length of a block."""

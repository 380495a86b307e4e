"""Prometheus metrics for the service; the library is loaded only if they are on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module

from starlette.types import ASGIApp

from compat_base.values.events import Observer


@asynccontextmanager
async def metered(
    opened: AbstractAsyncContextManager[ASGIApp],
    address: tuple[str, int] | None,
    observer: Observer,
) -> AsyncGenerator[ASGIApp]:
    """Open a service, with metrics if an address for them is set."""
    async with opened as service:
        if address is None:
            yield service
            return
        metrics = import_module("gotrue_compat.app.metrics")
        async with metrics.open_metrics(service, address, observer) as counted:
            yield counted

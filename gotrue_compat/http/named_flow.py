"""A flow that is named instead of imported: its module is loaded at the first call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies

Flow = Callable[[Dependencies, RequestContext, Any], Awaitable[Any]]


@dataclass(slots=True)
class NamedFlow:
    """A flow of a module whose libraries few installations need; loaded in a thread, once."""

    module: str
    name: str
    _flow: Flow | None = None

    def load(self) -> Flow:
        """Load the module and give the flow; AttributeError where it has none of this name."""
        return getattr(import_module(self.module), self.name)

    async def __call__(self, deps: Dependencies, context: RequestContext, body: Any) -> Any:
        """Call the flow."""
        if self._flow is None:
            self._flow = await asyncio.to_thread(self.load)
        return await self._flow(deps, context, body)

"""Events that a thread hands to an event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from compat_base.tasks import call_from_thread

E = TypeVar("E")


def event_sink(events: deque[E], arrived: asyncio.Event) -> Callable[[E], None]:
    """What a thread calls with each event: it is queued, and its reader on this loop is woken."""
    loop = asyncio.get_running_loop()

    def put(event: E) -> None:
        events.append(event)
        call_from_thread(loop, arrived.set)

    return put

"""Events that a thread hands to an event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeVar

E = TypeVar("E")


def event_sink(events: deque[E], arrived: asyncio.Event) -> Callable[[E], None]:
    """What a thread calls with each event: it is queued, and its reader on this loop is woken.

    A thread that PostgreSQL holds up may outlive the loop, which then has no reader to wake.
    """
    loop = asyncio.get_running_loop()

    def put(event: E) -> None:
        events.append(event)
        try:
            loop.call_soon_threadsafe(arrived.set)
        except RuntimeError:
            if not loop.is_closed():
                raise

    return put

"""Events of a thread reach their loop, and are no error once that is closed."""

from __future__ import annotations

import asyncio
from collections import deque

from realtime_compat.replication.thread_events import event_sink


async def test_a_threads_events_come_in_order_and_wake_their_reader():
    events, arrived = deque[int](), asyncio.Event()
    put = event_sink(events, arrived)
    await asyncio.to_thread(lambda: [put(number) for number in range(3)])
    await arrived.wait()
    assert [*events] == [0, 1, 2]


def test_an_event_after_the_end_of_the_loop_is_no_error():
    async def sink():
        return event_sink(deque[int](), asyncio.Event())

    put = asyncio.run(sink())
    put(1)

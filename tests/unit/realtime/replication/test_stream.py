"""The stream's thread: what is asked of it before it starts and after it has ended."""

from __future__ import annotations

import os
import select
import threading
from contextlib import ExitStack

from realtime_compat.replication.stream import Down, Stream, StreamEvent

NOBODY = "host=/nowhere"


def test_a_restart_after_the_end_writes_to_no_descriptor_of_another():
    is_down = threading.Event()

    def report(event: StreamEvent) -> None:
        if isinstance(event, Down):
            is_down.set()

    stream = Stream(NOBODY, ("letters",), lambda: "slot", report)
    stream.start()
    assert is_down.wait(60)
    stream.stop()
    with ExitStack() as closing:
        readers = [pipe(closing) for _ in range(20)]  # one of them has its pipe's number
        stream.restart()
        assert select.select(readers, [], [], 0) == ([], [], [])


def pipe(closing: ExitStack) -> int:
    """A new pipe's end to read from."""
    reader, writer = os.pipe()
    closing.callback(os.close, reader)
    closing.callback(os.close, writer)
    return reader

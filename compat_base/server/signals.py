"""Signals handled in a thread, so that a busy event loop does not delay them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager, suppress
from types import FrameType

_READ_BYTES = 4096
_END = 0  # the number of no signal


@contextmanager
def signals_in_thread(
    numbers: Collection[signal.Signals], handle: Callable[[signal.Signals], None]
) -> Generator[None]:
    """Call `handle` with each of these signals, in a thread, for the length of the block.

    For the main thread alone, as `signal` is. The interpreter writes the number of a signal to its
    wake-up descriptor at once, whatever the main thread does. An event loop has its own there, and
    reads it when the turn is over: signals with other numbers are passed on to that.
    """
    read, write = os.pipe()
    os.set_blocking(write, False)
    # In this order: a signal that comes in between has its handler from before
    loop = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    before = {number: signal.signal(number, _ignore) for number in numbers}
    for number in numbers:
        signal.siginterrupt(number, False)  # nothing is interrupted that would not begin again

    def work() -> None:
        while True:
            for number in os.read(read, _READ_BYTES):
                if number == _END:
                    return
                if number in numbers:
                    handle(signal.Signals(number))
                elif loop >= 0:
                    with suppress(BlockingIOError):  # the loop has enough to be woken by
                        os.write(loop, bytes((number,)))

    thread = threading.Thread(target=work, name="signals", daemon=True)
    thread.start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(loop, warn_on_full_buffer=False)
        os.set_blocking(write, True)
        os.write(write, bytes((_END,)))  # closed, it would be open in a forked process still
        thread.join()
        os.close(write)
        os.close(read)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Without a handler in Python the signal would end the process."""

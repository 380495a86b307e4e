"""Graceful shutdown with a deadline from the first signal on, and at once on a second.

What is open is closed in order as far as that goes. Where a database, a reader or the event loop
hangs, a thread ends the process at the deadline.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable

from compat_base.process import prompt_switching
from compat_stack.process.output import say

CLOSING_SECONDS = 9.0  # for requests, services and their connections
DATABASE_SECONDS = 4.0  # for the embedded database after that
_AT_ONCE_SECONDS = 0.8
_SAYING_SECONDS = 0.2


class Shutdown:
    """The state of a shutdown; `stop_database` takes the seconds it may take."""

    def __init__(self) -> None:
        self.stop_database: Callable[[float], None] = lambda _seconds: None
        self._began: float | None = None

    def begin(self) -> None:
        """Handle a signal: the first starts the clock, another ends the process."""
        if self._began is not None:
            self._end(130, _AT_ONCE_SECONDS)
        self._began = time.monotonic()
        # Not by `threading`, whose locks the code that a signal's handler interrupts may hold
        _thread.start_new_thread(self._watch, ())

    def is_begun(self) -> bool:
        """Whether a signal came."""
        return self._began is not None

    def _watch(self) -> None:
        time.sleep(CLOSING_SECONDS)
        message = f"error: not everything could be closed within {CLOSING_SECONDS:.0f} s"
        self._end(1, DATABASE_SECONDS, message)

    def _end(self, status: int, seconds: float, message: str = "") -> None:
        if message:  # in a thread: the reader may have stopped reading
            saying = threading.Thread(target=say, args=(message, sys.stderr), daemon=True)
            saying.start()
            saying.join(_SAYING_SECONDS)
        # After it: what waited for the database may then be closed, and end the process first.
        with prompt_switching(), contextlib.suppress(Exception):  # beside a loop that never rests
            self.stop_database(seconds)
        os._exit(status)

"""The process around a service: imports, broken pipes, thread switching, shutdown in time."""

from __future__ import annotations

import _thread
import contextlib
import gc
import importlib
import io
import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from types import ModuleType
from typing import Any, NoReturn, TextIO, TypeVar

T = TypeVar("T")

CLOSING_SECONDS = 9.0  # for requests, services and their connections
DATABASE_SECONDS = 4.0  # for an embedded database after that
_AT_ONCE_SECONDS = 0.8
_WRITING_SECONDS = 0.2
THREAD_SECONDS = 1.0
_SWITCH_SECONDS = 0.0005


def import_uncollected(module: str) -> ModuleType:
    """Import a module by name without garbage collections, which would find nothing to free.

    The imported objects are frozen, so later collections skip them. Saves some 50 of 750 ms.
    """
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()


@contextlib.contextmanager
def prompt_switching() -> Generator[None]:
    """Let threads switch every half a millisecond instead of every five during the block.

    Beside a busy thread, an event loop waits that long after each of its system calls.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def switching_promptly(work: Callable[[], T]) -> T:
    """A thread's work, that lets other threads have the interpreter often."""
    with prompt_switching():
        return work()


class _Lenient(io.FileIO):
    """A file whose writes never fail: what nobody reads any more is dropped."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return len(data)


def survive_broken_pipes() -> None:
    """Make standard output and error drop what can no longer be written (EPIPE, a full disk).

    Neither then affects a service's answers or its shutdown. A standard descriptor that was closed
    before the start is opened on /dev/null, so that no socket gets its number.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
    sys.stdout, sys.stderr = _lenient(sys.stdout, 1), _lenient(sys.stderr, 2)


def _lenient(stream: TextIO | None, descriptor: int) -> TextIO:
    if stream is not None:
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    raw = _Lenient(descriptor, "w", closefd=False)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=encoding,
        errors="backslashreplace",
        line_buffering=descriptor == 2 or raw.isatty(),  # noqa: PLR2004 — standard error
    )


def exit_process(status: int) -> NoReturn:
    """End the process with an exit status; threads that still work have a second to end.

    Python itself waits for every thread of an executor, and so for ever where one hangs.
    """
    last = threading.Timer(THREAD_SECONDS, os._exit, (status,))
    last.daemon = True
    last.start()
    sys.exit(status)


class Shutdown:
    """Graceful shutdown with a deadline from the first signal on, and at once on a second.

    What is open is closed in order as far as that goes. Where a database, a reader or the event
    loop hangs, a thread ends the process at the deadline: within 15 s in all. `stop_database` takes
    the seconds it may take.
    """

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
            writing = threading.Thread(target=_write, args=(message,), daemon=True)
            writing.start()
            writing.join(_WRITING_SECONDS)
        # After it: what waited for the database may then be closed, and end the process first.
        with prompt_switching(), contextlib.suppress(Exception):  # beside a loop that never rests
            self.stop_database(seconds)
        os._exit(status)


def _write(message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()

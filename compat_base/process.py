"""The process around a service: imports, broken pipes survived, threads and what they hold up."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import sys
import threading
from collections.abc import Callable, Generator
from types import ModuleType
from typing import Any, NoReturn, TextIO, TypeVar

T = TypeVar("T")

THREAD_SECONDS = 1.0
_SWITCH_SECONDS = 0.0005


def import_uncollected(module: str) -> ModuleType:
    """Import a module by its name without garbage collections, which find nothing in what stays.

    What was made is frozen: no later collection looks at it either. Some 50 ms less of 750.
    """
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()


@contextlib.contextmanager
def prompt_switching() -> Generator[None]:
    """Let other threads have the interpreter after half a millisecond, for the length of the block.

    By default they wait for five, each time that they come back from a system call: an event loop
    beside a thread that works does so for each socket.
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

    A service's answers and its end then depend on neither. A descriptor that was closed before the
    start is opened on /dev/null, so that no socket takes its number.
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

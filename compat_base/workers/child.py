"""A forked process: its signals, its reports to the supervisor, its end."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

from compat_base.values.errors import OperatorError

PONG_SECONDS = 1.0
READY, PONG, FAILED = b"r", b"p", b"f"  # each a byte; what follows the last is the reason
_REASON_BYTES = 2048  # a pipe takes so many at once
_PR_SET_PDEATHSIG = 1


class ChildFailedError(OperatorError):
    """A child could not do its work: its own sentence."""


class Reporter:
    """The child's end of a pipe to its supervisor."""

    def __init__(self, pipe: int) -> None:
        os.set_blocking(pipe, False)
        self._pipe = pipe

    def ready(self) -> None:
        """Report that this process serves."""
        self._write(READY)

    def failed(self, reason: str) -> None:
        """Report why it ends."""
        self._write(FAILED + reason.encode()[:_REASON_BYTES])

    async def keep_alive(self) -> None:
        """Send heartbeats for as long as the event loop runs; never returns."""
        while True:
            self._write(PONG)
            await asyncio.sleep(PONG_SECONDS)

    def _write(self, message: bytes) -> None:
        with suppress(OSError):  # a supervisor that is stopped reads nothing
            os.write(self._pipe, message)


Explain = Callable[[BaseException], str | None]
"""A failure that is expected, as a sentence; None for any other."""


def run_child(work: Callable[[Reporter], None], pipe: int, parent: int, explain: Explain) -> None:
    """Do the work of a freshly forked process, and end it: this never returns.

    It is in a process group of its own, so that Ctrl-C reaches its supervisor alone, and is killed
    when that one dies. SIGTERM ends it unless the work takes that signal itself.
    """
    status = 1
    try:
        os.setpgid(0, 0)
        _die_with(parent)
        reporter = Reporter(pipe)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())
        try:
            work(reporter)
            status = 0
        except SystemExit:  # told to end while it started
            reporter.failed("")
        except BaseException as error:  # noqa: BLE001 — nothing may return into the supervisor
            sentence = explain(error)
            if sentence is None:
                traceback.print_exc()
            reporter.failed(sentence or "")
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def run_apart(work: Callable[[], None], explain: Explain) -> None:
    """Run a function in a process of its own, and wait. Raises ChildFailedError."""
    read, write = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if not pid:
        os.close(read)
        run_child(lambda _reporter: work(), write, parent, explain)
    os.close(write)
    try:
        with os.fdopen(read, "rb") as pipe:
            message = pipe.read()
    except BaseException:
        os.kill(pid, signal.SIGTERM)
        raise
    finally:
        status = os.waitpid(pid, 0)[1]
    if status:
        raise ChildFailedError(
            message.removeprefix(FAILED).decode("utf-8", "replace") or "it failed"
        )


def _die_with(parent: int) -> None:
    """Be killed when the parent dies; at once where it is dead already."""
    with suppress(OSError, AttributeError):  # Linux alone has it
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)

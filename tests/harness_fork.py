"""Our programs as processes, forked from one that has imported them: a start without its imports.

For tests of what a program does once it runs. Where its very start is what is tested, or it runs by
another Python or from another place, `subprocess` starts it.
"""

from __future__ import annotations

import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

ROOT = Path(__file__).resolve().parents[1]
_starting = threading.Lock()


class Program:
    """A running program, with those names of `subprocess.Popen` that tests use."""

    def __init__(
        self, args: Sequence[str], pid: int, reports: socket.socket, stdout: IO[str] | None
    ) -> None:
        self.args = args
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None
        self._reports = reports
        weakref.finalize(self, reports.close)

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once it has ended. Raises subprocess.TimeoutExpired."""
        status = self._ended(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.stdout is not None:
            self.stdout.close()
        self.wait()

    def _ended(self, seconds: float | None) -> int | None:
        # Peeked at, so that whoever else waits reads it too.
        if self.returncode is None and select.select([self._reports], [], [], seconds)[0]:
            self.returncode = int(self._reports.recv(16, socket.MSG_PEEK))
        return self.returncode


def start_program(
    arguments: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path = ROOT,
    stdout: IO[str] | IO[bytes] | None = None,
    stderr: IO[str] | IO[bytes] | None = None,
) -> Program:
    """Start `python -m` with arguments, the first of which is one of ours: `compat_stack`, ….

    Output goes to a pipe where no file is given, and errors to where the output goes.
    """
    read, write = (None, stdout.fileno()) if stdout else os.pipe()
    errors = stderr.fileno() if stderr else write
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    request = {"arguments": [*arguments], "environment": dict(env), "folder": str(cwd)}
    with theirs, open(os.devnull) as nothing:  # noqa: PTH123
        given = [nothing.fileno(), write, errors, theirs.fileno()]
        socket.send_fds(_fork_server(), [json.dumps(request).encode()], given)
    if read is not None:
        os.close(write)
    pid = ours.recv(16)
    assert pid, "the fork server ended"
    output = None if read is None else open(read, encoding="utf-8")  # noqa: PTH123, SIM115
    return Program(arguments, int(pid), ours, output)


def run_program(
    arguments: Sequence[str], *, env: Mapping[str, str], timeout: float, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run such a program to its end. Raises subprocess.TimeoutExpired, and kills it then."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        program = start_program(arguments, env=env, cwd=cwd, stdout=output, stderr=errors)
        try:
            status = program.wait(timeout)
        finally:
            program.kill()
        for stream in (output, errors):
            stream.seek(0)
        return subprocess.CompletedProcess(arguments, status, output.read(), errors.read())


def _fork_server() -> socket.socket:
    with _starting:
        return _started()[1]


@functools.cache
def _started() -> tuple[subprocess.Popen[bytes], socket.socket]:
    """This process's fork server, which ends with it, and where it is asked."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
            cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    return server, ours

"""Runs the whole stack as its users do: a process, a data folder, an address."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from compat_stack.keys.installation import parse_env
from gotrue_compat.settings.limits import LIMITS
from tests.harness_fork import ROOT, Program, run_program, start_program
from tests.harness_template import give_database

START_SECONDS = 180  # on a busy machine; it takes two
END_SECONDS = 120
# As people start it, for tests of the start itself; other tests start a fork, in half the time.
BY_ITSELF = (sys.executable, "-m", "compat_stack", "serve")
# For rings that sign hundreds of people up and in from one address
ROOMY = {f"GOTRUE_{limit.variable}": "off" for limit in LIMITS.values()} | {
    "GOTRUE_RATE_LIMIT_HASH_QUEUE_CALLER": "128"
}
_ADDRESS = re.compile(r"(?:Open|API) +(https?://\S+)")
_LAST_LINE = re.compile(r" *Stop +")


class StackFailedError(AssertionError):
    """The process ended, or said nothing, before it was running."""


@dataclass
class Stack:
    """A running `python -m compat_stack serve`."""

    process: Program | subprocess.Popen[str]
    url: str
    data_dir: Path
    listener: threading.Thread
    output: list[str] = field(default_factory=list)

    @property
    def keys(self) -> dict[str, str]:
        """The installation's keys file."""
        return parse_env((self.data_dir / "keys.env").read_text())

    @property
    def database_pid(self) -> int:
        """The embedded database's first process; 0 in the moments when it has none."""
        with suppress(OSError, ValueError, IndexError):  # its file is replaced as a server starts
            file = self.data_dir / "postgres/data/postmaster.pid"
            return int(file.read_text().split()[0])
        return 0

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; gives the exit status."""
        self.process.send_signal(number)
        status = self.process.wait(timeout=END_SECONDS)
        self.listener.join()
        return status


def environment(**values: str) -> dict[str, str]:
    """This process's environment without the settings that a developer may have in it."""
    names = (
        "PORT",
        "DATA_DIR",
        "DATABASE_URL",
        "BIND_HOST",
        "PUBLIC_URL",
        "MIGRATIONS_DIR",
        "DATABASE_PORT",
        "DATABASE_PASSWORD",
        "TRUSTED_PROXIES",
        "JWT_SECRET",
        "DRAIN_SECONDS",
    )
    services = ("GOTRUE_", "PGRST_", "API_", "REALTIME_", "SUPABASE_")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in names and not name.startswith(services)
    }
    return kept | values


def start_stack(
    data_dir: Path,
    *,
    program: Sequence[str] = (),
    cwd: Path = ROOT,
    is_database_given: bool = True,
    **values: str,
) -> Stack:
    """Start the stack on a free port and wait until it says where it is.

    In a new folder it finds a copy of the database that it would have made, unless told otherwise.
    It is forked from a process that has imported it, unless there is a `program`: `BY_ITSELF`.
    """
    if is_database_given:
        give_database(data_dir, values)
    process = _serve(data_dir, program=program, cwd=cwd, **values)
    assert process.stdout is not None
    printed: list[str] = []
    found: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    listener = threading.Thread(target=_listen, args=(process.stdout, printed, found), daemon=True)
    listener.start()
    return Stack(process, _await_address(process, printed, found), data_dir, listener, printed)


def run_stack(data_dir: Path, *arguments: str, **values: str) -> subprocess.CompletedProcess[str]:
    """Run a command that is expected to end by itself."""
    return run_program(
        ["compat_stack", *arguments],
        env=environment(**{"PORT": "0", "DATA_DIR": str(data_dir), **values}),
        timeout=START_SECONDS,
    )


def kill_stack_at(step: str, data_dir: Path) -> None:
    """Start the stack and kill it as soon as it names a step; what it started itself lives on."""
    with _serve(data_dir) as process:
        assert process.stdout is not None
        assert any(step in line for line in process.stdout)
        process.kill()


@contextmanager
def interrupted_stack(
    step: str, data_dir: Path, number: signal.Signals
) -> Iterator[Program | subprocess.Popen[str]]:
    """Start the stack and send it a signal as soon as it names a step."""
    with _serve(data_dir) as process:
        assert process.stdout is not None
        assert any(step in line for line in process.stdout)
        process.send_signal(number)
        yield process
        process.kill()


def _serve(
    data_dir: Path, *, program: Sequence[str] = (), cwd: Path = ROOT, **values: str
) -> Program | subprocess.Popen[str]:
    given = {"PORT": "0", "DATA_DIR": str(data_dir), "REALTIME_IDLE_TIMEOUT": "600"}
    variables = environment(**(given | values))
    if not program:
        return start_program(["compat_stack", "serve"], cwd=cwd, env=variables)
    return subprocess.Popen(
        program,
        cwd=cwd,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _listen(output: IO[str], printed: list[str], found: queue.SimpleQueue[str | None]) -> None:
    """Read to the end, so that a full pipe never stops the process; tells the address, or None."""
    with output:
        for line in output:
            printed.append(line)
            if _LAST_LINE.match(line):
                found.put(_ADDRESS.search("".join(printed))[1])
    found.put(None)


def _await_address(
    process: Program | subprocess.Popen[str],
    printed: list[str],
    found: queue.SimpleQueue[str | None],
) -> str:
    try:
        address = found.get(timeout=START_SECONDS)
    except queue.Empty:
        address = None
    if address is None:
        process.kill()
        process.wait()
        raise StackFailedError("".join(printed) or "the stack said nothing")
    return address

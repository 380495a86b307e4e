"""PostgreSQL processes as the system shows them: alive, and of which data folder."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def is_server(pid: int, data: Path) -> bool:
    """Whether a process is a PostgreSQL of a data folder; True where /proc does not show it."""
    try:
        program = (_PROC / str(pid) / "cmdline").read_bytes().partition(b"\0")[0]
    except OSError:
        return not _PROC.joinpath("self").exists()
    if program.partition(b":")[0].rpartition(b"/")[2] != b"postgres":
        return False
    try:
        return (_PROC / str(pid) / "cwd").samefile(data)
    except OSError:
        return False


def servers_of(data: Path) -> tuple[int, ...]:
    """All processes of a data folder's server, also where its postmaster was killed."""
    try:
        folder, names = data.stat(), os.listdir(_PROC)  # noqa: PTH208 — for speed
    except FileNotFoundError:
        return ()
    # The working folder is one system call, and leaves few of hundreds of processes.
    numbers = [int(name) for name in names if name.isdecimal() and _works_in(name, folder)]
    return tuple(pid for pid in numbers if is_server(pid, data) and is_alive(pid))


def send(number: signal.Signals, pids: Iterable[int]) -> None:
    """Send a signal to processes; those that have ended are skipped."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _works_in(pid: str, folder: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(f"{_PROC}/{pid}/cwd"), folder)  # noqa: PTH116 — for speed
    except OSError:
        return False


def _is_zombie(pid: int) -> bool:
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False

"""The embedded PostgreSQL: one cluster in a folder, started, taken over and stopped.

It listens on a Unix socket that trusts its owner; given a port, also by TCP on loopback, with a
password, because any user of the machine can connect to a port.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable

from compat_base.values.errors import OperatorError
from compat_stack.data_folder.private import open_private
from compat_stack.embedded.cluster import (
    DEFAULT_PORT,
    SUPERUSER,
    Cluster,
    embedded_cluster,
    is_disk_full,
    listening_at,
    log_of,
    running_pid,
    socket_record,
)
from compat_stack.embedded.configuration import configure
from compat_stack.embedded.initdb import initialise, rename_superuser, superuser_record
from compat_stack.embedded.processes import is_alive, send, servers_of
from compat_stack.embedded.programs import (
    DISK_FULL,
    DiskFullError,
    PostgresError,
    run_program,
    server_user,
)
from compat_stack.embedded.server_log import LOG_BYTES, rotate_log

__all__ = [
    "DEFAULT_PORT",
    "STOP_SECONDS",
    "SUPERUSER",
    "Cluster",
    "PostgresError",
    "bound_log",
    "embedded_cluster",
    "is_disk_full",
    "log_of",
    "running_pid",
    "start",
    "stop",
]

STOP_SECONDS = 10.0
_START_SECONDS = 30
# The signals of a shutdown in turn, and each one's share of the time.
_ENDINGS = ((signal.SIGINT, 0.7), (signal.SIGQUIT, 0.15), (signal.SIGKILL, 0.15))


def start(cluster: Cluster, *, is_wanted: Callable[[], bool] = lambda: True) -> None:
    """Make the cluster if it is new, and start it unless it runs already. Raises PostgresError.

    A server left running by a killed process is taken over. `is_wanted` is polled while the server
    starts: waiting ends as soon as it is false.
    """
    _check_programs(cluster)
    if not cluster.data.exists():
        initialise(cluster)
    pid = running_pid(cluster)
    if pid is not None and not superuser_record(cluster).exists():
        stop(cluster)  # left running by an earlier version, whose superuser had another name
        pid = None
    if pid is not None and listening_at(cluster.data) != (cluster.port, cluster.has_tcp):
        stop(cluster)
        pid = None
    if pid is None:
        send(signal.SIGKILL, servers_of(cluster.data))  # what a killed server left holds its memory
        configure(cluster)
        rename_superuser(cluster)
        log_size = log_of(cluster).stat().st_size if log_of(cluster).exists() else 0
        pid = _launch(cluster)
        _await_ready(cluster, pid, log_size, is_wanted)
    else:
        send(signal.SIGCONT, servers_of(cluster.data))
        _await_ready(cluster, pid, 0, is_wanted)


def stop(cluster: Cluster, *, seconds: float = STOP_SECONDS) -> None:
    """Stop the server: sessions are ended, everything committed is on disk, its socket is gone.

    Shutdown is fast, then immediate, at last by SIGKILL: the next start then recovers from the log.
    Raises PostgresError where it still runs after the seconds.
    """
    for number, share in _ENDINGS:
        pid, left = running_pid(cluster), servers_of(cluster.data)
        if pid is None and not left:
            break
        every = {*left, *([] if pid is None else [pid])}
        send(signal.SIGCONT, every)
        send(number, every if pid is None or number is signal.SIGKILL else [pid])
        _await_end(every, seconds * share)
    else:
        if running_pid(cluster) is not None:
            raise PostgresError(f"PostgreSQL in {cluster.data} did not end in {seconds:.0f} s")
    with contextlib.suppress(OSError):  # a folder in which there is anything else stays
        cluster.sockets.rmdir()
        socket_record(cluster.data.parent).unlink(missing_ok=True)


def bound_log(cluster: Cluster, limit: int = LOG_BYTES) -> bool:
    """Rotate the server's log where it is longer than so many bytes; whether it was."""
    with contextlib.suppress(OSError, OperatorError):  # a full disk: it grows no more either
        return rotate_log(log_of(cluster), limit, owner=server_user())
    return False


def _check_programs(cluster: Cluster) -> None:
    if not (cluster.programs / "initdb").exists():
        raise PostgresError(f"no PostgreSQL programs in {cluster.programs}: set PG_BIN to theirs")


def _launch(cluster: Cluster) -> int:
    """Start the server as a daemon in its own session, away from Ctrl-C; gives its process id."""
    log = open_private(log_of(cluster), os.O_WRONLY | os.O_APPEND, owner=server_user())
    try:
        return int(
            run_program(
                "sh", "-c", '"$0" -D "$1" < /dev/null >&2 & echo $!',
                str(cluster.programs / "postgres"), str(cluster.data),
                failure="PostgreSQL could not be started", errors=log,
            )
        )  # fmt: skip
    finally:
        os.close(log)


def _await_ready(cluster: Cluster, pid: int, log_size: int, is_wanted: Callable[[], bool]) -> None:
    """Wait until the server's PID file says that it is ready.

    `log_size` is the length of its log before.
    """
    deadline = time.monotonic() + _START_SECONDS
    while is_wanted() and not _is_ready(cluster, pid):
        if not is_alive(pid) or time.monotonic() > deadline:
            log = log_of(cluster)
            if DISK_FULL in log.read_bytes()[log_size:].decode("utf-8", "replace"):
                message = f"the disk of {cluster.data} is full: make room and start again"
                raise DiskFullError(message)
            raise PostgresError(f"PostgreSQL did not start; {log} says why")
        time.sleep(0.005)


def _is_ready(cluster: Cluster, pid: int) -> bool:
    try:
        lines = (cluster.data / "postmaster.pid").read_text().splitlines()
    except OSError:
        return False
    return lines[:1] == [str(pid)] and [line.strip() for line in lines[7:8]] == ["ready"]


def _await_end(pids: set[int], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)

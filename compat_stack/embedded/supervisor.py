"""Supervision of the embedded database: one that dies is restarted with backoff."""

from __future__ import annotations

import errno
import sys
import threading
import time
from collections.abc import Callable

from compat_base.values.errors import OperatorError
from compat_stack.embedded import postgres
from compat_stack.embedded.programs import DiskFullError
from compat_stack.embedded.server_log import LOG_BYTES
from compat_stack.process.output import say

_POLL_SECONDS = 0.5
_FIRST_DELAY = 0.5  # seconds before the second attempt; each later one waits twice as long
_LONGEST_DELAY = 30.0
_STEADY_SECONDS = 60.0  # a server that ran for so long is no part of a crash loop
_JOIN_SECONDS = 2.0


class EmbeddedDatabase:
    """Starts a cluster, restarts it when it dies, and stops it."""

    def __init__(
        self,
        cluster: postgres.Cluster,
        report: Callable[[str], None] = lambda line: say(line, sys.stderr),
        *,
        log_bytes: int = LOG_BYTES,
    ) -> None:
        self._cluster = cluster
        self._log_bytes = log_bytes
        self._report = report
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self.watch, name="postgres", daemon=True)

    def start(self, *, is_watched: bool = True) -> None:
        """Start the server, and a thread that restarts it. Raises PostgresError."""
        postgres.start(self._cluster)
        if is_watched:
            self._thread.start()

    def stop(self, seconds: float = postgres.STOP_SECONDS) -> None:
        """Stop the thread, then the server. Raises PostgresError."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_SECONDS)
        postgres.stop(self._cluster, seconds=seconds)

    def watch(self) -> None:
        """Restart the server whenever it dies, until told to stop."""
        delay, since, is_reported = _FIRST_DELAY, time.monotonic(), False
        is_full = False
        while not self._ending.wait(_POLL_SECONDS):
            postgres.bound_log(self._cluster, self._log_bytes)
            if postgres.running_pid(self._cluster) is not None:
                if is_reported and time.monotonic() - since > _STEADY_SECONDS:
                    delay, is_reported, is_full = _FIRST_DELAY, False, False
                continue
            if not is_reported:
                log = postgres.log_of(self._cluster)
                self._report(f"error: PostgreSQL ended: it is started again; {log} may say why")
            elif self._ending.wait(delay):
                return
            else:
                delay = min(delay * 2, _LONGEST_DELAY)
            is_reported = True
            try:
                postgres.start(self._cluster, is_wanted=lambda: not self._ending.is_set())
            except (OperatorError, OSError) as error:
                if is_disk_full(error) and not is_full:
                    is_full = True
                    self._report(
                        f"error: the disk of {self._cluster.data} is full: make room, and"
                        " PostgreSQL is started again"
                    )
            since = time.monotonic()


def is_disk_full(error: OperatorError | OSError) -> bool:
    """Whether a server does not start because its disk takes no more."""
    if isinstance(error, OSError):
        return error.errno in {errno.ENOSPC, errno.EDQUOT}
    return isinstance(error, DiskFullError)

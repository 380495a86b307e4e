"""`start` and `stop`: the stack in the background, as a daemon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from compat_base.process import CLOSING_SECONDS, DATABASE_SECONDS
from compat_base.values.errors import OperatorError
from compat_stack.data_folder.folder import open_data_folder
from compat_stack.data_folder.private import open_private
from compat_stack.data_folder.running import Running, find_running
from compat_stack.embedded.processes import is_alive
from compat_stack.process.output import say
from compat_stack.settings import Settings

LOG = "stack.log"
_STARTED = "background"  # holds the number of the process that `start` started
_START_SECONDS = 120.0
_STOP_SECONDS = CLOSING_SECONDS + DATABASE_SECONDS + 5.0
_POLL_SECONDS = 0.05


class BackgroundError(OperatorError):
    """The stack did not start or stop: one sentence that says where to look."""


def start(settings: Settings, environment: Mapping[str, str]) -> Running:
    """Serve in the background, and wait until it is ready. Raises BackgroundError."""
    running = find_running(settings.data_dir)
    if running is not None:
        return running
    folder = open_data_folder(settings.data_dir, say)
    log = open_private(LOG, os.O_WRONLY | os.O_TRUNC, folder=folder)
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "compat_stack", "serve"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=dict(environment), start_new_session=True,
        )  # fmt: skip
        # Without a draft: the child, which holds the folder by now or soon, removes drafts.
        record = open_private(_STARTED, os.O_WRONLY | os.O_TRUNC, folder=folder)
        with os.fdopen(record, "w", encoding="ascii") as file:
            file.write(str(child.pid))
    finally:
        os.close(log)
        os.close(folder)
    return _await_serving(settings.data_dir, child)


def stop(settings: Settings) -> bool:
    """Stop the process that serves from the data folder; whether there was one."""
    running = find_running(settings.data_dir)
    if running is None:
        return False
    os.kill(running.pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_SECONDS
    while is_alive(running.pid):
        if time.monotonic() > deadline:
            message = f"process {running.pid} did not end in {_STOP_SECONDS:.0f} s"
            raise BackgroundError(message)
        time.sleep(_POLL_SECONDS)
    (settings.data_dir / _STARTED).unlink(missing_ok=True)
    return True


def is_in_background(settings: Settings, running: Running) -> bool:
    """Whether the process that serves was started by `start`."""
    try:
        return (settings.data_dir / _STARTED).read_text(encoding="ascii") == str(running.pid)
    except (OSError, UnicodeDecodeError):
        return False


def _await_serving(data_dir: Path, child: subprocess.Popen[bytes]) -> Running:
    deadline = time.monotonic() + _START_SECONDS
    log = data_dir / LOG
    while time.monotonic() < deadline:
        running = find_running(data_dir)
        if running is not None and running.pid == child.pid and _has_announced(log):
            return running
        if child.poll() is not None:
            raise BackgroundError(_last_error(log))
        time.sleep(_POLL_SECONDS)
    raise BackgroundError(
        f"it does not serve after {_START_SECONDS:.0f} s; {log} says how far it is"
    )


def _has_announced(log: Path) -> bool:
    """Whether it has printed its address: it listens from a little earlier on."""
    return "Stop     Ctrl-C" in log.read_text(encoding="utf-8", errors="replace")


def _last_error(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    reasons = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return reasons[-1] if reasons else f"it ended; {log} may say why"

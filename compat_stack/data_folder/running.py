"""The PID file of `serve`: `server.json`, written while it listens, read by `status`."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from compat_base.values import jsontext
from compat_stack.data_folder.private import write_private

_NAME = "server.json"
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 — compared, not listened on


@dataclass(frozen=True, slots=True)
class Running:
    """A process that serves: its number, its address on this machine, the one for people."""

    pid: int
    address: str
    url: str
    since: str


@contextmanager
def recorded(data_dir: Path, bound: socket.socket, url: str) -> Generator[None]:
    """Write `server.json` for this process and its socket, for the length of the block."""
    name, port = bound.getsockname()[:2]
    host = str(_EVERYWHERE.get(name, name))
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    since = datetime.now(UTC).isoformat(timespec="seconds")
    values = {"pid": os.getpid(), "address": address, "url": url, "since": since}
    path = data_dir / _NAME
    write_private(path, jsontext.encode(values))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def find_running(data_dir: Path) -> Running | None:
    """The process that serves from a data folder, if any."""
    try:
        running = Running(**jsontext.decode_object((data_dir / _NAME).read_bytes()))
    except (OSError, TypeError, jsontext.InvalidJsonError):
        return None
    try:
        os.kill(running.pid, 0)
    except OSError as error:
        return running if error.errno == errno.EPERM else None  # another user's
    return running

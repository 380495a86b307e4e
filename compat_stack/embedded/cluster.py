"""A cluster: its programs, data, socket and log, and the server that runs in it.

The socket's folder is inside the cluster's, or, where its path is too long for a socket, a fresh
one with a random name; the file `socket_folder` keeps that name.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from compat_stack.data_folder.private import is_private_folder, keeps_names
from compat_stack.embedded.processes import is_alive, is_server
from compat_stack.embedded.programs import DISK_FULL, server_user, wheel_programs

SUPERUSER = "supabase_admin"
DEFAULT_PORT = 5432
_CONNECTIONS = 100
_WORKER_CONNECTIONS = 20  # the least that its pools need, and some for people
_SOCKET_PATH_LIMIT = 90  # bytes; sockaddr_un holds 107, and `/.s.PGSQL.5432` must fit in too
_LAST_WORDS = 4096  # bytes of the log


@dataclass(frozen=True, slots=True)
class Cluster:
    """The paths of a cluster: programs, data and the socket's folder.

    `port` names the socket too; `has_tcp`: it also listens at that port of 127.0.0.1.
    """

    programs: Path
    data: Path
    sockets: Path
    durable: bool = True
    connections: int = _CONNECTIONS
    port: int = DEFAULT_PORT
    has_tcp: bool = False

    def url(self, database: str = "postgres", user: str = SUPERUSER) -> str:
        """The connection URL of a database for a user, whom the socket trusts."""
        port = "" if self.port == DEFAULT_PORT else f"&port={self.port}"
        place = f"host={quote(str(self.sockets))}{port}"
        return f"postgresql://{quote(user)}@/{quote(database)}?{place}"


def embedded_cluster(
    folder: Path, programs: Path | None = None, *, durable: bool = True, workers: int = 1
) -> Cluster:
    """The cluster in a folder; `programs` replaces the wheel's own executables.

    It allows connections for so many workers. One that runs keeps the port that it has.
    """
    data = folder / "data"
    running = listening_at(data)
    return Cluster(
        programs or wheel_programs(),
        data,
        _socket_folder(folder),
        durable,
        connections=max(_CONNECTIONS, _WORKER_CONNECTIONS * workers),
        port=running[0] if running else DEFAULT_PORT,
        has_tcp=running is not None and running[1],
    )


def listening_at(data: Path) -> tuple[int, bool] | None:
    """The port in the PID file of a data folder, and whether it listens by TCP."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        return int(lines[3]), bool(lines[5].strip())
    except (OSError, ValueError, IndexError):
        return None


def running_pid(cluster: Cluster) -> int | None:
    """The process number of the cluster's running server, if any."""
    try:
        lines = (cluster.data / "postmaster.pid").read_text().splitlines()
        pid = int(lines[0])
    except (OSError, ValueError, IndexError):
        return None
    return pid if is_alive(pid) and is_server(pid, cluster.data) else None


def is_disk_full(cluster: Cluster) -> bool:
    """Whether the end of the server's log says that its disk is full."""
    try:
        with log_of(cluster).open("rb") as log:
            log.seek(-min(_LAST_WORDS, log.seek(0, os.SEEK_END)), os.SEEK_END)
            return DISK_FULL.encode() in log.read()
    except OSError:
        return False


def log_of(cluster: Cluster) -> Path:
    """The server's log file."""
    return cluster.data.parent / "postgres.log"


def _socket_folder(folder: Path) -> Path:
    inside = folder / "sockets"
    if len(os.fsencode(inside)) <= _SOCKET_PATH_LIMIT:
        return inside
    with contextlib.suppress(OSError, ValueError):
        kept = Path(socket_record(folder).read_text(encoding="utf-8"))
        if is_private_folder(kept, server_user()):
            return kept
    name = f"compat-{secrets.token_hex(8)}"
    places = (Path(os.environ.get("XDG_RUNTIME_DIR", "")), Path(tempfile.gettempdir()))
    for place in places:
        is_usable = place.is_absolute() and os.access(place, os.W_OK | os.X_OK)
        if (
            is_usable
            and keeps_names(place)
            and len(os.fsencode(place / name)) <= _SOCKET_PATH_LIMIT
        ):
            return place / name
    return Path("/tmp") / name  # noqa: S108 — the name cannot be guessed, the folder is made fresh


def socket_record(folder: Path) -> Path:
    """The file that names a socket's folder outside the cluster's."""
    return folder / "socket_folder"

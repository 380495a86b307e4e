"""PgBouncer in transaction mode before the tests' PostgreSQL, from Debian's package."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg

from compat_stack.process import unprivileged
from tests.conftest import Server
from tests.harness_deploy import free_port, require_program

USERS = ("postgres", "authenticator", "supabase_auth_admin", "rest_authenticator")
_START_SECONDS = 60
_CONFIGURATION = """\
[databases]
* = host={sockets}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
logfile = {folder}/pgbouncer.log
auth_type = trust
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
stats_users = postgres
ignore_startup_parameters = {ignored}
"""


class Pooler:
    """A running PgBouncer; its URLs are those of the server with the pooler's address."""

    def __init__(self, port: int) -> None:
        self.port = port

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{quote(user)}@127.0.0.1:{self.port}/{quote(database)}"

    def users(self, database: str) -> set[str]:
        """Who has been served in a database."""
        with psycopg.connect(self.url("pgbouncer"), autocommit=True) as console:
            rows = console.execute("show pools").fetchall()
        return {row[1] for row in rows if row[0] == database}


@contextmanager
def running_pooler(
    server: Server, folder: Path, *, size: int = 3, ignored: str = ""
) -> Iterator[Pooler]:
    """PgBouncer with so many server sessions for each user, while the block lasts."""
    program = require_program("pgbouncer")
    port = free_port()
    users = "".join(f'"{user}" ""\n' for user in USERS)
    text = _CONFIGURATION.format(
        sockets=server.cluster.sockets, port=port, folder=folder, size=size, ignored=ignored
    )
    for name, content in {"users.txt": users, "pgbouncer.ini": text}.items():
        (folder / name).write_text(content)
        unprivileged.hand_over(folder / name)
    unprivileged.hand_over(folder)
    process = subprocess.Popen(
        [*unprivileged.prefix(), program, "--quiet", str(folder / "pgbouncer.ini")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _await_listening(process, folder / "pgbouncer.log")
        yield Pooler(port)
    finally:
        process.kill()
        process.wait()


def _await_listening(process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not (log.exists() and "process up" in log.read_text()):
        assert process.poll() is None, log.read_text() if log.exists() else "no log"
        assert time.monotonic() < deadline
        time.sleep(0.05)

"""A replica of the tests' PostgreSQL, made by its own pg_basebackup."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from compat_stack.embedded import postgres
from compat_stack.process import unprivileged
from tests.conftest import Server


@dataclass(frozen=True, slots=True)
class Replica:
    """A running replica; it is asked as its superuser by `run`."""

    sockets: Path
    programs: Path
    data: Path

    def url(self, database: str, user: str = postgres.SUPERUSER) -> str:
        return f"postgresql://{user}@/{database}?host={self.sockets}"

    def run(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def start(self) -> None:
        settings = f"-c listen_addresses= -c unix_socket_directories={self.sockets}"
        self._control("-w", "-l", str(self.data.parent / "replica.log"), "-o", settings, "start")

    def stop(self) -> None:
        self._control("-m", "immediate", "stop")

    def promote(self) -> None:
        """Let it be a primary."""
        self._control("-w", "promote")

    def _control(self, *arguments: str) -> None:
        command = (
            *unprivileged.prefix(), str(self.programs / "pg_ctl"), "-D", str(self.data), *arguments,
        )  # fmt: skip
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def running_replica(server: Server, folder: Path) -> Iterator[Replica]:
    """A replica of the whole server while the block lasts; its folder is short enough for sockets."""
    folder.chmod(0o700)
    unprivileged.hand_over(folder)
    programs, data = server.cluster.programs, folder / "data"
    command = (
        *unprivileged.prefix(), str(programs / "pg_basebackup"), "-D", str(data), "-R", "-X",
        "stream", "-c", "fast", "-d", server.url(),
    )  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    replica = Replica(folder, programs, data)
    replica.start()
    try:
        yield replica
    finally:
        replica.stop()

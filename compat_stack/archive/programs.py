"""PostgreSQL's client programs (pg_dump, pg_restore, psql), on the database of a URL.

A password is passed to them by the environment: everybody on a machine can read command lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urlsplit, urlunsplit

from compat_stack.archive.format import BackupError

NO_FOREIGN_NAMES = "set search_path to pg_catalog;\n"
"""Keeps a script of ours from finding functions and operators of the project's owner."""

# The server's own message, else that of the connection, else the program's
_ERRORS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:ERROR|FATAL|PANIC): +(.*)",
        r"message from server: +(.*)",
        r"(?m)^\w+: error: +(.*)",
    )
)
_PLACED_ERROR = re.compile(
    r"^psql:[^\n]*?:(\d+): (?:(?:ERROR|FATAL|PANIC): +)?([^\n]*)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Programs:
    """The folder of the programs, and the database they work on."""

    folder: Path
    url: str

    def check(self) -> None:
        """Raise BackupError where one of the programs is missing."""
        for name in ("pg_dump", "pg_restore", "psql"):
            if not (self.folder / name).exists():
                raise BackupError(
                    f"there is no {name} in {self.folder}: set PG_BIN to the folder of"
                    " PostgreSQL's client programs"
                )

    def major(self) -> int:
        """The programs' own major version."""
        done = subprocess.run(
            [self.folder / "pg_dump", "--version"], capture_output=True, text=True, check=True
        )
        found = re.search(r"(\d+)", done.stdout)
        return int(found[1]) if found else 0

    def query(self, sql: str) -> list[str]:
        """Rows of one column, as text; BackupError where the database does not answer."""
        with self.session("-A", "-t") as process:
            process.write(sql)
            return process.lines()

    @contextmanager
    def session(self, *arguments: str) -> Generator[RunningProgram]:
        """A psql of the administrator's for scripts of ours; it looks in pg_catalog alone."""
        with self.running("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", *arguments) as process:
            process.write(NO_FOREIGN_NAMES)
            yield process

    def perform(self, script: str, folder: Path) -> tuple[list[str], str]:
        """Run a script by psql in a folder; the lines of its output, and its error if it failed.

        The error is `line: message`.
        """
        done = subprocess.run(
            [self.folder / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
             "-f", "-", "--dbname", self._address()],
            input=script.encode(), capture_output=True, cwd=folder, env=self._environment(),
            check=False,
        )  # fmt: skip
        lines = done.stdout.decode("utf-8", "replace").removesuffix("\n").split("\n")
        output = done.stderr.decode("utf-8", "replace")
        if done.returncode == 0:
            return lines, ""
        found = _PLACED_ERROR.search(output)
        return lines, f"{found[1]}: {found[2]}" if found else (output.strip() or "psql failed")

    @contextmanager
    def running(
        self, program: str, *arguments: str, connects: bool = True
    ) -> Generator[RunningProgram]:
        """A program with pipes for the length of the block; BackupError where it fails.

        Where the block raises, the program is ended.
        """
        place = ["--dbname", self._address()] if connects else []
        with tempfile.TemporaryFile("w+b") as errors:
            process = subprocess.Popen(
                [self.folder / program, *arguments, *place],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=self._environment(),
            )
            running = RunningProgram(program, process, errors)
            try:
                yield running
            except BaseException:
                process.kill()
                process.wait()
                raise
            finally:
                running.close()
            if process.wait() != 0:
                raise running.failure()

    def _address(self) -> str:
        parts = urlsplit(self.url)
        user, at, host = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}"))

    def _environment(self) -> dict[str, str]:
        password = urlsplit(self.url).password
        return {
            **os.environ,
            "PGAPPNAME": "compat_backup",
            "PGCONNECT_TIMEOUT": "10",
            "PGCLIENTENCODING": "UTF8",
            "LC_ALL": "C",
            **({"PGPASSWORD": unquote(password)} if password is not None else {}),
        }


class RunningProgram:
    """A program's pipes."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        self._name = name
        self._process = process
        self._errors = errors

    def write(self, text: str | bytes) -> None:
        """Write to its standard input; BackupError where it has ended."""
        assert self._process.stdin is not None  # noqa: S101 — a pipe was asked for
        try:
            self._process.stdin.write(text.encode() if isinstance(text, str) else text)
        except BrokenPipeError as error:
            self._process.wait()
            raise self.failure() from error

    def query(self, sql: str) -> str:
        """Send psql a statement and give the line that it answers; BackupError without one."""
        assert self._process.stdin is not None  # noqa: S101 — pipes were asked for
        assert self._process.stdout is not None  # noqa: S101
        self.write(sql)
        with suppress(BrokenPipeError):  # its end says why
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise self.failure()
        return line.decode().rstrip("\n")

    def end_input(self) -> None:
        """Close its standard input."""
        assert self._process.stdin is not None  # noqa: S101 — a pipe was asked for
        with suppress(BrokenPipeError):  # its exit status says why
            self._process.stdin.close()

    def pieces(self, size: int = 1 << 18) -> Generator[bytes]:
        """Its standard output in chunks, up to the end."""
        assert self._process.stdout is not None  # noqa: S101 — a pipe was asked for
        while piece := self._process.stdout.read(size):
            yield piece

    def lines(self) -> list[str]:
        """All of its output, after its input was closed."""
        self.end_input()
        text = b"".join(self.pieces()).decode().removesuffix("\n")
        return text.split("\n") if text else []  # a name may hold other ends of lines

    def close(self) -> None:
        """Close the pipes that are still open."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def failure(self) -> BackupError:
        """The first error that it reported, without its prefix."""
        self._errors.seek(0)
        output = self._errors.read().decode("utf-8", "replace")
        found = next(filter(None, (pattern.search(output) for pattern in _ERRORS)), None)
        lines = [line for line in output.splitlines() if line.strip()]
        reason = found[1] if found else (lines[-1] if lines else "it said nothing")
        return BackupError(f"{self._name} failed: {reason}")


def copied(pieces: Generator[bytes], progress: Callable[[int], None]) -> Generator[bytes]:
    """The chunks, with progress reported after each."""
    total = 0
    for piece in pieces:
        yield piece
        total += len(piece)
        progress(total)

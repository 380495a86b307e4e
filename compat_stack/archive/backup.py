"""`backup FILE` and `restore FILE`: the database, the keys and the mailbox as one file.

The database is kept in its logical form (pg_dump's), so that a backup of the embedded PostgreSQL
can be restored into any server and back, and into a newer major version.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from compat_base.values import jsontext
from compat_stack.archive.format import (
    DATABASE,
    FILES,
    FOLDERS,
    HEADER,
    ROLES,
    BackupError,
    Header,
    Writer,
    write_archive,
)
from compat_stack.archive.programs import Programs, copied

_ROLES = Path(__file__).with_name("roles.sql")
_SERVER = (
    "select json_build_array(current_setting('server_version_num')::int / 10000,"
    " current_user, current_setting('server_version'))"
)
# The storage service removes no bytes while another session has this lock
_HOLD = "select true from pg_advisory_lock(hashtext('storage_compat.garbage'), 0);\n"
_SECONDS = 5.0  # between two lines of progress
_PIECE = 1 << 20  # bytes


def program_version() -> str:
    """The version of this program, where it is installed as a package."""
    try:
        return version("planes-en-pareja")
    except PackageNotFoundError:
        return "source"


def back_up(programs: Programs, data_dir: Path, file: Path) -> None:
    """Write a backup of the database as it is now, and of the data folder's files.

    Raises BackupError, OSError. Sessions on the database go on meanwhile.
    """
    programs.check()
    with write_archive(file) as writer:
        header = _header(programs)
        writer.add(HEADER, [header.encode()])
        written = _add_files(writer, data_dir, frozenset())
        roles = programs.query(_ROLES.read_text(encoding="utf-8"))
        writer.add(ROLES, ["\n".join([*roles, ""]).encode()])
        with _bytes_held(programs):
            _add_dump(writer, programs)
            # Files uploaded meanwhile: the dump names no bytes that neither pass has seen
            _add_files(writer, data_dir, written)


@contextmanager
def _bytes_held(programs: Programs) -> Generator[None]:
    """Keep all stored bytes for the length of the block, also those that lose their row in it.

    The session ends with this process, however that ends.
    """
    with programs.session("-A", "-t") as session:
        session.query(_HOLD)
        yield
        session.end_input()


def _add_dump(writer: Writer, programs: Programs) -> None:
    with programs.running("pg_dump", "--format=custom", "--no-subscriptions", "-Z", "6") as dump:
        dump.end_input()
        progress = Progress("of the database written").bytes
        writer.add(DATABASE, copied(dump.pieces(), progress))


class Progress:
    """A line on the terminal at most every five seconds."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._clock = clock
        self._next = clock() + _SECONDS

    def bytes(self, count: int) -> None:
        """Report how many bytes are done."""
        now = self._clock()
        if now >= self._next:
            self._next = now + _SECONDS
            print(f"  {count / 1e6:.0f} MB {self._what}", flush=True)


def server_of(programs: Programs) -> tuple[int, str, str]:
    """The server's major version, the session's user, and the whole version text."""
    [line] = programs.query(_SERVER)
    major, user, version_text = jsontext.decode(line)
    return major, user, version_text


def _header(programs: Programs) -> Header:
    major, owner, server = server_of(programs)
    dump_major = programs.major()
    if dump_major < major:
        raise BackupError(
            f"pg_dump {dump_major} cannot read a server of version {major}: set PG_BIN to the"
            f" programs of PostgreSQL {major}"
        )
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    return Header(made_at, program_version(), server, major, dump_major, owner)


def _add_files(writer: Writer, data_dir: Path, written: frozenset[str]) -> frozenset[str]:
    """Add the files that are not in the archive yet; the names of all that are in it then."""
    added: set[str] = set()
    for name in FILES:
        if name not in written and (data_dir / name).exists():
            added.add(name)
            writer.add(name, [(data_dir / name).read_bytes()])
    for folder, pattern in FOLDERS:
        for path in sorted((data_dir / folder).rglob("*")):
            name = path.relative_to(data_dir).as_posix()
            if name in written or not re.fullmatch(pattern, name.partition("/")[2]):
                continue
            # The mailbox keeps the newest mails only, and deleting a file removes its bytes
            with suppress(FileNotFoundError), path.open("rb") as file:
                added.add(name)
                writer.add(name, iter(partial(file.read, _PIECE), b""))
    return written | added

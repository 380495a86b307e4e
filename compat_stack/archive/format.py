"""The file of a backup: one tar archive, written as a draft and renamed, verified whole when read.

Its first member is a header, its last holds a SHA-256 of every other. Only member names that a
backup can have are ever extracted.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import tarfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from typing import Any

from compat_base.values import jsontext
from compat_base.values.errors import OperatorError
from compat_stack.data_folder.private import open_private, sync_folder

FORMAT = 1
HEADER, CHECKSUMS = "backup.json", "checksums.json"
DATABASE, ROLES = "database.dump", "roles.sql"
# What is kept beside the database: files of the data folder, and folders of files.
FILES = ("keys.env", "signing_keys.json", "retired_keys.json", "vault.key", "vapid_key.json")
FOLDERS = (
    ("mailbox", r"[0-9A-Za-z][0-9A-Za-z._-]*\.eml"),
    # A tenant, two digits, and a version: no file here has a name that a user gave
    (
        "storage",
        r"[0-9A-Za-z][0-9A-Za-z_-]*/[0-9a-f]{2}/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
)

_NAMES = re.compile(
    "|".join(
        [
            *map(re.escape, (HEADER, CHECKSUMS, DATABASE, ROLES, *FILES)),
            *(f"{folder}/{pattern}" for folder, pattern in FOLDERS),
        ]
    )
)
_PIECE = 1 << 20  # bytes
_SMALL = 16 << 20  # bytes; the header and the checksums are read into memory


class BackupError(OperatorError):
    """A backup that cannot be made or used: one sentence with the remedy."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a backup; `owner` is the role that migrated, `major` the server's version."""

    made_at: str
    program: str
    server: str
    major: int
    dump_major: int
    owner: str
    format: int = FORMAT

    def encode(self) -> bytes:
        """The header as JSON."""
        return jsontext.encode_bytes({name: getattr(self, name) for name in self.__slots__})


_HEADER_TYPES = {
    **dict.fromkeys(("made_at", "program", "server", "owner"), str),
    **dict.fromkeys(("major", "dump_major", "format"), int),
}


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup all of whose checksums were verified."""

    path: Path
    header: Header
    names: tuple[str, ...]
    digest: str  # of its contents

    def extract(self, folder: Path, names: Iterable[str]) -> None:
        """Write members below a folder, mode 0600; existing files are not replaced."""
        wanted = set(names)
        with tarfile.open(self.path, "r:") as tar:
            for member in tar:
                if member.name in wanted:
                    _write(tar, member, folder / member.name)


class Writer:
    """Adds members to an archive that is being written."""

    def __init__(self, file: BufferedRandom) -> None:
        self._file = file
        self._checksums: dict[str, str] = {}

    def add(self, name: str, pieces: Iterable[bytes]) -> None:
        """Add a member whose size is known when its last piece was written."""
        info = tarfile.TarInfo(name)
        info.mode = 0o600
        start, digest = self._file.tell(), hashlib.sha256()
        self._file.write(info.tobuf(tarfile.GNU_FORMAT))
        for piece in pieces:
            digest.update(piece)
            info.size += len(piece)
            self._file.write(piece)
        self._file.write(bytes(-info.size % tarfile.BLOCKSIZE))
        end = self._file.tell()
        self._file.seek(start)
        self._file.write(info.tobuf(tarfile.GNU_FORMAT))
        self._file.seek(end)
        self._checksums[name] = digest.hexdigest()

    def finish(self) -> None:
        """Add the checksums and end the archive."""
        self.add(CHECKSUMS, [jsontext.encode_bytes(self._checksums)])
        self._file.write(bytes(2 * tarfile.BLOCKSIZE))


@contextmanager
def write_archive(path: Path) -> Generator[Writer]:
    """Write a new archive; it gets its name once it is complete and on the disk.

    Raises BackupError where the name is taken, OSError where the disk refuses.
    """
    _refuse_taken(path)
    try:
        with _named_once_whole(path) as file:
            writer = Writer(file)
            yield writer
            writer.finish()
    except OSError as error:  # the closing of the file, which writes what is left, fails too
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            message = f"the disk of {path} is full: make room, or name a file on another"
            raise BackupError(message) from error
        raise
    sync_folder(path.parent)


@contextmanager
def _named_once_whole(path: Path) -> Generator[BufferedRandom]:
    draft = path.with_name(f"{path.name}.draft")
    descriptor = open_private(draft, os.O_RDWR)
    with os.fdopen(descriptor, "w+b") as file:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupError(f"another backup is being written to {path}: wait for it") from error
        try:
            file.truncate()
            yield file
            file.flush()
            os.fsync(descriptor)
            _refuse_taken(path)
            draft.rename(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def _refuse_taken(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise BackupError(f"{path} exists: choose another name, or remove it")


def read_archive(path: Path) -> Archive:
    """Read and verify a backup to its end; BackupError where it is damaged or unknown."""
    if not path.is_file():
        raise BackupError(f"{path} is no file: name one that `backup` wrote")
    try:
        with tarfile.open(path, "r:") as tar:
            return _check(path, tar)
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise BackupError(f"{path} is damaged, or no backup of this program") from error


def _check(path: Path, tar: tarfile.TarFile) -> Archive:
    header: Header | None = None
    found: dict[str, str] = {}
    for member in tar:
        if not _NAMES.fullmatch(member.name) or member.type != tarfile.REGTYPE:
            raise BackupError(f"{path} has an entry {member.name!r}, which no backup has")
        if header is None:
            header = _read_header(path, tar, member)
        if member.name == CHECKSUMS:
            checksums = _small(tar, member)
            listed = jsontext.decode_object(checksums)
            if listed != found or DATABASE not in found:
                raise BackupError(f"{path} is damaged: its checksums do not fit its contents")
            return Archive(path, header, tuple(found), hashlib.sha256(checksums).hexdigest())
        if member.name in found:
            raise BackupError(f"{path} has the entry {member.name!r} twice, which no backup has")
        found[member.name] = _checksum(tar, member)
    raise BackupError(f"{path} is incomplete: its end is missing")


def _read_header(path: Path, tar: tarfile.TarFile, member: tarfile.TarInfo) -> Header:
    if member.name != HEADER:
        raise BackupError(f"{path} is no backup of this program")
    values: Mapping[str, Any] = jsontext.decode_object(_small(tar, member))
    if not isinstance(values.get("format"), int):
        raise BackupError(f"{path} is no backup of this program")
    if values["format"] > FORMAT:
        raise BackupError(
            f"{path} was made by a newer version of this program ({values.get('program')}):"
            " restore it with that one"
        )
    is_known = values.keys() == _HEADER_TYPES.keys() and all(
        isinstance(values[name], kind) for name, kind in _HEADER_TYPES.items()
    )
    if not is_known:
        raise BackupError(f"{path} is damaged: its header cannot be read")
    return Header(**values)


def _small(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    if file is None or member.size > _SMALL:
        raise ValueError(member.name)
    data = file.read()
    if len(data) != member.size:
        raise EOFError(member.name)
    return data


def _checksum(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(tar, member):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(tar: tarfile.TarFile, member: tarfile.TarInfo) -> Generator[bytes]:
    file = tar.extractfile(member)
    left = member.size
    while file is not None and left:
        piece = file.read(min(left, _PIECE))
        if not piece:
            raise EOFError(member.name)
        left -= len(piece)
        yield piece


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for piece in _pieces(tar, member):
            file.write(piece)
        file.flush()
        os.fsync(descriptor)

"""Folders and files that nobody else may read, and that nobody else can have planted."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from compat_base.values.errors import OperatorError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class ForeignFolderError(OperatorError):
    """A folder that another user made or may change: one sentence with the remedy."""


def make_private_folder(path: Path, owner: int | None = None) -> None:
    """Make a folder of mode 0700, or take one of the owner's and narrow it.

    Raises ForeignFolderError for a symbolic link and for another user's folder.
    """
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700, parents=True)
    descriptor = _open_folder(path)
    try:
        found = os.fstat(descriptor)
        if found.st_uid not in {os.geteuid(), owner}:
            raise ForeignFolderError(f"{path} was made by another user: remove it")
        if found.st_mode & _OTHERS:
            os.fchmod(descriptor, 0o700)
    finally:
        os.close(descriptor)


def is_private_folder(path: Path, owner: int | None = None) -> bool:
    """Whether a path is a folder (no link) of ours or the owner's that nobody else may enter."""
    try:
        found = path.lstat()
    except OSError:
        return False
    is_ours = found.st_uid in {os.geteuid(), owner}
    return stat.S_ISDIR(found.st_mode) and is_ours and not found.st_mode & _OTHERS


def keeps_names(folder: Path) -> bool:
    """Whether nobody else can rename or replace what we make in a folder.

    That is one of ours or root's that others may not write to, or of which they may rename their
    own files alone (the sticky bit of /tmp).
    """
    try:
        found = folder.stat()
    except OSError:
        return False
    is_shared = bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    is_trusted = found.st_uid in {0, os.geteuid()}
    return is_trusted and (not is_shared or bool(found.st_mode & stat.S_ISVTX))


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically, mode 0600: after a crash it is the old one or the new one.

    The draft has a fresh name, so that no planted link or file is written to.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    remove_drafts(path.parent, path.name)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.draft")
    try:
        write_new(draft, text.encode())
        draft.replace(path)
    except BaseException as error:
        draft.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is not None:
            error.filename = str(path)  # the draft is gone, and hinders nobody
        raise


def remove_drafts(folder: Path, name: str = "*") -> None:
    """Remove what killed processes left of files that they were writing; of all, or of one."""
    for left in folder.glob(f".{name}.*.draft"):
        left.unlink(missing_ok=True)


def write_new(path: Path, content: bytes) -> None:
    """Create a file, mode 0600, and sync it to the disk. Raises FileExistsError.

    One that the disk does not take whole is removed.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Sync a folder's names to the disk (fsync)."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_private(
    path: Path | str, flags: int, *, folder: int | None = None, owner: int | None = None
) -> int:
    """Open or create a regular file of ours or the owner's, mode 0600, no link; its descriptor."""
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ForeignFolderError(f"{path} is a link: remove it") from error
        raise
    found = os.fstat(descriptor)
    is_ours = found.st_uid in {os.geteuid(), owner} and found.st_nlink == 1
    if not stat.S_ISREG(found.st_mode) or not is_ours:
        os.close(descriptor)
        raise ForeignFolderError(f"{path} is no file of this user's own: remove it")
    if found.st_mode & _OTHERS:
        os.fchmod(descriptor, 0o600)
    return descriptor


def _open_folder(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        message = f"{path} cannot be used as a folder ({error.strerror}): remove it"
        raise ForeignFolderError(message) from error

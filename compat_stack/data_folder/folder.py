"""The installation's folder: mode 0700, and locked by the process that works on it."""

from __future__ import annotations

import fcntl
import os
import pwd
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from compat_stack.data_folder.private import ForeignFolderError, open_private, remove_drafts
from compat_stack.process import unprivileged

# What is in a data folder from the first start on; a folder without them has another purpose.
_OURS = {"lock", "keys.env", "signing_keys.json", "postgres", "mailbox"}
_SEARCH_BY_GROUP = 0o710


class InUseError(OSError):
    """Another process holds the data folder."""


@contextmanager
def held_data_folder(folder: Path, report: Callable[[str], None]) -> Generator[None]:
    """Lock the data folder, mode 0700, for this process alone, for the length of the block.

    What a killed process left half written is removed. Raises InUseError where another process
    holds it, ForeignFolderError.
    """
    descriptor = open_data_folder(folder, report)
    try:
        lock = open_private("lock", os.O_RDWR, folder=descriptor)
    except OSError as error:
        os.close(descriptor)
        if error.filename is not None:
            error.filename = str(folder / "lock")
        raise
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"another process works on {folder}: stop it, or set another DATA_DIR"
            raise InUseError(message) from error
        remove_drafts(folder)  # most files are never written again
        yield
    finally:
        os.close(lock)
        os.close(descriptor)


def open_data_folder(folder: Path, report: Callable[[str], None]) -> int:
    """Make the folder with mode 0700, or narrow an existing one and say so; gives its descriptor.

    Raises ForeignFolderError for another user's folder, or one that others may write to, and for
    what is no file in it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _take(folder, descriptor, report)
        _refuse_pipes(folder, descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _take(folder: Path, descriptor: int, report: Callable[[str], None]) -> None:
    found = os.fstat(descriptor)
    if found.st_uid != os.geteuid():
        message = (
            f"{folder} belongs to {_name(found.st_uid)}, and its owner reads what is in it:"
            f" give it to {_name(os.geteuid())}, or set another DATA_DIR"
        )
        raise ForeignFolderError(message)
    mode, group = 0o700, -1
    user = unprivileged.other_user()
    if user is not None:  # the database's programs run as that user, and must find their folder
        mode, group = _SEARCH_BY_GROUP, user.pw_gid
    present = stat.S_IMODE(found.st_mode)
    if present & ~mode:
        if present & stat.S_ISVTX or _is_used_for_other_things(descriptor):
            message = f"{folder} is open to others and not ours alone: set DATA_DIR to a new folder"
            raise ForeignFolderError(message)
        report(f"  {folder} had mode {present:04o}: others have no right to it any more")
    if present != mode or group not in {-1, found.st_gid}:
        os.fchown(descriptor, -1, group)
        os.fchmod(descriptor, mode)


def _refuse_pipes(folder: Path, descriptor: int) -> None:
    """Refuse a pipe or a device in a file's place: reading it would block for ever."""
    for name in os.listdir(descriptor):
        try:
            mode = os.stat(name, dir_fd=descriptor).st_mode
        except OSError:  # a link to nothing
            continue
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise ForeignFolderError(f"{folder / name} is a pipe or a device, no file: remove it")


def _is_used_for_other_things(descriptor: int) -> bool:
    names = set(os.listdir(descriptor))
    return bool(names) and _OURS.isdisjoint(names)


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"

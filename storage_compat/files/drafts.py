"""Temporary files, locked by the process that writes them, so that dead processes' can be found."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path


def hold(descriptor: int) -> None:
    """Keep an open temporary file from being dropped, until it is closed or its process dies.

    A disk that knows no such locks has none: there the age alone tells.
    """
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_SH)


def drop_older(folder: Path, before: float) -> int:
    """Remove the files of a folder last changed before a time, and held by nobody; how many."""
    dropped = 0
    with os.scandir(folder) as files:
        for file in files:
            with suppress(FileNotFoundError):
                is_old = file.is_file() and file.stat(follow_symlinks=False).st_mtime < before
                if is_old and not _is_held(Path(file.path)):
                    Path(file.path).unlink()
                    dropped += 1
    return dropped


def _is_held(path: Path) -> bool:
    with path.open("rb") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
    return False

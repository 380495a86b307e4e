"""Temporary files, locked by the process that writes them, so that abandoned ones can be found."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path


def hold(descriptor: int, path: Path) -> bool:
    """Keep an open temporary file from being dropped, until it is closed or its process dies.

    False where it was dropped before. On a file system without such locks, only the age counts.
    """
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    return path.exists()


def drop_older(folder: Path, before: float) -> int:
    """Remove the files of a folder last changed before a time, and held by nobody; how many."""
    dropped = 0
    with os.scandir(folder) as files:
        for file in files:
            with suppress(FileNotFoundError):
                is_old = file.is_file() and file.stat(follow_symlinks=False).st_mtime < before
                dropped += is_old and _drop(Path(file.path))
    return dropped


def _drop(path: Path) -> bool:
    """Remove a file that nobody holds; a process about to lock it waits, then finds it gone."""
    with path.open("rb") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass
        path.unlink()
    return True

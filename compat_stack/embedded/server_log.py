"""Rotation of PostgreSQL's log file (copy and truncate).

The server holds its log open and appends: so the file is copied and emptied instead of renamed.
Lines written between the two steps are lost.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from compat_stack.data_folder.private import open_private

LOG_BYTES = 16_777_216  # of the log, and of the part of it that is put aside
_PIECE = 65_536  # bytes copied at a time


def rotated_name(log: Path) -> Path:
    """The rotated log: `postgres.log.1`."""
    return log.with_name(f"{log.name}.1")


def rotate_log(log: Path, limit: int = LOG_BYTES, *, owner: int | None = None) -> bool:
    """Copy the last `limit` bytes of a longer log and empty it; whether it was longer.

    Raises OSError, with the log as it was, where the copy cannot be written.
    """
    try:
        size = log.stat().st_size
    except FileNotFoundError:
        return False
    if size <= limit:
        return False
    aside = rotated_name(log)
    aside.unlink(missing_ok=True)  # its room may be all that a full disk has
    source = open_private(log, os.O_RDWR, owner=owner)
    with os.fdopen(source, "r+b") as old:
        old.seek(size - limit)
        with os.fdopen(open_private(aside, os.O_WRONLY, owner=owner), "wb") as new:
            # Twice as much, if it is written meanwhile: a copy that follows a flood has an end.
            new.writelines(islice(iter(lambda: old.read(_PIECE), b""), 2 * limit // _PIECE + 1))
        old.truncate(0)
    return True

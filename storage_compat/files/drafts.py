"""Temporary files that processes left when they died."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def drop_older(folder: Path, before: float) -> int:
    """Remove the files of a folder that were last changed before a time; how many. OSError."""
    dropped = 0
    with os.scandir(folder) as files:
        for file in files:
            with suppress(FileNotFoundError):
                if file.is_file() and file.stat(follow_symlinks=False).st_mtime < before:
                    Path(file.path).unlink()
                    dropped += 1
    return dropped

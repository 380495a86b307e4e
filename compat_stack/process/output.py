"""Lines printed for people.

A closed pipe is no failure: see `compat_base.process.survive_broken_pipes`.
"""

from __future__ import annotations

import sys
from typing import TextIO


def say(line: str, stream: TextIO | None = None) -> None:
    """Print a line and flush it."""
    print(line, file=stream or sys.stdout, flush=True)

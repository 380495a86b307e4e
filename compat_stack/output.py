"""What the command line says to people; it goes on where nobody reads any more."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO


def say(line: str, stream: TextIO | None = None) -> None:
    """Write a line to standard output, or to the stream, at once."""
    chosen = stream or sys.stdout
    try:
        print(line, file=chosen, flush=True)
    except (OSError, ValueError):
        _discard(chosen)


def _discard(stream: TextIO) -> None:
    """Lead a stream without a reader to nowhere, so that the interpreter's last flush succeeds."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

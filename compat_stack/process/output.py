"""What the command line says to people.

It goes on where nobody reads any more: `compat_base.process.outlive_readers` made the streams so.
"""

from __future__ import annotations

import sys
from typing import TextIO


def say(line: str, stream: TextIO | None = None) -> None:
    """Write a line to standard output, or to the stream, at once."""
    print(line, file=stream or sys.stdout, flush=True)

"""Return freed memory of the C library to the system (malloc_trim).

After a burst the heaps keep their largest size, because their free parts lie between used ones.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
from collections.abc import Callable
from pathlib import Path

_STATM = Path("/proc/self/statm")
_SECONDS = 10.0  # between checks
_GROWTH = 8_000_000  # bytes since the least that there were


def is_due(resident: int, least: int) -> bool:
    """Whether the memory has grown so far over its minimum that a trim may free some."""
    return resident > least + _GROWTH


async def trim_forever() -> None:
    """Every ten seconds, trim the heap where it has grown.

    Ends at once where the C library has no malloc_trim, or there is no /proc (musl, macOS).
    """
    trim = _trimmer()
    if trim is None:
        return
    least = _resident()
    while True:
        await asyncio.sleep(_SECONDS)
        resident = _resident()
        if is_due(resident, least):
            await asyncio.to_thread(trim, 0)
            resident = least = _resident()
        least = min(least, resident)


def _trimmer() -> Callable[[int], int] | None:
    found = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if found is None or not _STATM.exists():
        return None
    found.argtypes, found.restype = (ctypes.c_size_t,), ctypes.c_int
    return found


def _resident() -> int:
    """The process's resident memory, in bytes."""
    return int(_STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")

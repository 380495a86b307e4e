"""Waiting for a state that nobody tells of."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

TIMEOUT = 60.0  # seconds; a busy machine needs many
PAUSE = 0.01  # seconds between a steady client's requests, which leave the machine to others


async def until(question: Callable[[], Any], what: str = "what is waited for") -> Any:
    """What a function gives, or what it gives is awaited for, once that is true."""
    end = time.monotonic() + TIMEOUT
    while True:
        found = question()
        if isawaitable(found):
            found = await found
        if found:
            return found
        assert time.monotonic() < end, f"not within {TIMEOUT:.0f} s: {what}"
        await asyncio.sleep(0.01)

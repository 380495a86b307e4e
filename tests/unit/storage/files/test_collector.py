"""When garbage is collected: whatever is left while it is collected too."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, cast

import pytest

from storage_compat.files import collector
from storage_compat.files.collector import Collector


class Counting(Collector):
    """Notes each look for garbage; during the first, some more is left."""

    looks = 0
    has_looked_again = asyncio.Event()

    async def collect(self) -> int:
        """Find nothing."""
        self.looks += 1
        if self.looks == 1:
            self.wake()
        else:
            self.has_looked_again.set()
        return 0


async def test_garbage_that_is_left_while_some_is_collected_is_looked_for_at_once(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(collector, "_IDLE_SECONDS", 3600)
    nothing = cast("Any", None)
    collecting = Counting(nothing, nothing, nothing, nothing)
    running = asyncio.create_task(collecting.run())
    async with asyncio.timeout(60):
        await collecting.has_looked_again.wait()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running

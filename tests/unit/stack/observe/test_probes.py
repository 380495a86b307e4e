"""What `/readyz` says of the workers."""

from __future__ import annotations

from compat_base.workers.scoreboard import Scoreboard
from compat_stack.observe.probes import workers_check


async def test_it_is_ready_only_while_every_slot_has_a_ready_worker():
    scoreboard = Scoreboard(2)
    scoreboard.set(0, is_ready=True)
    assert await workers_check(scoreboard)() == "1 of 2 are ready"
    scoreboard.set(1, is_ready=True)
    assert await workers_check(scoreboard)() is None
    scoreboard.set(0, is_ready=False)
    assert await workers_check(scoreboard)() == "1 of 2 are ready"

"""The board of ready workers is the same memory in every process."""

from __future__ import annotations

import os

from compat_base.workers.scoreboard import Scoreboard


def test_nobody_is_ready_at_first():
    scoreboard = Scoreboard(3)
    assert (scoreboard.ready, scoreboard.slots) == (0, 3)


def test_what_one_process_writes_another_reads():
    scoreboard = Scoreboard(2)
    scoreboard.set(1, is_ready=True)
    pid = os.fork()
    if not pid:
        scoreboard.set(0, is_ready=scoreboard.ready == 1)
        os._exit(0)
    os.waitpid(pid, 0)
    assert scoreboard.ready == 2
    scoreboard.set(1, is_ready=False)
    assert scoreboard.ready == 1

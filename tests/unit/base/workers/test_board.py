"""The board of ready workers is the same memory in every process."""

from __future__ import annotations

import os

from compat_base.workers.board import Board


def test_nobody_is_ready_at_first():
    board = Board(3)
    assert (board.ready, board.slots) == (0, 3)


def test_what_one_process_writes_another_reads():
    board = Board(2)
    board.set(1, is_ready=True)
    pid = os.fork()
    if not pid:
        board.set(0, is_ready=board.ready == 1)
        os._exit(0)
    os.waitpid(pid, 0)
    assert board.ready == 2
    board.set(1, is_ready=False)
    assert board.ready == 1
